// What the programs here have in common: N threads of one function whose arguments differ.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef N
#define N 3
#endif

#ifdef CLAIM
#include <quotient.h>
#define START(thread, function, argument) quotient_spawn_symmetric(thread, function, argument)
#else
#define START(thread, function, argument) pthread_create(thread, 0, function, argument)
#endif

#ifdef SAME
#define ARGUMENT(i) ((void *)0)
#else
#define ARGUMENT(i) ((void *)(i))
#endif

// Starts the threads with their numbers as arguments, and joins them.
#define RUN(function)                                                              \
  do {                                                                             \
    pthread_t threads[N];                                                          \
    for (long i = 0; i < N; i++) START(&threads[i], function, ARGUMENT(i));         \
    for (int i = 0; i < N; i++) pthread_join(threads[i], 0);                       \
  } while (0)
