// What only a handler of exceptions reads: the call that waits may end by an exception, and then it counts what the loop has
// seen in the last round.
// expect verdict=violated kind=assertion
// expect verdict=holds cflags=-DFIXED
// expect verdict=violated kind=assertion cflags=-DDESTRUCTOR
// expect verdict=holds cflags=-DDESTRUCTOR cflags=-DFIXED
// expect verdict=violated kind=assertion cflags=-DOUTER
// expect verdict=violated kind=assertion cflags=-DAGAIN
// expect verdict=violated kind=assertion cflags=-DARGUMENTS
// expect verdict=holds cflags=-DARGUMENTS cflags=-DFIXED
// expect verdict=violated kind=assertion cflags=-DNUMBERS
// expect verdict=violated kind=assertion cflags=-DRARE
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <thread>
std::atomic<int> flag;
struct Over {};
struct Other {};
static int result;

__attribute__((noinline)) static int look() {
  int now = flag.load(std::memory_order_acquire);
  if (now == 2) throw Over{};
  return now;
}

#if defined DESTRUCTOR
struct Keeps {
  int last = 0;
  ~Keeps() { result = last; }
};
static void wait_for() {
  try {
    Keeps keeps;
    for (;;) keeps.last = look();
  } catch (const Over &) {
  }
}
#elif defined OUTER
// The first of two handlers is not the one.
static void wait_for() {
  int last = 0;
  try {
    try {
      for (;;) last = look();
    } catch (const Other &) {
      last = 9;
    }
  } catch (const Over &) {
    result = last;
  }
}
#elif defined AGAIN
__attribute__((noinline)) static void inner(int *kept) {
  int last = 0;
  try {
    for (;;) last = look();
  } catch (...) {
    *kept = last;
    throw;
  }
}
static void wait_for() {
  try {
    inner(&result);
  } catch (const Over &) {
  }
}
#elif defined ARGUMENTS
// What is passed on the stack is gone when the handler runs.
__attribute__((noinline)) static int look_at(int a, int b, int c, int d, int e, int f, int last, int before) {
  int now = flag.load(std::memory_order_acquire);
  if (now == 2) throw Over{};
  return now + (a + b + c + d + e + f + last + before) * 0;
}
static void wait_for() {
  int last = 0, before = 0;
  try {
    for (;;) {
      before = last;
      last = look_at(1, 2, 3, 4, 5, 6, last, before);
    }
  } catch (const Over &) {
    result = last == before ? last : 5;
  }
}
#elif defined NUMBERS
static void wait_for() {
  double last = 0.5;
  try {
    for (;;) last = look() + 0.5;
  } catch (const Over &) {
    result = last > 1;
  }
}
#elif defined RARE
// Compilers put elsewhere what is rarely done.
__attribute__((noinline, cold)) static void note(int last) { result = last; }
static void wait_for() {
  int last = 0;
  try {
    for (;;) {
      last = look();
      if (__builtin_expect(last == 7, 0)) abort();
    }
  } catch (const Over &) {
    note(last);
  }
}
#else
static void wait_for() {
  int last = 0;
  try {
    for (;;) last = look();
  } catch (const Over &) {
    result = last;
  }
}
#endif

int main() {
  std::thread other([] {
    flag.store(1, std::memory_order_release);
    flag.store(2, std::memory_order_release);
  });
  wait_for();
#ifdef FIXED
  assert(result == 0 || result == 1);
#else
  assert(result != 1);
#endif
  other.join();
}
