// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The next tile.
//
// A kernel that goes over a matrix tile by tile reads, from one barrier to the next, a few cache
// lines of many rows, each on a page of its own: the processor's prefetchers do not follow, and all
// warps of a block are at the same place, so nobody works while a line is on its way. (A GPU has
// other blocks then. That programs load a tile ahead into registers, "double buffering", does not
// help a processor: it looks some hundred instructions ahead, not a whole round.) But the program
// says what comes next: the address moves by the same distance in each round, so each lane fetches
// the line that it will read then.
//
// The distance is found by going from the address back to the loop's variable:
//
//     step of the variable           what is added to it
//     step of a + b, a * c           step of a + step of b, step of a * c   (c stays the same)
//     step of an extension           its extension: whether it wraps does not matter here, since a
//                                    wrong prefetch is harmless
//
// and is a scalar, whatever the address is; widen_rows.cpp turns the mark into one prefetch for
// each line that the lanes touch together.
//
// Loops without barriers are left alone: they have the prefetchers' attention, or jit/prefetch_*.
//
// Legality (fetch-next): none: it only adds prefetches, which never fault.
#include "simt/fetch_next.h"

#include "simt/function_facts.h"
#include "simt/intrinsics.h"
#include "simt/memory_space.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned LongestChain = 12; ///< instructions from an address to the loop's variable
constexpr int64_t Line = 64;          ///< bytes
constexpr int64_t LeastStep = 32;     ///< bytes; below, most of the next round is here already

/// How far values move from one round of a loop to the next.
class Steps {
public:
  Steps(const Loop &loop, Instruction &before)
      : loop_(loop), latch_(loop.getLoopLatch()), builder_(&before) {}

  /// Null if it is not known. May leave unused instructions behind.
  Value *of(Value *value, unsigned depth = LongestChain) {
    if (loop_.isLoopInvariant(value))
      return Constant::getNullValue(indexType(value->getType()));
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction || depth-- == 0)
      return nullptr;
    if (auto *phi = dyn_cast<PHINode>(instruction))
      return ofVariable(*phi);
    if (auto *address = dyn_cast<GetElementPtrInst>(instruction))
      return ofAddress(*address, depth);
    if (isa<SExtInst, ZExtInst>(instruction)) {
      Value *step = of(instruction->getOperand(0), depth);
      return step ? builder_.CreateSExt(step, instruction->getType()) : nullptr;
    }
    auto *binary = dyn_cast<BinaryOperator>(instruction);
    return binary ? ofBinary(*binary, depth) : nullptr;
  }

private:
  Type *indexType(Type *type) { return type->isPointerTy() ? builder_.getInt64Ty() : type; }

  Value *ofVariable(PHINode &phi) {
    if (!latch_ || phi.getParent() != loop_.getHeader())
      return nullptr;
    Value *next = phi.getIncomingValueForBlock(latch_);
    if (auto *address = dyn_cast<GetElementPtrInst>(next))
      return address->getPointerOperand() == &phi ? ofIndices(*address) : nullptr;
    auto *sum = dyn_cast<BinaryOperator>(next);
    if (!sum || sum->getOpcode() != Instruction::Add)
      return nullptr;
    for (unsigned side : {0, 1})
      if (sum->getOperand(side) == &phi && loop_.isLoopInvariant(sum->getOperand(1 - side)))
        return sum->getOperand(1 - side);
    return nullptr;
  }

  /// What one and the same index adds to an address.
  Value *ofIndices(GetElementPtrInst &address) {
    if (address.getNumIndices() != 1 || !loop_.isLoopInvariant(address.getOperand(1)))
      return nullptr;
    return scaled(address, address.getOperand(1));
  }

  Value *scaled(GetElementPtrInst &address, Value *index) {
    TypeSize size = address.getDataLayout().getTypeAllocSize(address.getSourceElementType());
    return builder_.CreateMul(builder_.CreateSExtOrTrunc(index, builder_.getInt64Ty()),
                              builder_.getInt64(size.getFixedValue()));
  }

  Value *ofAddress(GetElementPtrInst &address, unsigned depth) {
    Value *base = of(address.getPointerOperand(), depth);
    if (!base || address.hasAllConstantIndices())
      return base;
    if (address.getNumIndices() != 1)
      return nullptr;
    Value *index = of(address.getOperand(1), depth);
    return index ? builder_.CreateAdd(base, scaled(address, index)) : nullptr;
  }

  Value *ofBinary(BinaryOperator &binary, unsigned depth) {
    Value *a = binary.getOperand(0), *b = binary.getOperand(1);
    bool scales = binary.getOpcode() == Instruction::Mul || binary.getOpcode() == Instruction::Shl;
    if (binary.getOpcode() == Instruction::Mul && loop_.isLoopInvariant(a))
      std::swap(a, b);
    if (scales && !loop_.isLoopInvariant(b))
      return nullptr;
    bool adds =
        binary.getOpcode() == Instruction::Add || binary.getOpcode() == Instruction::Sub ||
        (binary.getOpcode() == Instruction::Or && cast<PossiblyDisjointInst>(binary).isDisjoint());
    Value *step = scales || adds ? of(a, depth) : nullptr;
    if (!step || scales)
      return step ? builder_.CreateBinOp(binary.getOpcode(), step, b) : nullptr;
    Value *other = of(b, depth);
    if (!other)
      return nullptr;
    return binary.getOpcode() == Instruction::Sub ? builder_.CreateSub(step, other)
                                                  : builder_.CreateAdd(step, other);
  }

  const Loop &loop_;
  BasicBlock *latch_;
  IRBuilder<> builder_;
};

class Fetches {
public:
  explicit Fetches(const ThreadProgram &program) : thread_(*program.body), facts_(thread_) {}

  void run() {
    SmallPtrSet<const Loop *, 4> waiting;
    for (Instruction &instruction : instructions(thread_))
      if (auto *call = dyn_cast<CallInst>(&instruction);
          call && callKind(*call) == CallKind::BlockBarrier)
        waiting.insert(facts_.loops.getLoopFor(call->getParent()));
    for (BasicBlock &block : thread_)
      if (Loop *loop = facts_.loops.getLoopFor(&block); loop && waiting.contains(loop))
        fetch(block, *loop);
  }

private:
  /// Members of a structure lie in one line, which is fetched once.
  void fetch(BasicBlock &block, const Loop &loop) {
    SmallVector<std::pair<Value *, int64_t>, 8> seen;
    for (Instruction &instruction : make_early_inc_range(block)) {
      auto *load = dyn_cast<LoadInst>(&instruction);
      if (!load || !load->isSimple() || !isGivenMemory(load->getPointerOperand()))
        continue;
      APInt offset(64, 0);
      Value *base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(
          thread_.getDataLayout(), offset, /*AllowNonInbounds=*/true);
      int64_t place = offset.getSExtValue();
      if (any_of(seen, [&](const auto &other) {
            return other.first == base && std::abs(other.second - place) < Line;
          }))
        continue;
      seen.push_back({base, place});
      fetch(*load, loop);
    }
  }

  void fetch(LoadInst &load, const Loop &loop) {
    Value *address = load.getPointerOperand();
    Value *step = Steps(loop, load).of(address);
    auto *known = dyn_cast_or_null<ConstantInt>(step);
    if (!step || (known && known->getValue().abs().ult(LeastStep)))
      return;
    IRBuilder<> builder(&load);
    FunctionCallee mark =
        thread_.getParent()->getOrInsertFunction(FetchName, builder.getVoidTy(), builder.getPtrTy(),
                                                 builder.getInt64Ty(), builder.getInt64Ty());
    uint64_t bytes = thread_.getDataLayout().getTypeStoreSize(load.getType());
    builder.CreateCall(mark, {address, step, builder.getInt64(bytes)});
  }

  Function &thread_;
  LoopFacts facts_;
};

} // namespace

void fetchNext(const ThreadProgram &program) { Fetches(program).run(); }

} // namespace heddle::simt
