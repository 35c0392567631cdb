//! Several processes that use each kind of object together, as real programs: what each of them sees is checked by assertions in
//! the programs themselves.

mod support;

use quotient_process::Processes;
use quotient_system::{
    Exploration, Options, Program, StartContent, StartFile, System, Trouble, Unwatched, ViolationKind, explore,
};
use support::{compile_text, program, setup, traced};

/// What all programs begin with.
const HEAD: &str = r#"
#define _GNU_SOURCE
#include "vs.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
"#;

fn search(text: &str, flags: &[&str]) -> Exploration {
    let found = explored(text, flags);
    assert_eq!((found.stopped, found.doubts.as_slice()), (None, [].as_slice()));
    found
}

fn explored(text: &str, flags: &[&str]) -> Exploration {
    let (_directory, path) = compile_text(&format!("{HEAD}{text}"), flags);
    let mut setup = setup(vec![program(&path, &[])]);
    (setup.shared, setup.merge) = (vec!["/shared".into()], true);
    let root = StartFile { path: b"/shared".to_vec(), content: StartContent::Directory, mode: 0o755, written: None };
    let system = System { programs: vec![Program::default()], files: vec![root], ..System::default() };
    let mut processes = Processes::new(setup);
    let options = Options { all_violations: true, ..Options::stateful() };
    explore(&system, &mut processes, &options, &mut Unwatched)
}

fn holds(text: &str) {
    let found = search(text, &[]);
    assert_eq!(found.violations, []);
    assert!(found.transitions > 1);
}

fn fails(text: &str) {
    assert!(!search(text, &[]).violations.is_empty());
}

#[test]
fn a_server_and_its_clients() {
    if traced() {
        holds(
            r#"
        int main(void) {
            int s = socket(AF_INET, SOCK_STREAM, 0);
            struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(4000)};
            VS_assert(bind(s, (void *)&a, sizeof a) == 0 && listen(s, 5) == 0);
            for (int i = 0; i < 2; i++)
                if (fork() == 0) {
                    int c = socket(AF_INET, SOCK_STREAM, 0);
                    char x = 'a' + i, y = 0;
                    VS_assert(connect(c, (void *)&a, sizeof a) == 0);
                    VS_assert(write(c, &x, 1) == 1 && read(c, &y, 1) == 1 && y == x + 1);
                    _exit(0);
                }
            for (int i = 0; i < 2; i++) {
                char x;
                struct sockaddr_in from;
                socklen_t n = sizeof from;
                int c = accept(s, (void *)&from, &n);
                VS_assert(c >= 0 && from.sin_family == AF_INET && n == sizeof from);
                VS_assert(read(c, &x, 1) == 1);
                x++;
                VS_assert(write(c, &x, 1) == 1);
                close(c);
            }
            while (wait(0) > 0);
            VS_assert(errno == ECHILD);
        }"#,
        );
    }
}

#[test]
fn a_descriptor_is_passed_on() {
    if traced() {
        holds(
            r#"
        int main(void) {
            int s[2], p[2];
            socketpair(AF_UNIX, SOCK_STREAM, 0, s);
            pipe(p);
            char byte = 'x', room[CMSG_SPACE(sizeof(int))] = {0};
            struct iovec v = {&byte, 1};
            struct msghdr h = {.msg_iov = &v, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
            if (fork() == 0) {
                close(p[0]);
                close(p[1]);
                VS_assert(recvmsg(s[1], &h, 0) == 1);
                struct cmsghdr *c = CMSG_FIRSTHDR(&h);
                VS_assert(c && c->cmsg_type == SCM_RIGHTS);
                int fd = *(int *)CMSG_DATA(c);
                VS_assert(write(fd, "hello", 5) == 5);
                _exit(0);
            }
            struct cmsghdr *c = CMSG_FIRSTHDR(&h);
            c->cmsg_level = SOL_SOCKET;
            c->cmsg_type = SCM_RIGHTS;
            c->cmsg_len = CMSG_LEN(sizeof(int));
            *(int *)CMSG_DATA(c) = p[1];
            VS_assert(sendmsg(s[0], &h, 0) == 1);
            close(p[1]);
            char text[10];
            VS_assert(read(p[0], text, 10) == 5 && read(p[0], text, 10) == 0);
            wait(0);
        }"#,
        );
    }
}

#[test]
fn a_semaphore_in_shared_memory_guards_a_counter() {
    if traced() {
        holds(
            r#"
        int main(void) {
            struct { sem_t s; int x; } *m = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
            sem_init(&m->s, 1, 1);
            int child = fork();
            sem_wait(&m->s);
            int x = m->x;
            sched_yield();
            m->x = x + 1;
            sem_post(&m->s);
            if (child == 0)
                _exit(0);
            wait(0);
            VS_assert(m->x == 2);
        }"#,
        );
    }
}

#[test]
fn a_counter_in_shared_memory_loses_an_update() {
    if traced() {
        fails(
            r#"
        int main(void) {
            int *m = shmat(shmget(IPC_PRIVATE, 4096, 0600), 0, 0);
            int child = fork();
            int x = *m;
            sched_yield();
            *m = x + 1;
            if (child == 0)
                _exit(0);
            wait(0);
            VS_assert(*m == 2);
        }"#,
        );
    }
}

#[test]
fn waiting_for_several_pipes() {
    if traced() {
        holds(
            r#"
        int main(void) {
            int p[2], q[2];
            pipe(p);
            pipe(q);
            for (int i = 0; i < 2; i++)
                if (fork() == 0) {
                    write(i ? p[1] : q[1], "x", 1);
                    _exit(0);
                }
            close(p[1]);
            close(q[1]);
            struct pollfd f[2] = {{p[0], POLLIN, 0}, {q[0], POLLIN, 0}};
            VS_assert(poll(f, 2, -1) >= 1);
            VS_assert((f[0].revents | f[1].revents) & POLLIN);
            fd_set r;
            FD_ZERO(&r);
            FD_SET(p[0], &r);
            VS_assert(select(q[0] + 1, &r, 0, 0, 0) == 1 && FD_ISSET(p[0], &r));
            int e = epoll_create1(0);
            struct epoll_event v = {EPOLLIN, {.u64 = 77}};
            epoll_ctl(e, EPOLL_CTL_ADD, q[0], &v);
            v.data.u64 = 0;
            VS_assert(epoll_wait(e, &v, 1, -1) == 1 && v.data.u64 == 77);
            char c;
            VS_assert(read(p[0], &c, 1) == 1 && read(q[0], &c, 1) == 1 && read(p[0], &c, 1) == 0);
            while (wait(0) > 0);
        }"#,
        );
    }
}

#[test]
fn messages_in_order() {
    if traced() {
        holds(
            r#"
        int main(void) {
            int q = msgget(IPC_PRIVATE, 0600);
            struct mq_attr a = {0, 2, 8, 0};
            mqd_t m = mq_open("/quotient", O_CREAT | O_RDWR, 0600, &a);
            VS_assert(m >= 0);
            if (fork() == 0) {
                struct { long kind; char c; } t = {2, 'b'};
                VS_assert(msgsnd(q, &t, 1, 0) == 0);
                t.kind = 1;
                t.c = 'a';
                VS_assert(msgsnd(q, &t, 1, 0) == 0);
                for (int i = 0; i < 3; i++)
                    VS_assert(mq_send(m, "x", 1, 0) == 0);
                _exit(0);
            }
            struct { long kind; char c; } t;
            VS_assert(msgrcv(q, &t, 1, 1, 0) == 1 && t.c == 'a');
            VS_assert(msgrcv(q, &t, 1, 0, 0) == 1 && t.c == 'b' && t.kind == 2);
            char text[8];
            unsigned priority = 9;
            for (int i = 0; i < 3; i++)
                VS_assert(mq_receive(m, text, 8, &priority) == 1 && priority == 0);
            wait(0);
        }"#,
        );
    }
}

#[test]
fn a_signal_reaches_who_waits_for_it() {
    if traced() {
        holds(
            r#"
        static volatile int got;
        static void on(int s) { got = s; }
        int main(void) {
            struct sigaction a = {.sa_handler = on};
            sigaction(SIGUSR1, &a, 0);
            sigset_t s, o;
            sigemptyset(&s);
            sigaddset(&s, SIGUSR1);
            sigprocmask(SIG_BLOCK, &s, &o);
            int child = fork();
            if (child == 0) {
                while (!got)
                    sigsuspend(&o);
                _exit(got == SIGUSR1 ? 0 : 1);
            }
            VS_assert(kill(child, SIGUSR1) == 0);
            int status;
            VS_assert(wait(&status) == child && status == 0);
        }"#,
        );
    }
}

#[test]
fn a_signal_is_lost_before_pause() {
    if traced() {
        fails(
            r#"
        static volatile int got;
        static void on(int s) { got = s; }
        int main(void) {
            struct sigaction a = {.sa_handler = on};
            sigaction(SIGUSR1, &a, 0);
            int child = fork();
            if (child == 0) {
                while (!got)
                    pause();
                _exit(0);
            }
            kill(child, SIGUSR1);
            wait(0);
        }"#,
        );
    }
}

#[test]
fn descriptors_for_events_timers_and_signals() {
    if traced() {
        holds(
            r#"
        int main(void) {
            int e = eventfd(0, 0), t = timerfd_create(CLOCK_MONOTONIC, 0);
            sigset_t s;
            sigemptyset(&s);
            sigaddset(&s, SIGUSR1);
            sigprocmask(SIG_BLOCK, &s, 0);
            int f = signalfd(-1, &s, 0);
            struct itimerspec soon = {{0, 0}, {1, 0}};
            VS_assert(timerfd_settime(t, 0, &soon, 0) == 0);
            int parent = getpid();
            if (fork() == 0) {
                unsigned long two = 2;
                write(e, &two, 8);
                kill(parent, SIGUSR1);
                _exit(0);
            }
            unsigned long n = 0;
            VS_assert(read(e, &n, 8) == 8 && n == 2);
            VS_assert(read(t, &n, 8) == 8 && n >= 1);
            struct signalfd_siginfo i;
            VS_assert(read(f, &i, sizeof i) == sizeof i && i.ssi_signo == SIGUSR1);
            wait(0);
        }"#,
        );
    }
}

#[test]
fn a_lock_on_a_range_keeps_others_out() {
    if traced() {
        holds(
            r#"
        int main(void) {
            int fd = open("/shared/f", O_RDWR | O_CREAT, 0600);
            int child = fork();
            struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
            VS_assert(fcntl(fd, F_SETLKW, &l) == 0);
            char c = 0;
            pread(fd, &c, 1, 0);
            c++;
            VS_assert(pwrite(fd, &c, 1, 0) == 1);
            l.l_type = F_UNLCK;
            VS_assert(fcntl(fd, F_SETLK, &l) == 0);
            if (child == 0)
                _exit(0);
            wait(0);
            VS_assert(pread(fd, &c, 1, 0) == 1 && c == 2);
        }"#,
        );
    }
}

#[test]
fn two_locks_in_two_orders_are_a_deadlock_that_is_told() {
    if traced() {
        holds(
            r#"
        int main(void) {
            int fd = open("/shared/f", O_RDWR | O_CREAT, 0600), r = 0;
            int child = fork();
            for (int i = 0; i < 2 && r == 0; i++) {
                struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = child ? i : 1 - i, .l_len = 1};
                r = fcntl(fd, F_SETLKW, &l);
            }
            VS_assert(r == 0 || errno == EDEADLK);
            close(fd);
            if (child)
                wait(0);
        }"#,
        );
    }
}

#[test]
fn an_alarm_may_ring_before_the_wait() {
    if traced() {
        fails(
            r#"
        static void on(int s) { (void)s; }
        int main(void) {
            struct sigaction a = {.sa_handler = on};
            sigaction(SIGALRM, &a, 0);
            int p[2];
            pipe(p);
            char c;
            alarm(1);
            int r = read(p[0], &c, 1), e = errno;
            VS_assert(r == -1 && e == EINTR);
            sleep(1);
        }"#,
        );
    }
}

#[test]
fn a_death_by_a_signal_is_a_status() {
    if traced() {
        let text = "int main(void) { sched_yield(); kill(getpid(), SIGUSR1); sched_yield(); return 0; }";
        let (_directory, path) = compile_text(&format!("{HEAD}{text}"), &[]);
        let system = System { programs: vec![Program::default()], ..System::default() };
        for exit_status in [false, true] {
            let mut processes = Processes::new(setup(vec![program(&path, &[])]));
            let options = Options { exit_status, ..Options::stateful() };
            let found = explore(&system, &mut processes, &options, &mut Unwatched);
            let kinds: Vec<_> = found.violations.iter().map(|violation| violation.kind.clone()).collect();
            let died = 128 + libc::SIGUSR1;
            assert_eq!(kinds, if exit_status { vec![ViolationKind::ExitStatus(died)] } else { Vec::new() });
            assert_eq!(found.statuses, if exit_status { Vec::new() } else { vec![(100, died)] });
        }
    }
}

#[test]
fn an_alarm_interrupts_a_call_that_waits() {
    if traced() {
        fails(
            r#"
        static void on(int s) { (void)s; }
        int main(void) {
            struct sigaction a = {.sa_handler = on};
            sigaction(SIGALRM, &a, 0);
            int p[2];
            pipe(p);
            if (fork() == 0) {
                write(p[1], "x", 1);
                _exit(0);
            }
            char c;
            alarm(1);
            int r = read(p[0], &c, 1);
            VS_assert(r == 1);
        }"#,
        );
    }
}

/// Two processes with the same memory that have said different things about a signal are two.
#[test]
fn handlers_tell_processes_apart() {
    if traced() {
        fails(
            r#"
        static void good(int s) { (void)s; }
        static void bad(int s) { (void)s; VS_assert(0); }
        int main(void) {
            struct sigaction a = {.sa_handler = good};
            volatile int which = VS_toss(1);
            if (which) a.sa_handler = bad;
            sigaction(SIGUSR1, &a, 0);
            memset(&a, which = 0, sizeof a);
            char clean[400];
            memset(clean, 0, sizeof clean);
            asm volatile("" ::"r"(clean) : "memory");
            for (int i = 0; i < 3; i++) sched_yield();
            kill(getpid(), SIGUSR1);
        }"#,
        );
    }
}

/// What comes before `..` may be a symbolic link.
#[test]
fn the_way_back_goes_where_a_link_leads() {
    if traced() {
        holds(
            r#"
        int main(void) {
            mkdir("/shared/d", 0755);
            mkdir("/shared/d/e", 0755);
            symlink("d/e", "/shared/l");
            close(open("/shared/d/x", O_CREAT | O_WRONLY, 0644));
            struct stat s;
            VS_assert(stat("/shared/l/../x", &s) == 0);
            VS_assert(stat("/shared/none/../d", &s) == -1 && errno == ENOENT);
            VS_assert(stat("/shared/d/x/../x", &s) == -1 && errno == ENOTDIR);
            VS_assert(stat("/shared/l/../../../shared/d", &s) == 0);
            chdir("/shared/l");
            VS_assert(stat("../x", &s) == 0 && stat("../../d/e/../../l/../x", &s) == 0);
        }"#,
        );
    }
}

#[test]
fn a_timer_that_rings_again_ends_a_wait() {
    if traced() {
        holds(
            r#"
        static void on(int s) { (void)s; }
        int main(void) {
            struct sigaction a = {.sa_handler = on};
            sigaction(SIGALRM, &a, 0);
            int p[2];
            pipe(p);
            char c;
            struct itimerval t = {{1, 0}, {1, 0}};
            setitimer(ITIMER_REAL, &t, 0);
            int r = read(p[0], &c, 1), e = errno;
            VS_assert(r == -1 && e == EINTR);
            memset(&t, 0, sizeof t);
            setitimer(ITIMER_REAL, &t, 0);
            sleep(1);
        }"#,
        );
    }
}

#[test]
fn times_that_are_set_are_kept_until_the_file_is_written() {
    if traced() {
        holds(
            r#"
int main(void) {
    int file = open("/shared/f", O_RDWR | O_CREAT, 0600);
    struct stat facts, later;
    fstat(file, &facts);
    struct timespec times[2] = { { 5, 6 }, { 7, 8 } };
    VS_assert(utimensat(AT_FDCWD, "/shared/f", times, 0) == 0);
    stat("/shared/f", &later);
    VS_assert(later.st_atim.tv_sec == 5 && later.st_atim.tv_nsec == 6);
    VS_assert(later.st_mtim.tv_sec == 7 && later.st_mtim.tv_nsec == 8);
    times[0].tv_nsec = UTIME_OMIT;
    times[1].tv_nsec = UTIME_NOW;
    VS_assert(futimens(file, times) == 0);
    fstat(file, &later);
    VS_assert(later.st_atim.tv_sec == 5 && later.st_mtim.tv_sec == facts.st_mtim.tv_sec);
    times[1].tv_nsec = 9;
    futimens(file, times);
    write(file, "x", 1);
    fstat(file, &later);
    VS_assert(later.st_mtim.tv_sec == facts.st_mtim.tv_sec && later.st_size == 1);
    VS_assert(utimensat(AT_FDCWD, "/shared/none", times, 0) == -1 && errno == ENOENT);
    return 0;
}
"#,
        );
    }
}

#[test]
fn what_is_before_a_slash_is_a_directory() {
    if traced() {
        holds(
            r#"
int main(void) {
    close(open("/shared/f", O_RDWR | O_CREAT, 0600));
    VS_assert(open("/shared/f/", O_RDONLY) == -1 && errno == ENOTDIR);
    VS_assert(open("/shared/f/.", O_RDONLY) == -1 && errno == ENOTDIR);
    VS_assert(open("/shared/g/", O_RDWR | O_CREAT, 0600) == -1 && errno == EISDIR);
    VS_assert(mkdir("/shared/d/", 0700) == 0 && rmdir("/shared/d/") == 0);
    VS_assert(unlink("/shared/f/") == -1 && errno == ENOTDIR);
    return unlink("/shared/f");
}
"#,
        );
    }
}

#[test]
fn poll_tells_that_the_other_side_sends_no_more() {
    if traced() {
        holds(
            r#"
int main(void) {
    int ends[2];
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
    struct pollfd entry = { ends[0], POLLIN | POLLRDHUP, 0 };
    VS_assert(poll(&entry, 1, 0) == 0);
    shutdown(ends[1], SHUT_WR);
    VS_assert(poll(&entry, 1, 0) == 1 && entry.revents == (POLLIN | POLLRDHUP));
    return 0;
}
"#,
        );
    }
}

/// Paths from such a directory would lead to where it was before.
#[test]
fn directories_that_somebody_uses_are_not_moved_or_removed() {
    if traced() {
        let moved = r#"
int main(void) {
    mkdir("/shared/d", 0700);
    open("/shared/d", O_RDONLY | O_DIRECTORY);
    return rename("/shared/d", "/shared/e");
}
"#;
        let removed = r#"
int main(void) {
    mkdir("/shared/d", 0700);
    if (fork() == 0) {
        chdir("/shared/d");
        pause();
    }
    return rmdir("/shared/d");
}
"#;
        for (text, call) in [(moved, "rename of a directory"), (removed, "rmdir of a directory")] {
            let found = explored(text, &[]);
            let told = |trouble: &Trouble| matches!(trouble, Trouble::Unsupported { call: told, .. } if told.starts_with(call));
            assert!(found.doubts.iter().any(|doubt| told(&doubt.trouble)), "{:?}", found.doubts);
        }
    }
}
