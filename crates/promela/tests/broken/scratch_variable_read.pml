// error: line 5: `_` can be written but not read
byte x;
active proctype P()
{
   x = _
}
