// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/result.h"
#include "jit/jit.h"

#include <functional>
#include <string>
#include <vector>

namespace heddle::rtc {

/// libheddle_jit.so beside this library, opened at the first use: heddle-clang does without it.
class JitLibrary {
public:
  static Result<const JitLibrary *> open();

  Result<std::string> pack(const std::string &bitcode, uint32_t imageFlags, uint32_t sm,
                           uint32_t compileOptions, uint32_t maxRegisters) const;
  Result<std::string> link(const std::vector<std::string> &images) const;
  /// The image is to be linked.
  Result<std::string> readPtx(std::string_view text) const;
  Result<std::string> emitPtx(const std::string &image, const std::string &target,
                              bool hasLines) const;
  /// Runs `action` on a thread with a large stack: clang recurses, and a caller's stack may be small.
  /// Gives LLVM's words if it ended with a fatal error, else "".
  std::string runGuarded(const std::function<void()> &action) const;

private:
  Result<std::string> take(HeddleJitResult) const;

  decltype(&heddleJitPack) pack_ = nullptr;
  decltype(&heddleJitLink) link_ = nullptr;
  decltype(&heddleJitReadPtx) readPtx_ = nullptr;
  decltype(&heddleJitEmitPtx) emitPtx_ = nullptr;
  decltype(&heddleJitSurvive) survive_ = nullptr;
  decltype(&heddleJitFree) free_ = nullptr;
};

} // namespace heddle::rtc
