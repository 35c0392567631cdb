// Two like threads choose a slot by a hash of their block's address. The slots differ, and main finds out whose was first.
// expect verdict=violated kind=assertion cflags=-DHASH=(p>>27)%2 cflags=-DWANTED=1
// expect verdict=violated kind=assertion cflags=-DHASH=(p>>27)%2 cflags=-DWANTED=2
// expect verdict=violated kind=assertion cflags=-DHASH=(unsigned)p>>27&1 cflags=-DWANTED=1
// expect verdict=violated kind=assertion cflags=-DHASH=(unsigned)p>>27&1 cflags=-DWANTED=2
// expect verdict=violated kind=assertion cflags=-DHASH=(p*0x1000000000)>>63 cflags=-DWANTED=1
// expect verdict=violated kind=assertion cflags=-DHASH=(p*0x1000000000)>>63 cflags=-DWANTED=2
// expect verdict=violated kind=assertion cflags=-DHASH=(p/4096)%2 cflags=-DWANTED=1
// expect verdict=violated kind=assertion cflags=-DHASH=(p/4096)%2 cflags=-DWANTED=2
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

static atomic_int last, slots[2];

static void *choose(void *argument) {
  uintptr_t p = (uintptr_t)malloc(64);
  int slot = (int)(HASH) & 1;
  atomic_store(&slots[slot], 1);
  atomic_store(&last, slot + 1);
  return argument;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, choose, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
  if (atomic_load(&slots[0]) && atomic_load(&slots[1])) assert(atomic_load(&last) == WANTED);
}
