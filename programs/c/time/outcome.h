/* Both ways in which a wait with a deadline can end are to be seen: with -DNO_TIMEOUT the one is an error, with -DNO_SUCCESS
   the other. */
#ifndef OUTCOME_H
#define OUTCOME_H
#include <assert.h>
#include <time.h>

static inline void outcome(int success) {
#if defined NO_TIMEOUT
  assert(success);
#elif defined NO_SUCCESS
  assert(!success);
#else
  (void)success;
#endif
}

/* A time that many seconds from now. */
static inline struct timespec from_now(long seconds) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_sec += seconds;
  return time;
}

static inline int is_before(struct timespec a, struct timespec b) {
  return a.tv_sec < b.tv_sec || (a.tv_sec == b.tv_sec && a.tv_nsec < b.tv_nsec);
}

/* After a wait until then has come to nothing, it is then. */
static inline void is_over(struct timespec deadline) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  assert(!is_before(now, deadline));
}
#endif
