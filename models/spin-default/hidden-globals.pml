// A global that nobody reads is no part of a state. To be printed or counted up is not to be read.
byte counted, printed, written, array[2], kept;
typedef T { byte x };
T field;
active proctype A() {
  do
  :: counted < 0 -> break
  :: printed++; printf("%d\n", printed); break
  :: written = 1; break
  :: array[kept] = 2; break
  :: field.x = 3; break
  :: kept = 1; break
  od
}
