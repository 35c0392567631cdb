// An object of a thread, kept by reference for longer than the thread.
// expect verdict=holds
// expect verdict=violated kind=dead-stack,use-after-free cflags=-DWRONG
#include <string>
#include <thread>
static thread_local std::string name = "main";
static std::string *longest;
int main() {
  std::thread([] {
    name = "the worker, whose name is long";
#ifndef WRONG
    static std::string copy = name;
    longest = &copy;
#else
    longest = &name;
#endif
  }).join();
  return longest->size() < name.size();
}
