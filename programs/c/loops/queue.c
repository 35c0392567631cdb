// The queue of Michael & Scott: how many executions it has must not depend on what the compiler makes of its loops.
// expect verdict=holds executions=26 cflags=-DN=3
// expect verdict=holds executions=158 cflags=-DN=4
// expect verdict=holds executions=41 symmetry=on cflags=-DN=4
#include "../ms_queue.c"
