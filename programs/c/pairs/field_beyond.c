// An index outside the array in a structure.
// expect verdict=holds
// expect verdict=violated kind=out-of-bounds cflags=-DWRONG
struct box { int values[4]; int after; } box;
#ifdef WRONG
#define INDEX 4
#else
#define INDEX 3
#endif
int main(void) {
  volatile int index = INDEX;
  box.values[index] = 1;
  return box.after;
}
