// expect verdict=violated kind=race mentions=buffer cflags=-DLENGTH
// expect verdict=violated kind=use-after-free line=27 cflags=-DFREED
// expect verdict=violated kind=use-after-free line=32 cflags=-DPRINT_FREED
// expect verdict=violated kind=out-of-bounds line=36 cflags=-DOVERFLOW
// expect verdict=violated kind=out-of-bounds line=40 cflags=-DUNTERMINATED
// expect verdict=holds cflags=-DRIGHT unseen=none
// Strings: a race of their contents, a string that was freed, one without an end, one that is too long.
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char buffer[16];
static void *thread(void *argument) { strcpy(buffer, "abc"); return argument; }

int main(void) {
  char *text = malloc(8);
#ifdef LENGTH
  pthread_t id;
  pthread_create(&id, 0, thread, 0);
  size_t length = strlen(buffer);
  pthread_join(id, 0);
  return length > 5;
#elif defined FREED
  strcpy(text, "abc");
  free(text);
  volatile size_t length = strlen(text);
  return length == 77;
#elif defined PRINT_FREED
  strcpy(text, "abc");
  free(text);
  printf("%d %s %f\n", 1, text, 2.5);
#elif defined OVERFLOW
  text[0] = 'b';
  text[1] = 0;
  sprintf(text, "%s%d", "text", 1234);
#elif defined UNTERMINATED
  memset(text, 'x', 8);
  volatile size_t length = strnlen(text, 8);
  length = strlen(text);
#else
  (void)thread;
  int count = 0, read = 0;
  assert(snprintf(text, 8, "%s", "much too long") == 13 && !strcmp(text, "much to"));
  memcpy(text, "12345678", 8);
  assert(snprintf(buffer, sizeof buffer, "%.8s|%.*s%n", text, 2, text, &count) == 11 && count == 11);
  assert(!strcmp(buffer, "12345678|12") && strncmp(text, buffer, 8) == 0 && memchr(text, '9', 8) == 0);
  assert(sscanf("a 12 bc", "%*s %d %7s", &read, text) == 2 && read == 12 && !strcmp(text, "bc"));
  assert(strtol("123x", 0, 10) == 123 && atoi("-7") == -7 && strtod("2.5", 0) == 2.5);
  char *copy = 0;
  assert(asprintf(&copy, "%2$s-%1$d", 5, "five") == 6 && !strcmp(copy, "five-5"));
  free(copy);
#endif
  free(text);
}
