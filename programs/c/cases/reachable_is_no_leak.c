// expect verdict=holds flags=--leaks=error
#include <stdlib.h>
static void *kept;
int main(void) {
  kept = malloc(8);
  *(void **)kept = malloc(4);
}
