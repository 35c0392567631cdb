// Variables whose values only look as if nobody had written them, and values from code that is not instrumented.
// expect verdict=holds
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
static _Atomic(void *) seen;
static int use(signed char parameter, int number, unsigned char bytes) {
  atomic_store(&seen, &parameter);
  atomic_store(&seen, &number);
  atomic_store(&seen, &bytes);
  signed char *p = &parameter;
  unsigned char *b = &bytes;
  int *n = &number;
  return *p + *n + *b;
}
static int buffers(void) {
  unsigned char a[24], b[24], c[24];
  atomic_store(&seen, a);
  atomic_store(&seen, b);
  atomic_store(&seen, c);
  memset(a, 0xFE, sizeof a);
  memset(b, 0xAA, sizeof b);
  memset(c, 0xFF, sizeof c);
  int sum = 0;
  for (int i = 0; i < 24; i++) sum += a[i] + b[i] + c[i];
  for (int i = 0; i < 24; i++) a[i] = 0xFE, b[i] = 0xAA, c[i] = 0xFF;
  for (int i = 0; i < 24; i++) sum += a[i] + b[i] + c[i];
  return sum;
}
static int outside(void) {
  struct timespec time;
  char *end, text[20];
  atomic_store(&seen, &time);
  atomic_store(&seen, &end);
  clock_gettime(CLOCK_MONOTONIC, &time);
  long number = strtol("12x", &end, 10);
  snprintf(text, sizeof text, "%ld", number);
  return (int)time.tv_sec + *end + text[0];
}
int main(void) {
  int sum = 0;
  for (int i = 0; i < 2; i++) {
    sum += use(-2, (int)0xFEFEFEFE, 0xAA);
    sum += use((signed char)0xAA, (int)0xAAAAAAAA, 0xFE);
    sum += buffers();
    sum += outside();
  }
  return sum == 1;
}
