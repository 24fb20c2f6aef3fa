// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "heddle/driver_api_types.h"

#include <cstddef>
#include <string>

namespace heddle::driver {

/// The options of cuModuleLoadDataEx and cuLink*. Those that steer NVIDIA's compiler have no effect
/// here; the logs are written, and are empty where nothing failed.
class JitLog {
public:
  JitLog() = default;
  JitLog(unsigned count, const CUjit_option *options, void **values);
  /// CUDA_ERROR_INVALID_VALUE where there was what is no option.
  CUresult check() const { return isValid_ ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }
  /// Fills the logs in, and what else the options ask for.
  void write(const std::string &errors) const;

private:
  struct Buffer {
    char *text = nullptr;
    size_t room = 0;
    void **size = nullptr; ///< gets that of what is written
    void write(const std::string &) const;
  };
  void read(CUjit_option, void **value);

  bool isValid_ = true;
  Buffer info_, error_;
  void **wallTime_ = nullptr;
};

} // namespace heddle::driver
