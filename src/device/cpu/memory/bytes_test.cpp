// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/device.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

using namespace heddle::device;

namespace {

/// One call, shared, and shared past the caches, each beside lines and pieces, and with a last
/// piece that is shorter than the way to the next line.
constexpr size_t Sizes[] = {
    0, 1, 63, 4097, (2 << 20) - 1, 2 << 20, (5 << 20) + 13, (40 << 20) + 13, (40 << 20) + 77};
constexpr size_t Offsets[] = {0, 1, 48};

std::vector<uint8_t> pattern(size_t bytes) {
  std::vector<uint8_t> values(bytes);
  for (size_t i = 0; i < bytes; ++i)
    values[i] = static_cast<uint8_t>(i * 7 + i / 251 + i / 65'537);
  return values;
}

TEST(Bytes, CopiesWhatItShallAndNoMore) {
  for (size_t bytes : Sizes)
    for (size_t offset : Offsets) {
      std::vector<uint8_t> from = pattern(bytes + offset), to(bytes + offset + 64, 0xee);
      copyBytes(to.data() + offset, from.data() + offset / 2, bytes);
      auto begin = from.begin() + static_cast<ptrdiff_t>(offset / 2);
      ASSERT_TRUE(std::equal(begin, begin + static_cast<ptrdiff_t>(bytes),
                             to.begin() + static_cast<ptrdiff_t>(offset)))
          << bytes << " at " << offset;
      for (size_t i = 0; i < offset; ++i)
        ASSERT_EQ(to[i], 0xee);
      for (size_t i = 0; i < 64; ++i)
        ASSERT_EQ(to[offset + bytes + i], 0xee) << bytes << " at " << offset;
    }
}

TEST(Bytes, FillsWhatItShallAndNoMore) {
  for (size_t bytes : Sizes)
    for (size_t offset : Offsets) {
      std::vector<uint8_t> to(bytes + offset + 64, 0xee);
      fillBytes(to.data() + offset, 0x15a, bytes);
      size_t wrong = 0;
      for (size_t i = 0; i < to.size(); ++i)
        wrong += to[i] != (i >= offset && i < offset + bytes ? 0x5a : 0xee);
      ASSERT_EQ(wrong, 0u) << bytes << " at " << offset;
    }
}

TEST(Bytes, CopiesWithinOneBuffer) {
  std::vector<uint8_t> want = pattern(5 << 20), values = want;
  copyBytes(values.data() + 100, values.data(), values.size() - 100);
  std::memmove(want.data() + 100, want.data(), want.size() - 100);
  EXPECT_EQ(values, want);
}

TEST(ShareWork, RunsEachPieceOnce) {
  for (uint64_t pieces : {1u, 2u, 3u, 1000u}) {
    std::vector<std::atomic<int>> counts(pieces);
    shareWork(
        pieces,
        [](void *context, uint64_t piece) {
          ++(*static_cast<std::vector<std::atomic<int>> *>(context))[piece];
        },
        &counts);
    for (auto &count : counts)
      ASSERT_EQ(count, 1);
  }
}

/// From several threads, and from inside tasks of queues, at the same time.
TEST(ShareWork, ServesManyOwners) {
  std::unique_ptr<Device> device = createCpuDevice();
  std::vector<Queue *> queues;
  for (int i = 0; i < 4; ++i)
    queues.push_back(device->createQueue(QueueKind::NonBlocking, 0));
  std::atomic<uint64_t> sum{0};
  auto work = [&sum] {
    shareWork(
        20,
        [](void *context, uint64_t piece) {
          *static_cast<std::atomic<uint64_t> *>(context) += piece;
        },
        &sum);
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i)
        work();
    });
  for (int i = 0; i < 200; ++i)
    for (Queue *queue : queues)
      device->enqueue(queue, work);
  for (std::thread &thread : threads)
    thread.join();
  device->synchronize();
  EXPECT_EQ(sum, 1600u * 190);
}

} // namespace
