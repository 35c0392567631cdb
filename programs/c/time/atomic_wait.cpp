// Who waits for the value of an atomic variable to change must be notified after it has changed.
// expect verdict=violated kind=deadlock cflags=-std=c++20 cflags=-DNOBODY
// expect verdict=violated kind=deadlock cflags=-std=c++20 cflags=-DTOO_EARLY
// expect verdict=violated kind=deadlock cflags=-std=c++20 cflags=-DONE_OF_TWO
// expect verdict=violated kind=deadlock cflags=-std=c++20 cflags=-DFLAG cflags=-DNOBODY
// expect verdict=holds cflags=-std=c++20
// expect verdict=holds cflags=-std=c++20 cflags=-DFLAG
// expect verdict=holds cflags=-std=c++20 cflags=-DALL_OF_TWO
#include <atomic>
#include <thread>

#ifdef FLAG
std::atomic_flag value;
static void wait() { value.wait(false); }
static void change() { value.test_and_set(); }
#else
std::atomic<int> value{0};
static void wait() { value.wait(0); }
static void change() { value.store(1); }
#endif

int main() {
  std::thread waiter(wait);
#if defined ONE_OF_TWO || defined ALL_OF_TWO
  std::thread other(wait);
#endif
#ifdef TOO_EARLY
  value.notify_all();
#endif
  change();
#if defined ALL_OF_TWO
  value.notify_all();
#elif !defined NOBODY && !defined TOO_EARLY
  value.notify_one();
#endif
  waiter.join();
#if defined ONE_OF_TWO || defined ALL_OF_TWO
  other.join();
#endif
}
