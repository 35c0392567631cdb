// error: line 6: expected `;` or `->` between statements, found `+`
chan c = [1] of { byte };
byte x;
active proctype P()
{
   c?x + 1
}
