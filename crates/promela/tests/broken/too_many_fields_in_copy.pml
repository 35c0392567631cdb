// error: line 5: channel `c` has messages of 1 field, but this receives 2
chan c = [1] of { byte };
active proctype P()
{
   c?<1, 2>
}
