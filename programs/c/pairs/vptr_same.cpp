// A right form, and a wrong one: a destructor says again of which class the object is, while a thread uses it. Only if that is
// another class something changes.
// expect verdict=holds
// expect verdict=violated kind=race cflags=-DWRONG with=gcc
// expect verdict=violated kind=use-after-free cflags=-DFREED with=gcc
#include <new>
#include <thread>

class Worker {
protected:
  std::thread thread;
  int count = 0;

public:
  void start() {
    thread = std::thread([this] { run(); });
  }
  void join() {
    if (thread.joinable()) thread.join();
  }
  virtual void run() { count++; }
  virtual ~Worker() { join(); }
};

class Special : public Worker {
public:
  void run() override { count += 2; }
};

int main() {
#if defined WRONG
  Special worker;
  worker.start();
#elif defined FREED
  Worker *worker = new Worker;
  worker->start();
  worker->join();
  delete worker;
  worker->Worker::~Worker();
#else
  Worker worker;
  worker.start();
#endif
}
