// warning: line 7: channel `c` has messages of 2 fields, and this receive looks at 1
// warning: line 8: channel `c` has messages of 2 fields, and this receive looks at 1
chan c = [1] of { byte, byte };
active proctype P()
{
   byte x;
   c?<x>;
   c??<1>
}
