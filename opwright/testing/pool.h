#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "opwright/op.h"

namespace opwright OPWRIGHT_HIDDEN {
namespace testing {

// Threads for parallel loops, made for finding faults: block b of a loop always runs on thread
// b % threads, so that a race is there to be seen even if one thread would have been fast enough to
// run all.
class Pool {
 public:
  using Body = void (*)(void* arg, int64_t begin, int64_t end);

  // The caller of Run is one of the threads.
  explicit Pool(int threads);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls body for blocks of [0, n) and returns when all are done; each thread begins with its
  // first block, or with its last. From within a body it runs all on this thread. May be called by
  // several threads at once.
  void Run(int64_t n, int64_t block, bool backwards, Body body, void* arg);

  // This thread is running a body.
  static bool InBody();

 private:
  struct Job;
  void Work(size_t worker);

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  bool stop_ = false;
  std::vector<std::deque<Job*>> queues_;  // one for each worker
  std::vector<std::thread> workers_;
};

}  // namespace testing
}  // namespace opwright
