// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/widen/warp/warp_exchange.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned CellBytes = 16; ///< value (8 bytes), present (4 bytes)
constexpr unsigned PresentOffset = 8;

} // namespace

Value *WarpExchange::cells() {
  Value *scratch = builder_.CreateLoad(
      builder_.getPtrTy(), e_.field(e_.warp.getArg(ParamBlock), offsetof(Block, warpScratch)));
  Value *cudaWarp =
      builder_.CreateUDiv(e_.warp.getArg(ParamWarp), builder_.getInt32(32 / e_.width));
  return builder_.CreateGEP(
      builder_.getInt8Ty(), scratch,
      builder_.CreateZExt(builder_.CreateMul(cudaWarp, builder_.getInt32(32 * CellBytes)),
                          builder_.getInt64Ty()));
}

Value *WarpExchange::emit(CallInst &call, Value *members, Value *value) {
  Value *cells = this->cells();
  Type *element = value->getType()->getScalarType();
  Type *i32 = builder_.getInt32Ty();
  Value *base = builder_.CreateMul(
      builder_.CreateURem(e_.warp.getArg(ParamWarp), builder_.getInt32(32 / e_.width)),
      builder_.getInt32(e_.width));
  auto cell = [&](Value *lane, unsigned offset) {
    Value *bytes = builder_.CreateMul(builder_.CreateAdd(base, lane), builder_.getInt32(CellBytes));
    bytes = builder_.CreateAdd(bytes, builder_.getInt32(offset));
    return builder_.CreateGEP(builder_.getInt8Ty(), cells,
                              builder_.CreateZExt(bytes, builder_.getInt64Ty()));
  };
  loops_.forEachLane(nullptr, [&](Value *lane) -> Value * {
    builder_.CreateStore(arrays_.extractLane(value, lane), cell(lane, 0));
    builder_.CreateStore(builder_.getInt32(1), cell(lane, PresentOffset));
    return nullptr;
  });
  barriers_.emitWarpWait(call, members);
  Type *all = FixedVectorType::get(element, 32);
  Value *values = PoisonValue::get(all), *present = builder_.getInt32(0);
  for (unsigned lane = 0; lane < 32; ++lane) {
    values = builder_.CreateInsertElement(
        values, builder_.CreateLoad(element, e_.field(cells, lane * CellBytes)), lane);
    Value *here = builder_.CreateLoad(i32, e_.field(cells, lane * CellBytes + PresentOffset));
    present = builder_.CreateOr(present, builder_.CreateShl(here, lane));
  }
  barriers_.emitWarpWait(call, members);
  loops_.forEachLane(nullptr, [&](Value *lane) -> Value * {
    builder_.CreateStore(builder_.getInt32(0), cell(lane, PresentOffset));
    return nullptr;
  });
  Value *pair = PoisonValue::get(StructType::get(all, i32));
  pair = builder_.CreateInsertValue(pair, values, 0);
  return builder_.CreateInsertValue(pair, present, 1);
}

std::pair<Value *, Value *> WarpExchange::emitPair(CallInst &call, Value *members, Value *value) {
  Value *pair = emit(call, members, value);
  return {builder_.CreateExtractValue(pair, 0), builder_.CreateExtractValue(pair, 1)};
}

} // namespace heddle::simt
