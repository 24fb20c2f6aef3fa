// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules for bits are those of MemorySanitizer (Stepanov and Serebryany, "MemorySanitizer: fast
// detector of uninitialized memory use in C++", CGO 2015), for what hands values on; arithmetic is
// a use.
#include "simt/check/unwritten_values.h"

#include "simt/analysis/intrinsics.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace heddle::simt {

namespace {

/// A shuffle of one word without a predicate, whose shadow is shuffled in the same way. The operand
/// with the value.
constexpr unsigned ShuffledValue = 1;
bool isShuffle(const CallInst &call) {
  return callKind(call) == CallKind::Shuffle && call.getType()->getScalarSizeInBits() == 32 &&
         !call.getType()->isStructTy() && call.arg_size() == 4 &&
         call.getCalledFunction()->getName().contains(".sync.");
}

UnwrittenValues::UseKind kindInCall(const CallInst &call, unsigned operand) {
  using UseKind = UnwrittenValues::UseKind;
  switch (callKind(call)) {
  case CallKind::Drop:
  case CallKind::FloatCheck:
  case CallKind::Fetch:
  case CallKind::Aligned:
  case CallKind::Trap:
  case CallKind::BadCall:
  case CallKind::AssertFail:
  case CallKind::Shadow:
  case CallKind::Uninitialized:
  case CallKind::ShadowCopy:
  case CallKind::MbarrierNote:
  case CallKind::AsyncNote:
    return UseKind::None;
  case CallKind::Device: // may use it or not
  case CallKind::Indirect:
    return operand == call.arg_size() ? UseKind::Uses : UseKind::None;
  case CallKind::Shuffle:
    return isShuffle(call) && operand == ShuffledValue ? UseKind::HandsOn : UseKind::Uses;
  default:
    return UseKind::Uses;
  }
}

/// All that is made of a value is chosen or dropped by a condition: the compiler has computed it in
/// front of the branch that it is for.
///
///     if (t < n) x = in[t] + 1;    ->    x' = in[t] + 1;  x = t < n ? x' : x
bool isOnlyChosen(const Instruction &value, unsigned depth = 6) {
  if (value.use_empty() || isa<PHINode, LoadInst>(value) || !isSafeToSpeculativelyExecute(&value) ||
      !shadowType(value.getType(), value.getDataLayout()))
    return false;
  return all_of(value.uses(), [&](const Use &use) {
    const auto *user = cast<Instruction>(use.getUser());
    if (isa<SelectInst>(user))
      return use.getOperandNo() != 0 || user->getType()->isIntegerTy(1);
    bool isLogical = user->getOpcode() == Instruction::And || user->getOpcode() == Instruction::Or;
    if (isLogical && user->getType()->isIntegerTy(1)) // the other condition may decide
      return true;
    return depth && isOnlyChosen(*user, depth - 1);
  });
}

/// Hands on all bits of its operand.
bool keepsAll(const Instruction &instruction) {
  return isa<BitCastInst, ZExtInst, SExtInst, FreezeInst, PtrToIntInst, IntToPtrInst,
             AddrSpaceCastInst>(instruction);
}

} // namespace

Type *shadowType(Type *type, const DataLayout &layout) {
  if (type->isPointerTy())
    return layout.getIntPtrType(type);
  if (!type->isIntegerTy() && !type->isFloatingPointTy())
    return nullptr;
  unsigned bits = unsigned(type->getPrimitiveSizeInBits().getFixedValue());
  return bits && bits <= 128 && bits != 80 ? Type::getIntNTy(type->getContext(), bits) : nullptr;
}

UnwrittenValues::UnwrittenValues(Function &function)
    : function_(function), dominators_(function), loops_(dominators_), ends_(function) {}

bool UnwrittenValues::isAtHand(const Instruction &value, const Instruction &user) const {
  const Loop *loop = loops_.getLoopFor(value.getParent());
  return (!loop || loop->contains(&user)) && dominators_.dominates(&value, &user);
}

UnwrittenValues::UseKind UnwrittenValues::kindOf(const Use &use) {
  const auto *user = cast<Instruction>(use.getUser());
  if (!shadowType(use->getType(), user->getDataLayout()))
    return UseKind::Uses;
  if (isa<PHINode>(user) || keepsAll(*user) || isa<TruncInst>(user))
    return UseKind::HandsOn;
  if (isa<SelectInst>(user))
    return use.getOperandNo() == 0 && !user->getType()->isIntegerTy(1) ? UseKind::Uses
                                                                       : UseKind::HandsOn;
  if (isa<ReturnInst>(user))
    return UseKind::None;
  if (isa<StoreInst>(user))
    return use.getOperandNo() == 0 ? UseKind::HandsOn : UseKind::Uses;
  if (auto *rmw = dyn_cast<AtomicRMWInst>(user))
    return rmw->getOperation() == AtomicRMWInst::Xchg && use.getOperandNo() == 1 ? UseKind::HandsOn
                                                                                 : UseKind::Uses;
  if (auto *call = dyn_cast<CallInst>(user)) {
    UseKind kind = kindInCall(*call, use.getOperandNo());
    bool isArithmetic = callKind(*call) == CallKind::Widen; // a minimum, in place of a choice
    return kind == UseKind::Uses && isArithmetic && isOnlyChosen(*call) ? UseKind::HandsOn : kind;
  }
  switch (user->getOpcode()) {
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
    return UseKind::HandsOn;
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
    if (isa<ConstantInt>(user->getOperand(1)))
      return UseKind::HandsOn;
    [[fallthrough]];
  default:
    return isOnlyChosen(*user) ? UseKind::HandsOn : UseKind::Uses;
  }
}

bool UnwrittenValues::isUsedAnyway(const Instruction &load) const {
  SmallVector<const Value *, 8> open = {&load};
  while (!open.empty())
    for (const Use &use : open.pop_back_val()->uses()) {
      const auto *user = cast<Instruction>(use.getUser());
      UseKind kind = kindOf(use);
      bool isSure = user->getParent() == load.getParent() ||
                    ends_.dominates(user->getParent(), load.getParent());
      if (isa<PHINode>(user) || !isSure)
        continue;
      if (kind == UseKind::Uses)
        return true;
      if (keepsAll(*user))
        open.push_back(user);
    }
  return false;
}

void UnwrittenValues::addSource(Instruction &load, Value *shadow) {
  shadows_[&load] = shadow;
  origins_[&load] = &load;
}

void UnwrittenValues::collect() {
  SmallVector<Value *, 16> open;
  for (auto &[value, shadow] : shadows_)
    open.push_back(value);
  while (!open.empty())
    for (Use &use : open.pop_back_val()->uses()) {
      UseKind kind = kindOf(use);
      auto *user = cast<Instruction>(use.getUser());
      if (kind == UseKind::Uses)
        uses_.push_back(&use);
      if (kind != UseKind::HandsOn || user->getType()->isVoidTy() || isa<AtomicRMWInst>(user))
        continue;
      if (!shadowType(user->getType(), user->getDataLayout()))
        uses_.push_back(&use);
      else if (shadows_.insert({user, nullptr}).second)
        open.push_back(user);
    }
}

Value *UnwrittenValues::shadowOf(Value *value) const { return shadows_.lookup(value); }

Value *UnwrittenValues::shadowOr0(Value *value) const {
  if (Value *shadow = shadows_.lookup(value))
    return shadow;
  return Constant::getNullValue(shadowType(value->getType(), function_.getDataLayout()));
}

/// Behind the instruction, whose operands have theirs.
Value *UnwrittenValues::makeShadow(Instruction &instruction) {
  IRBuilder<> builder(instruction.getNextNode());
  builder.SetCurrentDebugLocation(instruction.getDebugLoc());
  Type *type = shadowType(instruction.getType(), function_.getDataLayout());
  auto of = [&](unsigned i) { return shadowOr0(instruction.getOperand(i)); };
  if (isa<SExtInst>(instruction))
    return builder.CreateSExt(of(0), type);
  if (isa<TruncInst>(instruction) || keepsAll(instruction))
    return builder.CreateZExtOrTrunc(of(0), type);
  if (auto *select = dyn_cast<SelectInst>(&instruction)) {
    Value *shadow = builder.CreateSelect(select->getCondition(), of(1), of(2));
    if (!type->isIntegerTy(1) || !shadowOf(select->getCondition()))
      return shadow;
    // Of conditions: which one is chosen does not matter where both are the same.
    Value *differ = builder.CreateXor(select->getTrueValue(), select->getFalseValue());
    differ = builder.CreateOr(differ, builder.CreateOr(of(1), of(2)));
    return builder.CreateOr(shadow, builder.CreateAnd(of(0), differ));
  }
  if (auto *call = dyn_cast<CallInst>(&instruction); call && isShuffle(*call)) {
    Intrinsic::ID id = call->getIntrinsicID();
    switch (id) {
    case Intrinsic::nvvm_shfl_sync_down_f32:
      id = Intrinsic::nvvm_shfl_sync_down_i32;
      break;
    case Intrinsic::nvvm_shfl_sync_up_f32:
      id = Intrinsic::nvvm_shfl_sync_up_i32;
      break;
    case Intrinsic::nvvm_shfl_sync_bfly_f32:
      id = Intrinsic::nvvm_shfl_sync_bfly_i32;
      break;
    case Intrinsic::nvvm_shfl_sync_idx_f32:
      id = Intrinsic::nvvm_shfl_sync_idx_i32;
      break;
    default:
      break;
    }
    SmallVector<Value *, 4> arguments(call->args());
    arguments[ShuffledValue] = of(ShuffledValue);
    return builder.CreateIntrinsic(id, {}, arguments);
  }
  Value *a = instruction.getOperand(0);
  Value *b = instruction.getNumOperands() > 1 ? instruction.getOperand(1) : a;
  switch (instruction.getOpcode()) {
  case Instruction::Xor:
    return builder.CreateOr(of(0), of(1));
  case Instruction::And:  // a 0 decides
  case Instruction::Or: { // a 1 decides
    bool isAnd = instruction.getOpcode() == Instruction::And;
    auto undecided = [&](Value *other) { return isAnd ? other : builder.CreateNot(other); };
    Value *both = builder.CreateAnd(of(0), of(1));
    Value *left = builder.CreateAnd(of(0), undecided(b));
    Value *right = builder.CreateAnd(undecided(a), of(1));
    return builder.CreateOr(both, builder.CreateOr(left, right));
  }
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
    if (isa<ConstantInt>(b))
      return builder.CreateBinOp(cast<BinaryOperator>(instruction).getOpcode(), of(0), b);
    [[fallthrough]];
  default:
    return ofAny(builder, instruction);
  }
}

/// Arithmetic: all bits, if any of an operand's is.
Value *UnwrittenValues::ofAny(IRBuilder<> &builder, Instruction &instruction) const {
  Value *any = builder.getFalse();
  for (Value *operand : instruction.operands())
    if (Value *shadow = shadowOf(operand))
      any = builder.CreateOr(any, builder.CreateIsNotNull(shadow));
  return builder.CreateSExt(any, shadowType(instruction.getType(), function_.getDataLayout()));
}

void UnwrittenValues::findOrigins() {
  for (bool isNew = true; isNew;) {
    isNew = false;
    for (auto &[value, shadow] : shadows_) {
      auto *instruction = cast<Instruction>(value);
      if (origins_.count(value))
        continue;
      Instruction *origin = nullptr;
      bool isOne = true;
      for (Value *operand : instruction->operands())
        if (shadows_.count(operand)) {
          auto known = origins_.find(operand);
          if (known == origins_.end()) // a loop, or not yet
            continue;
          isOne &= known->second && (!origin || origin == known->second);
          origin = known->second;
        }
      if (origin || !isOne) {
        origins_[value] = isOne ? origin : nullptr;
        isNew = true;
      }
    }
  }
}

void UnwrittenValues::solve() {
  collect();
  findOrigins();
  SmallVector<PHINode *, 8> phis;
  ReversePostOrderTraversal<Function *> order(&function_);
  SmallVector<Instruction *, 32> todo;
  for (BasicBlock *block : order)
    for (Instruction &instruction : *block)
      if (auto found = shadows_.find(&instruction); found != shadows_.end() && !found->second)
        todo.push_back(&instruction);
  for (Instruction *instruction : todo)
    if (auto *phi = dyn_cast<PHINode>(instruction)) {
      Type *type = shadowType(phi->getType(), function_.getDataLayout());
      auto *shadow = PHINode::Create(type, phi->getNumIncomingValues(), "", phi->getIterator());
      shadow->setDebugLoc(phi->getDebugLoc());
      shadows_[phi] = shadow;
      phis.push_back(phi);
    }
  for (Instruction *instruction : todo)
    if (!isa<PHINode>(instruction))
      shadows_[instruction] = makeShadow(*instruction);
  for (PHINode *phi : phis)
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i)
      cast<PHINode>(shadows_[phi])
          ->addIncoming(shadowOr0(phi->getIncomingValue(i)), phi->getIncomingBlock(i));
}

} // namespace heddle::simt
