// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::jit {

struct SourcePosition {
  std::string function, file;
  uint32_t line = 0, column = 0;
};

/// The innermost source position, outside of our and clang's headers, of the instruction at
/// `offset` (from the load address) in a shared object. Fails when the object has no line table or
/// none for the offset.
llvm::Expected<SourcePosition> symbolize(const char *objectPath, uint64_t offset);

/// The functions, the innermost first, of code of a program or library of the host. What is not
/// known is empty; without a line table there is one function and no line.
llvm::Expected<std::vector<SourcePosition>> symbolizeHost(const char *path, uint64_t offset);

} // namespace heddle::jit
