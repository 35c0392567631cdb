// A pointer goes beyond a local array to the next variable, which the callee cannot know.
// expect verdict=holds executions=1 everywhere
// expect verdict=violated kind=out-of-bounds line=20 mentions=`first` with=clang opt=1,2,3 everywhere cflags=-DWRONG
// expect verdict=violated kind=out-of-bounds line=20 mentions=before with=clang opt=1,2,3 cflags=-DBEFORE
// expect verdict=violated kind=out-of-bounds line=29 mentions=reads with=clang opt=1,2,3 cflags=-DREAD
#if defined WRONG
#define FROM 0
#define TO 5
#elif defined BEFORE
#define FROM -1
#define TO 4
#else
#define FROM 0
#define TO 4
#endif
struct pair {
  int first[4], second[4];
};
static void __attribute__((noinline)) fill(int *numbers, int from, int to) {
  for (int i = from; i < to; i++) numbers[i] = i;
}
static int __attribute__((noinline)) last(const int *numbers, int count) {
  int sum = 0;
#ifdef READ
  count++;
#endif
  for (int i = 0; i < count; i++)
    sum +=
        numbers[i];
  return sum;
}
int main(void) {
  int first[4], second[4], third;
  struct pair both;
  fill(second, 0, 4);
  fill(&third, 0, 1);
  fill(first, FROM, TO);
  // A pointer may go from one part of a structure to the next.
  fill(both.first, 0, 4);
  fill(both.second, 0, 4);
  return last(first, 4) + last(second, 4) + last((int *)&both, 8) + third == -1;
}
