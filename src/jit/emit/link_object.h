// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <vector>

namespace heddle::jit {

/// Makes a shared object of an ELF object, with lld in this process. It exports KernelSymbol and
/// needs libm, libsleef, libgcc_s or libc only if it calls into them. Fails naming undefined
/// symbols.
llvm::Expected<std::vector<uint8_t>> linkObject(llvm::ArrayRef<char> object);

} // namespace heddle::jit
