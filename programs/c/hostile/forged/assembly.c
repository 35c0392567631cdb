/* Inline assembly that changes `y` in a way that is not plain to see: there is a race. */
#include <pthread.h>
int y;
static void inc(void) {
  int *p = &y;
  (void)p;
#if WAY == 1
  long n = 4;
  __asm__ volatile("rep stosb" : "+D"(p), "+c"(n) : "a"(0x11) : "memory");
#elif WAY == 2
  __asm__ volatile("stosl" : "+D"(p) : "a"(1) : "memory");
#elif WAY == 3
  __asm__ volatile(".byte 0xff,0x00" : : "a"(p) : "memory");
#elif WAY == 4
  __asm__ volatile("xchg %%rax,%%rsp; push %%rbx; pop %%rbx; xchg %%rax,%%rsp" : : "a"((char *)p + 8) : "memory");
#elif WAY == 5
  __asm__ volatile(".long 0x000000ff" : : "a"(p) : "memory");
#elif WAY == 6
  __asm__ volatile("call 1f; jmp 2f\n1: incl (%%rax)\n ret\n2:" : : "a"(p) : "memory");
#elif WAY == 7
  __asm__ volatile("movsb" : "+D"(p) : "S"("a") : "memory");
#elif WAY == 8
  __asm__ volatile("maskmovdqu %%xmm0,%%xmm1" : : "D"(p) : "memory");
#elif WAY == 9
  __asm__ volatile(".intel_syntax noprefix\n inc dword ptr [rax]\n .att_syntax\n" : : "a"(p) : "memory");
#elif WAY == 10
  __asm__ volatile("xlatb" : : "b"(p), "a"(0) : "memory");
#elif WAY == 11
  __asm__ volatile("scasl" : "+D"(p) : "a"(0) : "memory");
#endif
}
static void *t(void *a) {
  inc();
  return a;
}
int main(void) {
  pthread_t p[2];
  for (int i = 0; i < 2; i++) pthread_create(p + i, 0, t, 0);
  for (int i = 0; i < 2; i++) pthread_join(p[i], 0);
}
