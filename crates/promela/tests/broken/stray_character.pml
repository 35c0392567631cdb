// error: line 5: stray character outside comments and strings
byte x;
active proctype P()
{
   x = 1 $
}
