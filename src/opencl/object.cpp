// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "opencl/object.h"

#include <array>
#include <mutex>
#include <new>

namespace heddle::cl {

namespace {

/// What all objects begin with.
struct Head {
  const cl_icd_dispatch *dispatch;
  Kind kind;
};

constexpr size_t Rested = 1024;

struct Resting {
  std::mutex mutex;
  std::array<void *, Rested> ring = {};
  size_t next = 0;
};

} // namespace

void letRest(void *memory) {
  static auto &resting = *new Resting;
  new (memory) Head{&dispatchTable, Kind::None};
  void *oldest;
  {
    std::lock_guard lock(resting.mutex);
    oldest = std::exchange(resting.ring[resting.next++ % Rested], memory);
  }
  ::operator delete(oldest);
}

} // namespace heddle::cl
