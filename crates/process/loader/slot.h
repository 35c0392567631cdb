// What the checker and one process share: a slot, which is a part of one file in memory. `src/slot.rs` has the same layout.
typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long u64;
typedef long i64;

enum { PROCESS = 0, CHECKER = 1 };
enum event { AT_CALL = 1, AT_EXEC = 2, AT_SIGNAL = 3, AT_FOREIGN = 4, DONE = 5, FAILED = 6 };
enum command { RESUME = 1, CALL = 2, READ = 3, WRITE = 4, COPY = 5, BECOME = 6 };

// Where the slot is in every process, its size, and where its data begin.
#define SLOT_AT 0x0fff00000000ul
#define SLOT_SIZE (1ul << 20)
#define DATA 4096ul
// Descriptors that no process gets itself: the file of all slots, and this program.
#define SLOTS 1022
#define LOADER 1021

struct slot {
    u32 turn, event, command, index;
    i64 value;
    u64 arguments[7];
    u64 mask, vectors, vectors_size;
    u32 signal, checker;
    u64 registers[27];
    u8 info[128];
};

#define me ((volatile struct slot *)SLOT_AT)
#define data ((u8 *)SLOT_AT + DATA)

// The order of `struct user_regs_struct`.
enum { R15, R14, R13, R12, RBP, RBX, R11, R10, R9, R8, RAX, RCX, RDX, RSI, RDI, CALLED, RIP, CS, FLAGS, RSP, SS, FS_BASE, GS_BASE };
