// A thread that waits in a loop has marked a place in its function before, to which it comes back: what it needs there is not
// what the code behind the loop says.
// expect verdict=violated kind=assertion
// expect verdict=violated kind=assertion cflags=-DGLOBAL
// expect verdict=violated kind=assertion cflags=-DSIGNALS
// expect verdict=violated kind=assertion cflags=-DBUILTIN
// expect verdict=violated kind=assertion cflags=-DCLEANUP
// expect verdict=holds cflags=-DUNSEEN
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdatomic.h>

enum { NOTHING, FAULT, DONE };

atomic_int stage;

#if defined BUILTIN
typedef void *mark[5];
#define SET __builtin_setjmp
#define JUMP(place) __builtin_longjmp(place, 1)
#elif defined SIGNALS
typedef sigjmp_buf mark;
#define SET(place) sigsetjmp(place, 1)
#define JUMP(place) siglongjmp(place, 1)
#else
typedef jmp_buf mark;
#define SET setjmp
#define JUMP(place) longjmp(place, 1)
#endif

#ifdef CLEANUP
static void look(void *seen) { assert(!*(volatile int *)seen); }

static void *work(void *argument) {
  volatile int seen = 0;
  pthread_cleanup_push(look, (void *)&seen);
  for (int now = NOTHING; now != DONE;) {
    now = atomic_load(&stage);
    if (now == FAULT) seen = 1;
  }
  pthread_exit(argument);
  pthread_cleanup_pop(0);
}
#else
#ifdef GLOBAL
static mark place;
#endif

__attribute__((noinline)) static void leave(mark place) { JUMP(place); }

static void *work(void *argument) {
#ifndef GLOBAL
  mark place;
#endif
  volatile int seen = 0;
  if (SET(place)) {
    assert(!seen);
    return argument;
  }
  for (int now = NOTHING; now != DONE;) {
    now = atomic_load(&stage);
#ifndef UNSEEN
    if (now == FAULT) seen = 1;
#endif
  }
  leave(place);
  return argument;
}
#endif

int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  atomic_store(&stage, FAULT);
  atomic_store(&stage, DONE);
  pthread_join(thread, 0);
}
