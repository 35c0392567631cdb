// error: line 5: proctype `A` has no variable `y`
active proctype A() { byte x; x = 1 }
active proctype B()
{
   A:y == 1 -> skip
}
