// warning: line 6: channel `c` has messages of 2 fields, and this event looks at 1
// warning: line 7: channel `c` has messages of 2 fields, and this event looks at 1
// warning: line 8: this event does not look at `_pid`
chan c = [1] of { byte, byte };
trace {
   c!1;
   c?1;
   c?1, _pid
}
active proctype P()
{
   skip
}
