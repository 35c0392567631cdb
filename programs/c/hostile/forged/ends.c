// The program ends, or goes wrong, in ways that must not be taken for a mistake of the checker.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <err.h>
#include <error.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
int main(void) {
#if WAY == 1
  err(1, "cannot %d", 1);
#elif WAY == 2
  errx(1, "cannot");
#elif WAY == 3
  error(1, 0, "cannot");
#elif WAY == 4
  ((void (*)(int))dlsym(RTLD_DEFAULT, "exit"))(0);
#elif WAY == 5
  vprintf("%d", 0);
#elif WAY == 6
  va_list v;
  memset(&v, 0xff, sizeof v);
  vprintf("%d", v);
#elif WAY == 7
  va_list v;
  memset(&v, 0, sizeof v);
  vprintf("%d%s%f", v);
#elif WAY == 8
  volatile long n = 20L << 20;
  char a[n];
  a[0] = 1;
  a[n - 1] = 1;
#elif WAY == 9
  warn("only a warning");
  warnx("and another");
#endif
  return 0;
}
