// Stops: the system sends this process SIGSYS at every call of the program, and other signals when it goes wrong. The process then
// does what the checker says until it is told to go on.

struct action {
    u64 handler, flags, restorer, mask;
};

#define BIT(signal) (1ul << ((signal) - 1))
// Signals whose handlers are this file's, whatever the program wants.
#define OWNED (BIT(SIGSYS) | BIT(SIGSEGV) | BIT(SIGBUS) | BIT(SIGFPE) | BIT(SIGILL) | BIT(SIGTRAP) | BIT(SIGXCPU))
#define RESTORER 0x04000000ul

static int owned(long signal) { return signal >= 1 && signal <= 64 && OWNED & BIT(signal); }

// What the program wants to be done about the owned signals.
static struct action wanted[65];
// Owned signals that the program believes to block.
static u64 hidden;
// The program's own handlers are in force for these.
static u64 lent;

#pragma GCC visibility push(hidden)
extern u8 copy_from[], copy_to[], copy_failed[], text_from[] __asm__("__executable_start"), text_to[] __asm__("etext");
extern void restore(void), at_signal(void);
extern long copy_bytes(void *to, const void *from, u64 count);
extern _Noreturn void return_from_signal(u64 stack);
#pragma GCC visibility pop

// Copies and gives 0, or -EFAULT if an address is bad: the handler of SIGSEGV leads to the second end.
__asm__(".globl copy_bytes\ncopy_bytes:\n mov %rdx, %rcx\ncopy_from:\n rep movsb\ncopy_to:\n xor %eax, %eax\n ret\n"
        "copy_failed:\n mov $-14, %rax\n ret\n"
        ".globl restore\nrestore:\n mov $15, %eax\n syscall\n"
        ".globl return_from_signal\nreturn_from_signal:\n mov %rdi, %rsp\n mov $15, %eax\n syscall\n"
        ".globl at_signal\nat_signal:\n cld\n jmp handle\n");

static void take_over(int signal) {
    // Bad addresses are met while the process does what the checker says; everything else waits.
    struct action action = {(u64)at_signal, SA_SIGINFO | SA_NODEFER | RESTORER, (u64)restore,
                            ~(BIT(SIGSEGV) | BIT(SIGBUS))};
    call(SYS_rt_sigaction, signal, (u64)&action, 0, 8, 0, 0);
    lent &= ~BIT(signal);
}

static void lend(int signal) {
    call(SYS_rt_sigaction, signal, (u64)&wanted[signal], 0, 8, 0, 0);
    lent |= BIT(signal);
}

static void catch_calls(void) {
    call(SYS_prctl, PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, (u64)text_from, text_to - text_from, 0, 0);
}

// The order of `gregs` as places in `registers`.
static const u8 order[18] = {R8, R9, R10, R11, R12, R13, R14, R15, RDI, RSI, RBP, RBX, RDX, RAX, RCX, RSP, RIP, FLAGS};

static u64 *general(struct ucontext *context) { return (u64 *)&context->uc_mcontext; }

static void put_out(struct ucontext *context) {
    volatile u64 *registers = me->registers;
    u64 *general_registers = general(context), base;
    for (int i = 0; i < 18; i++) registers[order[i]] = general_registers[i];
    registers[CS] = general_registers[18] & 0xffff;
    registers[CALLED] = ~0ul;
    call(SYS_arch_prctl, ARCH_GET_FS, (u64)&base, 0, 0, 0, 0);
    registers[FS_BASE] = base;
    me->mask = *(u64 *)&context->uc_sigmask | hidden;
    u64 vectors = (u64)context->uc_mcontext.fpstate;
    me->vectors = vectors;
    // The system says at the end of the old part how much there is.
    me->vectors_size = vectors ? *(u32 *)(vectors + 480) : 0;
    if (vectors && *(u32 *)(vectors + 464) != 0x46505853) me->vectors_size = 512;
}

static void take_in(struct ucontext *context) {
    u64 *general_registers = general(context), base;
    call(SYS_arch_prctl, ARCH_GET_FS, (u64)&base, 0, 0, 0, 0);
    for (int i = 0; i < 18; i++) general_registers[i] = me->registers[order[i]];
    if (me->registers[FS_BASE] != base) call(SYS_arch_prctl, ARCH_SET_FS, me->registers[FS_BASE], 0, 0, 0, 0);
}

static long set_action(u64 signal, u64 new, u64 old, u64 size) {
    struct action action = {0}, before;
    if (signal < 1 || signal > 64 || size != 8 || (new && BIT(signal) & (BIT(9) | BIT(19)))) return -EINVAL;
    if (new && copy_bytes(&action, (void *)new, sizeof action)) return -EFAULT;
    action.mask &= ~OWNED;
    if (owned(signal)) {
        before = wanted[signal];
        if (new) wanted[signal] = action;
    } else {
        long value = call(SYS_rt_sigaction, signal, new ? (u64)&action : 0, (u64)&before, 8, 0, 0);
        if (value) return value;
    }
    return old ? copy_bytes((void *)old, &before, sizeof before) : 0;
}

static long set_mask(struct ucontext *context, u64 how, u64 new, u64 old, u64 size) {
    u64 *mask = (u64 *)&context->uc_sigmask, before = *mask | hidden, set, after = before;
    if (size != 8) return -EINVAL;
    if (new) {
        if (copy_bytes(&set, (void *)new, 8)) return -EFAULT;
        set &= ~(BIT(9) | BIT(19));
        if (how == SIG_BLOCK) after |= set;
        else if (how == SIG_UNBLOCK) after &= ~set;
        else if (how == SIG_SETMASK) after = set;
        else return -EINVAL;
    }
    *mask = after & ~OWNED;
    hidden = after & OWNED;
    return old ? copy_bytes((void *)old, &before, 8) : 0;
}

// Makes a call of the program's or of the checker's, with what the handler hides from it.
static long perform(struct ucontext *context, long number, const u64 *a) {
    switch ((int)number) {
    case SYS_rt_sigaction: return set_action(a[0], a[1], a[2], a[3]);
    case SYS_rt_sigprocmask: return set_mask(context, a[0], a[1], a[2], a[3]);
    case SYS_sigaltstack: {
        long value = call(number, a[0], a[1], 0, 0, 0, 0);
        // The system puts this back when the handler ends.
        call(number, 0, (u64)&context->uc_stack, 0, 0, 0, 0);
        return value;
    }
    default: return call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    }
}

// Calls that see and change only the memory of the process, or facts that never change; as in `src/filter.rs`.
static int harmless(long number, const u64 *a) {
    switch ((int)number) {
    case __NR_brk: case __NR_madvise: case __NR_arch_prctl: case __NR_set_robust_list: case __NR_uname:
    case __NR_getuid: case __NR_geteuid: case __NR_getgid: case __NR_getegid: case __NR_getgroups: case __NR_getresuid:
    case __NR_getresgid: case __NR_mprotect:
        return 1;
    case __NR_mmap:
        return (a[3] & (MAP_SHARED | MAP_PRIVATE | MAP_ANONYMOUS)) == (MAP_PRIVATE | MAP_ANONYMOUS);
    default: return 0;
    }
}

// Makes a copy of this process, which takes another slot. The original gets its id, the copy 0.
static long make_copy(u32 index) {
    long id = call(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0, 0);
    if (id) return id;
    long at = call(SYS_mmap, SLOT_AT, SLOT_SIZE, 3, MAP_SHARED | MAP_FIXED, SLOTS, index * SLOT_SIZE);
    if (at != (long)SLOT_AT) call(SYS_exit_group, 126, 0, 0, 0, 0, 0);
    die_with_checker();
    catch_calls();
    return 0;
}

// Becomes another program; its strings are in the slot. Comes back with an error only.
static long become(void) {
    static char name[16] = "loader", number[9];
    for (int i = 0; i < 8; i++) number[i] = "0123456789abcdef"[me->index >> (28 - 4 * i) & 15];
    char *arguments[] = {name, number, 0}, *none[] = {0};
    u64 mask = me->mask & ~OWNED;
    call(SYS_rt_sigprocmask, SIG_SETMASK, (u64)&mask, 0, 8, 0, 0);
    return call(SYS_execveat, LOADER, (u64)"", (u64)arguments, (u64)none, AT_EMPTY_PATH, 0);
}

// Does what the checker says, and gives 1 when the program is to go on.
static int obey(struct ucontext *context) {
    u64 arguments[7];
    for (int i = 0; i < 7; i++) arguments[i] = me->arguments[i];
    me->event = DONE;
    switch (me->command) {
    case RESUME: return 1;
    case CALL: me->value = perform(context, arguments[0], arguments + 1); break;
    case READ: me->value = copy_bytes(data, (void *)arguments[0], arguments[1]); break;
    case WRITE: me->value = copy_bytes((void *)arguments[0], data, arguments[1]); break;
    case COPY: {
        long value = make_copy(arguments[0]);
        // The copy stands where the original does; the checker has filled its slot.
        if (value) me->value = value;
        break;
    }
    case BECOME: me->value = become(); break;
    }
    return 0;
}

// Sends the signal that the checker has put into the slot. It arrives when the handler ends, or, if the program waits with another
// set of signals, at once.
static void deliver(u64 set_at) {
    u32 signal = me->signal;
    u8 info[128];
    u64 set, all = ~0ul;
    if (!signal) return;
    int suspends = set_at && !copy_bytes(&set, (void *)set_at, 8);
    for (int i = 0; i < 128; i++) info[i] = me->info[i];
    if (owned(signal)) lend(signal);
    call(SYS_rt_sigprocmask, SIG_SETMASK, (u64)&all, 0, 8, 0, 0);
    long own = call(SYS_getpid, 0, 0, 0, 0, 0, 0);
    call(SYS_rt_tgsigqueueinfo, own, own, signal, (u64)info, 0, 0);
    if (suspends) {
        set &= ~OWNED;
        call(SYS_rt_sigsuspend, (u64)&set, 8, 0, 0, 0, 0);
    }
}

// Stops for the checker.
static void stop(struct ucontext *context, u32 event, int signal, const u8 *info) {
    put_out(context);
    if (event == AT_CALL || event == AT_FOREIGN) {
        me->registers[CALLED] = me->registers[RAX];
        me->registers[RAX] = -ENOSYS;
    }
    for (int i = 0; i < 128; i++) me->info[i] = info ? info[i] : 0;
    me->signal = signal;
    me->event = event;
    do hand_over();
    while (!obey(context));
    volatile u64 *registers = me->registers;
    if (registers[CALLED] != ~0ul && registers[CALLED] != __NR_rt_sigreturn) {
        u64 arguments[6] = {registers[RDI], registers[RSI], registers[RDX], registers[R10], registers[R8], registers[R9]};
        registers[RAX] = perform(context, registers[CALLED], arguments);
    }
    take_in(context);
    u64 called = registers[CALLED];
    deliver(me->arguments[0]);
    // The end of a handler of the program's: what is kept on its stack is put back.
    if (called == __NR_rt_sigreturn) return_from_signal(general(context)[15]);
}

// Where the program begins, and with which stack.
static u64 entry, top;

// The first stop: the program has run no instruction.
static void begin_program(struct ucontext *context) {
    u64 *registers = general(context);
    for (int i = 0; i < 17; i++) registers[i] = 0;
    registers[15] = top;
    registers[16] = entry;
    *(u64 *)&context->uc_sigmask = me->mask & ~OWNED;
    hidden = me->mask & OWNED;
    stop(context, AT_EXEC, 0, 0);
}

__attribute__((used)) static void handle(int signal, u8 *info, struct ucontext *context) {
    u64 *registers = general(context), at = registers[16];
    if ((signal == SIGSEGV || signal == SIGBUS) && at >= (u64)copy_from && at < (u64)copy_to) {
        registers[16] = (u64)copy_failed;
        return;
    }
    for (int other = 1; lent; other++)
        if (lent & BIT(other)) take_over(other);
    if (signal != SIGSYS) return stop(context, AT_SIGNAL, signal, info);
    // SYS_USER_DISPATCH; the first stop is not one of the system's.
    if (*(int *)(info + 8) != 2) return begin_program(context);
    // AUDIT_ARCH_X86_64.
    if (*(u32 *)(info + 28) != 0xc000003e) return stop(context, AT_FOREIGN, 0, 0);
    u64 arguments[6] = {registers[8], registers[9], registers[12], registers[2], registers[0], registers[1]};
    long number = registers[13];
    if (harmless(number, arguments)) registers[13] = perform(context, number, arguments);
    else stop(context, AT_CALL, 0, 0);
}

static void start(u64 where, u64 stack) {
    entry = where;
    top = stack;
    for (int signal = 1; signal <= 64; signal++)
        if (owned(signal)) take_over(signal);
    u64 none = 0;
    call(SYS_rt_sigprocmask, SIG_SETMASK, (u64)&none, 0, 8, 0, 0);
    catch_calls();
    long own = call(SYS_getpid, 0, 0, 0, 0, 0, 0);
    call(__NR_tgkill, own, own, SIGSYS, 0, 0, 0);
}
