/* How a thread ends. As in glibc, pthread_exit leaves all functions of the thread: C++ objects are
   destroyed, and what pthread_cleanup_push has registered runs. */

#include "glue.h"
#include <pthread.h>
#include <setjmp.h>
#include <string.h>
#include <unwind.h>

extern void quotient_thread_exit(void *result) __attribute__((noreturn));
extern void quotient_forget_zones(void);

/* What a thread leaves its functions with; it must not be on the stack that is left. */
static __thread struct {
  struct _Unwind_Exception exception;
  void *result;
  /* What C code has registered, the last first. */
  __pthread_unwind_buf_t *registered;
} leaving;

static void run_registered(void) {
  __pthread_unwind_buf_t *last = leaving.registered;
  leaving.registered = last->__pad[0];
  longjmp((struct __jmp_buf_tag *)last->__cancel_jmp_buf, 1);
}

static _Unwind_Reason_Code leave(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
                                 struct _Unwind_Exception *exception, struct _Unwind_Context *context, void *result) {
  (void)version; (void)class; (void)exception;
  int is_end = (actions & _UA_END_OF_STACK) != 0;
  if (leaving.registered && (is_end || _Unwind_GetCFA(context) > (unsigned long)leaving.registered)) run_registered();
  if (is_end) quotient_thread_exit(result);
  return _URC_NO_REASON;
}

static void leave_all(void) {
  quotient_forget_zones();
  memset(&leaving.exception, 0, sizeof leaving.exception);
  _Unwind_ForcedUnwind(&leaving.exception, leave, leaving.result);
  if (leaving.registered) run_registered();
  quotient_thread_exit(leaving.result);
}

void pthread_exit(void *result) {
  leaving.result = result;
  leave_all();
}

/* What pthread_cleanup_push and pthread_cleanup_pop stand for in C. */
void __pthread_register_cancel(__pthread_unwind_buf_t *buffer) {
  buffer->__pad[0] = leaving.registered;
  leaving.registered = buffer;
}
void __pthread_unregister_cancel(__pthread_unwind_buf_t *buffer) { leaving.registered = buffer->__pad[0]; }
void __pthread_unwind_next(__pthread_unwind_buf_t *buffer) { (void)buffer; leave_all(); }
