// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "frontend/ptx/emitter.h"

namespace heddle::frontend::ptx {

/// The word at an offset of a texture's or surface's descriptor (base/abi/texture_descriptor.h), which
/// an object is the address of.
inline llvm::Value *descriptorWord(Emitter &e, llvm::Value *object, size_t offset) {
  llvm::Value *at = e.b.CreateAdd(object, e.b.getInt64(offset));
  return e.b.CreateLoad(e.b.getInt32Ty(), e.b.CreateIntToPtr(at, e.b.getPtrTy()));
}

} // namespace heddle::frontend::ptx
