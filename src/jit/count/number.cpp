// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/count/number.h"

#include "frontend/locations.h"
#include "jit/count/texture_accesses.h"
#include "simt/analysis/pass_notes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/Utils/Local.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace heddle::jit {

using model::Operation;
using model::Space;

uint32_t Lines::of(const Instruction &instruction) {
  const DILocation *where = frontend::userLocation(instruction);
  if (!where || !where->getLine())
    return model::None;
  const DISubprogram *function = where->getScope()->getSubprogram();
  StringRef mangled = function ? function->getLinkageName() : "";
  std::string name = demangle(mangled.empty() && function ? function->getName() : mangled);
  std::string file = frontend::fileOf(*where);
  std::string key = file + ":" + utostr(where->getLine()) + ":" + name;
  auto [at, isNew] = numbers_.try_emplace(key, uint32_t(all_.size()));
  if (isNew)
    all_.push_back({file, where->getLine(), name});
  return at->second;
}

namespace {

Space spaceOf(const Value *pointer) {
  switch (pointer->getType()->getPointerAddressSpace()) {
  case 1:
    return Space::Global;
  case 3:
    return Space::Shared;
  case 4:
    return Space::Constant;
  case 5:
    return Space::Local;
  case 101:
    return Space::Parameter;
  default:
    break;
  }
  const Value *object = getUnderlyingObject(pointer, /*MaxLookup=*/0);
  if (isa<AllocaInst>(object))
    return Space::Local;
  if (const auto *argument = dyn_cast<Argument>(object))
    return argument->hasByValAttr() ? Space::Parameter : Space::Generic;
  if (object != pointer && object->getType()->isPointerTy() &&
      object->getType()->getPointerAddressSpace())
    return spaceOf(object);
  return isa<GlobalVariable>(object) ? Space::Global : Space::Generic;
}

/// An access of memory, or none.
struct Found {
  Operation operation = Operation::Other;
  const Value *pointer = nullptr; ///< none of a texture
  uint64_t bytes = 0;
  uint16_t flags = 0;
};

Found accessOf(const Instruction &instruction) {
  const DataLayout &layout = instruction.getDataLayout();
  auto bytes = [&](Type *type) { return layout.getTypeStoreSize(type).getFixedValue(); };
  if (const auto *load = dyn_cast<LoadInst>(&instruction)) {
    uint16_t flags = load->isVolatile() || load->isAtomic() ? model::IsVolatile : 0;
    if (load->hasMetadata(LLVMContext::MD_invariant_load))
      flags |= model::IsReadOnly;
    return {Operation::Load, load->getPointerOperand(), bytes(load->getType()), flags};
  }
  if (const auto *store = dyn_cast<StoreInst>(&instruction))
    return {Operation::Store, store->getPointerOperand(),
            bytes(store->getValueOperand()->getType()),
            uint16_t(store->isVolatile() || store->isAtomic() ? model::IsVolatile : 0)};
  if (const auto *atomic = dyn_cast<AtomicRMWInst>(&instruction))
    return {atomic->use_empty() ? Operation::Reduce : Operation::Atomic,
            atomic->getPointerOperand(), bytes(atomic->getType()), 0};
  if (const auto *swap = dyn_cast<AtomicCmpXchgInst>(&instruction))
    return {Operation::Atomic, swap->getPointerOperand(),
            bytes(swap->getNewValOperand()->getType()), 0};
  if (uint64_t texel = texelBytesOf(instruction))
    return {Operation::Texture, nullptr, texel, 0};
  return {};
}

/// Of a local variable, where within it; null of what is none. As a sum, where the pointer is one:
/// then it is seen which lanes are at the same place.
Value *offsetIn(IRBuilder<> &builder, const DataLayout &layout, Value *pointer) {
  Type *i64 = builder.getInt64Ty();
  Value *sum = builder.getInt64(0), *at = pointer;
  while (!isa<AllocaInst>(at)) {
    if (auto *step = dyn_cast<GEPOperator>(at)) {
      Value *offset = emitGEPOffset(&builder, layout, cast<User>(step));
      sum = builder.CreateAdd(sum, builder.CreateSExtOrTrunc(offset, i64));
      at = step->getPointerOperand();
    } else if (auto *cast = dyn_cast<AddrSpaceCastOperator>(at)) {
      at = cast->getPointerOperand();
    } else {
      Value *object = getUnderlyingObject(pointer, /*MaxLookup=*/0);
      return isa<AllocaInst>(object) ? builder.CreateSub(builder.CreatePtrToInt(pointer, i64),
                                                         builder.CreatePtrToInt(object, i64))
                                     : nullptr;
    }
  }
  return sum;
}

SmallVector<Function *, 4> definitions(Module &module, Function &kernel) {
  SmallVector<Function *, 4> found = {&kernel};
  for (Function &function : module)
    if (!function.isDeclaration() && &function != &kernel)
      found.push_back(&function);
  return found;
}

} // namespace

void splitAtClocks(Module &module) {
  SmallVector<Instruction *, 4> reads;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<IntrinsicInst>(&instruction))
        switch (call->getIntrinsicID()) {
        case Intrinsic::nvvm_read_ptx_sreg_clock:
        case Intrinsic::nvvm_read_ptx_sreg_clock64:
        case Intrinsic::nvvm_read_ptx_sreg_globaltimer:
        case Intrinsic::nvvm_read_ptx_sreg_globaltimer_lo:
          reads.push_back(call);
          break;
        default:
          break;
        }
  for (Instruction *read : reads) {
    SplitBlock(read->getParent(), read->getIterator());
    SplitBlock(read->getParent(), std::next(read->getIterator()));
  }
}

Numbering number(Module &module, Function &kernel, model::KernelCode &code) {
  Numbering numbering;
  Lines lines(code.lines);
  for (Function *function : definitions(module, kernel))
    for (BasicBlock &block : *function) {
      numbering.blocks[&block] = uint32_t(code.blocks.size());
      code.blocks.push_back({0, 0});
      for (Instruction &instruction : block) {
        Found found = accessOf(instruction);
        Space space = found.operation == Operation::Texture ? Space::Texture
                      : found.pointer                       ? spaceOf(found.pointer)
                                                            : Space::Parameter;
        if (space == Space::Parameter)
          continue;
        numbering.accesses[&instruction] = uint32_t(code.accesses.size());
        code.accesses.push_back(
            {found.operation, space, uint32_t(found.bytes), found.flags, lines.of(instruction)});
      }
    }
  for (Function *function : definitions(module, kernel))
    for (BasicBlock &block : *function) {
      std::vector<uint32_t> &next = code.successors.emplace_back();
      for (BasicBlock *successor : successors(&block))
        if (!is_contained(next, numbering.blocks[successor]))
          next.push_back(numbering.blocks[successor]);
    }
  return numbering;
}

void insertMarkers(Module &module, const Numbering &numbering, const model::KernelCode &code) {
  SmallVector<Instruction *, 32> accesses;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (numbering.accesses.contains(&instruction))
        accesses.push_back(&instruction);
  for (Instruction *access : accesses) {
    IRBuilder<> builder(access);
    uint32_t number = numbering.accesses.lookup(access);
    if (code.accesses[number].space == Space::Texture) {
      Value *texel = emitTexelAddress(builder, *access);
      simt::emitCountAccess(builder, number, builder.CreateIntToPtr(texel, builder.getPtrTy()));
      continue;
    }
    auto *pointer = const_cast<Value *>(accessOf(*access).pointer);
    Value *offset = code.accesses[number].space == Space::Local
                        ? offsetIn(builder, module.getDataLayout(), pointer)
                        : nullptr;
    if (offset)
      simt::emitCountLocal(builder, number, offset);
    else
      simt::emitCountAccess(builder, number,
                            builder.CreateAddrSpaceCast(pointer, builder.getPtrTy()));
  }
  for (auto [block, number] : numbering.blocks) {
    auto &place = const_cast<BasicBlock &>(*block);
    IRBuilder<> builder(&*place.getFirstNonPHIOrDbgOrAlloca());
    simt::emitCountBlock(builder, number);
  }
}

} // namespace heddle::jit
