// expect verdict=violated kind=race mentions=bytes
// expect verdict=violated kind=race mentions=bytes cflags=-DBUILTIN
// expect verdict=violated kind=race mentions=bytes cflags=-DMOVE
// expect verdict=violated kind=race mentions=bytes cflags=-DCONSTANT
// expect verdict=violated kind=race mentions=bytes cflags=-DASSIGN
// expect verdict=violated kind=race mentions=bytes cflags=-DLOOP
// expect verdict=violated kind=race mentions=bytes cflags=-DSTRING
// expect verdict=violated kind=race mentions=bytes cflags=-DPRINT
// expect verdict=violated kind=race mentions=bytes cflags=-DCOMPARE
// expect verdict=violated kind=race mentions=bytes cflags=-DCOMPARE_TEXT
// expect verdict=violated kind=race mentions=bytes cflags=-D_FORTIFY_SOURCE=2 cflags=-Wno-error
// expect verdict=violated kind=race mentions=bytes cflags=-D_FORTIFY_SOURCE=2 cflags=-DSTRING
// expect verdict=violated kind=race mentions=bytes cflags=-D_FORTIFY_SOURCE=2 cflags=-DPRINT
// Ways to write or read some bytes for which compilers have instructions of their own; another thread writes one of them.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
struct Bytes { char bytes[8]; int more[4]; };
struct Bytes bytes, other;
volatile int wrong;

static void *thread(void *argument) { bytes.bytes[1] = 'x'; return argument; }

static void touch(struct Bytes *to) {
#ifdef BUILTIN
  __builtin_memcpy(to, &other, sizeof other);
#elif defined MOVE
  memmove(to->bytes, to->bytes + 1, 4);
#elif defined CONSTANT
  memset(to, 0, 16);
#elif defined ASSIGN
  *to = other;
#elif defined LOOP
  for (int i = 0; i < 8; i++) to->bytes[i] = 0;
#elif defined STRING
  strcpy(to->bytes, "abc");
#elif defined PRINT
  sprintf(to->bytes, "abc");
#elif defined COMPARE
  wrong = memcmp(to->bytes, other.bytes, 4) == 0;
#elif defined COMPARE_TEXT
  wrong = strcmp(to->bytes + 1, "ab") == 0;
#else
  memcpy(to->bytes, "abc", 4);
#endif
}

int main(void) {
  pthread_t id;
  pthread_create(&id, 0, thread, 0);
  touch(&bytes);
  pthread_join(id, 0);
}
