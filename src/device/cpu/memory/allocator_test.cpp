// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/memory/allocator.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <random>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace heddle::device::cpu {
namespace {

constexpr size_t GiB = size_t(1) << 30;
constexpr MemoryUse DeviceUse = {MemoryKind::Device, 0, 7};

/// Whether the byte can be read: the kernel looks for us.
bool isReadable(const void *p) {
  int pipe[2];
  EXPECT_EQ(::pipe2(pipe, O_CLOEXEC), 0);
  bool readable = ::write(pipe[1], p, 1) == 1;
  ::close(pipe[0]);
  ::close(pipe[1]);
  return readable;
}

uint8_t *take(Allocator &a, size_t bytes, MemoryUse use = DeviceUse) {
  return static_cast<uint8_t *>(a.allocate(bytes, use));
}

TEST(RunList, takesBestFitAndMerges) {
  RunList runs(0, 100);
  EXPECT_EQ(runs.take(10), 0u);
  EXPECT_EQ(runs.take(20), 10u);
  EXPECT_EQ(runs.take(70), 30u);
  EXPECT_EQ(runs.take(1), RunList::None);
  runs.give(10, 20);
  runs.give(0, 10);
  EXPECT_EQ(runs.take(30), 0u) << "neighbours merge when they wake";
  EXPECT_EQ(runs.take(1), RunList::None);
}

TEST(RunList, givenRunsRest) {
  RunList runs(0, 100);
  size_t first = runs.take(10);
  runs.give(first, 10);
  EXPECT_NE(runs.take(10), first) << "a fresh run is taken while the old one rests";
}

TEST(Allocator, mapsFilesAtReservedAddresses) {
  constexpr size_t Unit = Allocator::ReservationUnit;
  constexpr int All = PROT_READ | PROT_WRITE;
  Allocator a(GiB);
  const int file = memfd_create("test", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(file, 2 * Unit), 0);
  uint8_t *start = a.reserve(4 * Unit, 4 * Unit);
  ASSERT_NE(start, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(start) % (4 * Unit), 0u);
  Allocation found;
  EXPECT_TRUE(a.owns(start));
  EXPECT_FALSE(a.find(start, found)) << "nothing is mapped";
  ASSERT_TRUE(a.mapReserved(start, start + Unit, Unit, file, Unit, All, DeviceUse));
  ASSERT_TRUE(a.find(start + 2 * Unit - 1, found));
  EXPECT_EQ(found.base, start + Unit);
  EXPECT_EQ(found.bytes, Unit);
  EXPECT_FALSE(found.isApart) << "other addresses may have the same memory";
  ASSERT_TRUE(a.mapReserved(start, start + 3 * Unit, Unit, file, Unit, PROT_READ, DeviceUse));
  start[Unit] = 42;
  EXPECT_EQ(start[3 * Unit], 42);
  ASSERT_TRUE(a.find(start + Unit, found));
  EXPECT_EQ(found.bytes, 3 * Unit) << "from the first to the last";
  EXPECT_FALSE(a.find(start + 2 * Unit, found)) << "between them";
  EXPECT_FALSE(a.mapReserved(start, start, Unit, -1, 0, All, DeviceUse));
  a.unmapReserved(start, start + Unit, Unit);
  EXPECT_FALSE(isReadable(start + Unit));
  ASSERT_TRUE(a.find(start + 3 * Unit, found));
  EXPECT_EQ(found.base, start + 3 * Unit);
  a.unmapReserved(start, start + 3 * Unit, Unit);
  EXPECT_FALSE(a.find(start + 3 * Unit, found));
  a.unreserve(start);
  EXPECT_EQ(a.reserve(2 * GiB, 0), nullptr);
  close(file);
}

TEST(Allocator, alignsAndWrites) {
  Allocator a(GiB);
  for (size_t bytes : {1, 255, 256, 257, 4096, 5000, 100000, 5 << 20}) {
    uint8_t *p = take(a, bytes);
    ASSERT_NE(p, nullptr) << bytes;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(p) % Allocator::Alignment, 0u) << bytes;
    std::memset(p, 0xab, bytes);
  }
  EXPECT_EQ(a.liveCount(), 8u);
}

TEST(Allocator, beginsLargeOnesAtAHugePage) {
  Allocator a(4 * GiB);
  for (size_t bytes : {size_t(2) << 20, (size_t(2) << 20) + 1, size_t(33) << 20}) {
    uint8_t *p = take(a, bytes);
    ASSERT_NE(p, nullptr);
    size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    auto start = reinterpret_cast<uintptr_t>(p) / page * page;
    EXPECT_EQ(start % AddressSpace::HugePage, 0u) << bytes;
    p[0] = p[bytes - 1] = 1;
    EXPECT_FALSE(isReadable(reinterpret_cast<uint8_t *>(start) - 1));
    EXPECT_FALSE(isReadable(p + (bytes + 255) / 256 * 256)) << bytes;
    EXPECT_TRUE(a.release(p));
  }
}

TEST(Allocator, guardsBothEnds) {
  Allocator a(GiB);
  for (size_t bytes : {256, 1000, 4096, 70000}) {
    uint8_t *p = take(a, bytes);
    const size_t rounded = (bytes + 255) / 256 * 256;
    EXPECT_TRUE(isReadable(p + rounded - 1)) << bytes;
    EXPECT_FALSE(isReadable(p + rounded)) << bytes;
    // Before the start lies less than a page of the same allocation's pages, then nothing.
    EXPECT_FALSE(isReadable(p - 4096)) << bytes;
  }
}

TEST(Allocator, hasMarginsInPlaceOfGuards) {
  Allocator a(GiB);
  a.setGuards(false);
  uint8_t *p = take(a, 1000), *q = take(a, 70000);
  for (uint8_t *at : {p, q}) {
    EXPECT_TRUE(isReadable(at - Allocator::MarginBytes));
    EXPECT_TRUE(isReadable(at + Allocator::MarginBytes));
  }
  Allocation found;
  EXPECT_FALSE(a.find(p + 1000, found));
  EXPECT_TRUE(a.find(q + 69999, found));
  EXPECT_EQ(found.base, q);
  EXPECT_TRUE(a.release(p));
  EXPECT_FALSE(isReadable(p));
}

TEST(Allocator, freedMemoryIsInaccessible) {
  Allocator a(GiB);
  uint8_t *p = take(a, 1000);
  EXPECT_TRUE(a.release(p));
  EXPECT_FALSE(isReadable(p));
  uint8_t *q = take(a, 1000);
  EXPECT_NE(p, q) << "the address rests";
  EXPECT_FALSE(isReadable(p));
}

TEST(Allocator, refusesWhatItDidNotGive) {
  Allocator a(GiB);
  uint8_t *p = take(a, 1000);
  int local = 0;
  EXPECT_FALSE(a.release(&local));
  EXPECT_FALSE(a.release(nullptr));
  EXPECT_FALSE(a.release(p + 256));
  EXPECT_TRUE(a.release(p));
  EXPECT_FALSE(a.release(p)) << "twice";
  EXPECT_EQ(a.liveCount(), 0u);
}

TEST(Allocator, findsFromInside) {
  Allocator a(GiB);
  uint8_t *p = take(a, 1000, {MemoryKind::Managed, 3, 99});
  Allocation found;
  ASSERT_TRUE(a.find(p + 999, found));
  EXPECT_EQ(found.base, p);
  EXPECT_EQ(found.bytes, 1000u);
  EXPECT_EQ(found.use, (MemoryUse{MemoryKind::Managed, 3, 99}));
  EXPECT_FALSE(a.find(p + 1000, found));
  EXPECT_FALSE(a.find(p - 1, found));
  EXPECT_FALSE(a.find(&found, found));
}

TEST(Allocator, namesTheNearest) {
  Allocator a(GiB);
  uint8_t *p = take(a, 1000);
  AllocationInfo info;
  ASSERT_TRUE(a.nearest(p + 1030, info));
  EXPECT_EQ(info.base, p);
  EXPECT_EQ(info.bytes, 1000u);
  EXPECT_STREQ(info.kind, "device");
  uint8_t *far = take(a, 10000);
  ASSERT_TRUE(a.nearest(far - 5000, info));
  EXPECT_EQ(info.base, far);
  a.release(p);
  ASSERT_TRUE(a.nearest(p + 5, info));
  EXPECT_EQ(info.base, p);
  EXPECT_STREQ(info.kind, "freed device");
  int local = 0;
  EXPECT_FALSE(a.nearest(&local, info));
}

TEST(Allocator, usesSlabsWhenMappingsRunOut) {
  Allocator a(4 * GiB, 8); // four guarded allocations
  std::vector<uint8_t *> all;
  for (int i = 0; i < 5000; ++i) {
    all.push_back(take(a, 1 + i % 3000));
    ASSERT_NE(all.back(), nullptr);
    std::memset(all.back(), i, 1 + i % 3000);
  }
  for (int i = 0; i < 5000; ++i) {
    Allocation found;
    ASSERT_TRUE(a.find(all[i], found));
    EXPECT_EQ(found.base, all[i]);
    EXPECT_EQ(found.bytes, 1u + i % 3000);
    EXPECT_EQ(all[i][i % 3000], static_cast<uint8_t>(i)) << "allocations overlap";
  }
  EXPECT_FALSE(a.release(all[100] + 1));
  std::shuffle(all.begin(), all.end(), std::mt19937(1));
  for (uint8_t *p : all)
    ASSERT_TRUE(a.release(p));
  EXPECT_FALSE(a.release(all[7]));
  EXPECT_EQ(a.liveCount(), 0u);
  EXPECT_TRUE(a.list().empty());
}

TEST(Allocator, usesPlainPagesForLargeOnes) {
  Allocator a(4 * GiB, 2);
  std::vector<uint8_t *> all;
  for (int i = 0; i < 50; ++i) {
    all.push_back(take(a, 100000 + i));
    ASSERT_NE(all.back(), nullptr);
    all.back()[99999] = 1;
  }
  for (uint8_t *p : all)
    EXPECT_TRUE(a.release(p));
}

TEST(Allocator, releasesWhatIsChosen) {
  Allocator a(GiB, 4);
  for (int i = 0; i < 20; ++i)
    take(a, 100, {MemoryKind::Device, static_cast<uint8_t>(i % 2), 0});
  a.releaseIf([](const Allocation &one) { return one.use.device == 1; });
  EXPECT_EQ(a.liveCount(), 10u);
  for (const Allocation &one : a.list())
    EXPECT_EQ(one.use.device, 0);
}

TEST(Allocator, failsWhenFull) {
  Allocator a(size_t(64) << 20);
  EXPECT_EQ(take(a, size_t(1) << 30), nullptr);
  EXPECT_EQ(take(a, SIZE_MAX - 4096), nullptr);
  EXPECT_NE(take(a, 1000), nullptr);
}

/// vm.max_map_count, of which the allocator leaves half to the program.
size_t systemMappings() {
  size_t count = 0;
  std::ifstream("/proc/sys/vm/max_map_count") >> count;
  return count;
}

size_t mappingsOfProcess() {
  size_t lines = 0;
  FILE *file = std::fopen("/proc/self/maps", "re");
  for (int c; (c = std::fgetc(file)) != EOF;)
    lines += c == '\n';
  std::fclose(file);
  return lines;
}

/// A file in memory with the bytes 0, 1, 2, ...
int countingFile(size_t bytes) {
  int file = memfd_create("test", MFD_CLOEXEC);
  std::vector<uint8_t> content(bytes);
  for (size_t i = 0; i < bytes; ++i)
    content[i] = static_cast<uint8_t>(i);
  EXPECT_EQ(::pwrite(file, content.data(), bytes, 0), static_cast<ssize_t>(bytes));
  return file;
}

TEST(Allocator, mapsFiles) {
  Allocator a(GiB);
  constexpr size_t Offset = 3 * 4096 + 300, Bytes = 9000;
  int file = countingFile(40000);
  auto *p = static_cast<uint8_t *>(a.map(file, Offset, Bytes, DeviceUse));
  ASSERT_NE(p, nullptr);
  EXPECT_TRUE(a.isAnyShared());
  for (size_t i = 0; i < Bytes; ++i)
    ASSERT_EQ(p[i], static_cast<uint8_t>(Offset + i));
  p[Bytes - 1] = 200;
  uint8_t seen = 0;
  EXPECT_EQ(::pread(file, &seen, 1, Offset + Bytes - 1), 1);
  EXPECT_EQ(seen, 200);
  EXPECT_FALSE(isReadable(p + 4 * 4096)) << "a guard lies behind";
  Allocation found;
  ASSERT_TRUE(a.find(p + Bytes - 1, found));
  EXPECT_EQ(found.base, p);
  EXPECT_EQ(found.bytes, Bytes);
  EXPECT_FALSE(a.find(p + Bytes, found));
  SharedPlace place;
  EXPECT_FALSE(a.share(p, place)) << "it is another's";
  EXPECT_TRUE(a.release(p));
  EXPECT_FALSE(a.isAnyShared());
  EXPECT_FALSE(isReadable(p));
  EXPECT_EQ(a.map(-1, 0, 4096, DeviceUse), nullptr);
  ::close(file);
}

TEST(Allocator, sharesWhatItHas) {
  Allocator a(GiB);
  for (size_t bytes : {1, 4096, 100000, 5 << 20}) {
    uint8_t *p = take(a, bytes);
    for (size_t i = 0; i < bytes; i += 4099) // most pages stay empty
      p[i] = static_cast<uint8_t>(i + 1);
    SharedPlace place, again;
    ASSERT_TRUE(a.share(p, place));
    ASSERT_TRUE(a.share(p, again));
    EXPECT_EQ(place.file, again.file);
    auto *q = static_cast<uint8_t *>(a.map(place.file, place.offset, bytes, DeviceUse));
    ASSERT_NE(q, nullptr);
    for (size_t i = 0; i < bytes; ++i)
      ASSERT_EQ(q[i], i % 4099 ? 0 : static_cast<uint8_t>(i + 1)) << i;
    p[bytes - 1] = 99;
    EXPECT_EQ(q[bytes - 1], 99);
    EXPECT_FALSE(a.share(p + bytes, place));
    EXPECT_TRUE(a.release(p));
    EXPECT_EQ(q[bytes - 1], 99) << "the other one keeps it";
    EXPECT_TRUE(a.release(q));
  }
  EXPECT_FALSE(a.isAnyShared());
}

/// A million live allocations: within the system's mappings, and a million more in a loop without
/// growth.
TEST(Allocator, holdsAMillion) {
  Allocator a(size_t(64) << 30);
  std::vector<uint8_t *> all(1000000);
  for (size_t i = 0; i < all.size(); ++i)
    ASSERT_NE(all[i] = take(a, 16 + i % 200), nullptr) << i;
  EXPECT_LT(mappingsOfProcess(), systemMappings() * 9 / 10);
  EXPECT_EQ(a.liveCount(), all.size());
  for (uint8_t *p : all)
    ASSERT_TRUE(a.release(p));
  EXPECT_EQ(a.liveCount(), 0u);
  EXPECT_LT(mappingsOfProcess(), 1000u);
}

TEST(Allocator, reusesAfterAMillion) {
  Allocator a(size_t(64) << 20); // would be full after 1,000 without reuse
  for (int i = 0; i < 1000000; ++i) {
    uint8_t *p = take(a, 64);
    ASSERT_NE(p, nullptr) << i;
    if (i % 1000 == 0)
      *p = 1;
    ASSERT_TRUE(a.release(p));
  }
  EXPECT_EQ(a.liveCount(), 0u);
}

} // namespace
} // namespace heddle::device::cpu
