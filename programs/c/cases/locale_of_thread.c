// expect verdict=holds
// The locale of `uselocale` is a matter of each thread.
#define _GNU_SOURCE
#include <assert.h>
#include <locale.h>
#include <pthread.h>
#include <stdatomic.h>
static atomic_int turn;
static void *other(void *a) {
  locale_t own = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  assert(uselocale((locale_t)0) == LC_GLOBAL_LOCALE);
  uselocale(own);
  atomic_store(&turn, 1);
  atomic_load(&turn);
  assert(uselocale((locale_t)0) == own);
  uselocale(LC_GLOBAL_LOCALE);
  freelocale(own);
  return a;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  atomic_store(&turn, 2);
  atomic_load(&turn);
  assert(uselocale((locale_t)0) == LC_GLOBAL_LOCALE);
  pthread_join(t, 0);
}
