// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/options.h"

#include <span>
#include <string>

namespace heddle::driver {

/// The GPU architecture that a compilation stands for.
struct Architecture {
  unsigned number = 90; ///< 90 of sm_90: __CUDA_ARCH__ is ten times that
  std::string suffix;   ///< "a" of sm_90a, "f" of sm_100f
  /// What clang is told. Heddle never runs PTX of it, and clang's builtins ask for a recent GPU, so
  /// it is at least sm_90, whatever __CUDA_ARCH__ says.
  std::string clangName() const;
  /// All that the command line named, ascending and without doubles: __CUDA_ARCH_LIST__.
  std::vector<unsigned> list = {90};
};

/// The architecture that -arch, -code and -gencode ask for; of several, the virtual one that the
/// default device (9.0) would run.
Result<Architecture> chooseArchitecture(const Options &);

/// Numbers of all architectures that are known, ascending.
std::span<const unsigned> knownArchitectures();

} // namespace heddle::driver
