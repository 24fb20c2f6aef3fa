// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/modules/library.h"

#include <chrono>
#include <cstddef>
#include <string>

namespace heddle::driver {

/// The options of cuModuleLoadDataEx, cuLibraryLoad* and cuLink*. What only steers NVIDIA's compiler is checked and has no effect.
class JitLog {
public:
  JitLog() = default;
  JitLog(unsigned count, const CUjit_option *options, void **values);
  /// CUDA_ERROR_INVALID_VALUE where there was what is no option, or no value of one; for what is no
  /// target CUDA_ERROR_INVALID_IMAGE, as on an H200.
  CUresult check() const {
    return !isValid_     ? CUDA_ERROR_INVALID_VALUE
           : !hasTarget_ ? CUDA_ERROR_INVALID_IMAGE
                         : CUDA_SUCCESS;
  }
  const JitChoices &choices() const { return choices_; }
  /// Fills the logs in, and the time since the options were read.
  void write(const std::string &errors, const std::string &info) const;

private:
  struct Buffer {
    char *text = nullptr;
    size_t room = 0;
    void **size = nullptr; ///< gets that of what is written
    void write(const std::string &) const;
  };
  void read(CUjit_option, void **value);
  void limitRegisters();

  bool isValid_ = true, hasTarget_ = true;
  Buffer info_, error_;
  void **wallTime_ = nullptr;
  unsigned threads_ = 0; ///< CU_JIT_THREADS_PER_BLOCK
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  JitChoices choices_;
};

} // namespace heddle::driver
