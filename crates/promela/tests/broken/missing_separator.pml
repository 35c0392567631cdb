// error: line 5: expected `;` or `->` between statements, found `x`
byte x;
active proctype P()
{
   x = 1 x = 2
}
