// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>

namespace heddle::device::cpu {

/// What kernels printed, until a synchronisation writes it to stdout (CUDA guide, "Formatted
/// Output"). A full buffer is written out early; CUDA would lose the oldest lines.
class PrintBuffer {
public:
  void append(const std::string &text);
  void flush();
  static constexpr size_t DefaultCapacity = 1u << 20; // CUDA guide, "Limitations" of printf
  void setCapacity(size_t bytes) { capacity_ = bytes; }
  size_t capacity() const { return capacity_; }

private:
  std::mutex mutex_;
  std::string text_;
  std::atomic<bool> empty_{true};
  std::atomic<size_t> capacity_{DefaultCapacity};
};

/// Formats one call of printf in a kernel. `args` holds each argument at its natural alignment, as
/// vprintf gets them in PTX. Returns the number of arguments used, or -1 if `format` is null.
int formatDevicePrintf(std::string &out, const char *format, const void *args);

} // namespace heddle::device::cpu
