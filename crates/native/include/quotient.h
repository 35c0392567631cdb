/* Annotations for programs that Quotient checks. A program that includes this header can still be compiled without
   Quotient, as long as it does not call any of these functions. */
#ifndef QUOTIENT_H
#define QUOTIENT_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Leaves out executions in which the condition is false. */
void quotient_assume_(int condition);
#define quotient_assume(condition) quotient_assume_(!!(condition))

/* A choice that nobody decides: every value from 0 to options - 1 is explored. */
unsigned quotient_nondet(unsigned options);

/* Starts a thread that is declared to be like the one started just before with the same function, although its argument may
   differ. That is checked: it is an error if the program can tell the threads apart, as by an id that others see. */
int quotient_spawn_symmetric(pthread_t *thread, void *(*function)(void *), void *argument);

/* The primary operation of an idempotent pair, directly after the write that makes it necessary; what is between the two is
   reads and one compare-and-exchange. The arguments identify the operation. */
void quotient_primary_begin(const void *object, const void *from, const void *to);
void quotient_primary_end(void);
/* Leaves the same operation to the thread that runs it. */
void quotient_help(const void *object, const void *from, const void *to);

/* The thread waits here for other threads, in a loop. */
void quotient_spin(void);

/* A statement whose atomic writes are the last ones to their locations; an exchange that writes, if at all, the last value.
   It is an error if that is not so. */
void quotient_final_begin(void);
void quotient_final_end(void);
#define quotient_final_write(write) do { quotient_final_begin(); write; quotient_final_end(); } while (0)
#define quotient_final_exchange(exchange) \
  (__extension__ ({ quotient_final_begin(); int quotient_done = (exchange); quotient_final_end(); quotient_done; }))
/* Accepted for the reader: which writes are local is found out without being told. */
#define quotient_local_write(write) do { write; } while (0)

#ifdef __cplusplus
}
#endif
#endif
