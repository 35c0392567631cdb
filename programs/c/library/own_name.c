// expect verdict=holds executions=2 cflags=-DNAME=sleep
// expect verdict=holds executions=2 cflags=-DNAME=write
// expect verdict=holds executions=2 cflags=-DNAME=poll
// expect verdict=holds executions=2 cflags=-DNAME=random
// expect verdict=holds executions=2 cflags=-DNAME=index
// expect verdict=holds executions=2 cflags=-DNAME=strlcpy
// expect verdict=holds executions=2 cflags=-DNAME=alarm
// expect verdict=holds executions=2 cflags=-DNAME=puts
// expect verdict=holds executions=2 cflags=-DNAME=qsort
// expect verdict=holds executions=2 cflags=-DNAME=read
// A program may have functions with names of the library that it does not use.
#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
void NAME(int value) { x = value; }
void *thread(void *argument) { NAME(1); return argument; }

int main(void) {
  pthread_t id;
  pthread_create(&id, 0, thread, 0);
  NAME(2);
  pthread_join(id, 0);
}
