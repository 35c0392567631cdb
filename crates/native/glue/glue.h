/* What the files of C code have in common that are linked into every program. They are compiled when Quotient is built, so
   that everything in them is hidden (nobody but the program, and the C++ library that is linked into it, sees these
   definitions) and weak (a program that has functions of the same names keeps its own). */

#define _GNU_SOURCE
#include <stddef.h>

/* The program calls what cannot be checked. */
extern void quotient_unsupported_call(const char *name);
/* Code that is not instrumented reads memory (0), writes it (1), or reads it and all of it must have been written (2). */
extern void quotient_range(const void *address, size_t size, int how);
/* What a function reads and writes of the memory that it is given. A time must have been written by who gives it, if that is the
   user's code: what libraries write is not known. */
#define READS(a) quotient_range(a, sizeof *(a), 0)
#define WRITES(a) quotient_range(a, sizeof *(a), 1)
#define READS_TIME(a) quotient_range(a, sizeof *(a), quotient_is_users(__builtin_return_address(0)) ? 2 : 0)

/* Where the user's code begins, and where it ends. */
extern char quotient_users_begin[];
void quotient_glue_begin(void);
static inline int quotient_is_users(void *caller) {
  return (char *)caller >= quotient_users_begin && (char *)caller < (char *)quotient_glue_begin;
}
