// What is printed is read.
// expect verdict=holds with=gcc opt=0
// expect verdict=violated kind=race cflags=-DWRONG with=gcc opt=0
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static char text[16] = "abc";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *argument) {
  pthread_mutex_lock(&lock);
  strcpy(text, "defgh");
  pthread_mutex_unlock(&lock);
  return argument;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
#ifndef WRONG
  pthread_mutex_lock(&lock);
#endif
  printf("%s\n", text);
#ifndef WRONG
  pthread_mutex_unlock(&lock);
#endif
  pthread_join(thread, 0);
}
