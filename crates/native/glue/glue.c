/* Linked into every program that is checked. What the program calls of the C library and must not be done for real is
   done here, or by Quotient through the table of functions whose stubs are beside this file. */

#include "glue.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

/* What Quotient and the program share: where the last call came from, and the functions behind the stubs. */
struct shared {
  unsigned long pc, sp, frame, glue_begin, glue_end, pending, thrown, exception_type, users_begin, kept;
  void *functions[1014];
};
struct shared quotient_shared __attribute__((aligned(4096)));

void quotient_call(void *, void *, void *);

/* Of the C++ library, if it is there. */
extern void *__cxa_current_exception_type(void) __attribute__((weak));

/* Functions of the program's libraries call others of them; who has called first is looked up in the stack for what is
   between these two: the first is linked in front of all C code, the second is at the beginning of the stubs behind it. */
void quotient_glue_end(void);
/* What functions of the library keep between calls. */
extern char quotient_kept[];

/* The C++ library counts without atomic operations as long as this is not 0. */
char __libc_single_threaded = 0;

/* The number behind the name in the environment. No function of the library can be called yet. */
static unsigned long quotient_find_host(void) {
  static const char name[] = "QUOTIENT_NATIVE_HOST=";
  for (char **variable = environ; variable && *variable; variable++) {
    const char *text = *variable;
    unsigned i = 0;
    while (name[i] && text[i] == name[i]) i++;
    if (name[i]) continue;
    unsigned long number = 0;
    for (text += i; *text; text++) number = number * 16 + (unsigned long)(*text <= '9' ? *text - '0' : *text - 'a' + 10);
    return number;
  }
  return 0;
}

/* The first constructor: Quotient says in the environment where it is to be told of this object. */
__attribute__((constructor(1))) static void quotient_attach(void) {
  unsigned long host = quotient_find_host();
  quotient_shared.glue_begin = (unsigned long)quotient_glue_begin;
  quotient_shared.glue_end = (unsigned long)quotient_glue_end;
  quotient_shared.users_begin = (unsigned long)quotient_users_begin;
  quotient_shared.kept = (unsigned long)quotient_kept;
  quotient_shared.exception_type = (unsigned long)__cxa_current_exception_type;
  if (host) ((void (*)(struct shared *, void *))host)(&quotient_shared, (void *)quotient_call);
}

/* Clang has every file call this before all other constructors, when nothing is attached yet. */
void __tsan_init(void) {}

/* Output goes to Quotient, which shows that of a failing run. */
extern void quotient_output(const char *text, size_t length);
extern void quotient_check_made(void *object);
extern int quotient_once_begin(void *once);
extern void quotient_once_end(void *once);
extern void quotient_once_abort(void *once);
extern void quotient_run_exit_handlers(void);
extern void quotient_exit(int status) __attribute__((noreturn));
extern void quotient_exit_now(int status) __attribute__((noreturn));

static int is_standard(FILE *file, const char *name) {
  if (file == stdout || file == stderr) return 1;
  quotient_unsupported_call(name);
  return 0;
}

int fputc(int c, FILE *file) {
  char byte = (char)c;
  if (is_standard(file, "fputc")) quotient_output(&byte, 1);
  return c;
}
int putc(int c, FILE *file) { return fputc(c, file); }
int putchar(int c) { return fputc(c, stdout); }
int fputc_unlocked(int c, FILE *file) { return fputc(c, file); }
int putc_unlocked(int c, FILE *file) { return fputc(c, file); }
int putchar_unlocked(int c) { return fputc(c, stdout); }
/* The buffer of the output must be there as long as something is printed. */
extern void quotient_stream_buffer(void *buffer);
int setvbuf(FILE *file, char *buffer, int mode, size_t size) {
  (void)size;
  if (file == stdout) quotient_stream_buffer(mode == _IONBF ? 0 : buffer);
  return 0;
}
void setbuf(FILE *file, char *buffer) { setvbuf(file, buffer, buffer ? _IOFBF : _IONBF, BUFSIZ); }
void setbuffer(FILE *file, char *buffer, size_t size) { setvbuf(file, buffer, buffer ? _IOFBF : _IONBF, size); }
void setlinebuf(FILE *file) { (void)file; }
int fflush(FILE *file) { (void)file; return 0; }
int fflush_unlocked(FILE *file) { (void)file; return 0; }
/* Threads: attributes have no meaning here. They are memory like other memory: who makes, sets or destroys them writes, and who
   asks reads. */
/* They must have been made, and not destroyed: then the first number says so. */
extern void quotient_check_attributes(const void *a);
#define DESTROYED 0x676F6E65
int pthread_attr_init(pthread_attr_t *a) { WRITES(a); memset(a, 0, sizeof *a); return 0; }
int pthread_attr_destroy(pthread_attr_t *a) { quotient_check_attributes(a); WRITES(a); *(int *)a = DESTROYED; return 0; }
int pthread_attr_setdetachstate(pthread_attr_t *a, int state) {
  quotient_check_attributes(a);
  if (state != PTHREAD_CREATE_JOINABLE && state != PTHREAD_CREATE_DETACHED) return EINVAL;
  WRITES(a);
  *(int *)a = state;
  return 0;
}
int pthread_attr_getdetachstate(const pthread_attr_t *a, int *state) {
  quotient_check_attributes(a);
  READS(a);
  WRITES(state);
  *state = *(const int *)a;
  return 0;
}
int pthread_attr_setstacksize(pthread_attr_t *a, size_t size) { quotient_check_attributes(a); WRITES(a); (void)size; return 0; }
int pthread_attr_setscope(pthread_attr_t *a, int scope) { quotient_check_attributes(a); WRITES(a); (void)scope; return 0; }
int pthread_mutexattr_init(pthread_mutexattr_t *a) { WRITES(a); *(int *)a = 0; return 0; }
int pthread_mutexattr_destroy(pthread_mutexattr_t *a) {
  quotient_check_attributes(a);
  WRITES(a);
  *(int *)a = DESTROYED;
  return 0;
}
int pthread_mutexattr_settype(pthread_mutexattr_t *a, int type) {
  quotient_check_attributes(a);
  if (type < PTHREAD_MUTEX_NORMAL || type > PTHREAD_MUTEX_ERRORCHECK) return EINVAL;
  WRITES(a);
  *(int *)a = type;
  return 0;
}
int pthread_mutexattr_gettype(const pthread_mutexattr_t *a, int *type) {
  quotient_check_attributes(a);
  READS(a);
  WRITES(type);
  *type = *(const int *)a;
  return 0;
}
int pthread_mutexattr_setpshared(pthread_mutexattr_t *a, int shared) { quotient_check_attributes(a); WRITES(a); (void)shared; return 0; }
int pthread_mutexattr_setprotocol(pthread_mutexattr_t *a, int protocol) { quotient_check_attributes(a); WRITES(a); (void)protocol; return 0; }
int pthread_mutexattr_setrobust(pthread_mutexattr_t *a, int robust) {
  quotient_check_attributes(a);
  WRITES(a);
  if (robust) quotient_unsupported_call("pthread_mutexattr_setrobust");
  return 0;
}
int pthread_condattr_init(pthread_condattr_t *a) { WRITES(a); *(int *)a = 0; return 0; }
int pthread_condattr_destroy(pthread_condattr_t *a) { quotient_check_attributes(a); WRITES(a); *(int *)a = DESTROYED; return 0; }
int pthread_condattr_setclock(pthread_condattr_t *a, clockid_t clock) { quotient_check_attributes(a); WRITES(a); (void)clock; return 0; }
int pthread_condattr_setpshared(pthread_condattr_t *a, int shared) { quotient_check_attributes(a); WRITES(a); (void)shared; return 0; }
int pthread_rwlockattr_init(pthread_rwlockattr_t *a) { WRITES(a); *(int *)a = 0; return 0; }
int pthread_rwlockattr_destroy(pthread_rwlockattr_t *a) { quotient_check_attributes(a); WRITES(a); *(int *)a = DESTROYED; return 0; }
int pthread_barrierattr_init(pthread_barrierattr_t *a) { WRITES(a); *(int *)a = 0; return 0; }
int pthread_barrierattr_destroy(pthread_barrierattr_t *a) { quotient_check_attributes(a); WRITES(a); *(int *)a = DESTROYED; return 0; }
int pthread_setname_np(pthread_t t, const char *name) { (void)t; (void)name; return 0; }
/* A thread here is none that the system knows. */
#define UNKNOWN_THREAD(name, ...) int name(__VA_ARGS__) { quotient_unsupported_call(#name); return ENOSYS; }
UNKNOWN_THREAD(pthread_getname_np, pthread_t t, char *name, size_t size)
UNKNOWN_THREAD(pthread_getattr_np, pthread_t t, pthread_attr_t *a)
UNKNOWN_THREAD(pthread_getschedparam, pthread_t t, int *policy, struct sched_param *parameters)
UNKNOWN_THREAD(pthread_setschedparam, pthread_t t, int policy, const struct sched_param *parameters)
UNKNOWN_THREAD(pthread_setschedprio, pthread_t t, int priority)
UNKNOWN_THREAD(pthread_getcpuclockid, pthread_t t, clockid_t *clock)
UNKNOWN_THREAD(pthread_getaffinity_np, pthread_t t, size_t size, cpu_set_t *set)
UNKNOWN_THREAD(pthread_setaffinity_np, pthread_t t, size_t size, const cpu_set_t *set)
int on_exit(void (*function)(int, void *), void *argument) {
  (void)function; (void)argument;
  quotient_unsupported_call("on_exit");
  return -1;
}

/* Nobody cancels a thread, but what was set is kept. */
extern void quotient_deed(void);
static __thread int cancel_state, cancel_type;
static int exchange_setting(int *place, int value, int *old) {
  if (value != 0 && value != 1) return EINVAL;
  if (old) { WRITES(old); *old = *place; }
  if (*place != value) quotient_deed();
  *place = value;
  return 0;
}
int pthread_setcancelstate(int state, int *old) { return exchange_setting(&cancel_state, state, old); }
int pthread_setcanceltype(int type, int *old) { return exchange_setting(&cancel_type, type, old); }
int pthread_equal(pthread_t a, pthread_t b) { return a == b; }
unsigned pthread_hardware_concurrency(void) { return 2; }
int get_nprocs(void) { return 2; }
long sysconf(int name) { return name == _SC_PAGESIZE ? 4096 : 2; }
int getpagesize(void) { return 4096; }

/* If the function is left by an exception, somebody else may try. */
struct once { void *once; int done; };
static void leave_once(struct once *one) {
  if (one->done) quotient_once_end(one->once); else quotient_once_abort(one->once);
}
int pthread_once(pthread_once_t *once, void (*function)(void)) {
  if (quotient_once_begin(once)) {
    __attribute__((cleanup(leave_once))) struct once one = {once, 0};
    function();
    one.done = 1;
  }
  return 0;
}

/* C11 threads. */
int thrd_create(thrd_t *t, thrd_start_t function, void *argument) {
  return pthread_create(t, 0, (void *(*)(void *))(void *)function, argument) ? thrd_error : thrd_success;
}
int thrd_join(thrd_t t, int *result) {
  void *value = 0;
  int error = pthread_join(t, result ? &value : 0);
  if (result) { WRITES(result); *result = (int)(intptr_t)value; }
  return error ? thrd_error : thrd_success;
}
int thrd_detach(thrd_t t) { return pthread_detach(t) ? thrd_error : thrd_success; }
thrd_t thrd_current(void) { return pthread_self(); }
int thrd_equal(thrd_t a, thrd_t b) { return a == b; }
void thrd_exit(int result) { pthread_exit((void *)(intptr_t)result); }
void thrd_yield(void) { sched_yield(); }
int mtx_init(mtx_t *m, int type) {
  int kind = (type & mtx_recursive ? PTHREAD_MUTEX_RECURSIVE : PTHREAD_MUTEX_NORMAL) | (type & mtx_timed ? 0x100 : 0);
  return pthread_mutex_init((pthread_mutex_t *)m, (pthread_mutexattr_t *)&kind) ? thrd_error : thrd_success;
}
int mtx_lock(mtx_t *m) { quotient_check_made(m); return pthread_mutex_lock((pthread_mutex_t *)m) ? thrd_error : thrd_success; }
int mtx_unlock(mtx_t *m) { quotient_check_made(m); return pthread_mutex_unlock((pthread_mutex_t *)m) ? thrd_error : thrd_success; }
int mtx_trylock(mtx_t *m) { quotient_check_made(m); return pthread_mutex_trylock((pthread_mutex_t *)m) ? thrd_busy : thrd_success; }
void mtx_destroy(mtx_t *m) { pthread_mutex_destroy((pthread_mutex_t *)m); }
int cnd_init(cnd_t *c) { return pthread_cond_init((pthread_cond_t *)c, 0) ? thrd_error : thrd_success; }
int cnd_signal(cnd_t *c) { quotient_check_made(c); return pthread_cond_signal((pthread_cond_t *)c) ? thrd_error : thrd_success; }
int cnd_broadcast(cnd_t *c) { quotient_check_made(c); return pthread_cond_broadcast((pthread_cond_t *)c) ? thrd_error : thrd_success; }
int cnd_wait(cnd_t *c, mtx_t *m) {
  quotient_check_made(c);
  quotient_check_made(m);
  return pthread_cond_wait((pthread_cond_t *)c, (pthread_mutex_t *)m) ? thrd_error : thrd_success;
}
void cnd_destroy(cnd_t *c) { pthread_cond_destroy((pthread_cond_t *)c); }
int tss_create(tss_t *key, tss_dtor_t destructor) { return pthread_key_create(key, destructor) ? thrd_error : thrd_success; }
void tss_delete(tss_t key) { pthread_key_delete(key); }
void *tss_get(tss_t key) { return pthread_getspecific(key); }
int tss_set(tss_t key, void *value) { return pthread_setspecific(key, value) ? thrd_error : thrd_success; }
void call_once(once_flag *once, void (*function)(void)) { pthread_once((pthread_once_t *)once, function); }

/* Random numbers are the same in every run. */
int rand(void) { return 4; }
void srand(unsigned seed) { (void)seed; }
long random(void) { return 4; }
void srandom(unsigned seed) { (void)seed; }
double drand48(void) { return 0.4; }
long lrand48(void) { return 4; }
long mrand48(void) { return 4; }
void srand48(long seed) { (void)seed; }

/* The end. */
void exit(int status) { quotient_exit(status); }
void _exit(int status) { quotient_exit_now(status); }
void _Exit(int status) { quotient_exit_now(status); }
extern void quotient_quick_exit(int status) __attribute__((noreturn));
extern int quotient_at_quick_exit(void (*function)(void));
void quick_exit(int status) { quotient_quick_exit(status); }
int at_quick_exit(void (*function)(void)) { return quotient_at_quick_exit(function); }
