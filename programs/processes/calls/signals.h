/* Signals that a process sends to itself. */
static const int which[] = {SIGUSR1, SIGUSR2, SIGCHLD, SIGURG, 40, 41};
/* Sends a signal, unless that would end the process. */
static void send_one(int s) {
    struct sigaction a;
    sigaction(s, 0, &a);
    if (a.sa_handler != SIG_DFL || s == SIGCHLD || s == SIGURG)
        tell("kill", kill(getpid(), s));
}
static void on(int signal) {
    static int depth;
    printf("handler %d\n", signal);
    if (depth < 2 && !any(3)) {
        depth++;
        send_one(which[any(6)]);
        depth--;
    }
    printf("end of handler %d\n", signal);
}
static void some_signals(sigset_t *set) {
    for (int i = 0; i < 6; i++)
        if (any(2))
            sigaddset(set, which[i]);
}
static void signals(void) {
    int s = which[any(6)];
    sigset_t t;
    sigemptyset(&t);
    sigaddset(&t, s);
    switch (any(10)) {
    case 0: case 1: case 7: {
        struct sigaction a = {0};
        a.sa_handler = any(4) ? on : SIG_IGN;
        if (!any(4) && s < 32)
            a.sa_flags = SA_RESETHAND | SA_NODEFER;
        if (!any(3))
            some_signals(&a.sa_mask);
        tell("sigaction", sigaction(s, &a, 0));
        break;
    }
    case 2: tell("mask", sigprocmask(any(2) ? SIG_BLOCK : SIG_UNBLOCK, &t, 0)); break;
    case 8: {
        some_signals(&t);
        tell("masks", sigprocmask(any(3), &t, 0));
        break;
    }
    case 9: {
        /* Only if it does not wait: a signal is there that has a handler. */
        sigset_t pending;
        sigpending(&pending);
        some_signals(&t);
        for (int i = 0; i < 6; i++) {
            struct sigaction a;
            sigaction(which[i], 0, &a);
            if (sigismember(&pending, which[i]) && !sigismember(&t, which[i]) && a.sa_handler == on) {
                struct timespec zero = {0, 0};
                if (any(2))
                    tell("sigsuspend", sigsuspend(&t));
                else
                    tell("ppoll", ppoll(0, 0, any(2) ? &zero : 0, &t));
                break;
            }
        }
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
        some_signals(&t);
        tell("sigtimedwait", sigtimedwait(&t, 0, &zero));
        break;
    }
    default: send_one(s);
    }
}
static void calm(void) {
    struct sigaction a = {0};
    a.sa_handler = SIG_IGN;
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
