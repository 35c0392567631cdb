/* Choices and assertions for scripts:
     vs toss MOST          prints a number from 0 to MOST
     vs assert COMMAND...  asserts that a command succeeds
     vs fail               asserts what is false */
#include "vs.h"
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

int main(int count, char **words) {
    if (count == 3 && !strcmp(words[1], "toss")) {
        printf("%d\n", VS_toss(atoi(words[2])));
        return 0;
    }
    if (count == 2 && !strcmp(words[1], "fail")) {
        VS_assert(0);
        return 1;
    }
    if (count > 2 && !strcmp(words[1], "assert")) {
        pid_t child = fork();
        if (child == 0) {
            execvp(words[2], words + 2);
            _exit(127);
        }
        int status = 0;
        waitpid(child, &status, 0);
        VS_assert(status == 0);
        return status != 0;
    }
    fprintf(stderr, "usage: vs toss MOST | vs assert COMMAND... | vs fail\n");
    return 2;
}
