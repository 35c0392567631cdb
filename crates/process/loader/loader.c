// Loads a program into this process, as the system's `execve` would, and stops it at every system call from its first instruction
// on. It is for systems that forbid ptrace. Follows `prctl(2)` on syscall user dispatch and section 3 of the design of process checks.
// It is linked with nothing, so that the program has the C library to itself.
#include "slot.h"
#include "system.h"
#include "stop.h"
#include <elf.h>

#define PAGE 4096ul
#define DOWN(x) ((x) & ~(PAGE - 1))
#define UP(x) DOWN((x) + PAGE - 1)
// Where the system puts programs that can be anywhere, without chance.
#define USUAL 0x555555554000ul

struct image {
    u64 base, entry, table, count, size;
    char interpreter[256];
};

static _Noreturn void give_up(long error) {
    me->value = error;
    me->event = FAILED;
    hand_over();
    call(SYS_exit_group, 127, 0, 0, 0, 0, 0);
    __builtin_unreachable();
}

static long must(long value) {
    if (value < 0 && value > -4096) give_up(value);
    return value;
}

// Maps one part of a file. What the file does not have is zero.
static void map_part(int file, const Elf64_Phdr *part, u64 base) {
    int rights = (part->p_flags & PF_R ? 1 : 0) | (part->p_flags & PF_W ? 2 : 0) | (part->p_flags & PF_X ? 4 : 0);
    u64 from = base + part->p_vaddr, filled = from + part->p_filesz, to = UP(from + part->p_memsz);
    if (part->p_filesz)
        must(call(SYS_mmap, DOWN(from), filled - DOWN(from), rights, MAP_PRIVATE | MAP_FIXED, file, DOWN(part->p_offset)));
    u64 zero = part->p_filesz ? UP(filled) : DOWN(from);
    if (part->p_memsz <= part->p_filesz) return;
    if (part->p_filesz && rights & 2)
        for (u8 *at = (u8 *)filled; (u64)at < zero && (u64)at < to; at++) *at = 0;
    if (to > zero) must(call(SYS_mmap, zero, to - zero, rights, MAP_PRIVATE | MAP_FIXED | MAP_ANONYMOUS, -1, 0));
}

static struct image load(const char *path, u64 usual) {
    struct image image = {0};
    static u8 head[PAGE];
    int file = must(call(SYS_open, (u64)path, 0, 0, 0, 0, 0));
    must(call(SYS_pread64, file, (u64)head, sizeof head, 0, 0, 0));
    const Elf64_Ehdr *elf = (void *)head;
    const Elf64_Phdr *parts = (void *)(head + elf->e_phoff);
    if (elf->e_phoff + elf->e_phnum * sizeof *parts > sizeof head) give_up(-ENOEXEC);
    u64 low = ~0ul, high = 0;
    for (int i = 0; i < elf->e_phnum; i++) {
        if (parts[i].p_type == PT_LOAD) {
            if (DOWN(parts[i].p_vaddr) < low) low = DOWN(parts[i].p_vaddr);
            if (UP(parts[i].p_vaddr + parts[i].p_memsz) > high) high = UP(parts[i].p_vaddr + parts[i].p_memsz);
        } else if (parts[i].p_type == PT_INTERP && parts[i].p_filesz < sizeof image.interpreter) {
            must(call(SYS_pread64, file, (u64)image.interpreter, parts[i].p_filesz, parts[i].p_offset, 0, 0));
        }
    }
    if (elf->e_type == ET_DYN) {
        int fixed = usual ? MAP_FIXED : 0;
        image.base = must(call(SYS_mmap, usual, high - low, 0, MAP_PRIVATE | MAP_ANONYMOUS | fixed, -1, 0)) - low;
    }
    for (int i = 0; i < elf->e_phnum; i++) {
        if (parts[i].p_type == PT_LOAD) {
            map_part(file, &parts[i], image.base);
            u64 from = parts[i].p_offset, to = from + parts[i].p_filesz;
            if (elf->e_phoff >= from && elf->e_phoff < to)
                image.table = image.base + parts[i].p_vaddr + elf->e_phoff - from;
        }
    }
    call(SYS_close, file, 0, 0, 0, 0, 0);
    image.entry = image.base + elf->e_entry;
    image.count = elf->e_phnum;
    image.size = elf->e_phentsize;
    return image;
}

// Facts that the system tells every program.
static u64 facts[64][2];
static int fact_count;

static void read_facts(u64 *stack) {
    u64 *at = stack + stack[0] + 2;
    while (*at++) {}
    for (; at[0] && fact_count < 62; at += 2)
        if (at[0] != AT_SYSINFO_EHDR) {
            facts[fact_count][0] = at[0];
            facts[fact_count++][1] = at[1];
        }
}

static u64 fact(u64 kind) {
    for (int i = 0; i < fact_count; i++)
        if (facts[i][0] == kind) return facts[i][1];
    return 0;
}

static void set_fact(u64 kind, u64 value) {
    for (int i = 0; i < fact_count; i++)
        if (facts[i][0] == kind) facts[i][1] = value;
}

static u64 length(const char *text) {
    u64 count = 0;
    while (text[count]) count++;
    return count;
}

static u64 push_text(u64 top, const char *text) {
    u64 size = length(text) + 1;
    for (u64 i = 0; i < size; i++) ((char *)(top - size))[i] = text[i];
    return top - size;
}

// Makes the stack of the program: strings at the top, then facts, variables and arguments. The data of the slot have the number of
// arguments, that of variables, the path, and all strings. Gives the new top.
static u64 make_stack(u64 *old, struct image *program, struct image *interpreter) {
    u32 arguments = ((u32 *)data)[0], variables = ((u32 *)data)[1];
    char *text = (char *)data + 8;
    u64 end = fact(AT_EXECFN);
    end += length((char *)end) + 1;
    for (u8 *at = (u8 *)old; (u64)at < end; at++) *at = 0;
    u64 name = push_text(end, text), platform = push_text(name, "x86_64");
    char *strings = text + length(text) + 1, *last = strings;
    for (u32 i = 0; i < arguments + variables; i++) last += length(last) + 1;
    u64 size = last - strings, place = platform - size, random = (place & ~15ul) - 16;
    for (u64 i = 0; i < size; i++) ((char *)place)[i] = strings[i];
    set_fact(AT_PHDR, program->table);
    set_fact(AT_PHENT, program->size);
    set_fact(AT_PHNUM, program->count);
    set_fact(AT_BASE, interpreter ? interpreter->base : 0);
    set_fact(AT_ENTRY, program->entry);
    set_fact(AT_PLATFORM, platform);
    set_fact(AT_RANDOM, random);
    set_fact(AT_EXECFN, name);
    u64 words = 1 + arguments + 1 + variables + 1 + 2 * (fact_count + 1);
    u64 *stack = (u64 *)((random - 8 * words) & ~15ul), *at = stack;
    *at++ = arguments;
    for (u32 i = 0; i < arguments + variables; i++) {
        if (i == arguments) *at++ = 0;
        *at++ = place;
        place += length((char *)place) + 1;
    }
    if (!variables) *at++ = 0;
    *at++ = 0;
    for (int i = 0; i < fact_count; i++) {
        *at++ = facts[i][0];
        *at++ = facts[i][1];
    }
    at[0] = at[1] = 0;
    return (u64)stack;
}

static void set_name(const char *path) {
    const char *name = path;
    for (; *path; path++)
        if (*path == '/') name = path + 1;
    call(SYS_prctl, PR_SET_NAME, (u64)name, 0, 0, 0, 0);
}

static u32 hexadecimal(const char *text) {
    u32 number = 0;
    for (; *text; text++) number = number * 16 + (*text <= '9' ? *text - '0' : *text - 'a' + 10);
    return number;
}

// Called on a stack of its own; the argument is the system's.
__attribute__((used)) static void begin(u64 *stack) {
    u32 index = hexadecimal((char *)stack[2]);
    u64 at = call(SYS_mmap, SLOT_AT, SLOT_SIZE, 3, MAP_SHARED | MAP_FIXED_NOREPLACE, SLOTS, index * SLOT_SIZE);
    if (at != SLOT_AT) call(SYS_exit_group, 126, 0, 0, 0, 0, 0);
    die_with_checker();
    read_facts(stack);
    char path[4096];
    for (u64 i = 0; i < sizeof path; i++) path[i] = data[8 + i];
    struct image program = load(path, USUAL), interpreter;
    int has = program.interpreter[0] != 0;
    if (has) interpreter = load(program.interpreter, 0);
    set_name(path);
    u64 top = make_stack(stack, &program, has ? &interpreter : 0);
    start(has ? interpreter.entry : program.entry, top);
}

__attribute__((used)) static u8 own_stack[1 << 16] __attribute__((aligned(16)));

__asm__(".globl _start\n_start:\n mov %rsp, %rdi\n lea own_stack + 65536(%rip), %rsp\n call begin\n hlt\n");
