// What a thread changes in a round of a waiting loop is not always in memory that the checker sees.
// expect verdict=violated kind=assertion cflags=-DERROR_NUMBER
// expect verdict=violated kind=assertion cflags=-DERROR_OF_LIBRARY
// expect verdict=violated kind=assertion cflags=-DLOCK_DEPTH
// expect verdict=violated kind=misuse cflags=-DDETACH
// expect verdict=violated kind=assertion cflags=-DUNKNOWN_FUNCTION
// expect verdict=violated kind=assertion cflags=-DCANCEL_STATE
// expect verdict=violated kind=assertion cflags=-DUNSEEN
// expect verdict=violated kind=assertion cflags=-DROUNDING
// expect verdict=violated kind=assertion cflags=-DRAISED
// expect verdict=violated kind=assertion cflags=-DENVIRONMENT
// expect verdict=violated kind=assertion cflags=-DENVIRONMENT_UNSET
// expect verdict=violated kind=assertion cflags=-DPARTS_OF_STRING
// expect verdict=holds cflags=-DENVIRONMENT_SAME
// expect verdict=holds cflags=-DLOCK_BALANCED
// expect verdict=holds cflags=-DERROR_SAME
// expect verdict=holds cflags=-DROUNDING_SAME
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <search.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <xmmintrin.h>

atomic_int flag;
pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
void *root;
int plain;
char words[] = "a b c";
const char *text = "99999999999999999999999";

static void *set(void *argument) {
  atomic_store(&flag, 1);
  return argument;
}

static int order(const void *a, const void *b) { return (a > b) - (a < b); }

__attribute__((noinline, no_sanitize_thread)) void write_plain(void) { plain = 1; }

static void *try_lock(void *result) {
  *(int *)result = pthread_mutex_trylock(&mutex);
  return 0;
}

int main(void) {
  pthread_t thread, other;
  int result = 0, old = 0;
  errno = 0;
  setenv("QUOTIENT_TESTS", "0", 1);
  strtok(words, " ");
  pthread_mutex_lock(&mutex);
  pthread_create(&thread, 0, set, 0);
  while (!atomic_load(&flag)) {
#if defined ERROR_NUMBER
    errno = EINTR;
#elif defined ERROR_OF_LIBRARY
    strtol(text, 0, 10);
#elif defined ERROR_SAME
    errno = 0;
#elif defined LOCK_DEPTH
    pthread_mutex_lock(&mutex);
#elif defined LOCK_BALANCED
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
#elif defined DETACH
    pthread_detach(thread);
#elif defined UNKNOWN_FUNCTION
    tsearch(&flag, &root, order);
#elif defined CANCEL_STATE
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, 0);
#elif defined UNSEEN
    write_plain();
#elif defined ENVIRONMENT
    setenv("QUOTIENT_TESTS", "1", 1);
#elif defined ENVIRONMENT_UNSET
    unsetenv("QUOTIENT_TESTS");
#elif defined ENVIRONMENT_SAME
    setenv("QUOTIENT_TESTS", "0", 1);
#elif defined PARTS_OF_STRING
    strtok(0, " ");
#elif defined ROUNDING
    _MM_SET_ROUNDING_MODE(_MM_ROUND_UP);
#elif defined ROUNDING_SAME
    _MM_SET_ROUNDING_MODE(_MM_ROUND_NEAREST);
#elif defined RAISED
    _MM_SET_EXCEPTION_STATE(_MM_EXCEPT_DIV_ZERO);
#endif
  }
  assert(errno == 0 && !root && !plain);
  const char *variable = getenv("QUOTIENT_TESTS");
  assert(variable && *variable == '0');
  assert(strtok(0, " ") == words + 2);
  assert(_MM_GET_ROUNDING_MODE() == _MM_ROUND_NEAREST && !(_MM_GET_EXCEPTION_STATE() & _MM_EXCEPT_DIV_ZERO));
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
  assert(old == PTHREAD_CANCEL_ENABLE);
  pthread_mutex_unlock(&mutex);
  pthread_create(&other, 0, try_lock, &result);
  pthread_join(other, 0);
  assert(result == 0);
  pthread_join(thread, 0);
}
