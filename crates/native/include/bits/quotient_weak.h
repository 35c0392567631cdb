/* Is included in front of everything else when Clang compiles and weak exchanges may fail without a reason. To Clang's
   instrumentation a weak exchange is a strong one, which has failed if the value was another one; so these are called
   in another way. */
#ifdef __cplusplus
extern "C"
#endif
int quotient_weak_exchange(const volatile void *object, void *expected, const void *wanted, unsigned long size,
                           int success, int failure);

#define QUOTIENT_ANY_SIZE(size) ((size) == 1 || (size) == 2 || (size) == 4 || (size) == 8 || (size) == 16)

#define __c11_atomic_compare_exchange_weak(object, expected, wanted, success, failure)                              \
  __extension__({                                                                                                   \
    __typeof__(*(expected)) quotient_wanted = (wanted);                                                             \
    QUOTIENT_ANY_SIZE(sizeof quotient_wanted)                                                                       \
    ? quotient_weak_exchange(object, expected, &quotient_wanted, sizeof quotient_wanted, success, failure) != 0     \
    : __c11_atomic_compare_exchange_strong(object, expected, quotient_wanted, success, failure);                    \
  })

#define __atomic_compare_exchange_n(object, expected, wanted, weak, success, failure)                               \
  __extension__({                                                                                                   \
    __typeof__(*(expected)) quotient_wanted = (wanted);                                                             \
    (weak) ? quotient_weak_exchange(object, expected, &quotient_wanted, sizeof quotient_wanted, success, failure)   \
                 != 0                                                                                               \
           : __atomic_compare_exchange_n(object, expected, quotient_wanted, 0, success, failure);                   \
  })

#define __atomic_compare_exchange(object, expected, wanted, weak, success, failure)                                 \
  ((weak) && QUOTIENT_ANY_SIZE(sizeof *(expected))                                                                  \
       ? quotient_weak_exchange(object, expected, wanted, sizeof *(expected), success, failure) != 0                \
       : __atomic_compare_exchange(object, expected, wanted, 0, success, failure))
