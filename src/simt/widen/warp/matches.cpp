// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// __match_any_sync and __match_all_sync. A value of which few bits are unknown is matched by
// ballots, any other by a comparison with each lane's.
//
// Where at most 16 bits of the value can differ between lanes (a digit, a bin: LLVM's known bits),
// that is a ballot for each of these bits: a lane keeps of its peers those that voted as it did.
// What three neighbouring bits say together (four with AVX-512) is computed once for each of their
// values, and looked up in a register.
//
// Legality (match-bits): none: values are the same if and only if the bits are that may differ.
#include "simt/widen/warp/matches.h"

#include "simt/lower/native.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Support/KnownBits.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned MatchedByBits = 16; ///< with more, a comparison for each lane is shorter

/// The unknown bits of each lane, one after the other, as ballots. A byte of each lane is enough
/// for eight bits.
SmallVector<Value *, 16> ballotsOf(IRBuilder<> &builder, Value *values, const APInt &unknown) {
  unsigned low = unknown.countr_zero(), size = unknown.getBitWidth();
  if (unknown.getActiveBits() - low <= 8 && size > 8) {
    values = builder.CreateTrunc(
        builder.CreateLShr(values, ConstantInt::get(values->getType(), low)),
        FixedVectorType::get(builder.getInt8Ty(), cast<FixedVectorType>(values->getType())));
    size = 8;
  } else {
    low = 0;
  }
  SmallVector<Value *, 16> ballots(unknown.getBitWidth());
  for (unsigned bit = 0; bit < unknown.getBitWidth(); ++bit)
    if (unknown[bit]) {
      Value *mask = ConstantInt::get(values->getType(), APInt::getOneBitSet(size, bit - low));
      Value *isSet = builder.CreateIsNotNull(builder.CreateAnd(values, mask));
      ballots[bit] = builder.CreateBitCast(isSet, builder.getInt32Ty());
    }
  return ballots;
}

} // namespace

/// __match_any_sync where few bits are unknown (a digit, a bin): a ballot for each, of which a lane
/// takes those that voted as it did. `value` holds this program's lanes, `values` the warp's. Where
/// the machine has a table in a register, what lanes with the same few bits take is computed once
/// for each value of these bits:
///
///     peers &= ~(ballot0 ^ bit 0 of the value); ...    ->    table[v] = ballots of v's three bits
///                                                            peers &= table[value]
Value *Matches::matchBits(Value *value, Value *values, const APInt &unknown, Value *peers) {
  Type *i32 = builder_.getInt32Ty();
  SmallVector<Value *, 16> ballots = ballotsOf(builder_, values, unknown);
  unsigned length = e_.width > 1 ? tableLength(e_.context.machine) : 0;
  for (unsigned bit = 0; bit < unknown.getBitWidth(); ++bit) {
    if (!unknown[bit])
      continue;
    unsigned run = 1;
    while (bit + run < unknown.getBitWidth() && unknown[bit + run] && (2u << run) <= length)
      ++run;
    Value *amount = ConstantInt::get(value->getType(), bit);
    if (run > 1) {
      Value *table = nullptr;
      for (unsigned i = 0; i < run; ++i) {
        SmallVector<Constant *, 16> others; // that have the bit, and those that have not
        for (unsigned entry = 0; entry < length; ++entry)
          others.push_back(builder_.getInt32(entry >> i & 1 ? 0 : ~0u));
        Value *same = builder_.CreateXor(builder_.CreateVectorSplat(length, ballots[bit + i]),
                                         ConstantVector::get(others));
        table = table ? builder_.CreateAnd(table, same) : same;
      }
      Value *index =
          builder_.CreateZExtOrTrunc(builder_.CreateLShr(value, amount), e_.vectorType(i32));
      peers = builder_.CreateAnd(peers, emitLookup(builder_, table, index));
      bit += run - 1;
      continue;
    }
    Value *isSet = builder_.CreateTrunc(builder_.CreateLShr(value, amount),
                                        e_.vectorType(builder_.getInt1Ty()));
    Value *others = builder_.CreateXor(values_.splat(ballots[bit]),
                                       builder_.CreateSExt(isSet, e_.vectorType(i32)));
    peers = builder_.CreateAnd(peers, builder_.CreateNot(others)); // that did not vote otherwise
  }
  return peers;
}

Value *Matches::emit(CallInst &call) {
  Value *memberOperand = call.getArgOperand(0);
  Value *value = values_.vector(call.getArgOperand(1));
  if (e_.width > 1) // idle lanes may hold none, which a ballot of all must not see
    value = builder_.CreateFreeze(value);
  Value *values = value, *present = masks_.bits(masks_.active());
  if (e_.width < 32)
    std::tie(values, present) = exchange_.emitPair(call, values_.scalar(memberOperand), value);
  Type *i32 = builder_.getInt32Ty();
  auto equalTo = [&](Value *one) {
    Value *same = builder_.CreateICmpEQ(values, builder_.CreateVectorSplat(32, one));
    return builder_.CreateAnd(builder_.CreateBitCast(same, i32), present);
  };
  bool all = call.getType()->isStructTy();
  if (!all && e_.shapes.isScalar(&call)) // the same in all lanes
    return builder_.CreateAnd(equalTo(values_.scalar(call.getArgOperand(1))),
                              values_.scalar(memberOperand));
  KnownBits known = computeKnownBits(call.getArgOperand(1), e_.module.getDataLayout());
  APInt unknown = ~(known.Zero | known.One);
  // A thread by itself may meet others that come from other instructions, whose bits are unknown.
  if (!all && e_.width > 1 && unknown.popcount() <= MatchedByBits &&
      e_.options.isEnabled("match-bits"))
    return matchBits(value, values, unknown,
                     builder_.CreateAnd(values_.vector(memberOperand), values_.splat(present)));
  if (!all)
    return loops_.forEachLane(e_.vectorType(i32),
                              [&, members = values_.vector(memberOperand)](Value *lane) -> Value * {
                                return builder_.CreateAnd(equalTo(arrays_.extractLane(value, lane)),
                                                          arrays_.extractLane(members, lane));
                              });
  auto matchAll = [&](Value *members) {
    Value *here = builder_.CreateAnd(present, members);
    Value *first = builder_.CreateBinaryIntrinsic(Intrinsic::cttz, here, builder_.getFalse());
    Value *one =
        builder_.CreateExtractElement(values, builder_.CreateAnd(first, builder_.getInt32(31)));
    Value *same = builder_.CreateICmpEQ(builder_.CreateAnd(equalTo(one), here), here);
    Value *pair = PoisonValue::get(call.getType());
    // (Lanes that have ended, or never were, are not in the result: PTX ISA, match.sync.)
    pair = builder_.CreateInsertValue(pair, builder_.CreateSelect(same, here, builder_.getInt32(0)),
                                      0);
    return builder_.CreateInsertValue(pair, same, 1);
  };
  if (e_.shapes.isScalar(&call))
    return matchAll(values_.scalar(memberOperand));
  return loops_.forEachLane(e_.vectorType(call.getType()),
                            [&, members = values_.vector(memberOperand)](Value *lane) -> Value * {
                              return matchAll(arrays_.extractLane(members, lane));
                            });
}

} // namespace heddle::simt
