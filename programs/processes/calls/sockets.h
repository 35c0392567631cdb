/* Sockets: pairs, Unix sockets with names, datagrams on the machine itself. */
static void pairs(void) {
    switch (any(12)) {
    case 0: {
        int p[2];
        static const int kinds[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET};
        if (tell("socketpair", socketpair(AF_UNIX, kinds[any(3)] | SOCK_NONBLOCK, 0, p)) >= 0) {
            remember(p[0]);
            remember(p[1]);
        }
        break;
    }
    case 1: drop(); break;
    case 2: tell("shutdown", shutdown(some(), any(3))); break;
    case 3: ask_available(some()); break;
    case 4: poll_some(); break;
    case 5: select_some(); break;
    case 6: case 7: case 8: {
        /* Kernels differ about messages of no bytes. */
        long n = any(40) + 1;
        fill(n);
        tell("send", send(some(), buffer, n, MSG_NOSIGNAL));
        break;
    }
    case 9: tell_bytes("peek", recv(some(), buffer, any(50), MSG_PEEK), buffer); break;
    default: {
        struct iovec v = {buffer, any(50)};
        struct msghdr h = {0};
        h.msg_iov = &v;
        h.msg_iovlen = 1;
        tell_bytes("receive", recvmsg(some(), &h, 0), buffer);
        printf("%x\n", h.msg_flags);
    }
    }
}

static void address(struct sockaddr_un *a, socklen_t *n) {
    memset(a, 0, sizeof *a);
    a->sun_family = AF_UNIX;
    if (any(2))
        sprintf(a->sun_path, "%s/s%lu", directory, any(2));
    else
        sprintf(a->sun_path + 1, "quotient-%d-%lu", 1, any(2));
    *n = a->sun_path[0] ? sizeof *a : 2 + 1 + strlen(a->sun_path + 1);
}
static void sockets(void) {
    struct sockaddr_un a;
    socklen_t n = sizeof a;
    switch (any(13)) {
    case 0: case 1: remember(tell("socket", socket(AF_UNIX, (any(3) ? SOCK_STREAM : any(2) ? SOCK_DGRAM : SOCK_SEQPACKET) | SOCK_NONBLOCK, 0))); break;
    case 2: drop(); break;
    case 3: address(&a, &n); tell("bind", bind(some(), (void *)&a, n)); break;
    case 4: tell("listen", listen(some(), any(3))); break;
    case 5: case 6: address(&a, &n); tell("connect", connect(some(), (void *)&a, n)); break;
    case 7: remember(tell("accept", accept4(some(), 0, 0, SOCK_NONBLOCK))); break;
    case 8:
        address(&a, &n);
        if (a.sun_path[0])
            tell("unlink", unlink(a.sun_path));
        break;
    case 9: {
        long m = any(40);
        fill(m);
        tell("send", send(some(), buffer, m, MSG_NOSIGNAL));
        break;
    }
    case 10: poll_some(); break;
    case 11:
        memset(&a, 0, sizeof a);
        if (tell("name", any(2) ? getsockname(some(), (void *)&a, &n) : getpeername(some(), (void *)&a, &n)) >= 0)
            printf("%d %u %s%s\n", a.sun_family, n, n > 2 ? a.sun_path : "", n > 3 && !a.sun_path[0] ? a.sun_path + 1 : "");
        break;
    default: tell_bytes("receive", recv(some(), buffer, any(50), 0), buffer);
    }
}

static void streams(void) {
    struct sockaddr_in a = {0};
    a.sin_family = AF_INET;
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    a.sin_port = htons(34567 + any(2));
    socklen_t n = sizeof a;
    int one = 1;
    switch (any(12)) {
    case 0: case 1: {
        int fd = tell("socket", socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0));
        remember(fd);
        break;
    }
    case 2: drop(); break;
    case 3: case 4: tell("bind", bind(some(), (void *)&a, n)); break;
    case 5: tell("option", setsockopt(some(), SOL_SOCKET, SO_KEEPALIVE, &one, sizeof one)); break;
    case 6: tell("connect", connect(some(), (void *)&a, n)); break;
    case 7: case 8: {
        long m = any(40);
        fill(m);
        tell("sendto", any(2) ? sendto(some(), buffer, m, MSG_NOSIGNAL, (void *)&a, n) : send(some(), buffer, m, MSG_NOSIGNAL));
        break;
    }
    case 9: poll_some(); break;
    default: tell_bytes("receive", recv(some(), buffer, any(50), 0), buffer);
    }
}
