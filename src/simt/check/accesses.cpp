// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/check/accesses.h"

#include "simt/analysis/intrinsics.h"
#include "simt/analysis/pass_notes.h"
#include "simt/lower/lower_device.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace heddle::simt {

// What PTX says, or the name of an atomic function of CUDA's (atomicAdd, atomicAdd_block), or of
// one of our headers' for cuda::atomic (atomic_load<int, (...thread_scope)2>): nothing else is left
// of that.
AccessScope scopeOf(const Instruction &instruction) {
  if (AccessScope scope = FenceScope.get(instruction); scope != AccessScope::System)
    return scope;
  const DILocation *at = instruction.getDebugLoc().get();
  const DISubprogram *function = at ? at->getScope()->getSubprogram() : nullptr;
  StringRef name = function ? function->getName() : "";
  if (!name.consume_front("atomic") || name.empty())
    return AccessScope::System;
  if (name.contains("_block") || name.ends_with("thread_scope)2>"))
    return AccessScope::Block;
  bool isOfDevice = isUpper(name.front()) && !name.contains("_system");
  return isOfDevice || name.ends_with("thread_scope)1>") ? AccessScope::Device
                                                         : AccessScope::System;
}

bool onlySamples(const Function &function) {
  return !function.isDeclaration() && function.getName().starts_with("__heddle_texture_any");
}

bool isSample(const CallInst &call) {
  const Function *callee = call.getCalledFunction();
  return callee && onlySamples(*callee);
}

bool isOurs(const LoadInst &load, const Function &function) {
  const Value *base = load.getPointerOperand()->stripInBoundsConstantOffsets();
  return load.hasMetadata(LLVMContext::MD_invariant_load) &&
         (base == function.getArg(ParamLaunch) || base == function.getArg(ParamBlock) ||
          load.hasMetadata(LLVMContext::MD_nonnull));
}

namespace {

/// What the launch, the block and its warps are described by, and tables of the device library.
bool isRunners(const Value *pointer, const Function &function) {
  const Value *object = getUnderlyingObject(pointer, /*MaxLookup=*/0);
  return object == function.getArg(ParamLaunch) || object == function.getArg(ParamBlock) ||
         isa<GlobalVariable>(object);
}

bool isParamBlock(const Value *pointer, const Function &function) {
  const auto *load = dyn_cast<LoadInst>(pointer);
  return load && isOurs(*load, function) &&
         load->getPointerOperand()->stripInBoundsConstantOffsets() == function.getArg(ParamLaunch);
}

} // namespace

void collectAccesses(Instruction &instruction, SmallVectorImpl<Access> &accesses) {
  const Function &function = *instruction.getFunction();
  const DataLayout &layout = function.getDataLayout();
  if (LibraryAccess.isOn(instruction))
    return;
  auto add = [&](Use &pointer, AccessKind kind, uint64_t bytes, uint64_t align,
                 Value *length = nullptr) {
    if (!isRunners(pointer.get(), function))
      accesses.push_back({&instruction, &pointer, length, bytes, align, kind});
  };
  if (auto *load = dyn_cast<LoadInst>(&instruction)) {
    const Value *base = load->getPointerOperand()->stripInBoundsConstantOffsets();
    if (isOurs(*load, function) ||
        (isParamBlock(base, function) && load->hasMetadata(LLVMContext::MD_invariant_load)))
      return;
    add(load->getOperandUse(0), AccessKind::Read, layout.getTypeStoreSize(load->getType()),
        load->getAlign().value());
  } else if (auto *store = dyn_cast<StoreInst>(&instruction)) {
    add(store->getOperandUse(1), AccessKind::Write,
        layout.getTypeStoreSize(store->getValueOperand()->getType()), store->getAlign().value());
  } else if (auto *rmw = dyn_cast<AtomicRMWInst>(&instruction)) {
    add(rmw->getOperandUse(0), AccessKind::Atomic,
        layout.getTypeStoreSize(rmw->getValOperand()->getType()), rmw->getAlign().value());
  } else if (auto *swap = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
    add(swap->getOperandUse(0), AccessKind::Atomic,
        layout.getTypeStoreSize(swap->getNewValOperand()->getType()), swap->getAlign().value());
  } else if (auto *memory = dyn_cast<MemIntrinsic>(&instruction)) {
    add(memory->getOperandUse(0), AccessKind::Write, 0, memory->getDestAlign().valueOrOne().value(),
        memory->getLength());
    if (auto *copy = dyn_cast<MemTransferInst>(memory))
      add(copy->getOperandUse(1), AccessKind::Read, 0, copy->getSourceAlign().valueOrOne().value(),
          copy->getLength());
  } else if (auto *call = dyn_cast<CallInst>(&instruction)) {
    switch (callKind(*call)) {
    case CallKind::LoadPair:
      return add(call->getOperandUse(0), AccessKind::Read, 16, 16);
    case CallKind::StorePair:
      return add(call->getOperandUse(0), AccessKind::Write, 16, 16);
    case CallKind::Cas128:
      return add(call->getOperandUse(0), AccessKind::Atomic, 16, 16);
    case CallKind::Allocate:
    case CallKind::Release: // widen lets the device see where they are
      if (call->getCalledFunction()->getName().starts_with("heddle.")) // of local memory
        return;
      return CheckedSite.put(*call, {0, 1, AccessKind::Write, AccessSpace::Generic, false, {}});
    default:
      return;
    }
  }
}

} // namespace heddle::simt
