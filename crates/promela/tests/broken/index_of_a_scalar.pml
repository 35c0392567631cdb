// error: line 5: `x` is not an array
byte x;
active proctype P()
{
   x[1] = 1
}
