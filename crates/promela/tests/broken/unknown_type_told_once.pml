// error: line 5: mtype `missing` is not declared
// error: line 8: mtype `absent` is not declared
mtype = { one };

mtype:missing x;
init
{
   mtype:absent y;
   x = one; y = x; assert(x == y)
}
