// Functions of threads, semaphores and time read and write memory of the program. Wrong: another thread does so meanwhile.
// expect verdict=holds
// expect verdict=violated kind=race cflags=-DHANDLE
// expect verdict=violated kind=race cflags=-DRESULT
// expect verdict=violated kind=race cflags=-DVALUE
// expect verdict=violated kind=race cflags=-DCLOCK
// expect verdict=violated kind=race cflags=-DSECONDS
// expect verdict=violated kind=race cflags=-DDEADLINE
// expect verdict=violated kind=race cflags=-DCONDITION
// expect verdict=violated kind=race cflags=-DSEMAPHORE
// expect verdict=violated kind=race cflags=-DC11
// expect verdict=violated kind=race cflags=-DSLEEP
// expect verdict=violated kind=race cflags=-DKEY
// expect verdict=violated kind=race cflags=-DATTRIBUTES
// expect verdict=violated kind=race cflags=-DKIND
// expect verdict=violated kind=race cflags=-DTYPE
// expect verdict=violated kind=use-after-free cflags=-DFREED_CLOCK
// expect verdict=violated kind=use-after-free cflags=-DFREED_VALUE
// expect verdict=violated kind=use-after-free cflags=-DFREED_HANDLE
// expect verdict=violated kind=use-after-free cflags=-DFREED_RESULT
// expect verdict=violated kind=out-of-bounds cflags=-DTOO_SMALL
// expect verdict=violated kind=uninitialised cflags=-DUNWRITTEN
// expect verdict=violated kind=uninitialised cflags=-DUNWRITTEN_DEADLINE
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
static union {
  pthread_t handle;
  void *result;
  int value;
  struct timespec time;
  time_t seconds;
  pthread_key_t key;
  pthread_attr_t attributes;
  pthread_mutexattr_t kind;
} shared;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static void *nothing(void *unused) { return unused; }
static void *first(void *unused) {
#if defined HANDLE || defined RESULT || defined ATTRIBUTES
  pthread_t thread;
#endif
#ifdef HANDLE
  pthread_create(&shared.handle, 0, nothing, 0);
#elif defined RESULT
  pthread_create(&thread, 0, nothing, 0);
  pthread_join(thread, &shared.result);
#elif defined VALUE
  sem_getvalue(&semaphore, &shared.value);
#elif defined CLOCK
  clock_gettime(CLOCK_MONOTONIC, &shared.time);
#elif defined SECONDS
  time(&shared.seconds);
#elif defined DEADLINE
  pthread_mutex_timedlock(&mutex, &shared.time);
#elif defined CONDITION
  pthread_mutex_lock(&mutex);
  pthread_cond_timedwait(&condition, &mutex, &shared.time);
  pthread_mutex_unlock(&mutex);
#elif defined SEMAPHORE
  sem_timedwait(&semaphore, &shared.time);
#elif defined C11
  mtx_t lock;
  mtx_init(&lock, mtx_timed);
  mtx_timedlock(&lock, &shared.time);
#elif defined SLEEP
  nanosleep(&shared.time, 0);
#elif defined KEY
  pthread_key_create(&shared.key, 0);
#elif defined ATTRIBUTES
  pthread_create(&thread, &shared.attributes, nothing, 0);
  pthread_join(thread, 0);
#elif defined KIND
  pthread_mutex_t other;
  pthread_mutex_init(&other, &shared.kind);
#elif defined TYPE
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_gettype(&kind, &shared.value);
#else
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  nanosleep(&now, 0);
#endif
  return unused;
}
int main(void) {
  sem_init(&semaphore, 0, 1);
  pthread_t thread;
  void *block = malloc(64);
  struct timespec *small = malloc(8), *unwritten = malloc(sizeof *unwritten);
#if defined FREED_CLOCK || defined FREED_VALUE || defined FREED_HANDLE || defined FREED_RESULT
  free(block);
#endif
#ifdef FREED_CLOCK
  clock_gettime(CLOCK_REALTIME, block);
#elif defined FREED_VALUE
  sem_getvalue(&semaphore, block);
#elif defined FREED_HANDLE
  pthread_create(block, 0, nothing, 0);
#elif defined TOO_SMALL
  clock_gettime(CLOCK_REALTIME, small);
#elif defined UNWRITTEN
  nanosleep(unwritten, 0);
#elif defined UNWRITTEN_DEADLINE
  sem_timedwait(&semaphore, unwritten);
#endif
  pthread_create(&thread, 0, first, 0);
#if !defined FREED_RESULT
  // What another thread reads is written, and what it writes is written, too.
#if defined HANDLE || defined RESULT || defined VALUE || defined CLOCK || defined SECONDS || defined DEADLINE || \
    defined CONDITION || defined SEMAPHORE || defined C11 || defined SLEEP || defined KEY || defined ATTRIBUTES || \
    defined KIND || defined TYPE
  *(volatile char *)&shared = 0;
#endif
  pthread_join(thread, 0);
#else
  pthread_join(thread, block);
#endif
  free(small);
  free(unwritten);
#if !defined FREED_CLOCK && !defined FREED_VALUE && !defined FREED_HANDLE && !defined FREED_RESULT
  free(block);
#endif
  return 0;
}
