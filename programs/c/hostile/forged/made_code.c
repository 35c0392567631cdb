/* The program makes code, and runs it: there is a race. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
static unsigned char code[8192] __attribute__((aligned(4096))) = {0xff, 0x07, 0xc3}; /* incl (%rdi); ret */
int y;
static void *t(void *a) {
  ((void (*)(int *))code)(&y);
  return a;
}
int main(void) {
#ifdef BY_NAME
  int (*protect)(void *, unsigned long, int) = (int (*)(void *, unsigned long, int))dlsym(RTLD_DEFAULT, "mprotect");
  if (protect(code, 8192, 7)) return 0;
#else
  if (mprotect(code, 8192, 7)) return 0;
#endif
  pthread_t p, q;
  pthread_create(&p, 0, t, 0);
  pthread_create(&q, 0, t, 0);
  pthread_join(p, 0);
  pthread_join(q, 0);
}
