/* What the kinds of calls share: chance, telling, and a few descriptors. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <netinet/in.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *directory;
static unsigned long state;
static unsigned long any(unsigned long n) {
    state = state * 6364136223846793005ul + 1442695040888963407ul;
    return (state >> 33) % n;
}

static long tell(const char *what, long value) {
    if (value < 0)
        printf("%s: %s\n", what, strerrorname_np(errno));
    else
        printf("%s: %ld\n", what, value);
    return value;
}

static void tell_bytes(const char *what, long count, const char *bytes) {
    tell(what, count);
    for (long i = 0; i < count && i < 40; i++)
        printf("%02x", (unsigned char)bytes[i]);
    if (count > 0)
        puts("");
}

static char buffer[200000];
static void fill(long count) {
    for (long i = 0; i < count; i++)
        buffer[i] = (char)(any(26) + 'a');
}

/* Sizes around the limits that matter. */
static long size_of(void) {
    static const long sizes[] = {0, 1, 3, 10, 100, 4095, 4096, 4097, 30000, 65536, 65537};
    return sizes[any(11)];
}

static int fds[16], count;
static void forget(void) {
    for (int i = 0; i < count; i++)
        close(fds[i]);
    count = 0;
}
static void remember(int fd) {
    if (fd >= 0 && count < 16)
        fds[count++] = fd;
    else if (fd >= 0)
        close(fd);
}
static int some(void) { return count && any(30) ? fds[any(count)] : 900; }
static void drop(void) {
    if (!count)
        return;
    int i = any(count), fd = fds[i];
    fds[i] = fds[--count];
    tell("close", close(fd));
}

static void read_some(int fd) {
    long n = any(3) ? any(50) : size_of();
    tell_bytes("read", read(fd, buffer, n), buffer);
}
static void write_some(int fd) {
    long n = any(3) ? any(50) : size_of();
    fill(n);
    tell("write", write(fd, buffer, n));
}
static void ask_available(int fd) {
    int n = -1;
    if (tell("available", ioctl(fd, FIONREAD, &n)) >= 0)
        printf("%d\n", n);
}
static void poll_some(void) {
    struct pollfd p[3];
    int n = any(3) + 1;
    for (int i = 0; i < n; i++)
        p[i] = (struct pollfd){some(), any(8), 0};
    tell("poll", poll(p, n, 0));
    for (int i = 0; i < n; i++)
        printf("%x ", p[i].revents);
    puts("");
}
static void select_some(void) {
    fd_set r, w;
    FD_ZERO(&r);
    FD_ZERO(&w);
    int most = 0;
    for (int i = 0; i < 3; i++) {
        int fd = some();
        if (fd == 900)
            continue;
        FD_SET(fd, any(2) ? &r : &w);
        if (fd > most)
            most = fd;
    }
    struct timeval zero = {0, 0};
    tell("select", select(most + 1, &r, &w, 0, &zero));
    for (int i = 0; i < count; i++)
        printf("%d%d ", !!FD_ISSET(fds[i], &r), !!FD_ISSET(fds[i], &w));
    puts("");
}

