/* Time. Every clock of the program is the one that Quotient keeps for the thread that looks at it;
   sleeping lets that clock go on and is otherwise waiting for others. A program may have functions of its own by these
   names. */

#include "glue.h"
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#pragma weak usleep
#pragma weak sleep
#pragma weak nanosleep
#pragma weak clock_nanosleep
#pragma weak clock_gettime
#pragma weak clock_getres
#pragma weak gettimeofday
#pragma weak timespec_get
#pragma weak time
#pragma weak clock
#pragma weak poll
#pragma weak ppoll
#pragma weak select

extern unsigned long quotient_now(void);
extern void quotient_pass_for(unsigned long nanoseconds);
extern void quotient_pass_until(unsigned long nanoseconds);

#define SECOND 1000000000UL

static unsigned long nanoseconds(const struct timespec *time) {
  if (time->tv_sec < 0) return 0;
  return time->tv_sec > LONG_MAX / (long)SECOND - 1 ? LONG_MAX : time->tv_sec * SECOND + time->tv_nsec;
}
static int is_time(const struct timespec *time) {
  return time->tv_sec >= 0 && time->tv_nsec >= 0 && time->tv_nsec < (long)SECOND;
}
static int sleep_for(unsigned long time) {
  quotient_pass_for(time);
  sched_yield();
  return 0;
}

int usleep(useconds_t time) { return sleep_for(time * 1000UL); }
unsigned sleep(unsigned time) { return sleep_for(time * SECOND); }
int nanosleep(const struct timespec *time, struct timespec *rest) {
  (void)rest;
  READS_TIME(time);
  if (is_time(time)) return sleep_for(nanoseconds(time));
  errno = EINVAL;
  return -1;
}
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *rest) {
  (void)clock; (void)rest;
  READS_TIME(time);
  if (!is_time(time)) return EINVAL;
  if (!(flags & TIMER_ABSTIME)) return sleep_for(nanoseconds(time));
  quotient_pass_until(nanoseconds(time));
  sched_yield();
  return 0;
}
int thrd_sleep(const struct timespec *time, struct timespec *rest) {
  (void)rest;
  READS_TIME(time);
  return is_time(time) ? sleep_for(nanoseconds(time)) : -2;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  unsigned long now = quotient_now();
  (void)clock;
  WRITES(time);
  time->tv_sec = now / SECOND;
  time->tv_nsec = now % SECOND;
  return 0;
}
int clock_getres(clockid_t clock, struct timespec *time) {
  (void)clock;
  if (time) { WRITES(time); time->tv_sec = 0; time->tv_nsec = 1; }
  return 0;
}
int gettimeofday(struct timeval *restrict time, void *restrict zone) {
  unsigned long now = quotient_now();
  (void)zone;
  WRITES(time);
  time->tv_sec = now / SECOND;
  time->tv_usec = now % SECOND / 1000;
  return 0;
}
int timespec_get(struct timespec *time, int base) {
  if (base != TIME_UTC) return 0;
  clock_gettime(CLOCK_REALTIME, time);
  return base;
}
time_t time(time_t *time) {
  time_t now = quotient_now() / SECOND;
  if (time) { WRITES(time); *time = now; }
  return now;
}
clock_t clock(void) { return quotient_now() / (SECOND / CLOCKS_PER_SEC); }

int poll(struct pollfd *files, nfds_t count, int time) {
  (void)files;
  if (count) quotient_unsupported_call("poll"); else if (time > 0) sleep_for(time * 1000000UL); else sched_yield();
  return 0;
}
int ppoll(struct pollfd *files, nfds_t count, const struct timespec *time, const sigset_t *mask) {
  (void)files; (void)mask;
  if (time) READS_TIME(time);
  if (count) quotient_unsupported_call("ppoll"); else if (time) sleep_for(nanoseconds(time)); else sched_yield();
  return 0;
}
int select(int count, fd_set *in, fd_set *out, fd_set *other, struct timeval *time) {
  (void)in; (void)out; (void)other;
  if (time) READS_TIME(time);
  if (count) quotient_unsupported_call("select");
  else if (time) sleep_for(time->tv_sec * SECOND + time->tv_usec * 1000UL);
  else sched_yield();
  return 0;
}

/* C11. */
static int thread_result(int error) {
  return error == ETIMEDOUT ? thrd_timedout : error ? thrd_error : thrd_success;
}
extern void quotient_check_timed(mtx_t *m);
int mtx_timedlock(mtx_t *restrict m, const struct timespec *restrict t) {
  quotient_check_timed(m);
  READS_TIME(t);
  return thread_result(pthread_mutex_timedlock((pthread_mutex_t *)m, t));
}
int cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m, const struct timespec *restrict t) {
  READS_TIME(t);
  return thread_result(pthread_cond_timedwait((pthread_cond_t *)c, (pthread_mutex_t *)m, t));
}

/* What std::future uses in the end, and who waits without the C library. */
extern int quotient_futex_wait(int *address, int expected, const struct timespec *time, int relative);
extern void quotient_futex_wake(int *address, int count);
long syscall(long number, ...) {
  va_list arguments;
  va_start(arguments, number);
  if (number == SYS_clock_gettime) {
    clockid_t clock = va_arg(arguments, clockid_t);
    struct timespec *time = va_arg(arguments, struct timespec *);
    va_end(arguments);
    return clock_gettime(clock, time);
  }
  if (number != SYS_futex) {
    va_end(arguments);
    if (number == SYS_gettid) return (long)pthread_self();
    if (number == SYS_sched_yield) { sched_yield(); return 0; }
    quotient_unsupported_call("syscall");
    return -1;
  }
  int *address = va_arg(arguments, int *);
  int operation = va_arg(arguments, int) & 127, value = va_arg(arguments, int);
  const struct timespec *time = va_arg(arguments, const struct timespec *);
  va_end(arguments);
  if (operation == 0 || operation == 9) {
    int result = quotient_futex_wait(address, value, time, operation == 0);
    if (result > 0) return 0;
    errno = result == 0 ? EAGAIN : -result;
    return -1;
  }
  if (operation == 1 || operation == 10) { quotient_futex_wake(address, value); return 0; }
  quotient_unsupported_call("this futex operation");
  return -1;
}
