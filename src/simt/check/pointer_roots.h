// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Value.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::simt {

/// Calls `root` with each value that a pointer is computed from, by offsets, choices and phis. False
/// if `root` says so of one, or if an offset is made of addresses: then it may be of another object.
bool forEachRoot(llvm::Value *pointer, llvm::function_ref<bool(llvm::Value *)> root);

/// The number in KernelCode::checkedParams of the parameter at an offset, which it may get now.
size_t checkedParam(std::vector<uint32_t> &params, uint32_t offset);

} // namespace heddle::simt
