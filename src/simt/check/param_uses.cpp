// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/check/param_uses.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace heddle::simt {

std::optional<ParamUses::Affine> ParamUses::affine(Value *value, unsigned depth) const {
  if (auto *number = dyn_cast<ConstantInt>(value))
    return number->getBitWidth() <= 64 ? std::optional(Affine{number->getSExtValue(), 0, 0})
                                       : std::nullopt;
  if (value == blockIdx_[0])
    return Affine{0, 0, 1};
  if (threadDimension(value) == 0u)
    return Affine{0, 1, 0};
  auto *user = dyn_cast<Instruction>(value);
  if (!user || depth == 0)
    return std::nullopt;
  if (isa<SExtInst, ZExtInst, FreezeInst>(user))
    return affine(user->getOperand(0), depth - 1);
  auto *operation = dyn_cast<BinaryOperator>(user);
  if (!operation)
    return std::nullopt;
  auto a = affine(operation->getOperand(0), depth - 1);
  auto b = affine(operation->getOperand(1), depth - 1);
  if (!a || !b)
    return std::nullopt;
  auto times = [](const Affine &x, int64_t n) {
    return Affine{x.constant * n, x.thread * n, x.block * n};
  };
  auto plus = [](const Affine &x, const Affine &y) {
    return Affine{x.constant + y.constant, x.thread + y.thread, x.block + y.block};
  };
  auto isConstant = [](const Affine &x) { return x.thread == 0 && x.block == 0; };
  auto isSmall = [](const Affine &x) { return x.constant >= -(1 << 20) && x.constant <= 1 << 20; };
  switch (operation->getOpcode()) {
  case Instruction::Add:
    return plus(*a, *b);
  case Instruction::Sub:
    return plus(*a, times(*b, -1));
  case Instruction::Or:
    return cast<PossiblyDisjointInst>(operation)->isDisjoint() ? std::optional(plus(*a, *b))
                                                               : std::nullopt;
  case Instruction::Mul:
    if (isConstant(*b) && isSmall(*b))
      return times(*a, b->constant);
    return isConstant(*a) && isSmall(*a) ? std::optional(times(*b, a->constant)) : std::nullopt;
  case Instruction::Shl:
    return isConstant(*b) && b->constant >= 0 && b->constant <= 20
               ? std::optional(times(*a, int64_t(1) << b->constant))
               : std::nullopt;
  default:
    return std::nullopt;
  }
}

std::optional<ParamUses::Affine> ParamUses::offsetOf(Value *pointer, Value *root) const {
  Affine offset;
  const DataLayout *layout = nullptr;
  for (unsigned i = 0; i < 16; ++i) {
    if (pointer == root)
      return offset;
    if (isa<AddrSpaceCastInst, FreezeInst>(pointer)) {
      pointer = cast<Instruction>(pointer)->getOperand(0);
      continue;
    }
    auto *gep = dyn_cast<GetElementPtrInst>(pointer);
    if (!gep)
      return std::nullopt;
    layout = &gep->getDataLayout();
    SmallMapVector<Value *, APInt, 4> terms;
    APInt constant(64, 0);
    if (!cast<GEPOperator>(gep)->collectOffset(*layout, 64, terms, constant))
      return std::nullopt;
    offset.constant += constant.getSExtValue();
    for (auto &[value, scale] : terms) {
      auto term = affine(value, 8);
      if (!term)
        return std::nullopt;
      offset.constant += term->constant * scale.getSExtValue();
      offset.thread += term->thread * scale.getSExtValue();
      offset.block += term->block * scale.getSExtValue();
    }
    pointer = gep->getPointerOperand();
  }
  return std::nullopt;
}

/// All accesses of a thread are in a window of its own, `step` bytes behind that of the thread
/// before.
void ParamUses::addOwn(Use &use, std::optional<Affine> offset, uint64_t bytes) const {
  bool isOwn = offset && blockDim_[1] == 1 && blockDim_[2] == 1 && offset->thread > 0 &&
               offset->block == offset->thread * int64_t(blockDim_[0]) && bytes > 0 &&
               bytes <= uint64_t(offset->thread);
  if (!isOwn || (use.step && use.step != offset->thread)) {
    use.isOwn = false;
    return;
  }
  int64_t low = offset->constant, high = low + int64_t(bytes);
  use.low = use.step ? std::min(use.low, low) : low;
  use.high = use.step ? std::max(use.high, high) : high;
  use.step = offset->thread;
  use.isOwn &= use.high - use.low <= use.step;
}

void ParamUses::add(unsigned param, Value *pointer, Value *root, AccessKind kind, uint64_t bytes) {
  Use &use = uses_[param];
  use.isWritten |= kind != AccessKind::Read;
  if (use.isOwn)
    addOwn(use, root ? offsetOf(pointer, root) : std::nullopt, bytes);
}

void ParamUses::addUnknown(AccessKind kind) {
  (kind == AccessKind::Read ? readsUnknown_ : writesUnknown_) = true;
}

ParamUse ParamUses::of(unsigned param) const {
  auto use = uses_.find(param);
  if (use == uses_.end() || writesUnknown_)
    return ParamUse::Shared;
  if (!use->second.isWritten)
    return ParamUse::Read;
  return use->second.isOwn && !readsUnknown_ ? ParamUse::Own : ParamUse::Shared;
}

} // namespace heddle::simt
