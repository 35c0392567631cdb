// A reader-writer spin lock: a reader adds 2, and takes it away again if there is a writer.
// expect verdict=holds cflags=-DREADERS=1
// expect verdict=holds cflags=-DREADERS=2
// expect verdict=violated kind=race cflags=-DREADERS=2 cflags=-DBROKEN
#include "loops.h"
atomic_int lock;
int data;
static void *reader(void *a) {
  while (atomic_fetch_add(&lock, 2) & 1) atomic_fetch_sub(&lock, 2);
  assert(data == 0 || data == 2);
  atomic_fetch_sub(&lock, 2);
  return a;
}
static void *writer(void *a) {
  int free = 0;
#ifdef BROKEN
  while (!atomic_compare_exchange_strong(&lock, &free, free + 1)) {}
#else
  while (!atomic_compare_exchange_strong(&lock, &free, 1)) free = 0;
#endif
  data = 1;
  data = 2;
  atomic_fetch_sub(&lock, 1);
  return a;
}
int main(void) {
  pthread_t t[3];
  pthread_create(&t[0], 0, writer, 0);
  for (int i = 1; i <= READERS; i++) pthread_create(&t[i], 0, reader, 0);
  for (int i = 0; i <= READERS; i++) pthread_join(t[i], 0);
}
