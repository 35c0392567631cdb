// error: line 6: expected `:` and the value otherwise, found `}`
byte x;
active proctype P()
{
   (x == 1 -> skip
}
