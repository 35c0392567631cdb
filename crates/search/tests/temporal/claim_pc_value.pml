/* Where a process is, as a number, in a claim. */
byte x;
active proctype A() { do :: x = 1; x = 2; x = 0 od }
active proctype B() { byte i; do :: i = 1 - i od }
never {
  byte where;
  do
  :: where = pc_value(0) > 1
  :: where == 1 && x == 2 -> break
  od;
accept: do :: pc_value(0) != 9 od
}
