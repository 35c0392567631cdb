// A right form, and a wrong one.
// expect verdict=holds cflags=-std=c++20 with=gcc opt=0
// expect verdict=violated kind=race cflags=-std=c++20 cflags=-DWRONG with=gcc opt=0
#include <stop_token>
#include <thread>
static int value;
int main() {
  std::jthread t([](std::stop_token token) {
    while (!token.stop_requested()) std::this_thread::yield();
    value++;
  });
#ifndef WRONG
  value++;
  t.request_stop();
#else
  t.request_stop();
  value++;
#endif
}
