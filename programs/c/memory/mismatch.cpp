// What `new` has made `delete` frees, and each other thing its own; sizes must fit.
// expect verdict=violated kind=invalid-free cflags=-DMAKE=new(int[3]) cflags=-DEND=delete(p)
// expect verdict=violated kind=invalid-free cflags=-DMAKE=new(int) cflags=-DEND=delete[](p)
// expect verdict=violated kind=invalid-free cflags=-DMAKE=new(int) cflags=-DEND=free(p)
// expect verdict=violated kind=invalid-free cflags=-DMAKE=new(int[3]) cflags=-DEND=free(p)
// expect verdict=violated kind=invalid-free cflags=-DMAKE=(int*)malloc(4) cflags=-DEND=delete(p)
// expect verdict=violated kind=invalid-free cflags=-DMAKE=(int*)malloc(4) cflags=-DEND=delete[](p)
// expect verdict=violated kind=invalid-free cflags=-DMAKE=new(int) cflags=-DEND=p=(int*)realloc(p,8)
// expect verdict=violated kind=invalid-free cflags=-DMAKE=new(int) cflags=-DEND=SIZED(p,8)
// expect verdict=violated kind=double-free cflags=-DMAKE=new(int) cflags=-DEND=(delete(p),delete(p))
// expect verdict=violated kind=uninitialised cflags=-DMAKE=new(int[3]) cflags=-DEND=(p[1]==7?abort():delete[](p))
// expect verdict=holds cflags=-DMAKE=new(int[3]) cflags=-DEND=delete[](p)
// expect verdict=holds cflags=-DMAKE=new(int) cflags=-DEND=delete(p)
// expect verdict=holds cflags=-DMAKE=(int*)malloc(4) cflags=-DEND=free(p)
// expect verdict=holds cflags=-DMAKE=new(std::nothrow)(int) cflags=-DEND=delete(p)
#include <cstdlib>
#include <new>
#define SIZED(p, size) ::operator delete(p, static_cast<std::size_t>(size))
int *volatile kept;
int main() {
  kept = MAKE;
  int *p = kept;
  END;
  kept = p;
  return 0;
}
