#include "opwright/bridge/cc/pool.h"

#include <algorithm>
#include <atomic>
#include <memory>

#include "absl/synchronization/notification.h"
#include "tensorflow/core/framework/device.h"
#include "tensorflow/core/framework/device_factory.h"
#include "tensorflow/core/lib/core/threadpool.h"
#include "tensorflow/core/public/session_options.h"

namespace opwright::bridge {
namespace {

using tensorflow::thread::ThreadPool;

// The pool that TensorFlow's CPU devices share, which lives as long as the process. XLA hands it to
// calls in no way that all versions have; a device of our own has it too.
ThreadPool* Workers() {
  static ThreadPool* const workers = []() -> ThreadPool* {
    const tensorflow::Device* device =
        tensorflow::DeviceFactory::NewDevice("CPU", tensorflow::SessionOptions(),
                                             "/job:localhost/replica:0/task:0")
            .release();
    return device ? device->tensorflow_cpu_worker_threads()->workers : nullptr;
  }();
  return workers;
}

// A loop, cut into parts that threads take one after the other. The caller takes parts too, so it
// only ever waits for parts that somebody is computing: it does not matter whether the others come
// at all, and XLA may make the call on a thread of the pool, where all others may be waiting.
class Loop {
 public:
  Loop(int64_t n, int64_t parts, void (*body)(void*, int64_t, int64_t), void* arg)
      : n_(n), parts_(parts), body_(body), arg_(arg) {}

  void TakeParts() {
    for (int64_t part; (part = next_.fetch_add(1)) < parts_;) {
      // Cut without n_ * part, which may have more than 63 bits.
      body_(arg_, n_ / parts_ * part + std::min(part, n_ % parts_),
            n_ / parts_ * (part + 1) + std::min(part + 1, n_ % parts_));
      if (done_.fetch_add(1) + 1 == parts_) all_done_.Notify();
    }
  }
  void Wait() { all_done_.WaitForNotification(); }

 private:
  const int64_t n_, parts_;
  void (*const body_)(void*, int64_t, int64_t);
  void* const arg_;
  std::atomic<int64_t> next_{0}, done_{0};
  absl::Notification all_done_;
};

}  // namespace

void ParallelForInPool(int64_t n, int64_t cost, void (*body)(void*, int64_t, int64_t), void* arg) {
  constexpr double kCyclesOfAPart = 50000;
  // A loop inside a part runs on the part's thread, as in TensorFlow's own kernels.
  thread_local bool inside = false;
  const double cycles = static_cast<double>(n) * static_cast<double>(cost);
  ThreadPool* workers = inside || cycles < 2 * kCyclesOfAPart ? nullptr : Workers();
  // This one among them: whoever asks TensorFlow for so many threads gets no more.
  const int64_t threads = workers ? workers->NumThreads() : 1;
  if (threads == 1) return body(arg, 0, n);
  const int64_t parts = std::min<int64_t>(
      n,
      static_cast<int64_t>(std::min(cycles / kCyclesOfAPart, 4.0 * static_cast<double>(threads))));
  // One who comes when all is done still looks at it.
  const auto loop = std::make_shared<Loop>(n, parts, body, arg);
  for (int64_t k = 1; k < std::min(threads, parts); ++k) {
    workers->Schedule([loop] {
      inside = true;
      loop->TakeParts();
      inside = false;
    });
  }
  inside = true;
  loop->TakeParts();
  inside = false;
  loop->Wait();
}

}  // namespace opwright::bridge
