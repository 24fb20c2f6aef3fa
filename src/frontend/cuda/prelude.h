// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/result.h"
#include "frontend/cuda/compile_source.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>
#include <vector>

namespace clang {
class CompilerInvocation;
}

namespace heddle::cuda {

inline constexpr const char *PreludeFile = "/heddle_prelude.pch";

/// Our device headers, precompiled.
struct Prelude {
  std::shared_ptr<llvm::MemoryBuffer> bytes; ///< the process's, for good
};

using Invocation = std::shared_ptr<clang::CompilerInvocation>;
using MakeInvocation = Invocation(const std::vector<std::string> &flags, const std::string &input);

/// The prelude for flags of clang's driver, from memory, from the cache on disk, or compiled now.
Result<Prelude> preludeFor(const std::vector<std::string> &flags, const Toolkit &,
                           llvm::function_ref<MakeInvocation> invoke);

} // namespace heddle::cuda
