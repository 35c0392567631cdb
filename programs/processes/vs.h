/* Choices and assertions for programs that the checker of processes runs. Without the checker a choice is random, and an
   assertion that does not hold ends the program. */
#ifndef QUOTIENT_VS_H
#define QUOTIENT_VS_H
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A number from 0 to most: the checker tries all of them. */
static inline int VS_toss(int most) {
    long chosen = syscall(0x5653, most);
    return chosen >= 0 ? (int)chosen : rand() % (most + 1);
}

/* Says that something is true: the checker reports every run in which it is not. */
static inline void VS_assert(int holds) {
    if (syscall(0x5654, holds) < 0 && !holds)
        abort();
}
#endif
