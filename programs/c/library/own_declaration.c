// expect verdict=holds executions=1
// expect verdict=violated kind=abort cflags=-DERROR
// A program declares functions of other tools itself.
#include <stdatomic.h>
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_error(void);
atomic_int x;

int main(void) {
  __VERIFIER_assume(__VERIFIER_nondet_int() == 1);
#ifdef ERROR
  __VERIFIER_error();
#endif
  __VERIFIER_assume(x == 0);
}
