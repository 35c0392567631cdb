// expect verdict=holds
#define _GNU_SOURCE
#include "outcome.h"
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int flag;

static void *set(void *argument) {
  atomic_store(&flag, 1);
  return argument;
}

int main(void) {
  struct timespec deadline = from_now(100);
  pthread_t thread;
  pthread_create(&thread, 0, set, 0);
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, 0);
  is_over(deadline);
  atomic_load(&flag);
  pthread_join(thread, 0);
}
