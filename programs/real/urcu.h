/* liburcu with the compiler's builtins: its port to gcc, instead of the one to x86, which is inline assembly. What C11 does
   not order, because only a dependency does, is ordered as in the port to Alpha. */
#include <urcu/config.h>
#define _URCU_ARCH_H
#ifndef DEPENDENCIES
#define cmm_read_barrier_depends() cmm_rmb()
#endif
#include <urcu/arch/gcc.h>
#define _URCU_UATOMIC_H
#include <urcu/uatomic/gcc.h>
#define _LGPL_SOURCE
