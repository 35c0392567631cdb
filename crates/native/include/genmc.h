/* The names under which programs written for GenMC ask for what quotient.h offers. */
#ifndef QUOTIENT_GENMC_H
#define QUOTIENT_GENMC_H

#include "quotient.h"

typedef pthread_t __VERIFIER_thread_t;

#define __VERIFIER_assume(condition) quotient_assume(condition)
/* GenMC gives a fixed sequence of numbers; here it is a choice between 0 and 1. */
#define __VERIFIER_nondet_int() ((int)quotient_nondet(2))
#define __VERIFIER_nondet_uint() (quotient_nondet(2))
#define __VERIFIER_nondet_bool() (quotient_nondet(2))

static inline pthread_t __VERIFIER_spawn(void *(*function)(void *), void *argument) {
  pthread_t thread;
  pthread_create(&thread, NULL, function, argument);
  return thread;
}
/* The thread of the same group that was started before is known without being named. */
static inline pthread_t __VERIFIER_spawn_symmetric(void *(*function)(void *), void *argument, pthread_t sibling) {
  pthread_t thread;
  (void)sibling;
  quotient_spawn_symmetric(&thread, function, argument);
  return thread;
}
static inline void *__VERIFIER_join(pthread_t thread) {
  void *result;
  pthread_join(thread, &result);
  return result;
}
#define __VERIFIER_join_symmetric(thread) __VERIFIER_join(thread)

#define __VERIFIER_loop_begin() ((void)0)
#define __VERIFIER_spin_start() ((void)0)
#define __VERIFIER_spin_end(condition) ((void)(condition))
/* That a write is local is not checked: an answer says so. */
#ifdef __cplusplus
extern "C" {
#endif
void quotient_ignores_local_write(void);
void quotient_helped_begin(void);
void quotient_helping_begin(void);
void quotient_helped_end(void);
#ifdef __cplusplus
}
#endif
#define __VERIFIER_local_write(write) do { quotient_ignores_local_write(); write; } while (0)
#define __VERIFIER_local_writes(writes) do { quotient_ignores_local_write(); writes; } while (0)
#define __VERIFIER_final_write(write) quotient_final_write(write)
#define __VERIFIER_final_writes(writes) quotient_final_write(writes)
#define __VERIFIER_final_CAS(exchange) quotient_final_exchange(exchange)
#define __VERIFIER_speculative_read(read) (read)
#define __VERIFIER_confirming_read(read) (read)
#define __VERIFIER_confirming_CAS(exchange) (exchange)
#define __VERIFIER_optional(block) do { block; } while (0)

/* A helped exchange is the primary operation, a helping one is left to it; both identify it by the arguments of the
   exchange, which must be written out: atomic_compare_exchange_*_explicit(object, &expected, desired, ...). */
static inline void quotient_helped_end_of(char *scope) { (void)scope; quotient_helped_end(); }
#define QUOTIENT_UP_TO_HERE __attribute__((cleanup(quotient_helped_end_of), unused)) char quotient_scope = 0
/* With or without a semicolon behind the exchange; without, its result is the result. */
#define __VERIFIER_helped_CAS(exchange) ({ quotient_helped_begin(); QUOTIENT_UP_TO_HERE; exchange; })
#define __VERIFIER_helping_CAS(exchange) ({ quotient_helping_begin(); QUOTIENT_UP_TO_HERE; exchange; })

#endif
