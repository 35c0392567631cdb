/* The philosophers of phil.c, who never stop. */
#include <stdlib.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <sys/types.h>
#include <unistd.h>
#ifndef N
#define N 2
#endif

static int semaphores;

static void change(int which, int by) {
    struct sembuf entry = {which, by, 0};
    semop(semaphores, &entry, 1);
}

static void philosopher(int i) {
    for (;;) {
        change(i, -1);
        change((i + 1) % N, -1);
        change(i, 1);
        change((i + 1) % N, 1);
    }
}

int main(void) {
    int i;
    semaphores = semget(IPC_PRIVATE, N, 0600);
    for (i = 0; i < N; i++)
        semctl(semaphores, i, SETVAL, 1);
    for (i = 0; i < N - 1; i++)
        if (fork() == 0)
            philosopher(i);
    philosopher(i);
}
