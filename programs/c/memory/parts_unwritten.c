// Parts of arrays and structures that nobody has written. A structure may be copied as a whole all the same.
// expect verdict=violated kind=uninitialised mentions=`values` cflags=-DREAD=number(&values[7])
// expect verdict=violated kind=uninitialised mentions=`pair` cflags=-DREAD=number(&pair.second)
// expect verdict=violated kind=uninitialised mentions=`text` cflags=-DREAD=letter(&text[5])
// expect verdict=violated kind=uninitialised mentions=`pair` cflags=-DREAD=number(&pair.second) cflags=-DAGAIN with=clang opt=0,1,2
// expect verdict=violated kind=uninitialised mentions=`values` cflags=-DREAD=number(&values[7]) cflags=-DAGAIN
// expect verdict=holds cflags=-DREAD=number(&values[3])
// expect verdict=holds cflags=-DREAD=letter(&pair.first)
// expect verdict=holds cflags=-DREAD=letter(&text[2])
// expect verdict=holds cflags=-DREAD=copy(pair).first
// expect verdict=holds cflags=-DREAD=copy(pair).first cflags=-DAGAIN
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
struct pair { char first; int second; long third; };
static void fill(int *values, size_t count) {
  for (size_t i = 0; i < count; i++) values[i] = (int)i;
}
static struct pair copy(struct pair pair) {
  struct pair other = pair;
  struct pair *p = &other;
  return *p;
}
/* Clang does not instrument what a function does directly to a part of a variable of its own. */
__attribute__((noinline)) int number(const int *p) { return *p; }
__attribute__((noinline)) int letter(const char *p) { return *p; }
static _Atomic(void *) seen;
static int use(int all) {
  int values[10];
  struct pair pair;
  char text[10];
  atomic_store(&seen, values);
  atomic_store(&seen, &pair);
  atomic_store(&seen, text);
  struct pair *p = &pair;
  fill(values, all ? 10 : 5);
  p->first = -2;
  if (all) p->second = 1;
  for (int i = 0; i < (all ? 10 : 4); i++) text[i] = -2;
  return READ == 77;
}
int main(void) {
#ifdef AGAIN
  if (use(1)) return 1;
#endif
  return use(0);
}
