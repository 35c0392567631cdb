// warning: line 5: `_pid` is taken as `eval(_pid)` here; SPIN would overwrite `_pid`
chan c = [1] of { byte, byte };
active proctype P()
{
   c?0, _pid
}
