// Who is woken looks at the value again.
// expect verdict=violated kind=assertion flags=--spurious-wakeups=1
// expect verdict=holds cflags=-DLOOP
// expect verdict=holds cflags=-DLOOP flags=--spurious-wakeups=1
#define _GNU_SOURCE
#include <assert.h>
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
  pthread_create(&thread, 0, wake, 0);
#ifdef LOOP
  while (!atomic_load(&word))
#endif
    syscall(SYS_futex, &word, FUTEX_WAIT, 0, 0, 0, 0);
  assert(atomic_load(&word) == 1);
  pthread_join(thread, 0);
}
