#include "opwright/testing/pool.h"

#include <gtest/gtest.h>

#include <mutex>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "opwright/testing/failure.h"

namespace {

using opwright::testing::FailureOf;
using opwright::testing::Pool;

struct Seen {
  std::mutex mutex;
  std::vector<std::pair<int64_t, int64_t>> blocks;
  std::set<std::thread::id> threads;
};
void Note(void* arg, int64_t begin, int64_t end) {
  Seen& seen = *static_cast<Seen*>(arg);
  EXPECT_TRUE(Pool::InBody());
  const std::lock_guard<std::mutex> lock(seen.mutex);
  seen.blocks.emplace_back(begin, end);
  seen.threads.insert(std::this_thread::get_id());
}

TEST(Pool, CutsTheRangeIntoBlocks) {
  Pool pool(1);
  Seen seen;
  pool.Run(8, 3, false, &Note, &seen);
  using Blocks = std::vector<std::pair<int64_t, int64_t>>;
  EXPECT_EQ(seen.blocks, (Blocks{{0, 3}, {3, 6}, {6, 8}}));
  seen.blocks.clear();
  pool.Run(8, 3, true, &Note, &seen);
  EXPECT_EQ(seen.blocks, (Blocks{{6, 8}, {3, 6}, {0, 3}}));
  seen.blocks.clear();
  pool.Run(INT64_MAX, INT64_MAX - 1, false, &Note, &seen);
  EXPECT_EQ(seen.blocks, (Blocks{{0, INT64_MAX - 1}, {INT64_MAX - 1, INT64_MAX}}));
  EXPECT_FALSE(Pool::InBody());
}

TEST(Pool, UsesEveryThread) {
  Pool pool(5);
  for (int64_t blocks = 1; blocks < 9; ++blocks) {
    Seen seen;
    pool.Run(blocks, 1, false, &Note, &seen);
    EXPECT_EQ(seen.blocks.size(), static_cast<size_t>(blocks));
    EXPECT_EQ(seen.threads.size(), static_cast<size_t>(blocks < 5 ? blocks : 5));
  }
}

TEST(Pool, ServesSeveralCallers) {
  Pool pool(3);
  std::vector<std::thread> callers;
  for (int k = 0; k < 4; ++k) {
    callers.emplace_back([&pool] {
      for (int repeat = 0; repeat < 50; ++repeat) {
        Seen seen;
        pool.Run(10, 1, repeat % 2 == 0, &Note, &seen);
        EXPECT_EQ(seen.blocks.size(), 10u);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST(Pool, HasAThreadOrMore) {
  EXPECT_EQ(FailureOf([] { Pool(0); }), "a pool of 0 threads was asked for");
}

}  // namespace
