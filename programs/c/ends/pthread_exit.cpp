// pthread_exit leaves all functions: a guard unlocks its mutex, and the thread can be joined.
// expect verdict=holds
// expect verdict=violated kind=deadlock cflags=-DKEEP
#include <cassert>
#include <mutex>
#include <pthread.h>

static std::mutex mutex;
static int count;

static void leave() { pthread_exit(&count); }

static void *run(void *) {
#ifdef KEEP
  mutex.lock();
#else
  std::lock_guard<std::mutex> lock(mutex);
#endif
  count++;
  leave();
  return nullptr;
}

int main() {
  pthread_t thread;
  void *result;
  pthread_create(&thread, nullptr, run, nullptr);
  pthread_join(thread, &result);
  assert(result == &count);
  std::lock_guard<std::mutex> lock(mutex);
  assert(count == 1);
}
