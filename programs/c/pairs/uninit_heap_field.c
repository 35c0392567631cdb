// One field is forgotten.
// expect verdict=holds
// expect verdict=violated kind=uninitialised cflags=-DWRONG
#include <stdlib.h>
struct node { int key; struct node *next; };
int main(void) {
  struct node *node = malloc(sizeof *node);
  node->key = 1;
#ifndef WRONG
  node->next = 0;
#endif
  int result = node->next != 0;
  free(node);
  return result;
}
