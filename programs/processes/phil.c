/* The philosophers of figure 2 in "Exploiting Symmetry when Model-Checking Software" (1999), with semaphores of System V.
   Nothing here knows of the checker. */
#include <stdio.h>
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

static void semwait(int which) { change(which, -1); }
static void semsignal(int which) { change(which, 1); }

static void philosopher(int i) {
    printf("philosopher %d thinks\n", i);
    semwait(i);
    semwait((i + 1) % N);
    printf("philosopher %d eats\n", i);
    semsignal(i);
    semsignal((i + 1) % N);
    exit(0);
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
