// 5 executions: the value is another one, before or after the other thread comes to wake; it is woken; or it waits in vain,
// and looks at the clock on time or late.
// expect verdict=holds executions=5
// expect verdict=violated kind=assertion cflags=-DNO_TIMEOUT
// expect verdict=violated kind=assertion cflags=-DNO_SUCCESS
// expect verdict=holds executions=5 cflags=-DBITSET
// expect verdict=violated kind=assertion cflags=-DBITSET cflags=-DNO_TIMEOUT
// expect verdict=violated kind=assertion cflags=-DBITSET cflags=-DNO_SUCCESS
#define _GNU_SOURCE
#include "outcome.h"
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int word;

static void *wake(void *argument) {
  atomic_store(&word, 1);
  syscall(SYS_futex, &word, FUTEX_WAKE, 1, 0, 0, 0);
  return argument;
}

int main(void) {
  pthread_t thread;
  struct timespec deadline = from_now(3), time = {3, 0};
  pthread_create(&thread, 0, wake, 0);
#ifdef BITSET
  long result = syscall(SYS_futex, &word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, &deadline, 0, -1);
#else
  long result = syscall(SYS_futex, &word, FUTEX_WAIT, 0, &time, 0, 0);
#endif
  assert(result == 0 || errno == ETIMEDOUT || errno == EAGAIN);
  if (result && errno == EAGAIN) assert(atomic_load(&word) == 1);
  else outcome(result == 0);
  if (result && errno == ETIMEDOUT) is_over(deadline);
  pthread_join(thread, 0);
}
