#include "opwright/testing/pool.h"

#include <algorithm>

namespace opwright OPWRIGHT_HIDDEN {
namespace testing {
namespace {
thread_local bool in_body = false;
}

struct Pool::Job {
  int64_t n, block, blocks;
  bool backwards;
  Body body;
  void* arg;
  int64_t pending = 0;  // shares that workers have yet to finish

  // Blocks first, first + step, ...
  void Share(int64_t first, int64_t step) const {
    const bool outer = in_body;
    in_body = true;
    const int64_t count = (blocks - first + step - 1) / step;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t begin = (first + step * (backwards ? count - 1 - i : i)) * block;
      body(arg, begin, n - begin < block ? n : begin + block);
    }
    in_body = outer;
  }
};

Pool::Pool(int threads) {
  Require(threads >= 1, "a pool of ", threads, " threads was asked for");
  queues_.resize(static_cast<size_t>(threads - 1));
  for (size_t worker = 0; worker < queues_.size(); ++worker) {
    workers_.emplace_back([this, worker] { Work(worker); });
  }
}

Pool::~Pool() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

bool Pool::InBody() { return in_body; }

void Pool::Run(int64_t n, int64_t block, bool backwards, Body body, void* arg) {
  if (n <= 0) return;
  Job job{n, block, (n - 1) / block + 1, backwards, body, arg};
  if (in_body) return job.Share(0, 1);
  const int64_t shares = std::min<int64_t>(threads(), job.blocks);
  if (shares > 1) {
    const std::lock_guard<std::mutex> lock(mutex_);
    job.pending = shares - 1;
    for (int64_t k = 0; k < job.pending; ++k) queues_[static_cast<size_t>(k)].push_back(&job);
    wake_.notify_all();
  }
  job.Share(0, threads());
  std::unique_lock<std::mutex> lock(mutex_);
  done_.wait(lock, [&] { return job.pending == 0; });
}

void Pool::Work(size_t worker) {
  std::deque<Job*>& queue = queues_[worker];
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return stop_ || !queue.empty(); });
    if (queue.empty()) return;
    Job& job = *queue.front();
    queue.pop_front();
    lock.unlock();
    job.Share(static_cast<int64_t>(worker) + 1, threads());
    lock.lock();
    if (--job.pending == 0) done_.notify_all();
  }
}

}  // namespace testing
}  // namespace opwright
