/* A claim that prints, and asserts about its variable. */
byte x;
active proctype P() { do :: x < 3 -> x++ :: x == 3 -> x = 0 od }
never {
  byte n;
  do
  :: x == 2 && n < 2 -> n++; printf("n is %d\n", n)
  :: x == 3 -> assert(n < 2)
  :: else
  od
}
