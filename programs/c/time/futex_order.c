// expect verdict=holds
// expect verdict=holds cflags=-DCHANGE
// expect verdict=violated kind=race cflags=-DLATE
// expect verdict=violated kind=race cflags=-DLATE cflags=-DCHANGE
// Whoever is woken at a futex knows what was before that, even if the value that it waits at never changes.
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static atomic_int word;
int data;

static void *wake(void *argument) {
#ifndef LATE
  data = 1;
#endif
#ifdef CHANGE
  atomic_store_explicit(&word, 1, memory_order_relaxed);
#endif
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
#ifdef LATE
  data = 1;
#endif
  return argument;
}

int main(void) {
  pthread_t thread;
#ifdef CHANGE
  struct timespec *time = 0;
#else
  struct timespec soon = {1, 0}, *time = &soon;
#endif
  pthread_create(&thread, 0, wake, 0);
  long result = syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, time, 0, 0);
  if (result == 0 && data == 7) return 1;
  pthread_join(thread, 0);
  return 0;
}
