// A round that fails throws, and the loop catches it. What is thrown is allocated and freed in every round, so that it may
// stay undecided whether that can go on forever.
// expect verdict=violated kind=assertion cflags=-DCAUGHT
// expect verdict=violated kind=assertion cflags=-DUNWOUND
// expect verdict=violated kind=assertion cflags=-DVALUE
// expect verdict=holds,inconclusive cflags=-DCAUGHT cflags=-DFIXED
// expect verdict=violated kind=assertion cflags=-DOUTSIDE
#include <atomic>
#include <cassert>
#include <thread>
std::atomic<int> flag;
struct Busy {
  int value;
};
static int look() {
  int now = flag.load(std::memory_order_acquire);
  if (now != 2) throw Busy{now};
  return now;
}
struct Note {
  int &waited;
  bool done = false;
  ~Note() {
    if (!done) waited = 1;
  }
};
static int wait_for() {
  int waited = 0;
#ifdef OUTSIDE
  try {
    for (;;)
      if (flag.load(std::memory_order_acquire) != 2) {
        if (waited == 2) throw Busy{2};
        waited++;
      } else {
        return 0;
      }
  } catch (Busy &busy) {
    while (flag.load(std::memory_order_acquire) != 2) {
    }
    return busy.value;
  }
#else
  for (;;) {
    try {
#ifdef UNWOUND
      Note note{waited};
      look();
      note.done = true;
#else
      look();
#endif
      return waited;
    } catch (Busy &busy) {
#if defined CAUGHT
      waited = 1;
#elif defined VALUE
      if (busy.value == 1) waited = 1;
#endif
      (void)busy;
    }
  }
#endif
}
int main() {
  std::thread t([] {
    int waited = wait_for();
#ifdef FIXED
    assert(waited <= 1);
#else
    assert(!waited);
#endif
  });
  flag.store(1, std::memory_order_release);
  flag.store(2, std::memory_order_release);
  t.join();
}
