// expect verdict=violated kind=race mentions=strtok
// expect verdict=holds cflags=-DOWN unseen=none
// expect verdict=violated kind=race mentions=localtime cflags=-DTIMES
// Functions that keep something that all threads share.
#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

static void split(char *text) {
#ifdef OWN
  char *rest, *first = strtok_r(text, " ", &rest);
  assert(!strcmp(first, "a") && !strcmp(strtok_r(0, " ", &rest), "b") && !strtok_r(0, " ", &rest));
#elif defined TIMES
  time_t seconds = 0;
  (void)text;
  assert(gmtime(&seconds)->tm_year == 70);
#else
  assert(strtok(text, " "));
#endif
}
static void *thread(void *argument) { char text[] = " a  b"; split(text); return argument; }

int main(void) {
  pthread_t id;
  char text[] = "a b ";
  pthread_create(&id, 0, thread, 0);
  split(text);
  pthread_join(id, 0);
}
