// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With -fgpu-rdc clang gives a static variable or kernel that the host refers to a name of its own
// for each source, so that several may meet in a device link:
//
//   static __device__ int hidden;   ->   @_ZL6hidden__static__3037e3efc24d323f
//
// It only knows that the host refers to it when it has seen the host function that does. Device
// code before that function still uses the plain name, which is then declared and nowhere defined.
#pragma once

#include "llvm/IR/Module.h"

namespace heddle::frontend {

/// Lets the plain names mean what the names with a suffix define.
void joinExternalized(llvm::Module &module);

} // namespace heddle::frontend
