/* A function of machine code that no compiler has made: there is a race. */
#include <pthread.h>
int y;
void inc(void);
#if WAY == 1
__asm__(".text\n.globl inc\ninc:\n push %rdi\n mov y@GOTPCREL(%rip),%rdi\n movl $1,%eax\n stosl\n pop %rdi\n ret\n");
#elif WAY == 2
__asm__(".text\n.globl inc\ninc:\n push %rax\n mov y@GOTPCREL(%rip),%rax\n .byte 0xff,0x00\n pop %rax\n ret\n");
#elif WAY == 3
__asm__(".text\n.globl inc\ninc:\n push %rax\n mov y@GOTPCREL(%rip),%rax\n .ascii \"\\377\\000\"\n pop %rax\n ret\n");
#elif WAY == 4
__asm__(".text\n.globl inc\ninc:\n mov %rsp,%rdx\n mov y@GOTPCREL(%rip),%rsp\n add $8,%rsp\n push %rdx\n mov %rdx,%rsp\n ret\n");
#elif WAY == 5
__asm__(".include \"" CODE "\"\n");
#elif WAY == 6
const unsigned char code[] __attribute__((section(".text"))) = {0xff, 0x07, 0xc3};
void inc(void) { ((void (*)(int *))code)(&y); }
#elif WAY == 7
void inc(void) {
  static const unsigned char code[] __attribute__((section(".text"))) = {0xff, 0x07, 0xc3};
  ((void (*)(int *))code)(&y);
}
#endif
static void *t(void *a) {
  inc();
  return a;
}
int main(void) {
  pthread_t p[2];
  for (int i = 0; i < 2; i++) pthread_create(p + i, 0, t, 0);
  for (int i = 0; i < 2; i++) pthread_join(p[i], 0);
}
