// expect verdict=holds everywhere
// expect verdict=violated kind=uninitialised cflags=-DOTHER everywhere
// expect verdict=violated kind=uninitialised cflags=-DADD everywhere
// expect verdict=violated kind=uninitialised cflags=-DFIELD everywhere
// Who sets some bits of a number reads all of it; that is no use of what nobody has written, if the number is then written.
#include <assert.h>
#include <stdlib.h>

struct fields { unsigned small : 3, middle : 5, large : 20; };
struct numbers { unsigned one, two; };

static void set(struct fields *fields, unsigned value) {
  fields->small = value;
  fields->middle = 17;
  fields->large = value + 1;
}

static void keep_bits(unsigned *to, unsigned *from) { *to = *from & 3; }
static void set_bits(unsigned *number, unsigned bits) { *number |= bits; }

int main(int count, char **arguments) {
  (void)arguments;
  struct fields *heap = malloc(sizeof *heap), stack;
  struct numbers *numbers = malloc(sizeof *numbers);
#ifdef FIELD
  if (heap->middle == 17) return 1;
#endif
  set(heap, (unsigned)count);
  set(&stack, 5);
  assert(heap->small == 1 && heap->middle == 17 && heap->large == 2);
  assert(stack.small == 5 && stack.middle == 17 && stack.large == 6);
  numbers->one = 0;
#ifdef OTHER
  keep_bits(&numbers->one, &numbers->two);
#elif defined ADD
  numbers->two += 1;
#else
  set_bits(&numbers->two, 4);
  assert(numbers->two & 4);
#endif
  free(heap);
  free(numbers);
  return 0;
}
