// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/engine/print_buffer.h"
#include "device/cpu/memory/device_heap.h"
#include "device/statements.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <vector>

using namespace heddle::device;
using namespace heddle::device::cpu;

namespace {

/// Packs arguments as vprintf gets them.
class Pack {
public:
  template <typename... T> explicit Pack(T... values) { (add(values), ...); }
  template <typename T> void add(T value) {
    size_ = (size_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    memcpy(bytes_ + size_, &value, sizeof(T));
    size_ += sizeof(T);
  }
  const void *data() const { return bytes_; }

private:
  alignas(8) char bytes_[256] = {};
  size_t size_ = 0;
};

template <typename... T> std::string format(const char *text, T... values) {
  std::string out;
  EXPECT_EQ(formatDevicePrintf(out, text, Pack(values...).data()),
            static_cast<int>(sizeof...(values)));
  return out;
}

TEST(Printf, FormatsAsTheHost) {
  EXPECT_EQ(format("plain %% text\n"), "plain % text\n");
  EXPECT_EQ(format("%d %u %x %c|", -5, 7u, 255, int('A')), "-5 7 ff A|");
  EXPECT_EQ(format("%d %f %d", 1, 2.5, 3), "1 2.500000 3");
  EXPECT_EQ(format("%5.2f|%-8d|%+d|%08.3e", 3.14159, 42, 7, 12345.678),
            " 3.14|42      |+7|1.235e+04");
  EXPECT_EQ(format("%ld %lld %lu %llx %zu", -1L, -2LL, 3UL, 4LL, size_t(5)), "-1 -2 3 4 5");
  EXPECT_EQ(format("%s and %s", "one", static_cast<const char *>(nullptr)), "one and (null)");
  EXPECT_EQ(format("%p", reinterpret_cast<void *>(0x1234)), "0x1234");
  EXPECT_EQ(format("%*d", 6, 12), "    12");
  EXPECT_EQ(format("%hd %hhu", 65537, 258), "1 2");
  EXPECT_EQ(format("%s", std::string(5000, 'x').c_str()), std::string(5000, 'x'));
}

TEST(Printf, HasStatementsFormattedByTheirLanguage) {
  int statement = 42;
  EXPECT_EQ(format("a%\1b", static_cast<const void *>(&statement)), "ab"); // nobody knows how
  setStatementFormatter([](const void *at, AppendText append, void *to) {
    std::string text = std::to_string(*static_cast<const int *>(at));
    append(to, text.data(), text.size());
    append(to, "!", 1);
  });
  EXPECT_EQ(format("a%\1b", static_cast<const void *>(&statement)), "a42!b");
  setStatementFormatter(nullptr);
}

TEST(Printf, RefusesNoFormat) {
  std::string out;
  EXPECT_EQ(formatDevicePrintf(out, nullptr, nullptr), -1);
}

TEST(Heap, GivesDisjointAlignedBlocks) {
  DeviceHeap heap;
  std::vector<std::pair<char *, size_t>> blocks;
  for (size_t bytes = 1; bytes < 5000; bytes += 7) {
    char *p = static_cast<char *>(heap.allocate(bytes));
    ASSERT_TRUE(p);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(p) % 16, 0u);
    memset(p, static_cast<int>(bytes & 0xff), bytes);
    blocks.push_back({p, bytes});
  }
  for (auto [p, bytes] : blocks)
    for (size_t i = 0; i < bytes; ++i)
      ASSERT_EQ(static_cast<unsigned char>(p[i]), bytes & 0xff);
  for (auto [p, bytes] : blocks)
    EXPECT_TRUE(heap.release(p));
  EXPECT_FALSE(heap.release(blocks[0].first));
  EXPECT_FALSE(heap.release(blocks[0].first + 16));
}

TEST(Heap, KeepsItsCapacity) {
  DeviceHeap heap;
  heap.setCapacity(1 << 20);
  std::vector<void *> blocks;
  while (void *p = heap.allocate(1000))
    blocks.push_back(p);
  EXPECT_EQ(blocks.size(), (1u << 20) / 1000);
  for (void *p : blocks)
    EXPECT_TRUE(heap.release(p));
  EXPECT_TRUE(heap.allocate(1 << 20));
  EXPECT_EQ(heap.allocate(0), nullptr);
}

TEST(Heap, ReusesFreedBlocks) {
  DeviceHeap heap;
  for (int i = 0; i < 200'000; ++i) {
    void *p = heap.allocate(3000);
    ASSERT_TRUE(p) << i;
    ASSERT_TRUE(heap.release(p));
  }
}

} // namespace
