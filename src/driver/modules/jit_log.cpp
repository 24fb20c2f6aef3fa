// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/modules/jit_log.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace heddle::driver {

namespace {

/// Of a CUjit_target; above it are the bits that tell sm_90a and sm_100f from sm_90 and sm_100.
constexpr uint32_t CapabilityMask = 0xffff;
/// Of all multiprocessors that PTX is compiled for.
constexpr unsigned MostThreads = 1024, RegistersOfBlock = 65536, MostRegisters = 255;

bool isTarget(uint32_t number) {
  constexpr uint32_t Known[] = {30, 32, 35, 37, 50, 52, 53,  60,  61,  62,  70,  72,
                                75, 80, 86, 87, 89, 90, 100, 101, 103, 110, 120, 121};
  const uint32_t kind = number & ~CapabilityMask;
  return std::ranges::find(Known, number & CapabilityMask) != std::end(Known) &&
         (!kind || kind == CU_COMPUTE_ACCELERATED_TARGET_BASE ||
          kind == CU_COMPUTE_FAMILY_TARGET_BASE);
}

} // namespace

JitLog::JitLog(unsigned count, const CUjit_option *options, void **values) {
  isValid_ = !count || (options && values && count <= CU_JIT_NUM_OPTIONS);
  for (unsigned i = 0; isValid_ && i < count; ++i) {
    isValid_ = static_cast<unsigned>(options[i]) < CU_JIT_NUM_OPTIONS;
    read(options[i], &values[i]);
  }
  limitRegisters();
}

/// CU_JIT_THREADS_PER_BLOCK: a block of so many must fit, of which each warp's registers are whole units.
/// These and limits of registers say more than CU_JIT_MIN_CTA_PER_SM.
void JitLog::limitRegisters() {
  if (threads_ > 0 && threads_ <= MostThreads) {
    const unsigned warps = (threads_ + 31) / 32;
    const unsigned each = RegistersOfBlock / (warps * 32) / 8 * 8;
    if (!choices_.maxRegisters || choices_.maxRegisters > each)
      choices_.maxRegisters = std::min(each, MostRegisters);
  }
  if (choices_.maxRegisters)
    choices_.minBlocks = 0;
}

void JitLog::read(CUjit_option option, void **value) {
  auto setSize = [&](Buffer &buffer) {
    buffer.room = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(*value));
    buffer.size = value;
  };
  const auto number = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(*value));
  switch (option) {
  case CU_JIT_MAX_REGISTERS:
    choices_.maxRegisters = number;
    break;
  case CU_JIT_OPTIMIZATION_LEVEL:
    isValid_ &= number <= 4;
    choices_.isDebug |= number == 0;
    break;
  case CU_JIT_GENERATE_DEBUG_INFO:
    choices_.isDebug |= number != 0;
    break;
  case CU_JIT_TARGET:
    hasTarget_ &= isTarget(number);
    choices_.target = number & CapabilityMask;
    break;
  case CU_JIT_FALLBACK_STRATEGY:
    isValid_ &= number <= CU_PREFER_BINARY;
    break;
  case CU_JIT_CACHE_MODE:
    isValid_ &= number <= CU_JIT_CACHE_OPTION_CA;
    break;
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
  case CU_JIT_LOG_VERBOSE:
    choices_.isVerbose = number != 0;
    break;
  case CU_JIT_THREADS_PER_BLOCK:
    threads_ = number;
    break;
  case CU_JIT_MIN_CTA_PER_SM:
    choices_.minBlocks = number;
    break;
  case CU_JIT_MAX_THREADS_PER_BLOCK:
    isValid_ &= number <= MostThreads;
    choices_.maxThreads = number;
    break;
  case CU_JIT_OVERRIDE_DIRECTIVE_VALUES:
    choices_.overrides = number != 0;
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

void JitLog::write(const std::string &errors, const std::string &info) const {
  info_.write(info);
  error_.write(errors);
  if (wallTime_) { // a float
    const std::chrono::duration<float, std::milli> time = std::chrono::steady_clock::now() - start_;
    const float milliseconds = time.count();
    *wallTime_ = nullptr;
    std::memcpy(wallTime_, &milliseconds, sizeof milliseconds);
  }
}

} // namespace heddle::driver
