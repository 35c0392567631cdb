// Accesses that compilers do not instrument: each races with a thread, touches what was freed, or is right under a lock.
// expect verdict=violated kind=race cflags=-DBY_VALUE cflags=-DRACE
// expect verdict=violated kind=use-after-free cflags=-DBY_VALUE cflags=-DFREED
// expect verdict=holds cflags=-DBY_VALUE
// expect verdict=violated kind=race cflags=-DLARGE_BY_VALUE cflags=-DRACE
// expect verdict=violated kind=use-after-free cflags=-DLARGE_BY_VALUE cflags=-DFREED
// expect verdict=holds cflags=-DLARGE_BY_VALUE
// expect verdict=violated kind=race cflags=-DLAST_OF_MANY cflags=-DRACE
// expect verdict=violated kind=use-after-free cflags=-DLAST_OF_MANY cflags=-DFREED
// expect verdict=holds cflags=-DLAST_OF_MANY
// expect verdict=violated kind=race cflags=-DRESULT cflags=-DRACE
// expect verdict=violated kind=use-after-free cflags=-DRESULT cflags=-DFREED
// expect verdict=holds cflags=-DRESULT
// expect verdict=violated kind=race cflags=-DSMALL_RESULT cflags=-DRACE
// expect verdict=violated kind=use-after-free cflags=-DSMALL_RESULT cflags=-DFREED
// expect verdict=holds cflags=-DSMALL_RESULT
// expect verdict=violated kind=race cflags=-DLONG_DOUBLE cflags=-DRACE
// expect verdict=violated kind=use-after-free cflags=-DLONG_DOUBLE cflags=-DFREED
// expect verdict=holds cflags=-DLONG_DOUBLE
// expect verdict=violated kind=race cflags=-DLONG_DOUBLE_STORE cflags=-DRACE
// expect verdict=violated kind=use-after-free cflags=-DLONG_DOUBLE_STORE cflags=-DFREED
// expect verdict=holds cflags=-DLONG_DOUBLE_STORE
// expect verdict=violated kind=race cflags=-DBITS cflags=-DRACE
// expect verdict=violated kind=use-after-free cflags=-DBITS cflags=-DFREED
// expect verdict=holds cflags=-DBITS
// expect verdict=violated kind=race cflags=-DVECTOR cflags=-DRACE
// expect verdict=violated kind=use-after-free cflags=-DVECTOR cflags=-DFREED
// expect verdict=holds cflags=-DVECTOR
// expect verdict=violated kind=race cflags=-DASM_OUTPUT cflags=-DRACE
// expect verdict=violated kind=use-after-free cflags=-DASM_OUTPUT cflags=-DFREED
// expect verdict=holds cflags=-DASM_OUTPUT
// expect verdict=violated kind=race cflags=-DSTREAM cflags=-DRACE
// expect verdict=violated kind=use-after-free cflags=-DSTREAM cflags=-DFREED
// expect verdict=holds cflags=-DSTREAM
#include <emmintrin.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
struct small { long first, second; };
struct middle { long first, second; int third; };
struct large { long values[40]; };
struct bits { unsigned a : 20, b : 20; };
typedef int vector __attribute__((vector_size(64)));
struct everything {
  struct small small;
  struct middle middle;
  struct large large;
  struct bits bits;
  long double number;
  vector vector;
  int stored;
};
struct everything *shared;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
volatile long sink;

__attribute__((noinline)) void middle(struct middle s) { sink = s.first; }
__attribute__((noinline)) void large(struct large s) { sink = s.values[39]; }
__attribute__((noinline)) void many(int a, struct small s, struct small t, struct small u, struct middle v) {
  sink = a + s.first + t.first + u.second + v.third;
}
__attribute__((noinline)) struct middle make_middle(long a) { return (struct middle){a, a, 3}; }
__attribute__((noinline)) struct small make_small(long a) { return (struct small){a, a}; }
__attribute__((noinline)) void number(long double d) { sink = (long)d; }
__attribute__((noinline)) long double make_number(void) { return sink; }

__attribute__((noinline)) void touch(struct everything *p) {
#if defined BY_VALUE
  middle(p->middle);
#elif defined LARGE_BY_VALUE
  large(p->large);
#elif defined LAST_OF_MANY
  many(1, p->small, p->small, p->small, p->middle);
#elif defined RESULT
  p->middle = make_middle(sink);
#elif defined SMALL_RESULT
  p->small = make_small(sink);
#elif defined LONG_DOUBLE
  number(p->number);
#elif defined LONG_DOUBLE_STORE
  p->number = make_number();
#elif defined BITS
  p->bits.b = sink;
#elif defined VECTOR
  p->vector += 1;
#elif defined ASM_OUTPUT
  __asm__("" : "=r"(p->stored) : "0"((int)sink));
#elif defined STREAM
  _mm_stream_si32(&p->stored, (int)sink);
#endif
}

/* Another thread does the same with calls that are always seen. */
static void *other(void *argument) {
#ifndef RACE
  pthread_mutex_lock(&lock);
#endif
  memset(shared, 1, sizeof *shared);
#ifndef RACE
  pthread_mutex_unlock(&lock);
#endif
  return argument;
}

int main(void) {
  struct everything *p = aligned_alloc(64, sizeof *p);
  memset(p, 0, sizeof *p);
  shared = p;
#ifdef FREED
  free(p);
  touch(p);
#else
  pthread_t thread;
  pthread_create(&thread, 0, other, 0);
  pthread_mutex_lock(&lock);
  touch(p);
  pthread_mutex_unlock(&lock);
  pthread_join(thread, 0);
  free(p);
#endif
}
