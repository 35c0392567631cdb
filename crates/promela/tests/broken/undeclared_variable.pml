// error: line 5: variable `y` is not declared
active proctype P()
{
   byte x;
   x = y
}
