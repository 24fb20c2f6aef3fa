// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/opencl/link.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"

namespace heddle::opencl {

using namespace llvm;

namespace {

/// What a function that names a handle gives; null if it is none.
Value *resultOf(StringRef name, CallInst &call) {
  IRBuilder<> builder(&call);
  Value *given = call.arg_size() == 1 ? call.getArgOperand(0) : nullptr;
  if (given && name.contains("__heddle_image_of"))
    return given;
  if (given && name.contains("__heddle_sampler_of"))
    return builder.CreateTrunc(builder.CreatePtrToInt(given, builder.getInt64Ty()), call.getType());
  if (given && name == "__translate_sampler_initializer") // of a sampler in the source
    return builder.CreateIntToPtr(builder.CreateZExt(given, builder.getInt64Ty()), call.getType());
  return nullptr;
}

} // namespace

void lowerHandles(Module &module) {
  for (Function &function : make_early_inc_range(module)) {
    if (!function.isDeclaration())
      continue;
    for (User *user : make_early_inc_range(function.users()))
      if (auto *call = dyn_cast<CallInst>(user))
        if (Value *result = resultOf(function.getName(), *call)) {
          call->replaceAllUsesWith(result);
          call->eraseFromParent();
        }
    if (function.use_empty() && !function.isIntrinsic())
      function.eraseFromParent();
  }
}

} // namespace heddle::opencl
