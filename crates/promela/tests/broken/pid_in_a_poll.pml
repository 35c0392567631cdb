// warning: line 5: this poll does not look at `_pid`
chan c = [1] of { byte, byte };
active proctype P()
{
   c?[0, _pid]
}
