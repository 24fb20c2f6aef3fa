// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU faults where an access's address is no multiple of its size. A CPU does not care, and a
// test at each access would cost much, so it is made where something may go wrong only.
//
//     float4 v = ((float4 *)p)[i];              p is looked at once, when the kernel is launched
//     float4 v = *(float4 *)&p[row * n + i];    n may be odd: the access looks
//     int x = shared[i];                        always aligned
//     float a[8]; float4 v = *(float4 *)&a[4];  a is given the alignment, and may be registers
//
// An address is followed back to where it comes from: through offsets that are multiples of the
// alignment, and through joins. A launch whose parameter is misaligned runs thread by thread, with
// tests everywhere (`everywhere`), since the access may never come to be made. A pointer that was
// itself read from memory is tested for accesses of 8 bytes and more (vectors, double); for smaller
// ones it is trusted.
//
// The size of an access is that of the GPU's instruction: neighbouring members of a vector type are
// one.
//
// Not looked at: what the device library reads of descriptors (invariant loads); accesses below 8
// bytes through pointers that were read from memory, pointers that functions were given which
// stayed functions, and casts of the address of a declared array (`*(int *)&bytes[i]`), which clang
// takes for unaligned. With -G everything but the last is.
//
// Legality (find-misaligned): none: it only adds tests, of accesses that a GPU faults at.
#include "simt/lower/find_misaligned.h"

#include "simt/analysis/intrinsics.h"

#include "simt/analysis/pass_notes.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr uint64_t WidestAccess = 16; ///< PTX ISA, "ld": a vector of 16 bytes

class Origins {
public:
  Origins(const DataLayout &layout, uint64_t align) : layout_(layout), align_(align) {}

  /// Every offset on the way is a multiple of the alignment; `roots` is where the ways begin.
  bool follow(Value *pointer) {
    if (!seen_.insert(pointer).second)
      return true;
    if (auto *gep = dyn_cast<GEPOperator>(pointer))
      return isMultiple(*gep) && follow(gep->getPointerOperand());
    if (auto *phi = dyn_cast<PHINode>(pointer))
      return all_of(phi->incoming_values(), [&](Value *value) { return follow(value); });
    if (auto *select = dyn_cast<SelectInst>(pointer))
      return follow(select->getTrueValue()) && follow(select->getFalseValue());
    if (isa<AddrSpaceCastInst, FreezeInst>(pointer))
      return follow(cast<Instruction>(pointer)->getOperand(0));
    roots.push_back(pointer);
    return true;
  }

  SmallVector<Value *, 4> roots;

private:
  bool isMultiple(const GEPOperator &gep) const {
    SmallMapVector<Value *, APInt, 4> variables;
    unsigned bits = layout_.getIndexTypeSizeInBits(gep.getType());
    APInt constant(bits, 0);
    if (!gep.collectOffset(layout_, bits, variables, constant))
      return false;
    unsigned wanted = Log2_64(align_);
    if (!constant.isZero() && constant.countr_zero() < wanted)
      return false;
    return all_of(variables, [&](auto &entry) {
      unsigned zeros = entry.second.countr_zero();
      return zeros >= wanted ||
             zeros + computeKnownBits(entry.first, layout_).countMinTrailingZeros() >= wanted;
    });
  }

  const DataLayout &layout_;
  uint64_t align_;
  SmallPtrSet<Value *, 8> seen_;
};

class Finder {
public:
  Finder(ThreadProgram &program, Function &function, bool everywhere)
      : program_(program), function_(function), layout_(function.getDataLayout()),
        everywhere_(everywhere) {}

  void run() {
    for (Instruction &instruction : instructions(function_)) {
      if (auto *memory = dyn_cast<MemIntrinsic>(&instruction)) {
        auto *length = dyn_cast<ConstantInt>(memory->getLength());
        if (!length)
          continue;
        uint64_t bytes = length->getZExtValue();
        look(instruction, memory->getRawDest(), copied(memory->getDestAlign(), bytes));
        if (auto *copy = dyn_cast<MemTransferInst>(memory))
          look(instruction, copy->getRawSource(), copied(copy->getSourceAlign(), bytes));
      } else if (Value *pair = pairOf(instruction)) {
        look(instruction, pair, WidestAccess);
      } else if (Value *pointer = pointerOf(instruction)) {
        look(instruction, pointer, sizeOfAccess(instruction, pointer));
      }
    }
  }

private:
  /// The address of a watched vector of 16 bytes.
  static Value *pairOf(Instruction &instruction) {
    auto *call = dyn_cast<CallInst>(&instruction);
    bool isPair = call && is_contained({CallKind::LoadPair, CallKind::StorePair}, callKind(*call));
    return isPair ? call->getArgOperand(0) : nullptr;
  }
  static Value *pointerOf(Instruction &instruction) {
    if (instruction.hasMetadata(LLVMContext::MD_invariant_load))
      return nullptr;
    if (auto *swap = dyn_cast<AtomicCmpXchgInst>(&instruction))
      return swap->getPointerOperand();
    if (auto *atomic = dyn_cast<AtomicRMWInst>(&instruction))
      return atomic->getPointerOperand();
    return getLoadStorePointerOperand(&instruction);
  }
  static uint64_t copied(MaybeAlign align, uint64_t bytes) {
    return std::min({align.valueOrOne().value(), WidestAccess, uint64_t(bit_floor(bytes))});
  }

  /// With its neighbours: `load p`, `load p + 4`, ... are one access as far as p's alignment goes.
  uint64_t sizeOfAccess(Instruction &instruction, Value *pointer) {
    uint64_t size = layout_.getTypeStoreSize(getAccessType(instruction));
    uint64_t align = std::min<uint64_t>(alignOf(instruction), WidestAccess);
    while (size < align) {
      uint64_t more = sizeBehind(instruction, pointer, size);
      if (!more)
        break;
      size += more;
    }
    return std::min<uint64_t>(align, bit_floor(size));
  }
  /// Of the access of the same kind, in the same block, that begins `distance` behind; or 0.
  uint64_t sizeBehind(Instruction &instruction, Value *pointer, uint64_t distance) const {
    auto [base, offset] = placeOf(pointer);
    for (Instruction &other : *instruction.getParent())
      if (other.getOpcode() == instruction.getOpcode())
        if (Value *behind = getLoadStorePointerOperand(&other))
          if (placeOf(behind) == std::pair(base, offset + int64_t(distance)))
            return layout_.getTypeStoreSize(getLoadStoreType(&other));
    return 0;
  }
  std::pair<Value *, int64_t> placeOf(Value *pointer) const {
    APInt offset(layout_.getIndexTypeSizeInBits(pointer->getType()), 0);
    Value *base = pointer->stripAndAccumulateConstantOffsets(layout_, offset, true);
    return {base, offset.getSExtValue()};
  }
  static Type *getAccessType(Instruction &instruction) {
    if (auto *swap = dyn_cast<AtomicCmpXchgInst>(&instruction))
      return swap->getCompareOperand()->getType();
    if (auto *atomic = dyn_cast<AtomicRMWInst>(&instruction))
      return atomic->getValOperand()->getType();
    return getLoadStoreType(&instruction);
  }
  static uint64_t alignOf(Instruction &instruction) {
    if (auto *swap = dyn_cast<AtomicCmpXchgInst>(&instruction))
      return swap->getAlign().value();
    if (auto *atomic = dyn_cast<AtomicRMWInst>(&instruction))
      return atomic->getAlign().value();
    return getLoadStoreAlignment(&instruction).value();
  }

  enum class Trust { Aligned, Param, Unknown };
  /// Where memory of known alignment begins, or a parameter.
  Trust trustIn(Value *root, uint64_t align, uint32_t &offset) {
    if (auto *alloca = dyn_cast<AllocaInst>(root)) {
      alloca->setAlignment(std::max(alloca->getAlign(), Align(align)));
      return Trust::Aligned;
    }
    if (auto *argument = dyn_cast<Argument>(root)) // of a function: its callers are not looked at
      return argument->getArgNo() < ContextParams || !everywhere_ ? Trust::Aligned : Trust::Unknown;
    if (isa<ConstantPointerNull, UndefValue>(root))
      return Trust::Aligned;
    auto *load = dyn_cast<LoadInst>(root);
    if (!load)
      return Trust::Unknown;
    auto param = program_.paramLoads.find(load);
    if (param != program_.paramLoads.end()) {
      offset = param->second;
      return Trust::Param;
    }
    bool isOurs = load->hasMetadata(LLVMContext::MD_invariant_load) &&
                  (load->getPointerOperand()->stripInBoundsConstantOffsets() ==
                       function_.getArg(ParamLaunch) ||
                   load->hasMetadata(LLVMContext::MD_nonnull));
    return isOurs || (align < 8 && !everywhere_) ? Trust::Aligned : Trust::Unknown;
  }

  void look(Instruction &instruction, Value *pointer, uint64_t align) {
    if (align < 2)
      return;
    Origins origins(layout_, align);
    bool mustLook = !origins.follow(pointer);
    SmallVector<uint32_t, 2> params;
    for (Value *root : origins.roots) {
      uint32_t offset = 0;
      Trust trust = trustIn(root, align, offset);
      mustLook |= trust == Trust::Unknown || (trust == Trust::Param && everywhere_);
      if (trust == Trust::Param)
        params.push_back(offset);
    }
    if (mustLook)
      return mark(instruction, pointer, align);
    for (uint32_t offset : params) {
      uint32_t &most = program_.alignedParams[offset];
      most = std::max<uint32_t>(most, uint32_t(align));
    }
  }

  /// A copy has two addresses: the check is a call of its own in front.
  void mark(Instruction &instruction, Value *pointer, uint64_t align) {
    IRBuilder<> builder(&instruction);
    Value *generic = builder.CreateAddrSpaceCast(pointer, builder.getPtrTy());
    emitAligned(builder, generic, uint32_t(align));
  }

  ThreadProgram &program_;
  Function &function_;
  const DataLayout &layout_;
  bool everywhere_;
};

} // namespace

void findMisaligned(ThreadProgram &program, bool everywhere) {
  for (Function &function : *program.body->getParent())
    if (!function.isDeclaration())
      Finder(program, function, everywhere).run();
}

} // namespace heddle::simt
