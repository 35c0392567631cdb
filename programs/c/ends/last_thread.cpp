// When `main` has ended its thread, what is static is destroyed after the last thread.
// expect verdict=violated kind=double-free
// expect verdict=holds cflags=-DRIGHT
#include <pthread.h>
#include <thread>

static int *block = new int(1);

struct Owner {
  ~Owner() { delete block; }
};
static Owner owner;

int main() {
  std::thread thread([] {
#ifdef RIGHT
    *block = 2;
#else
    delete block;
#endif
  });
  thread.detach();
  pthread_exit(nullptr);
}
