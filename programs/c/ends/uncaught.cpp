// An exception that nobody catches: its type, and where it was thrown.
// expect verdict=violated kind=abort mentions=int at=uncaught.cpp:24
// expect verdict=violated kind=abort mentions=std::runtime_error at=uncaught.cpp:20 cflags=-DSTANDARD
// expect verdict=violated kind=abort mentions=Own at=uncaught.cpp:22 cflags=-DOWN
// expect verdict=violated kind=abort mentions=int at=uncaught.cpp:24 cflags=-DMAIN
// expect verdict=violated kind=abort mentions=int at=uncaught.cpp:24 cflags=-DNOEXCEPT
// expect verdict=holds cflags=-DCAUGHT
#include <stdexcept>
#include <thread>

#ifdef NOEXCEPT
#define WHICH noexcept
#else
#define WHICH
#endif
struct Own {};

static void fail() {
#if defined STANDARD
  throw std::runtime_error("something");
#elif defined OWN
  throw Own{};
#else
  throw 1;
#endif
}

static void run() WHICH {
#if defined CAUGHT || defined NOEXCEPT
  try {
    fail();
  } catch (long) {
#ifndef NOEXCEPT
  } catch (int) {
#endif
  }
#else
  fail();
#endif
}

int main() {
#ifdef MAIN
  run();
#else
  std::thread thread(run);
  thread.join();
#endif
}
