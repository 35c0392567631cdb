/* Room around local variables. Clang lays out frames as for AddressSanitizer: what belongs to no variable is marked in a map
   that has a byte for every 8 bytes of a stack. Most marks are set by the code itself; these functions do the rest. */

#include "glue.h"
#include <stdint.h>

/* `memory/zones.rs` has the same. */
enum { ROOM = 32, LEFT_OF_BLOCK = 0xca, RIGHT_OF_BLOCK = 0xcb };
static const uintptr_t WORLD = 0x200000000000, WORLD_SIZE = (uintptr_t)128 * (128 << 20), REGION = 128 << 20, STACK = 8 << 20;

static unsigned char *mark_of(uintptr_t address) { return (unsigned char *)((address >> 3) + 0x7fff8000); }

static void set(unsigned char *marks, uintptr_t count, unsigned char mark) {
  for (uintptr_t i = 0; i < count; i++) ((volatile unsigned char *)marks)[i] = mark;
}

void __asan_init(void) {}
void __asan_version_mismatch_check_v8(void) {}

void __asan_set_shadow_00(unsigned char *marks, uintptr_t count) { set(marks, count, 0); }
void __asan_set_shadow_f1(unsigned char *marks, uintptr_t count) { set(marks, count, 0xf1); }
void __asan_set_shadow_f2(unsigned char *marks, uintptr_t count) { set(marks, count, 0xf2); }
void __asan_set_shadow_f3(unsigned char *marks, uintptr_t count) { set(marks, count, 0xf3); }
void __asan_set_shadow_f5(unsigned char *marks, uintptr_t count) { set(marks, count, 0xf5); }
void __asan_set_shadow_f8(unsigned char *marks, uintptr_t count) { set(marks, count, 0xf8); }

/* A block of `alloca`: room lies on both sides, and as much at its end as is left of a unit. */
void __asan_alloca_poison(uintptr_t block, uintptr_t size) {
  uintptr_t end = block + size, last = (end + ROOM - 1) / ROOM * ROOM + ROOM;
  set(mark_of(block - ROOM), ROOM / 8, LEFT_OF_BLOCK);
  set(mark_of(end), (last - end + 7) / 8, RIGHT_OF_BLOCK);
  if (end % 8) *mark_of(end) = end % 8;
}

/* Blocks that lie between these two addresses are gone. */
void __asan_allocas_unpoison(uintptr_t from, uintptr_t to) {
  if (from && from < to) set(mark_of(from), (to - from) / 8, 0);
}

/* Functions of the current thread may be left in another way than by returning: no room is known any more. */
void quotient_forget_zones(void) {
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  if (here - WORLD < WORLD_SIZE) __asan_allocas_unpoison(here, here / REGION * REGION + STACK);
}
void __asan_handle_no_return(void) { quotient_forget_zones(); }

/* What a program may call that looks for AddressSanitizer. */
void __asan_poison_memory_region(const volatile void *start, size_t size) { (void)start; (void)size; }
void __asan_unpoison_memory_region(const volatile void *start, size_t size) { (void)start; (void)size; }
