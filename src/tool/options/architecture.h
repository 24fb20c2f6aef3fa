// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/options/options.h"

#include <span>
#include <string>

namespace heddle::tool {

/// A name under which device code is asked for: sm_86 or compute_80.
struct CodeName {
  unsigned number;
  bool isReal; ///< sm_: machine code in CUDA; else compute_ or lto_, PTX
  auto operator<=>(const CodeName &) const = default;
};

/// A GPU architecture that device code is compiled for.
struct Architecture {
  unsigned number = 90; ///< 90 of compute_90: __CUDA_ARCH__ is ten times that
  std::string suffix;   ///< "a" of sm_90a, "f" of sm_100f
  std::vector<CodeName> codes = {{90, true}, {90, false}};
  /// What clang is told. Heddle never runs PTX of it, and clang's builtins ask for a recent GPU, so
  /// it is at least sm_90, whatever __CUDA_ARCH__ says.
  std::string clangName() const;
  std::string name() const { return "sm_" + std::to_string(number) + suffix; }
};

/// What -arch, -code and -gencode ask for.
struct Architectures {
  std::vector<Architecture> all = {{}}; ///< ascending; at least one
  bool given = false;                   ///< the command line says it
  std::vector<std::string> newer;       ///< names that stand for GPUs newer than all that are known

  /// The one that CUDA would take for the default device, of compute capability 9.0: the highest up
  /// to that; if all are newer, the lowest. Where only one can be shown (-ptx, nvcc -v) it is this.
  const Architecture &main() const;
};

/// Fails for names that nvcc does not know, and for code that its architecture cannot become. What
/// is newer than all known architectures counts as the newest of them.
Result<Architectures> chooseArchitectures(const Options &);

/// Numbers of all architectures that are known, ascending.
std::span<const unsigned> knownArchitectures();

} // namespace heddle::tool
