// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/image/module_image.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace heddle::frontend {

/// Replaces every variable of `module` that lies in the image's globals block, and every function
/// address:
///
///   %v = load i32, ptr addrspace(1) @counter   -->   %globals = call ptr @heddle.globals()
///                                                    %counter = gep i8, ptr %globals, i64 64
///                                                    %v = load i32, ptr %counter
///   store ptr @_Z2f1f, ptr %p                  -->   store ptr inttoptr (tagged number), ptr %p
///
/// A managed variable is reached through its slot. `@heddle.globals` is memory(none), so calls of
/// it merge. Loads from constant variables become invariant. Shared memory and direct calls are
/// left alone. Runs before the device library is linked in, so that names are the image's. Fails
/// when a variable is not in the image.
llvm::Error placeGlobals(llvm::Module &module, const ImageView &image);

} // namespace heddle::frontend
