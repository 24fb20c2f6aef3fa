// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers for device functions whose address is taken. A function's "address" in device memory is
// FunctionTag + 16 * number (base/image/module_image.h). The numbers are fixed when the image is made and
// travel in the bitcode:
//
//   !heddle.functions = !{!0, !1}
//   !0 = !{ptr @_Z2f1f, i64 0}
//   !1 = !{ptr @_Z2f2f, i64 1}
//
// Node n is function n. A function that a kernel cannot reach is dropped when the kernel is
// compiled, and its node's first operand is then null.
#pragma once

#include "llvm/IR/Module.h"

#include <vector>

namespace heddle::frontend {

inline constexpr const char *FunctionsMetadata = "heddle.functions";

/// Numbers all defined functions of `module` whose address is taken and writes the metadata.
std::vector<llvm::Function *> numberFunctions(llvm::Module &module);

/// Reads the metadata back; null for what was dropped.
std::vector<llvm::Function *> numberedFunctions(const llvm::Module &module);

/// What stands for the address of function `number` in device memory.
uint64_t functionAddress(uint64_t number);

} // namespace heddle::frontend
