// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//     %v = call %words @__heddle_texture(i64 %object, i32 wanted, i32 shape, float %x, ...)
//
// reads what lies at
//
//     %at = call i64 @__heddle_texture_place(i64 %object, i32 shape, float %x, ..., float level)
//     %texel = and i64 %at, -bytes
#include "jit/count/texture_accesses.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace heddle::jit {

namespace {

enum class Sample { None, Fetch, Coordinates, Level, Gather };

Sample sampleOf(const Instruction &instruction) {
  const auto *call = dyn_cast<CallInst>(&instruction);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  if (!callee)
    return Sample::None;
  return StringSwitch<Sample>(callee->getName())
      .Case("__heddle_texture_fetch", Sample::Fetch)
      .Case("__heddle_texture", Sample::Coordinates)
      .Case("__heddle_texture_level", Sample::Level)
      .Case("__heddle_texture_gather", Sample::Gather)
      .Default(Sample::None);
}

} // namespace

uint64_t texelBytesOf(const Instruction &instruction) {
  constexpr uint64_t MostBytes = 16, ChannelBytes = 4;
  switch (sampleOf(instruction)) {
  case Sample::None:
    return 0;
  case Sample::Gather:
    return ChannelBytes;
  default:
    break;
  }
  const auto *wanted = dyn_cast<ConstantInt>(cast<CallInst>(instruction).getArgOperand(1));
  // devlib/textures/texture_sample.h
  const uint64_t code = wanted ? wanted->getZExtValue() : 0;
  const uint64_t bytes = (code & 15) * (code >> 4 & 15);
  return bytes && bytes <= MostBytes ? bytes : MostBytes;
}

Value *emitTexelAddress(IRBuilder<> &builder, const Instruction &sample) {
  constexpr unsigned Dimensions = 2; // of tex2Dgather
  Module &module = *builder.GetInsertBlock()->getModule();
  Type *i64 = builder.getInt64Ty(), *i32 = builder.getInt32Ty(), *f32 = builder.getFloatTy();
  SmallVector<Value *, 8> given(cast<CallInst>(sample).args());
  const Sample kind = sampleOf(sample);
  Value *place;
  if (kind == Sample::Fetch) {
    FunctionCallee function =
        module.getOrInsertFunction("__heddle_texture_fetch_place", i64, i64, i32);
    place = builder.CreateCall(function, {given[0], given[2]});
  } else {
    FunctionCallee function = module.getOrInsertFunction("__heddle_texture_place", i64, i64, i32,
                                                         f32, f32, f32, i32, f32);
    Value *zero = ConstantFP::get(f32, 0);
    SmallVector<Value *, 8> arguments;
    if (kind == Sample::Gather)
      arguments = {given[0], builder.getInt32(Dimensions), given[1], given[2],
                   zero,     builder.getInt32(0)};
    else
      arguments = {given[0], given[2], given[3], given[4], given[5], given[6]};
    arguments.push_back(kind == Sample::Level ? given[7] : zero);
    place = builder.CreateCall(function, arguments);
  }
  return builder.CreateAnd(place, ~(texelBytesOf(sample) - 1));
}

} // namespace heddle::jit
