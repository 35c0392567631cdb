// Programs that want out of the check, one for each WAY: they act on files in PLACE, on other processes, on the checker or on
// its answer. None may have an effect, and none may make the check say that nothing is wrong.
#define _GNU_SOURCE
#include <alloca.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#define VICTIM PLACE "/victim"
#define NEW PLACE "/new"

extern char **environ;
int number;

/* A function of the library that the linker does not see. */
#define LIBRARY(name) ((long (*)())dlsym(RTLD_DEFAULT, name))

/* Inline assembly alone makes an answer inconclusive, so it is only where it is needed. */
#if (WAY >= 55 && WAY <= 60) || WAY == 71
static long bare(long call, long a, long b, long c, long d) {
  long result;
  register long fourth __asm__("r10") = d;
  __asm__ volatile("syscall" : "=a"(result) : "a"(call), "D"(a), "S"(b), "d"(c), "r"(fourth) : "rcx", "r11", "memory");
  return result;
}
#else
#define bare(call, a, b, c, d) 0
#endif

static const char forged[] = "{\"Ok\":{\"answer\":{\"verdict\":\"holds\",\"stop\":null,\"violation\":null,\"output\":\"\","
                             "\"warnings\":[],\"notes\":[],\"reason\":null,\"orders_addresses\":false,\"stats\":"
                             "{\"executions\":7,\"blocked\":0,\"events\":9,\"revisits\":0,\"longest\":5,\"distinguished\":false,"
                             "\"likeness_runs\":0,\"seconds\":0.5}},\"learnt\":null,\"results\":[],\"waits\":false,\"woken_at\":null}}";

static void *large_frame(void *argument) {
  char frame[64 << 20];
  frame[0] = 1;
  number = frame[0];
  return argument;
}

static void *large_array(void *argument) {
  volatile size_t size = 200 << 20;
  char *array = alloca(size);
  array[0] = 1;
  number = array[0];
  return argument;
}

static void in_thread(void *(*function)(void *)) {
  pthread_t thread;
  pthread_create(&thread, 0, function, 0);
  pthread_join(thread, 0);
}

static void act(void) {
  char *arguments[] = {"touch", NEW, 0};
  pid_t process;
  switch (WAY) {
  /* Functions found by name. */
  case 1: LIBRARY("unlink")(VICTIM); break;
  case 2: LIBRARY("unlinkat")(AT_FDCWD, VICTIM, 0); break;
  case 3: LIBRARY("rename")(VICTIM, NEW); break;
  case 4: LIBRARY("renameat2")(AT_FDCWD, VICTIM, AT_FDCWD, NEW, 0); break;
  case 5: LIBRARY("open")(NEW, O_CREAT | O_WRONLY, 0600); break;
  case 6: LIBRARY("open")(VICTIM, O_TRUNC | O_WRONLY); break;
  case 7: LIBRARY("creat")(NEW, 0600); break;
  case 8: LIBRARY("truncate")(VICTIM, 0L); break;
  case 9: LIBRARY("mkdir")(NEW, 0700); break;
  case 10: LIBRARY("mkdirat")(AT_FDCWD, NEW, 0700); break;
  case 11: LIBRARY("link")(VICTIM, NEW); break;
  case 12: LIBRARY("symlink")(VICTIM, NEW); break;
  case 13: LIBRARY("chmod")(VICTIM, 0777); break;
  case 14: LIBRARY("mknod")(NEW, 010600, 0L); break;
  case 15: LIBRARY("mkfifo")(NEW, 0600); break;
  case 16: LIBRARY("fopen")(NEW, "w"); break;
  case 17: LIBRARY("remove")(VICTIM); break;
  case 18: LIBRARY("system")("touch " NEW); break;
  case 19: LIBRARY("popen")("touch " NEW, "r"); break;
  case 20: LIBRARY("posix_spawnp")(&process, "touch", 0L, 0L, arguments, environ); break;
  case 21: LIBRARY("execvp")("touch", arguments); break;
  case 22: if (LIBRARY("fork")() == 0) LIBRARY("execvp")("touch", arguments); break;
  case 23: LIBRARY("kill")(getppid(), SIGKILL); break;
  case 24: LIBRARY("kill")(-1, SIGWINCH); break;
  case 25: LIBRARY("socket")(AF_INET, SOCK_STREAM, 0); break;
  case 26: LIBRARY("socketpair")(AF_UNIX, SOCK_STREAM, 0, (int[2]){0, 0}); break;
  case 27: LIBRARY("ptrace")(16L, (long)getppid(), 0L, 0L); break;
  case 28: LIBRARY("write")(1, "FORGED", 6L); break;
  case 29: LIBRARY("memfd_create")("x", 0); break;
  case 30: LIBRARY("shm_open")("/quotient-hostile", O_CREAT | O_RDWR, 0600); break;
  case 31: LIBRARY("shmget")(1234, 4096L, 01600); break;
  case 32: LIBRARY("semget")(1234, 1, 01600); break;
  case 33: LIBRARY("msgget")(1234, 01600); break;
  case 34: LIBRARY("eventfd")(0, 0); break;
  case 35: LIBRARY("epoll_create1")(0); break;
  case 36: LIBRARY("chdir")("/"); break;
  case 37: LIBRARY("chroot")(PLACE); break;
  case 38: LIBRARY("setrlimit")(7, (long[2]){0, 0}); break;
  case 39: LIBRARY("prctl")(1L, 0L); break;
  case 40: LIBRARY("unshare")(0x20000); break;
  case 41: LIBRARY("sigaction")(SIGSEGV, 0L, 0L); LIBRARY("signal")(SIGSYS, SIG_IGN); LIBRARY("unlink")(VICTIM); break;
  case 42: LIBRARY("dup2")(1, 50); break;
  case 43: LIBRARY("utimensat")(AT_FDCWD, VICTIM, 0L, 0); break;
  case 44: LIBRARY("_exit")(0); break;
  case 45: LIBRARY("raise")(SIGKILL); break;
  case 46: LIBRARY("setpgid")(0, 0); break;
  /* System calls by number. */
  case 47: syscall(SYS_unlink, VICTIM); break;
  case 48: syscall(SYS_mkdir, NEW, 0700); break;
  case 49: syscall(SYS_kill, getppid(), SIGKILL); break;
  case 50: syscall(SYS_exit_group, 0); break;
  case 51: syscall(SYS_process_vm_writev, getppid(), 0L, 0L, 0L, 0L, 0L); break;
  case 52: syscall(SYS_io_uring_setup, 8, 0L); break;
  case 53: syscall(SYS_openat2, AT_FDCWD, NEW, 0L, 0L); break;
  case 54: syscall(SYS_seccomp, 1, 0, 0L); break;
  /* System calls without a function. */
  case 55: bare(SYS_unlink, (long)VICTIM, 0, 0, 0); break;
  case 56: bare(SYS_mkdir, (long)NEW, 0700, 0, 0); break;
  case 57: bare(SYS_exit_group, 0, 0, 0, 0); break;
  case 58: bare(SYS_write, 1, (long)"FORGED", 6, 0); break;
  case 59: bare(SYS_fork, 0, 0, 0, 0); break;
  case 60: bare(SYS_kill, getppid(), SIGKILL, 0, 0); break;
#if WAY == 61
  case 61: __asm__ volatile("int $0x80" : : "a"(39), "b"(NEW), "c"(0700) : "memory"); break;
#endif
  /* Wild writes into memory of others. */
  case 62: for (int i = 0; i < 400; i++) ((char *)stdout)[i] = 65; break;
  case 63: for (int i = 0; i < 20000; i++) ((long *)environ)[-i] = 65; break;
  case 64: for (int i = 0; environ[0][i]; i++) environ[0][i] = 65; break;
  case 65: *(long *)dlsym(RTLD_DEFAULT, "malloc") = 0; break;
  case 66: *(long *)dlsym(RTLD_DEFAULT, "_IO_2_1_stdout_") = 0; break;
  case 67: ((long *)dlsym(RTLD_DEFAULT, "__libc_single_threaded"))[0] = 0; break;
  case 68: *(long *)0x200000000000 = 1; break;
  case 69: *(long *)(&number + (1 << 28)) = 1; break;
  case 70: memset((void *)environ, 0, 64); break;
  /* Forged answers. */
  case 71: {
    struct iovec text = {(void *)forged, sizeof forged - 1};
    for (int i = 3; i < 64; i++) bare(SYS_writev, i, (long)&text, 1, 0);
    bare(SYS_exit_group, 0, 0, 0, 0);
    break;
  }
  case 72: for (int i = 3; i < 64; i++) LIBRARY("write")(i, forged, sizeof forged - 1); LIBRARY("raise")(SIGKILL); break;
  case 73: for (long i = 3; i < 64; i++) syscall(SYS_pwrite64, i, forged, sizeof forged - 1, 0L); break;
  /* Stacks. */
  case 74: in_thread(large_frame); break;
  case 75: in_thread(large_array); break;
  case 76: large_frame(0); break;
  }
}

#ifdef EARLY
__attribute__((constructor)) static void early(void) { act(); }
int main(void) { return 0; }
#else
int main(void) {
  act();
  return 0;
}
#endif
