// expect verdict=violated kind=race
// expect verdict=violated kind=race cflags=-DREADS
// expect verdict=violated kind=race cflags=-DASSIGNS cflags=-std=c++20
// expect verdict=holds cflags=-DLOCKED unseen=none
// Two threads use one string.
#include <mutex>
#include <string>
#include <thread>

std::string text = "a";
std::mutex mutex;

int main() {
  std::thread thread([] {
#ifdef LOCKED
    std::lock_guard<std::mutex> guard(mutex);
#endif
    text += "b";
  });
#ifdef LOCKED
  { std::lock_guard<std::mutex> guard(mutex); text += "a text that does not fit into the object itself"; }
#elif defined READS
  int wrong = text == "ax";
#elif defined ASSIGNS
  text = "c";
#else
  text += "c";
#endif
  thread.join();
  return text.size() == 1;
}
