// error: line 5: `_pid` cannot be received into
chan c = [1] of { byte, byte };
active proctype P()
{
   c?0, _pid
}
