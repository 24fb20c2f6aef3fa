// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/IR/Module.h"

namespace heddle::frontend {

/// Texture and surface references become variables of 64 bits, which hold the object that the host
/// has bound. clang makes an i64 of each, which device code must not load (it is a name to PTX):
///
///   %object = call i64 @llvm.nvvm.texsurf.handle.internal.p1(ptr addrspace(1) @reference)
/// -->
///   %object = load i64, ptr addrspace(1) @reference, align 8, !invariant.load !{}
///
/// A kernel never sees the variable change, for binding waits until the device is idle.
void loadReferences(llvm::Module &module);

} // namespace heddle::frontend
