// Starts a process in a way that is not seen when the program is linked. The library is told that there is no room for one, and
// the answer says where that was.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

static int start(void) {
  int (*fork)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "fork");
  return fork() < 0;  // here
}

int main(void) { return !start(); }
