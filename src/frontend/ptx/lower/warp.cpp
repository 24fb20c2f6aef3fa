// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of a warp's threads with each other (PTX ISA, "vote.sync", "shfl.sync", "match.sync",
// "redux.sync", "activemask", "elect.sync"): the NVVM intrinsics that simt widens. The old forms
// without .sync are those of the active threads.
#include "frontend/ptx/emitter.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

/// Operand i, or the active threads where the instruction has no .sync.
Value *members(Emitter &e, bool isSync, unsigned i) {
  return isSync ? e.bits(i, 32) : e.intrinsic(Intrinsic::nvvm_activemask, {});
}

/// d|p, or d alone, from a pair.
void writePair(Emitter &e, Value *pair) {
  const Operand &target = e.operand(0);
  bool isPair = target.kind == Operand::Pair;
  e.write(isPair ? target.elements[0] : target, e.b.CreateExtractValue(pair, 0));
  if (isPair)
    e.write(target.elements[1], e.b.CreateExtractValue(pair, 1));
}

} // namespace

void lowerVote(Emitter &e) {
  bool isSync = e.take("sync");
  StringRef mode = e.takeOneOf({"all", "any", "uni", "ballot"});
  PtxType type = e.takeType();
  e.failUnless(type == (mode == "ballot" ? "b32" : "pred"), "expected another type");
  Intrinsic::ID id = StringSwitch<Intrinsic::ID>(mode)
                         .Case("all", Intrinsic::nvvm_vote_all_sync)
                         .Case("any", Intrinsic::nvvm_vote_any_sync)
                         .Case("uni", Intrinsic::nvvm_vote_uni_sync)
                         .Default(Intrinsic::nvvm_vote_ballot_sync);
  Value *a = e.predicate(1);
  e.write(0, e.intrinsic(id, {members(e, isSync, 2), a}));
}

void lowerShuffle(Emitter &e) {
  bool isSync = e.take("sync");
  StringRef mode = e.takeOneOf({"up", "down", "bfly", "idx"});
  e.failUnless(e.take("b32") && !mode.empty(), "expected .up, .down, .bfly or .idx, and .b32");
  bool hasPredicate = e.operand(0).kind == Operand::Pair;
  auto choose = [&](Intrinsic::ID plain, Intrinsic::ID pair) {
    return hasPredicate ? pair : plain;
  };
  Intrinsic::ID id =
      mode == "up" ? choose(Intrinsic::nvvm_shfl_sync_up_i32, Intrinsic::nvvm_shfl_sync_up_i32p)
      : mode == "down"
          ? choose(Intrinsic::nvvm_shfl_sync_down_i32, Intrinsic::nvvm_shfl_sync_down_i32p)
      : mode == "bfly"
          ? choose(Intrinsic::nvvm_shfl_sync_bfly_i32, Intrinsic::nvvm_shfl_sync_bfly_i32p)
          : choose(Intrinsic::nvvm_shfl_sync_idx_i32, Intrinsic::nvvm_shfl_sync_idx_i32p);
  Value *a = e.bits(1, 32), *lane = e.bits(2, 32), *c = e.bits(3, 32);
  Value *result = e.intrinsic(id, {members(e, isSync, 4), a, lane, c});
  hasPredicate ? writePair(e, result) : e.write(0, result);
}

void lowerMatch(Emitter &e) {
  StringRef mode = e.takeOneOf({"any", "all"});
  e.failUnless(e.take("sync") && !mode.empty(), "expected .any.sync or .all.sync");
  PtxType type = e.takeType();
  e.failUnless(type == "b32" || type == "b64", "expected .b32 or .b64");
  Value *a = e.read(1, type), *mask = e.bits(2, 32);
  bool isLong = type == "b64";
  if (mode == "all")
    return writePair(e, e.intrinsic(isLong ? Intrinsic::nvvm_match_all_sync_i64p
                                           : Intrinsic::nvvm_match_all_sync_i32p,
                                    {mask, a}));
  e.write(0, e.intrinsic(isLong ? Intrinsic::nvvm_match_any_sync_i64
                                : Intrinsic::nvvm_match_any_sync_i32,
                         {mask, a}));
}

void lowerRedux(Emitter &e) {
  e.take("sync");
  StringRef operation = e.takeOneOf({"add", "min", "max", "and", "or", "xor"});
  PtxType type = e.takeType();
  bool isSigned = type.isSigned();
  Intrinsic::ID id =
      StringSwitch<Intrinsic::ID>(operation)
          .Case("add", Intrinsic::nvvm_redux_sync_add)
          .Case("min", isSigned ? Intrinsic::nvvm_redux_sync_min : Intrinsic::nvvm_redux_sync_umin)
          .Case("max", isSigned ? Intrinsic::nvvm_redux_sync_max : Intrinsic::nvvm_redux_sync_umax)
          .Case("and", Intrinsic::nvvm_redux_sync_and)
          .Case("or", Intrinsic::nvvm_redux_sync_or)
          .Default(Intrinsic::nvvm_redux_sync_xor);
  if (operation.empty() || !type.isInteger() || type.bits() != 32)
    return e.fail("expected an operation of 32-bit integers");
  e.write(0, e.intrinsic(id, {e.read(1, type), e.bits(2, 32)}));
}

void lowerActivemask(Emitter &e) {
  e.failUnless(e.take("b32"), "expected .b32");
  e.write(0, e.intrinsic(Intrinsic::nvvm_activemask, {}));
}

/// The first of the members.
void lowerElect(Emitter &e) {
  e.failUnless(e.take("sync"), "expected .sync");
  Value *mask = e.bits(1, 32);
  e.intrinsic(Intrinsic::nvvm_bar_warp_sync, {mask});
  Value *leader = e.b.CreateBinaryIntrinsic(Intrinsic::cttz, mask, e.b.getFalse());
  Value *lane = e.intrinsic(Intrinsic::nvvm_read_ptx_sreg_laneid, {});
  const Operand &target = e.operand(0);
  if (target.kind != Operand::Pair)
    return e.fail("expected d|p");
  e.write(target.elements[0], leader);
  e.write(target.elements[1], e.b.CreateICmpEQ(lane, leader));
}

} // namespace heddle::frontend::ptx
