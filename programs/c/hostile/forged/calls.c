/* System calls by number, through a function that is found by its name. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void) {
  long (*call)(long, ...) = (long (*)(long, ...))dlsym(RTLD_DEFAULT, "syscall");
#if WAY == 1
  call(SYS_openat, -100, FILE_NAME, O_RDONLY, 0, 0, 0);
#elif WAY == 2
  call(SYS_mmap, 0, 4096, 7, 0x22, -1, 0);
#elif WAY == 3
  call(SYS_mprotect, (long)main & -4096, 4096, 7, 0, 0, 0);
#elif WAY == 4
  call(SYS_munmap, (long)main & -4096, 4096, 0, 0, 0, 0);
#elif WAY == 5
  call(SYS_mremap, (long)main & -4096, 4096, 8192, 1, 0, 0);
#endif
}
