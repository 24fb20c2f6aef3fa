// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it does: frame_alias_scopes.h. A program that walks from plane to plane can then store each
// result when it is there, and none waits on the stack. That matters where the registers do not
// hold the results (AVX2).
//
// Legality (frame-alias-scopes):
//  1. The address of shared memory, or of a variable of the frame, goes nowhere but into accesses.
//     [address stays]
//  2. An access belongs to an object if its address is computed from that object alone.
//     [known origin]
#include "simt/entry/frame_alias_scopes.h"

#include "simt/shared/promote_shared.h"

#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned MostOrigins = 32; ///< values looked at from an address

Value *addressOfVectorAccess(Instruction &instruction) {
  if (Value *pointer = getLoadStorePointerOperand(&instruction))
    return pointer;
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  switch (call ? call->getIntrinsicID() : Intrinsic::not_intrinsic) {
  case Intrinsic::masked_load:
  case Intrinsic::masked_gather:
    return call->getArgOperand(0);
  case Intrinsic::masked_store:
  case Intrinsic::masked_scatter:
    return call->getArgOperand(1);
  default:
    return nullptr;
  }
}

class Scopes {
public:
  Scopes(Function &function, ArrayRef<Value *> objects) : context_(function.getContext()) {
    MDBuilder metadata(context_);
    MDNode *domain = metadata.createAnonymousAliasScopeDomain(function.getName());
    for (Value *object : objects)
      scopes_[object] = metadata.createAnonymousAliasScope(domain);
  }

  void mark(Instruction &access) {
    Value *address = addressOfVectorAccess(access);
    SmallPtrSet<Value *, 8> origins, seen;
    if (!address || !findOrigins(*address, origins, seen))
      return;
    SmallVector<Metadata *, 4> others;
    MDNode *own = nullptr;
    for (auto &[object, scope] : scopes_) {
      if (!origins.contains(object))
        others.push_back(scope);
      else if (origins.size() == 1)
        own = scope;
    }
    if (own)
      add(access, LLVMContext::MD_alias_scope, own);
    for (Metadata *scope : others)
      add(access, LLVMContext::MD_noalias, scope);
  }

private:
  void add(Instruction &access, unsigned kind, Metadata *scope) {
    access.setMetadata(
        kind, MDNode::concatenate(access.getMetadata(kind), MDNode::get(context_, {scope})));
  }

  /// What an address is computed from. False if it may be anything.
  bool findOrigins(Value &value, SmallPtrSetImpl<Value *> &origins,
                   SmallPtrSetImpl<Value *> &seen) {
    if (!seen.insert(&value).second)
      return true;
    if (seen.size() > MostOrigins)
      return false;
    auto *instruction = dyn_cast<Instruction>(&value);
    bool isEnd = scopes_.contains(&value) || isa<Constant, Argument>(value) ||
                 isa_and_nonnull<AllocaInst, LoadInst>(instruction);
    if (isEnd && !isa<PoisonValue>(value))
      origins.insert(&value);
    if (isEnd)
      return true;
    if (auto *address = dyn_cast<GetElementPtrInst>(&value))
      return findOrigins(*address->getPointerOperand(), origins, seen);
    if (!isa_and_nonnull<ExtractElementInst, InsertElementInst, ShuffleVectorInst, PHINode,
                         SelectInst>(instruction))
      return false;
    return all_of(instruction->operands(), [&](Value *operand) {
      return !operand->getType()->isPtrOrPtrVectorTy() || findOrigins(*operand, origins, seen);
    });
  }

  LLVMContext &context_;
  MapVector<Value *, MDNode *> scopes_;
};

} // namespace

void addFrameAliasScopes(Function &function, bool sharedIsApart) {
  SmallVector<Value *, 4> objects;
  Instruction *shared = sharedIsApart ? findSharedMemory(function) : nullptr;
  if (shared)
    objects.push_back(shared);
  for (Instruction &instruction : instructions(function))
    if (isa<AllocaInst>(instruction) &&
        !PointerMayBeCaptured(&instruction, /*ReturnCaptures=*/true))
      objects.push_back(&instruction);
  if (objects.empty())
    return;
  Scopes scopes(function, objects);
  for (Instruction &instruction : instructions(function))
    scopes.mark(instruction);
}

} // namespace heddle::simt
