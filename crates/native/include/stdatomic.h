/* gcc makes atomic_init an atomic store, which races with nothing. Here it is a plain write, as in clang: the standard says that
   an access of another thread meanwhile is a race. */
#pragma GCC system_header
#include_next <stdatomic.h>

#if !defined(__cplusplus) && !defined(__clang__)
#undef atomic_init
#define atomic_init(object, value) \
  __extension__({ \
    __auto_type quotient_object = (object); \
    __typeof__((void)0, *quotient_object) quotient_value = (value); \
    *(__typeof__(quotient_value) *)quotient_object = quotient_value; \
  })
#endif
