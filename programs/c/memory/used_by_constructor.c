// Constructors use locks, semaphores and barriers before `main`, alone; how they leave them is how every execution finds them.
// expect verdict=holds cflags=-DMUTEX
// expect verdict=holds cflags=-DTRY
// expect verdict=holds cflags=-DUNLOCKED_LATER
// expect verdict=holds cflags=-DREAD
// expect verdict=holds cflags=-DSPIN
// expect verdict=holds cflags=-DSEMAPHORE
// expect verdict=holds cflags=-DBARRIER
// expect verdict=violated kind=deadlock cflags=-DLEFT_LOCKED
// expect verdict=violated kind=deadlock cflags=-DTAKEN
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static int made;

__attribute__((constructor)) static void early(void) {
  sem_init(&semaphore, 0, 2);
#if defined MUTEX
  pthread_mutex_lock(&mutex);
  made = 1;
  pthread_mutex_unlock(&mutex);
#elif defined TRY
  assert(!pthread_mutex_trylock(&mutex));
  assert(pthread_mutex_trylock(&mutex));
  pthread_mutex_unlock(&mutex);
#elif defined UNLOCKED_LATER || defined LEFT_LOCKED
  pthread_mutex_lock(&mutex);
#elif defined READ
  pthread_rwlock_wrlock(&lock);
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_rdlock(&lock);
#elif defined SPIN
  pthread_spinlock_t own;
  pthread_spin_init(&own, 0);
  pthread_spin_lock(&own);
  pthread_spin_unlock(&own);
#elif defined SEMAPHORE || defined TAKEN
  sem_wait(&semaphore);
#elif defined BARRIER
  pthread_barrier_t own;
  pthread_barrier_init(&own, 0, 1);
  assert(pthread_barrier_wait(&own) == PTHREAD_BARRIER_SERIAL_THREAD);
#endif
}

static void *use(void *argument) {
  pthread_mutex_lock(&mutex);
  made++;
  pthread_mutex_unlock(&mutex);
  sem_wait(&semaphore);
#if !defined TAKEN
  sem_post(&semaphore);
#endif
  return argument;
}

int main(void) {
#if defined UNLOCKED_LATER
  pthread_mutex_unlock(&mutex);
#elif defined READ
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_wrlock(&lock);
  pthread_rwlock_unlock(&lock);
#endif
  pthread_t other;
  pthread_create(&other, 0, use, 0);
  use(0);
  pthread_join(other, 0);
#if defined MUTEX
  assert(made == 3);
#endif
  return 0;
}
