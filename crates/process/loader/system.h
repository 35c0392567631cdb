// The few calls and numbers of the system that the loader needs.
#include <asm/prctl.h>
#include <asm/unistd.h>
#include <linux/errno.h>
#include <linux/futex.h>
#include <linux/mman.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <asm/sigcontext.h>
#include <asm/signal.h>
#include <asm/siginfo.h>
#include <asm/ucontext.h>

#define SYS_open __NR_open
#define SYS_openat __NR_openat
#define SYS_close __NR_close
#define SYS_pread64 __NR_pread64
#define SYS_pwrite64 __NR_pwrite64
#define SYS_mmap __NR_mmap
#define SYS_prctl __NR_prctl
#define SYS_exit_group __NR_exit_group
#define SYS_futex __NR_futex
#define SYS_clone __NR_clone
#define SYS_getpid __NR_getpid
#define SYS_getppid __NR_getppid
#define SYS_arch_prctl __NR_arch_prctl
#define SYS_rt_sigaction __NR_rt_sigaction
#define SYS_rt_sigprocmask __NR_rt_sigprocmask
#define SYS_rt_sigsuspend __NR_rt_sigsuspend
#define SYS_rt_tgsigqueueinfo __NR_rt_tgsigqueueinfo
#define SYS_sigaltstack __NR_sigaltstack
#define SYS_execveat __NR_execveat

#define AT_EMPTY_PATH 0x1000
#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_ON 1
#endif

static inline long call(long number, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f) {
    long value;
    register u64 r10 __asm__("r10") = d;
    register u64 r8 __asm__("r8") = e;
    register u64 r9 __asm__("r9") = f;
    __asm__ volatile("syscall"
                     : "=a"(value)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return value;
}

// Lets the checker go on, and waits until it is this process's turn.
static void hand_over(void) {
    __atomic_store_n(&me->turn, CHECKER, __ATOMIC_RELEASE);
    call(SYS_futex, (u64)&me->turn, FUTEX_WAKE, 1, 0, 0, 0);
    while (__atomic_load_n(&me->turn, __ATOMIC_ACQUIRE) != PROCESS)
        call(SYS_futex, (u64)&me->turn, FUTEX_WAIT, CHECKER, 0, 0, 0);
}

// The process ends when the checker does. If that has happened already, it ends now.
static void die_with_checker(void) {
    call(SYS_prctl, PR_SET_PDEATHSIG, 9, 0, 0, 0, 0);
    if (call(SYS_getppid, 0, 0, 0, 0, 0, 0) != me->checker) call(SYS_exit_group, 125, 0, 0, 0, 0, 0);
}

// What compilers call on their own.
__asm__(".globl memcpy\n.hidden memcpy\nmemcpy:\n mov %rdi, %rax\n mov %rdx, %rcx\n rep movsb\n ret\n"
        ".globl memset\n.hidden memset\nmemset:\n mov %rdi, %r8\n mov %esi, %eax\n mov %rdx, %rcx\n rep stosb\n mov %r8, %rax\n ret\n");
