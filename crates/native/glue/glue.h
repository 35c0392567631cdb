/* What the files of C code have in common that are linked into every program. They are compiled when Quotient is built, so
   that everything in them is hidden (nobody but the program, and the C++ library that is linked into it, sees these
   definitions) and weak (a program that has functions of the same names keeps its own). */

#define _GNU_SOURCE
#include <stddef.h>

/* The program calls what cannot be checked. */
extern void quotient_unsupported_call(const char *name);
/* Code that is not instrumented reads or writes memory. */
extern void quotient_range(const void *address, size_t size, int write);
