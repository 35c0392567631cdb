// error: line 5: expected an expression, found `<>`
byte x;
active proctype P()
{
   <> (x == 1)
}
