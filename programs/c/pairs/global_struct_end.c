// Behind a structure in a global array.
// expect verdict=holds
// expect verdict=violated kind=out-of-bounds cflags=-DWRONG
struct entry { int a; char b[12]; };
static struct entry entries[3];
static int other[10];
#ifdef WRONG
#define COUNT 4
#else
#define COUNT 3
#endif
static void __attribute__((noinline)) fill(struct entry *p, int n) { for (int i = 0; i < n; i++) p[i].a = i; }
int main(void) {
  fill(entries, COUNT);
  return other[0] + entries[0].a;
}
