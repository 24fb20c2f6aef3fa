// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the programs that measure transfers share.
#pragma once

#include "cuda_runtime_api.h"

#include <cstddef>

namespace transfers {

/// Ends the program with a message if a call of CUDA failed.
void check(cudaError_t, const char *what);

/// Memory of a device or of the host that frees itself.
class Buffer {
public:
  enum Kind { Device, Pinned, Pageable };
  /// `device` is where it is allocated, and where it will be freed.
  Buffer(Kind, int device, size_t bytes);
  Buffer(Buffer &&) noexcept;
  ~Buffer();
  void *get() const { return p_; }

private:
  Kind kind_;
  int device_;
  void *p_ = nullptr;
};

/// A stream of a device, and the time that work takes in it.
class Stopwatch {
public:
  explicit Stopwatch(int device);
  ~Stopwatch();
  Stopwatch(const Stopwatch &) = delete;
  cudaStream_t stream() const { return stream_; }
  void start();
  double seconds(); ///< since start, when all has ended

private:
  int device_;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

} // namespace transfers
