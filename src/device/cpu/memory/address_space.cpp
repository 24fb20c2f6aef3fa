// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/memory/address_space.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace heddle::device::cpu {

size_t RunList::takeFree(size_t count) {
  auto fit = bySize_.lower_bound({count, 0});
  if (fit == bySize_.end())
    return None;
  auto [available, first] = *fit;
  erase(free_.find(first));
  if (available > count)
    insert(first + count, available - count);
  return first;
}

size_t RunList::take(size_t count) {
  size_t first = takeFree(count);
  while (first == None && !resting_.empty()) {
    wake();
    first = takeFree(count);
  }
  return first;
}

void RunList::give(size_t first, size_t count) {
  resting_.push_back({first, count});
  if (resting_.size() > RestingRuns)
    wake();
}

void RunList::wake() {
  auto [first, count] = resting_.front();
  resting_.pop_front();
  auto next = free_.lower_bound(first);
  if (next != free_.end() && next->first == first + count) {
    count += next->second;
    erase(next);
  }
  auto after = free_.lower_bound(first);
  if (after != free_.begin()) {
    auto before = std::prev(after);
    if (before->first + before->second == first) {
      first = before->first;
      count += before->second;
      erase(before);
    }
  }
  insert(first, count);
}

void RunList::insert(size_t first, size_t count) {
  if (!count)
    return;
  free_[first] = count;
  bySize_.insert({count, first});
}

void RunList::erase(std::map<size_t, size_t>::iterator run) {
  bySize_.erase({run->second, run->first});
  free_.erase(run);
}

static size_t granuleBytes() {
  return std::max<size_t>(64 << 10, 4 * static_cast<size_t>(sysconf(_SC_PAGESIZE)));
}

AddressSpace::AddressSpace(size_t bytes) : granule_(granuleBytes()) {
  for (size_t size = bytes / granule_ * granule_; size >= 16 * granule_;
       size = size / 2 / granule_ * granule_) {
    void *memory = mmap(nullptr, size + HugePage, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      continue;
    const size_t lead = -reinterpret_cast<uintptr_t>(memory) % HugePage;
    base_ = static_cast<uint8_t *>(memory) + lead;
    size_ = size;
    if (lead)
      munmap(memory, lead);
    munmap(base_ + size, HugePage - lead);
    return;
  }
}

AddressSpace::~AddressSpace() {
  if (base_)
    munmap(base_, size_);
}

/// Whether the machine's memory is in several nodes.
static bool hasSeveralNodes() {
  static const bool several = [] {
    char text[256] = ""; // "0" or "0-1" or "0,2"
    if (FILE *file = std::fopen("/sys/devices/system/node/has_memory", "re")) {
      if (!std::fgets(text, sizeof(text), file))
        text[0] = 0;
      std::fclose(file);
    }
    return std::strpbrk(text, ",-") != nullptr;
  }();
  return several;
}

/// Page by page over all nodes with memory. Workers take blocks as they come, so no page has a
/// worker that it belongs to; what counts is that all memory controllers work, whoever touched the
/// pages first.
static void spreadOverNodes(uint8_t *start, size_t bytes) {
  if (!hasSeveralNodes())
    return;
  constexpr int Interleave = 3; // MPOL_INTERLEAVE; numaif.h is libnuma's
  constexpr unsigned long Bits = 1024;
  unsigned long nodes[Bits / 64];
  // Nodes that this process may not use must not be asked for.
  constexpr unsigned long AllowedNodes = 4; // MPOL_F_MEMS_ALLOWED
  if (syscall(SYS_get_mempolicy, nullptr, nodes, Bits, nullptr, AllowedNodes) == 0)
    syscall(SYS_mbind, start, bytes, Interleave, nodes, Bits, 0);
}

bool AddressSpace::open(uint8_t *start, size_t bytes) {
  if (mprotect(start, bytes, PROT_READ | PROT_WRITE) != 0)
    return false;
  if (bytes < HugePage)
    return true;
  madvise(start, bytes, MADV_HUGEPAGE); // a wish: far fewer page faults and misses of the TLB
  spreadOverNodes(start, bytes);
  return true;
}

void AddressSpace::drop(uint8_t *start, size_t bytes) { madvise(start, bytes, MADV_DONTNEED); }

void AddressSpace::close(uint8_t *start, size_t bytes) {
  void *fresh =
      mmap(start, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (fresh == MAP_FAILED)
    madvise(start, bytes, MADV_DONTNEED);
}

} // namespace heddle::device::cpu
