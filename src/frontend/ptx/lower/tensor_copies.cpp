// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor copies (PTX ISA, "cp.async.bulk.tensor", "cp.reduce.async.bulk.tensor",
// "cp.async.bulk.prefetch.tensor"). Each is a call of the device library (devlib/bulk_copies.cpp),
// which does the work at once, so there is nothing to wait for.
#include "frontend/ptx/memory_modifiers.h"

#include "base/abi/tensor_map.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

/// What all forms have in common: the rank, the mode, the map, the coordinates.
class TensorOperands {
public:
  TensorOperands(Emitter &e, TensorAction action) : e_(e), kind_(unsigned(action)) {
    StringRef rank = e.takeOneOf({"1d", "2d", "3d", "4d", "5d"});
    e.failUnless(!rank.empty(), "expected a number of dimensions");
    rank_ = rank.empty() ? 1 : unsigned(rank[0] - '0');
    StringRef mode = e.takeOneOf({"tile", "im2col", "im2col_no_offs"});
    isIm2col_ = mode.starts_with("im2col");
    hasOffsets_ = mode == "im2col";
    e.failUnless(!isIm2col_ || rank_ >= 3, "im2col needs three dimensions or more");
  }

  bool hasOffsets() const { return hasOffsets_; }
  void setPrefetch() { isPrefetch_ = true; }
  Value *kind() const {
    return e_.number(kind_ | rank_ << 8 | unsigned(isIm2col_) << 16 | unsigned(isPrefetch_) << 17);
  }

  /// The address of the map and the coordinates, of operand i.
  Value *map(unsigned i) {
    coordinates_ = e_.operand(i).coordinates;
    e_.failUnless(coordinates_.size() == rank_, "expected " + Twine(rank_) + " coordinates");
    return e_.address(i, "");
  }

  /// The coordinates, zeros behind them, and the offsets of operand i as 16 bits each.
  void append(SmallVectorImpl<Value *> &arguments, unsigned offsetsOperand) {
    for (unsigned d = 0; d < TensorMap::MostRank; ++d)
      arguments.push_back(d < coordinates_.size()
                              ? e_.read(coordinates_[d], {"s32", TypeKind::Signed, 32, 1})
                              : e_.number(0));
    Value *packed = e_.number(0, 64);
    if (hasOffsets_) {
      SmallVector<Operand, 8> offsets = e_.elements(offsetsOperand);
      e_.failUnless(offsets.size() == rank_ - 2,
                    "expected " + Twine(rank_ - 2) + " im2col offsets");
      for (auto [d, offset] : enumerate(offsets)) {
        Value *bits = e_.read(offset, {"u16", TypeKind::Unsigned, 16, 1});
        packed = e_.b.CreateOr(
            packed, e_.b.CreateShl(e_.b.CreateZExt(bits, e_.b.getInt64Ty()), 16 * uint64_t(d)));
      }
    }
    arguments.push_back(packed);
  }

private:
  Emitter &e_;
  unsigned kind_, rank_ = 1;
  bool isIm2col_, hasOffsets_, isPrefetch_ = false;
  ArrayRef<Operand> coordinates_;
};

/// [shared], [map, coordinates], [barrier] {, offsets} {, blocks} {, policy}
void lowerLoad(Emitter &e, TensorOperands &tensor, StringRef space) {
  e.failUnless(e.take("mbarrier::complete_tx::bytes"), "expected how the copy's end is told");
  bool isMulticast = e.take("multicast::cluster");
  takeCacheHints(e);
  Value *map = tensor.map(1);
  SmallVector<Value *, 12> arguments = {tensor.kind(), map, e.address(0, space),
                                        e.address(2, space)};
  unsigned next = tensor.hasOffsets() ? 4 : 3;
  if (isMulticast)
    arguments.push_back(e.b.CreateZExt(e.bits(next, 16), e.b.getInt32Ty()));
  tensor.append(arguments, 3);
  e.library(isMulticast ? "__heddle_tensor_multicast" : "__heddle_tensor_load", e.b.getVoidTy(),
            arguments, /*readsNothing=*/false);
}

/// [map, coordinates], [shared] {, policy}
void lowerStore(Emitter &e, TensorOperands &tensor, StringRef space) {
  e.failUnless(e.take("bulk_group"), "expected .bulk_group");
  e.failUnless(!tensor.hasOffsets(), "expected .im2col_no_offs");
  takeCacheHints(e);
  Value *map = tensor.map(0);
  SmallVector<Value *, 10> arguments = {tensor.kind(), map, e.address(1, space)};
  tensor.append(arguments, 0);
  e.library("__heddle_tensor_store", e.b.getVoidTy(), arguments, /*readsNothing=*/false);
}

} // namespace

void lowerTensorCopy(Emitter &e) {
  StringRef to = takeSpace(e), from = takeSpace(e);
  bool isStore = to == "global";
  TensorOperands tensor(e, isStore ? TensorAction::Store : TensorAction::Load);
  e.failUnless(isStore ? from == "shared" : to.starts_with("shared") && from == "global",
               "expected .global and .shared, or the reverse");
  isStore ? lowerStore(e, tensor, from) : lowerLoad(e, tensor, to);
}

void lowerTensorReduction(Emitter &e) {
  e.failUnless(takeSpace(e) == "global" && takeSpace(e) == "shared",
               "expected .global and .shared");
  StringRef name = e.takeOneOf({"add", "min", "max", "inc", "dec", "and", "or", "xor"});
  e.failUnless(!name.empty(), "expected an operation");
  TensorOperands tensor(e, StringSwitch<TensorAction>(name)
                               .Case("add", TensorAction::Add)
                               .Case("min", TensorAction::Min)
                               .Case("max", TensorAction::Max)
                               .Case("inc", TensorAction::Inc)
                               .Case("dec", TensorAction::Dec)
                               .Case("and", TensorAction::And)
                               .Case("or", TensorAction::Or)
                               .Default(TensorAction::Xor));
  lowerStore(e, tensor, "shared");
}

/// [map, coordinates] {, offsets} {, policy}: the map is looked at, nothing moves.
void lowerTensorPrefetch(Emitter &e) {
  e.failUnless(e.take("L2"), "expected .L2");
  e.failUnless(takeSpace(e) == "global", "expected .global");
  TensorOperands tensor(e, TensorAction::Load);
  tensor.setPrefetch();
  takeCacheHints(e);
  Value *map = tensor.map(0);
  SmallVector<Value *, 10> arguments = {tensor.kind(), map,
                                        ConstantPointerNull::get(e.b.getPtrTy())};
  tensor.append(arguments, 1);
  e.library("__heddle_tensor_store", e.b.getVoidTy(), arguments, /*readsNothing=*/false);
}

} // namespace heddle::frontend::ptx
