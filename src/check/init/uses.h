// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --track-unused-memory: what was written to device memory, and nothing has read before it was
// written again or freed. A word of the allocator's memory has four bytes of shadow: 0, or who has
// written it since it was last read. That of memory whose end nobody tells of is 0.
#pragma once

#include "base/abi/check_abi.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace heddle::check {

/// Whether it is asked for. Kernels then are compiled with CheckRaces, and tell of each access.
bool tracksUses();

class Uses {
public:
  /// Never destroyed: workers run on.
  static Uses &get();

  /// `stack`: of the call of the API that writes (host_stack.h); 0: who writes is not told of.
  void writtenBy(uint32_t stack, const void *p, uint64_t bytes);
  void writtenByKernel(const void *p, uint64_t bytes) { write(ByKernel, p, bytes); }
  void read(const void *p, uint64_t bytes);
  /// The memory ends: the bytes that kernels have written, and nothing has read.
  uint64_t end(const void *base, uint64_t bytes);
  /// Others use memory whose accesses nobody tells of: from now on nothing is found.
  void stop();

  struct Copies {
    uint32_t stack;
    uint64_t bytes, unread;
  };
  /// Calls of the API that have written what nothing has read, in the order of their stacks. Memory
  /// that has not ended counts as written by them where that is not over.
  std::vector<Copies> unreadCopies() const;

  Uses(const Uses &) = delete;
  Uses &operator=(const Uses &) = delete;

private:
  static constexpr uint32_t ByKernel = 1, FirstStack = 2;
  struct Written {
    uint64_t bytes = 0, unread = 0;
  };
  Uses();
  uint32_t *wordsAt(const void *p, uint64_t bytes, size_t &count) const;
  void write(uint32_t writer, const void *p, uint64_t bytes);
  void lose(uint32_t writer, uint64_t bytes);

  Bounds memory_;
  std::atomic<bool> isStopped_ = false;
  uint32_t *words_ = nullptr;
  mutable std::mutex mutex_;
  std::unordered_map<uint32_t, Written> written_; ///< by the stack
};

/// Of a warp's access, as CheckServices::accessesRun and accessesEach.
void useOfRun(uint32_t lanes, const AccessSite &, const uint8_t *first, int64_t stride,
              uint64_t length);
void useOfEach(uint32_t lanes, const AccessSite &, uint8_t *const *pointers, uint64_t length);

} // namespace heddle::check
