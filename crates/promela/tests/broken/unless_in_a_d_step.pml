// error: line 5: `unless` cannot be used inside a d_step
byte x;
active proctype P()
{
   d_step { x = 1 unless x == 2 }
}
