// A limit on rounds counts how often a loop goes back, each time that it is entered.
// expect verdict=holds flags=--unroll=3
// expect verdict=holds flags=--unroll=3 cflags=-DWAITS
// expect verdict=inconclusive flags=--unroll=3 cflags=-DROUNDS=5 cflags=-fno-unroll-loops
// expect verdict=holds flags=--unroll=6 cflags=-DROUNDS=5
#include "loops.h"
#ifndef ROUNDS
#define ROUNDS 2
#endif
atomic_int x;
int main(void) {
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < ROUNDS; j++) {
      x++;
#ifdef WAITS
      while (!acquire(x)) {
      }
#endif
    }
}
