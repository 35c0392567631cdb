// error: line 5: `x` is declared twice
active proctype P()
{
   byte x;
   bit x;
   x = 1
}
