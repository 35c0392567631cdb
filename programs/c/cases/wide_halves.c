// expect verdict=holds executions=3
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

/* Both halves are always seen together; plain accesses to one of them are fine where nothing else can happen. */
struct pair { long first, second; };
static union { _Atomic struct pair both; struct pair plain; } shared;

static void *writer(void *a) {
  atomic_store(&shared.both, ((struct pair){1, -1}));
  atomic_store(&shared.both, ((struct pair){2, -2}));
  return a;
}

int main(void) {
  shared.plain.second = 0;
  pthread_t thread;
  pthread_create(&thread, 0, writer, 0);
  struct pair seen = atomic_load(&shared.both);
  assert(seen.first == -seen.second);
  pthread_join(thread, 0);
  shared.plain.first = 5;
  assert(shared.plain.second == -2);
  seen = atomic_load(&shared.both);
  assert(seen.first == 5 && seen.second == -2);
}
