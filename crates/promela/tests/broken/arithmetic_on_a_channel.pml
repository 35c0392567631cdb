// error: line 5: `c` is a channel; arithmetic makes no sense on it
chan c = [1] of { byte };
active proctype P()
{
   c++
}
