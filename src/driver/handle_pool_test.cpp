// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/handle_pool.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <vector>

namespace heddle::driver {
namespace {

struct Object {
  uint64_t words[40] = {};
};
constexpr size_t Max = 1 << 16;
using Pool = HandlePool<Object, Max>;

long residentPages() {
  long all, resident = 0;
  FILE *file = std::fopen("/proc/self/statm", "r");
  if (!file || std::fscanf(file, "%ld %ld", &all, &resident) != 2)
    ADD_FAILURE() << "no statm";
  if (file)
    std::fclose(file);
  return resident;
}

TEST(HandlePool, TellsHandlesFromOthers) {
  Pool pool;
  Object *object = pool.create();
  Object other;
  EXPECT_EQ(pool.find(object), object);
  EXPECT_EQ(pool.find(&other), nullptr);
  EXPECT_EQ(pool.find(nullptr), nullptr);
  EXPECT_EQ(pool.find(reinterpret_cast<char *>(object) + 16), nullptr);
  EXPECT_EQ(pool.find(object + 1), nullptr);
  pool.destroy(object);
  EXPECT_EQ(pool.find(object), nullptr);
}

/// A place is used again when all others have been, and a live one is left out.
TEST(HandlePool, StaleHandlesStayStale) {
  Pool pool;
  Object *kept = pool.create(), *stale = pool.create();
  pool.destroy(stale);
  for (size_t i = 0; i < Max - 2; ++i) {
    pool.destroy(pool.create());
    ASSERT_EQ(pool.find(stale), nullptr) << i;
  }
  EXPECT_EQ(pool.create(), stale);
  EXPECT_EQ(pool.find(kept), kept);
}

TEST(HandlePool, MemoryIsFlat) {
#if __has_feature(thread_sanitizer)
  GTEST_SKIP() << "the sanitizer has pages of its own for all that was ever written";
#endif
  Pool pool;
  std::vector<Object *> live;
  for (int i = 0; i < 100; ++i)
    live.push_back(pool.create());
  const long before = residentPages();
  for (size_t i = 0; i < 3 * Max; ++i) {
    pool.destroy(live[i % live.size()]);
    live[i % live.size()] = pool.create();
    ASSERT_EQ(live[i % live.size()]->words[7], 0u);
    live[i % live.size()]->words[7] = 1;
  }
  EXPECT_LT(residentPages() - before, 200);
}

TEST(HandlePool, MaxAtOnceAndEachIsVisited) {
  Pool pool;
  for (size_t i = 0; i < Max; ++i)
    ASSERT_NE(pool.create(), nullptr);
  EXPECT_EQ(pool.create(), nullptr);
  std::vector<Object *> seen;
  pool.forEach([&](Object *object) { seen.push_back(object); });
  ASSERT_EQ(seen.size(), Max);
  pool.destroy(seen[777]);
  EXPECT_EQ(pool.create(), seen[777]);
  for (Object *object : seen)
    pool.destroy(object);
  size_t left = 0;
  pool.forEach([&](Object *) { ++left; });
  EXPECT_EQ(left, 0u);
}

} // namespace
} // namespace heddle::driver
