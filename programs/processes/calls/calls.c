/* Makes random calls that never wait on one kind of object, and prints what comes of each. The same seed makes the same calls,
   so the text must be the same whoever plays the objects: the system or the checker.
     calls KIND FIRST LAST DIRECTORY */
#include "common.h"
#include "files.h"
#include "ipc.h"
#include "signals.h"
#include "sockets.h"
#include "streams.h"

int main(int argc, char **words) {
    static const struct { const char *name; void (*step)(void); int makes_files; } kinds[] = {
        {"pipes", pipes}, {"eventfds", eventfds}, {"semaphores", semaphores}, {"messages", messages}, {"queues", queues},
        {"pairs", pairs}, {"sockets", sockets, 1}, {"datagrams", streams}, {"epolls", epolls}, {"files", files, 1},
        {"locks", locks, 1}, {"ranges", ranges, 1}, {"signals", signals}, {"segments", segments}};
    if (argc != 5)
        return 2;
    directory = words[4];
    /* Whoever has started this may have left something open. */
    close_range(3, ~0u, 0);
    signal(SIGPIPE, SIG_IGN);
    for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (strcmp(kinds[k].name, words[1]))
            continue;
        for (long seed = atol(words[2]); seed < atol(words[3]); seed++) {
            printf("seed %ld\n", seed);
            state = (unsigned long)seed * 977 + k;
            if (!strcmp(words[1], "files"))
                some_files();
            for (int i = 0; i < 30; i++)
                kinds[k].step();
            forget();
            if (set >= 0)
                semctl(set, 0, IPC_RMID);
            if (queue >= 0)
                msgctl(queue, IPC_RMID, 0);
            if (memory)
                shmdt(memory);
            if (segment >= 0)
                shmctl(segment, IPC_RMID, 0);
            set = queue = segment = -1;
            memory = 0;
            if (!strcmp(words[1], "queues")) {
                mq_unlink("/quotient-1-0");
                mq_unlink("/quotient-2-0");
            }
            if (!strcmp(words[1], "signals"))
                calm();
            if (kinds[k].makes_files)
                remove_all(directory);
        }
        return 0;
    }
    return 2;
}
