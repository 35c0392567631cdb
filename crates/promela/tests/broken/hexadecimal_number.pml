// error: line 5: Promela has no hexadecimal numbers
byte x;
active proctype P()
{
   x = 0x1f
}
