/* Pipes, eventfds and epoll instances. */
static void pipes(void) {
    switch (any(10)) {
    case 0: {
        int p[2];
        if (tell("pipe", pipe2(p, O_NONBLOCK)) >= 0) {
            remember(p[0]);
            remember(p[1]);
        }
        break;
    }
    case 1: remember(tell("dup", dup(some())) < 0 ? -1 : dup(some())); break;
    case 2: drop(); break;
    case 3: ask_available(some()); break;
    case 4: tell("flags", fcntl(some(), F_GETFL)); break;
    case 5: case 6: case 7: write_some(some()); break;
    default: read_some(some());
    }
}

static void eventfds(void) {
    switch (any(6)) {
    case 0: remember(tell("eventfd", eventfd(any(3), EFD_NONBLOCK | (any(2) ? EFD_SEMAPHORE : 0)))); break;
    case 1: drop(); break;
    case 2: case 3: {
        static const unsigned long values[] = {0, 1, 2, 0xfffffffffffffffful, 0xfffffffffffffffeul, 0xfffffffffffffff0ul};
        unsigned long v = values[any(6)];
        tell("write", write(some(), &v, any(10) ? 8 : 4));
        break;
    }
    case 4: poll_some(); break;
    default: {
        unsigned long v = 0;
        long n = read(some(), &v, any(10) ? 8 : 7);
        tell("read", n);
        printf("%lu\n", v);
    }
    }
}

static int by_data(const void *a, const void *b) {
    return (int)((struct epoll_event *)a)->data.u64 - (int)((struct epoll_event *)b)->data.u64;
}
static void epolls(void) {
    static int epoll = -1;
    if (epoll < 0 || count == 0) {
        if (epoll >= 0)
            close(epoll);
        epoll = epoll_create1(0);
        tell("epoll", epoll < 0 ? -1 : 0);
        int p[2];
        for (int i = 0; i < 2; i++)
            if (pipe2(p, O_NONBLOCK) == 0) {
                remember(p[0]);
                remember(p[1]);
            }
    }
    static const int ops[] = {EPOLL_CTL_ADD, EPOLL_CTL_ADD, EPOLL_CTL_MOD, EPOLL_CTL_DEL};
    switch (any(8)) {
    case 0: case 1: case 2: {
        int fd = some();
        struct epoll_event e = {any(8) & 5, {.u64 = (unsigned long)fd}};
        if (!any(4))
            e.events |= EPOLLONESHOT;
        tell("control", epoll_ctl(epoll, ops[any(4)], fd, &e));
        break;
    }
    case 3: drop(); break;
    case 4: write_some(some()); break;
    case 5: read_some(some()); break;
    default: {
        struct epoll_event e[8];
        int n = tell("wait", epoll_wait(epoll, e, 8, 0));
        /* The order is nobody's promise. */
        qsort(e, n > 0 ? n : 0, sizeof *e, by_data);
        for (int i = 0; i < n; i++)
            printf("%x %lu;", e[i].events, e[i].data.u64);
        puts("");
    }
    }
    if (!any(15)) {
        close(epoll);
        epoll = -1;
        forget();
    }
}
