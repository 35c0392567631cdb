/* Semaphores, message queues and shared memory. */
static int set = -1, size;
static void semaphores(void) {
    if (set < 0) {
        size = any(3) + 1;
        set = semget(IPC_PRIVATE, size, 0600);
        tell("semget", set < 0 ? -1 : 0);
    }
    union { int value; unsigned short *values; } u;
    unsigned short values[4] = {any(5), any(5), any(5), any(5)};
    switch (any(9)) {
    case 0: u.value = any(20) ? any(4) : any(2) ? 40000 : -1; tell("setval", semctl(set, any(size + 1), SETVAL, u)); break;
    case 1: tell("getval", semctl(set, any(size + 1), GETVAL)); break;
    case 2: u.values = values; tell("setall", semctl(set, 0, SETALL, u)); break;
    case 3:
        u.values = values;
        tell("getall", semctl(set, 0, GETALL, u));
        for (int i = 0; i < size; i++)
            printf("%d ", values[i]);
        puts("");
        break;
    case 4: tell("getncnt", semctl(set, any(size), any(2) ? GETNCNT : GETZCNT)); break;
    case 5:
        if (!any(5)) {
            tell("remove", semctl(set, 0, IPC_RMID));
            if (any(2))
                tell("getval", semctl(set, 0, GETVAL));
            set = -1;
        }
        break;
    default: {
        struct sembuf b[3];
        int n = any(3) + 1;
        for (int i = 0; i < n; i++)
            b[i] = (struct sembuf){any(size + (any(10) == 0)), (int)any(7) - 3, IPC_NOWAIT | (any(4) ? 0 : SEM_UNDO)};
        tell("semop", semop(set, b, n));
    }
    }
}

static int queue = -1;
static void messages(void) {
    if (queue < 0) {
        queue = msgget(IPC_PRIVATE, 0600);
        tell("msgget", queue < 0 ? -1 : 0);
    }
    struct { long kind; char text[9000]; } m;
    switch (any(8)) {
    case 0:
        if (!any(4)) {
            tell("remove", msgctl(queue, IPC_RMID, 0));
            if (any(2))
                tell("send", msgsnd(queue, &m, 0, IPC_NOWAIT));
            queue = -1;
        }
        break;
    case 1: case 2: case 3: {
        long n = any(3) ? any(20) : any(2) ? 4000 : 8193 - any(2);
        m.kind = (long)any(5) - (any(10) == 0);
        for (long i = 0; i < n; i++)
            m.text[i] = 'a' + any(26);
        tell("send", msgsnd(queue, &m, n, IPC_NOWAIT));
        break;
    }
    default: {
        int flags = IPC_NOWAIT | (any(3) ? 0 : MSG_NOERROR) | (any(5) ? 0 : MSG_EXCEPT);
        m.kind = -7;
        long n = msgrcv(queue, &m, any(3) ? 9000 : any(20), (long)any(9) - 4, flags);
        tell_bytes("receive", n, m.text);
        if (n >= 0)
            printf("%ld\n", m.kind);
    }
    }
}

static void queues(void) {
    char name[40];
    sprintf(name, "/quotient-%d-%lu", any(2) ? 1 : 2, any(1));
    switch (any(9)) {
    case 0: {
        struct mq_attr a = {0, any(4) + (any(10) > 0), any(3) * 10 + (any(10) > 0), 0};
        int flags = O_NONBLOCK | (any(4) ? O_CREAT : 0) | (any(4) ? 0 : O_EXCL) | (any(3) ? O_RDWR : any(2));
        int fd = mq_open(name, flags, 0600, &a);
        remember(tell("open", fd));
        break;
    }
    case 1: drop(); break;
    case 2: tell("unlink", mq_unlink(name)); break;
    case 3: {
        struct mq_attr a;
        if (tell("attributes", mq_getattr(some(), &a)) >= 0)
            printf("%ld %ld %ld %ld\n", a.mq_flags, a.mq_maxmsg, a.mq_msgsize, a.mq_curmsgs);
        break;
    }
    case 4: case 5: case 6: {
        long n = any(25);
        fill(n);
        tell("send", mq_send(some(), buffer, n, any(4)));
        break;
    }
    default: {
        unsigned priority = 99;
        long n = mq_receive(some(), buffer, any(6) ? 100 : 5, &priority);
        tell_bytes("receive", n, buffer);
        printf("%u\n", priority);
    }
    }
}

static int segment = -1;
static char *memory;
static void segments(void) {
    switch (any(7)) {
    case 0:
        if (segment < 0)
            segment = shmget(IPC_PRIVATE, 5000, 0600);
        tell("shmget", segment < 0 ? -1 : 0);
        break;
    case 1:
        if (!memory) {
            memory = shmat(segment, 0, 0);
            if (memory == (void *)-1) {
                tell("shmat", -1);
                memory = 0;
            }
        }
        break;
    case 2:
        if (memory) {
            tell("shmdt", shmdt(memory));
            memory = 0;
        }
        break;
    case 3:
        if (!any(4) && segment >= 0) {
            tell("remove", shmctl(segment, IPC_RMID, 0));
            if (memory)
                shmdt(memory);
            memory = 0;
            if (any(2))
                tell("shmat", shmat(segment, 0, 0) == (void *)-1 ? -1 : 0);
            segment = -1;
        }
        break;
    case 4: case 5:
        if (memory)
            memory[any(5000)] = any(256);
        sched_yield();
        break;
    default:
        if (memory) {
            unsigned sum = 0;
            for (int i = 0; i < 5000; i++)
                sum = sum * 31 + (unsigned char)memory[i];
            printf("%u\n", sum);
        }
    }
}
