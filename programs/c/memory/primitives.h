/* One kind of object that threads wait with, by its number. */
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#if KIND == 1
typedef pthread_mutex_t object;
static void make(object *x) { pthread_mutex_init(x, 0); }
static void take(object *x) { pthread_mutex_lock(x); }
static void give(object *x) { pthread_mutex_unlock(x); }
static void end(object *x) { pthread_mutex_destroy(x); }
#elif KIND == 2
typedef pthread_rwlock_t object;
static void make(object *x) { pthread_rwlock_init(x, 0); }
static void take(object *x) { pthread_rwlock_wrlock(x); }
static void give(object *x) { pthread_rwlock_unlock(x); }
static void end(object *x) { pthread_rwlock_destroy(x); }
#elif KIND == 3
typedef pthread_cond_t object;
static void make(object *x) { pthread_cond_init(x, 0); }
static void take(object *x) { pthread_cond_signal(x); }
static void give(object *x) { pthread_cond_broadcast(x); }
static void end(object *x) { pthread_cond_destroy(x); }
#elif KIND == 4
typedef pthread_barrier_t object;
static void make(object *x) { pthread_barrier_init(x, 0, 1); }
static void take(object *x) { pthread_barrier_wait(x); }
static void give(object *x) { (void)x; }
static void end(object *x) { pthread_barrier_destroy(x); }
#elif KIND == 5
typedef sem_t object;
static void make(object *x) { sem_init(x, 0, 1); }
static void take(object *x) { sem_wait(x); }
static void give(object *x) { sem_post(x); }
static void end(object *x) { sem_destroy(x); }
#elif KIND == 6
typedef pthread_spinlock_t object;
static void make(object *x) { pthread_spin_init(x, 0); }
static void take(object *x) { pthread_spin_lock(x); }
static void give(object *x) { pthread_spin_unlock(x); }
static void end(object *x) { pthread_spin_destroy(x); }
#elif KIND == 7
typedef mtx_t object;
static void make(object *x) { mtx_init(x, mtx_plain); }
static void take(object *x) { mtx_lock(x); }
static void give(object *x) { mtx_unlock(x); }
static void end(object *x) { mtx_destroy(x); }
#elif KIND == 8
typedef cnd_t object;
static void make(object *x) { cnd_init(x); }
static void take(object *x) { cnd_signal(x); }
static void give(object *x) { cnd_broadcast(x); }
static void end(object *x) { cnd_destroy(x); }
#elif KIND == 9
typedef pthread_rwlock_t object;
static void make(object *x) { pthread_rwlock_init(x, 0); }
static void take(object *x) { pthread_rwlock_rdlock(x); }
static void give(object *x) { pthread_rwlock_unlock(x); }
static void end(object *x) { pthread_rwlock_destroy(x); }
#endif
