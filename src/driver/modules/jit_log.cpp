// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/modules/jit_log.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace heddle::driver {

JitLog::JitLog(unsigned count, const CUjit_option *options, void **values) {
  isValid_ = !count || (options && values && count <= CU_JIT_NUM_OPTIONS);
  for (unsigned i = 0; isValid_ && i < count; ++i) {
    isValid_ = static_cast<unsigned>(options[i]) < CU_JIT_NUM_OPTIONS;
    read(options[i], &values[i]);
  }
}

void JitLog::read(CUjit_option option, void **value) {
  auto setSize = [&](Buffer &buffer) {
    buffer.room = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(*value));
    buffer.size = value;
  };
  switch (option) {
  case CU_JIT_INFO_LOG_BUFFER:
    info_.text = static_cast<char *>(*value);
    break;
  case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
    setSize(info_);
    break;
  case CU_JIT_ERROR_LOG_BUFFER:
    error_.text = static_cast<char *>(*value);
    break;
  case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
    setSize(error_);
    break;
  case CU_JIT_WALL_TIME:
    wallTime_ = value;
    break;
  default:
    break;
  }
}

void JitLog::Buffer::write(const std::string &log) const {
  size_t bytes = 0;
  if (text && room) {
    bytes = std::min(log.size(), room - 1);
    std::memcpy(text, log.data(), bytes);
    text[bytes] = 0;
  }
  if (size)
    *size = reinterpret_cast<void *>(bytes);
}

void JitLog::write(const std::string &errors) const {
  info_.write("");
  error_.write(errors);
  if (wallTime_) // a float: nothing is compiled before a launch
    *wallTime_ = nullptr;
}

} // namespace heddle::driver
