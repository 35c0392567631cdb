// error: line 4: a label cannot stand before a declaration
active proctype P()
{
   L: byte x;
   x = 1
}
