// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/image/device_flags.h"
#include "base/result.h"
#include "frontend/cuda/compile_source.h"

#include <string>
#include <string_view>
#include <vector>

namespace heddle::rtc {

enum class Opt {
#define OPTION(id, ...) id,
#include "rtc/options.def"
  Count
};

/// The architecture that code is for.
struct Target {
  unsigned number = 0; ///< 90 of sm_90a
  std::string suffix;
  bool isReal = false; ///< sm_: there is a cubin, too
};

/// The compute capabilities that a release of CUDA compiles for, ascending.
std::vector<unsigned> architecturesOf(unsigned release);

/// Options of nvrtcCompileProgram.
class Options {
public:
  /// Fails in NVRTC's words.
  static Result<Options> parse(unsigned release, const std::vector<std::string> &words);

  const std::vector<std::string> &values(Opt id) const { return values_[static_cast<size_t>(id)]; }
  bool has(Opt id) const { return !values(id).empty(); }
  /// The last value of a Bool option.
  bool isTrue(Opt id, bool otherwise) const {
    return has(id) ? values(id).back() == "true" : otherwise;
  }
  std::string last(Opt id) const { return has(id) ? values(id).back() : ""; }
  const Target &target() const { return target_; }
  /// There is no machine code, but code to be linked.
  bool isForLinking() const { return has(Opt::LinkTime) || has(Opt::OptimizedLinkTime); }
  bool isRelocatable() const;
  DeviceOptions code() const;
  /// What the numbers of diagnostics ask of clang.
  const std::vector<std::string> &diagnosticFlags() const { return diagnosticFlags_; }
  /// Whether the program's headers are to be precompiled; of `limit` bytes at most.
  cuda::PrecompileRequest precompile(size_t limit) const;

private:
  std::vector<std::string> values_[static_cast<size_t>(Opt::Count)];
  Target target_;
  std::vector<std::string> diagnosticFlags_;
};

} // namespace heddle::rtc
