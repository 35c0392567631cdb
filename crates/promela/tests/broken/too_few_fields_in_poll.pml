// warning: line 5: channel `c` has messages of 2 fields, and this poll looks at 1
chan c = [1] of { byte, byte };
active proctype P()
{
   c?[1]
}
