/* Signals that a process sends to itself. */
static void on(int signal) { printf("handler %d\n", signal); }
static void signals(void) {
    static const int which[] = {SIGUSR1, SIGUSR2, SIGCHLD, SIGURG, 40, 41};
    int s = which[any(6)];
    sigset_t t;
    sigemptyset(&t);
    sigaddset(&t, s);
    switch (any(7)) {
    case 0: case 1: {
        struct sigaction a = {0};
        a.sa_handler = any(3) ? on : any(3) ? SIG_IGN : on;
        if (!any(4) && s < 32)
            a.sa_flags = SA_RESETHAND | SA_NODEFER;
        struct sigaction old;
        sigaction(s, 0, &old);
        if (old.sa_handler != SIG_IGN || a.sa_handler != SIG_IGN)
            tell("sigaction", sigaction(s, &a, 0));
        break;
    }
    case 2: {
        /* When a signal comes that has waited is nobody's promise but the system's. */
        sigset_t waiting;
        sigpending(&waiting);
        int how = any(2) || sigismember(&waiting, s) ? SIG_BLOCK : SIG_UNBLOCK;
        tell("mask", sigprocmask(how, &t, 0));
        break;
    }
    case 3: {
        sigpending(&t);
        for (int i = 1; i < 65; i++)
            if (sigismember(&t, i) == 1)
                printf("%d ", i);
        puts("pending");
        break;
    }
    case 4: {
        struct timespec zero = {0, 0};
        for (int i = 0; i < 6; i++)
            if (any(2))
                sigaddset(&t, which[i]);
        tell("sigtimedwait", sigtimedwait(&t, 0, &zero));
        break;
    }
    default: {
        struct sigaction a;
        sigaction(s, 0, &a);
        /* Nothing that would end the process. */
        if (a.sa_handler != SIG_DFL || s == SIGCHLD || s == SIGURG)
            tell("kill", kill(getpid(), s));
    }
    }
}
static void calm(void) {
    struct sigaction a = {0};
    a.sa_handler = SIG_IGN;
    static const int which[] = {SIGUSR1, SIGUSR2, SIGCHLD, SIGURG, 40, 41};
    for (int i = 0; i < 6; i++)
        sigaction(which[i], &a, 0);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, 0);
    sched_yield();
    a.sa_handler = SIG_DFL;
    for (int i = 0; i < 6; i++)
        sigaction(which[i], &a, 0);
}
