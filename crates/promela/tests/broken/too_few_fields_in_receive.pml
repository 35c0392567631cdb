// warning: line 6: channel `c` has messages of 2 fields, but this receives 1; that is an error when it is executed
chan c = [1] of { byte, byte };
active proctype P()
{
   byte x;
   c?x
}
