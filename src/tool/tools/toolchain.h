// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/result.h"

#include <string>

namespace heddle::tool {

/// The CUDA that we stand for, as nvcc has it.
struct CudaRelease {
  const char *major, *minor, *build;
};
inline constexpr CudaRelease CudaReleases[] = {{"12", "8", "93"}, {"13", "0", "88"}};

/// Where everything lies that a compilation needs. The same layout holds in the build tree and in
/// an installation: `<prefix>/bin/heddle`, and `<prefix>/lib/heddle` as a CUDA toolkit's folder has
/// it.
struct Toolchain {
  std::string program;   ///< this program
  std::string root;      ///< <prefix>/lib/heddle: bin/nvcc, include/, lib64/
  std::string include;   ///< root + "/include"
  std::string libs;      ///< root + "/lib64"
  std::string plugin;    ///< what clang loads (src/plugin)
  std::string cuda;      ///< clang for CUDA sources (src/frontend/cuda)
  std::string clang;     ///< clang 22
  std::string clangxx;   ///< the same as C++ driver
  std::string resources; ///< its headers and libraries
};

/// Our own folders, without the tools of the system.
Toolchain ownFolders();

/// Finds it: HEDDLE_HOME or the folder of this program, HEDDLE_CLANG or the configured clang or
/// clang-22 in PATH. Fails saying what is missing.
Result<Toolchain> findToolchain();

} // namespace heddle::tool
