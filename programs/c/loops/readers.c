// A reader-writer lock that is taken by an exchange. Where the compiler merges the read before the loop with the one in it, as
// clang does from -O1 on, a failed exchange leads back to where the thread was before: then there are 34 executions. Else it leads
// to the other read, at another place in the code, and the executions in which one follows the other are explored, too: 84.
// expect verdict=holds executions=34,84
#include "loops.h"
static atomic_int l;
int d;
static void *reader(void *a) {
  int v = relaxed(l);
  for (;;) {
    if (v & 1) {
      v = relaxed(l);
      continue;
    }
    if (atomic_compare_exchange_weak_explicit(&l, &v, v + 2, memory_order_acquire, memory_order_relaxed)) break;
  }
  assert(d == 0 || d == 2);
  atomic_fetch_sub_explicit(&l, 2, memory_order_release);
  return a;
}
int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, reader, 0);
  int v = 0;
  while (!atomic_compare_exchange_weak_explicit(&l, &v, 1, memory_order_acquire, memory_order_relaxed)) v = 0;
  d = 1;
  d = 2;
  atomic_fetch_sub_explicit(&l, 1, memory_order_release);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
}
