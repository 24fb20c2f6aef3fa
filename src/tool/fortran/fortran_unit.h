// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/fortran/gpu_words.h"
#include "tool/options/settings.h"

namespace heddle::tool {

/// What a compilation of Fortran needs beside the CUDA toolchain.
struct FortranTools {
  Toolchain tools;
  std::string flang;      ///< flang-22
  std::string frontend;   ///< heddle-flang (src/frontend/fortran/flang)
  std::string middle;     ///< heddle-fortran (src/frontend/fortran)
  std::string modules;    ///< the folder of cudafor.mod and its like
  std::string intrinsics; ///< the folder of Flang's own modules
  std::string runtime;    ///< libflang_rt.runtime.a
};

/// Fails naming what is missing.
Result<FortranTools> findFortranTools();

/// How all sources of one command are compiled.
struct FortranSettings {
  FortranOptions options;
  FortranTools tools;
  GpuWords gpu;
  Settings cuda; ///< what nvcc makes of the options that `gpu` stands for
  bool verbose = false, dryRun = false;
};

/// True for a name that Fortran sources have.
bool isFortranSource(const std::string &path);

/// Compiles one source to an object, or to what -S or -E ask for; prints diagnostics. Returns the
/// exit code.
int compileFortran(const FortranSettings &, const std::string &source, const std::string &output);

} // namespace heddle::tool
