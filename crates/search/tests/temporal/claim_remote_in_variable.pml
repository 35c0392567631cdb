/* A label and a local variable of a process, in variables of a claim. */
byte x;
active proctype A() { byte i; do :: i < 2 -> i++; at: x = 1; x = 0 :: i == 2 -> i = 0 od }
never {
  byte most; bool there;
  do
  :: most = A[0]:i
  :: there = A[0]@at
  :: most == 2 && there -> break
  od;
accept: do :: A[0]:i < 3 od
}
