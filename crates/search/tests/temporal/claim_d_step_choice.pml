/* A d_step that begins with a choice, beside an else. */
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
never {
  do
  :: d_step { if :: x == 1 -> skip :: x == 2 -> skip fi }
  :: else -> break
  od;
accept: do :: true od
}
