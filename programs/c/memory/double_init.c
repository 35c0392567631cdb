// An object is initialised while it is initialised. POSIX leaves undefined what that does.
// expect verdict=violated kind=misuse mentions=second cflags=-DW=0
// expect verdict=violated kind=misuse mentions=second cflags=-DW=1
// expect verdict=violated kind=misuse mentions=second cflags=-DW=3
// expect verdict=violated kind=misuse mentions=second cflags=-DW=4
// expect verdict=violated kind=misuse mentions=locked cflags=-DW=2
#include <pthread.h>
#include <semaphore.h>
pthread_barrier_t b; pthread_mutex_t m; pthread_cond_t c; pthread_rwlock_t r; sem_t s;
void *t(void *u){ 
#if W==0
 pthread_barrier_wait(&b);
#elif W==1
 pthread_mutex_lock(&m); pthread_mutex_unlock(&m);
#endif
 return 0; }
int main(void){
  pthread_t th;
#if W==0
  pthread_barrier_init(&b,0,2); pthread_create(&th,0,t,0); pthread_barrier_init(&b,0,2); pthread_barrier_wait(&b); pthread_join(th,0);
#elif W==1
  pthread_mutex_init(&m,0); pthread_create(&th,0,t,0); pthread_mutex_init(&m,0); pthread_join(th,0);
#elif W==2
  pthread_mutex_init(&m,0); pthread_mutex_lock(&m); pthread_mutex_init(&m,0); 
#elif W==3
  sem_init(&s,0,1); sem_init(&s,0,1);
#elif W==4
  pthread_rwlock_init(&r,0); pthread_rwlock_init(&r,0);
#endif
  return 0; }
