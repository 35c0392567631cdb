// error: line 6: a never claim cannot have side effects
byte x;
active proctype P() { x = 1 }
never
{
   x = 2
}
