// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/image/fat_binary.h"
#include "base/result.h"
#include "jit/jit.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// libheddle_jit.so, opened once, when something is compiled: by the tool and by
/// libheddle_compiler.so. The functions are those of jit/jit.h with C++ types.
class JitLibrary {
public:
  /// Where it lies: a folder, or "" for where dlopen looks.
  static Result<const JitLibrary *> open(const std::string &folder);

  Result<std::string> pack(const std::string &bitcode, uint32_t imageFlags, uint32_t sm,
                           uint32_t compileOptions, uint32_t maxRegisters) const;
  Result<std::string> link(const std::vector<std::string> &images) const;
  Result<std::string> emitPtx(const std::string &image, const std::string &target,
                              bool hasLines) const;
  /// Of a PTX text, which may be packed; the error has ptxas's lines.
  Result<std::string> readPtx(const PtxText &text, bool isRelocatable) const;
  /// The text itself.
  Result<std::string> unpackPtx(const PtxText &text) const;
  /// A shared object of a kernel for a block of 256 threads and this machine.
  Result<std::string> compile(const std::string &image, const std::string &kernel) const;
  /// Runs `action`. Gives LLVM's words if it ended with a fatal error, else "".
  std::string survive(const std::function<void()> &action) const;
  const char *version() const { return version_(); }

private:
  Result<std::string> take(HeddleJitResult) const;

  decltype(&heddleJitPack) pack_ = nullptr;
  decltype(&heddleJitLink) link_ = nullptr;
  decltype(&heddleJitEmitPtx) emitPtx_ = nullptr;
  decltype(&heddleJitReadPtx) readPtx_ = nullptr;
  decltype(&heddleJitUnpackPtx) unpackPtx_ = nullptr;
  decltype(&heddleJitCompileWith) compile_ = nullptr;
  decltype(&heddleJitSurvive) survive_ = nullptr;
  decltype(&heddleJitVersion) version_ = nullptr;
  decltype(&heddleJitFree) free_ = nullptr;
};

} // namespace heddle
