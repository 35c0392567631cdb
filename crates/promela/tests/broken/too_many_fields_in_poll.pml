// error: line 5: channel `c` has messages of 2 fields, but this asks for 3
chan c = [1] of { byte, byte };
active proctype P()
{
   c?[1, 2, 3]
}
