// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <vector>

namespace heddle::jit {

/// A library of the system that a kernel needs is not there, or is too old. The text names it and
/// its package.
class MissingLibrary : public llvm::ErrorInfo<MissingLibrary, llvm::StringError> {
public:
  static char ID;
  explicit MissingLibrary(const std::string &text)
      : ErrorInfo(llvm::Twine(text), llvm::inconvertibleErrorCode()) {}
};

/// Makes a shared object of an ELF object, with lld in this process. It exports KernelSymbol and
/// needs libm, libsleef, libgcc_s or libc only if it calls into them. Fails naming undefined
/// symbols, or with MissingLibrary.
llvm::Expected<std::vector<uint8_t>> linkObject(llvm::ArrayRef<char> object);

} // namespace heddle::jit
