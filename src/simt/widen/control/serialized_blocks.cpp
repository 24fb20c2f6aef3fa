// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs basic blocks lane by lane.
//
// Problem. A block that does little but gather and scatter gains nothing from vectors: a gather
// takes as long as single loads, and works for inactive lanes too. In a wavefront (Needleman and
// Wunsch's alignment, triangular solvers) half of the lanes are inactive on average.
//
// Method. Such a block becomes a loop over its active lanes, with the thread's own scalar code as
// body. Values from outside are loaded lane by lane from memory, or computed if they are affine or
// follow easily from others that the lane uses; values that are used outside are collected in
// memory. Active lanes are mostly neighbours, so the loop counts; only otherwise it picks bits from
// the mask. A barrier starts a new block.
//
//     under mask:                                  for lane in the mask:
//       %a = gather %p                       ->      %a = load %p.base + stride * lane
//       %b = gather %q                               %b = load %q.base + stride * lane
//       scatter max(%a, %b), %r                      store max(%a, %b), %r.base + stride * lane
//
// If the mask is a constant (an unrolled wavefront), so are the bounds of the loop.
//
// A lane's accesses now precede those of the next lane. Within a block only volatile accesses and
// warp operations order accesses of different lanes; blocks with such are left alone. So are
// permutations in place (a[to[t]] = a[t]), which a warp executes as all loads and then all stores:
// programs rely on that, although CUDA does not promise it.
//
// When: compares the cost of accesses that no vector load or store serves with that of the scalar
// instructions, in cycles of AVX-512 processors; a lane of a gather costs about 0.8, of a scatter
// 1.05 (1.7 where it is single stores), a scalar instruction 0.25. A thread's neighbours (an int16 of
// OpenCL) are one vector in its scalar code (jit/vector/vectorize_neighbours), and so is what is
// done with them where the block has no shorter rows.
//
// Legality (serialize-lanes):
//  1. No lane stores where another one may load, at a place that no lane's number tells.
//     [no permutation]
//  2. No access is volatile or atomic. [no volatile]
//  3. There are no barriers or warp operations in the block. [nobody waits]
#include "simt/widen/control/serialized_blocks.h"

#include "simt/analysis/neighbours.h"
#include "simt/analysis/pass_notes.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr double LaneOfGather = 0.8, LaneOfScatter = 1.05, ScalarInstruction = 0.25,
                 VectorInstruction = 0.05;            ///< cycles a lane
constexpr double LaneOfSplitScatter = 1.7;            ///< where the machine has no scatters
constexpr double LoopOverhead = 0.75, Transfer = 0.2; ///< of a value that goes through memory
constexpr double ActiveLanes = 0.6;                   ///< of a block that only some lanes come to
constexpr double Worthwhile = 0.6;
constexpr unsigned MostRemade = 5;     ///< instructions, one from the other
constexpr unsigned FewestAccesses = 2; ///< gathers and scatters

/// Has a scalar form that is cheap.
bool isScalarWork(const Instruction &instruction) {
  if (isPlainAccess(instruction))
    return true;
  if (const auto *call = dyn_cast<IntrinsicInst>(&instruction))
    return is_contained({Intrinsic::smax, Intrinsic::smin, Intrinsic::umax, Intrinsic::umin,
                         Intrinsic::abs, Intrinsic::fma, Intrinsic::fabs, Intrinsic::uadd_sat,
                         Intrinsic::sadd_sat, Intrinsic::usub_sat, Intrinsic::ssub_sat},
                        call->getIntrinsicID());
  if (const auto *binary = dyn_cast<BinaryOperator>(&instruction))
    return !binary->isIntDivRem() && binary->getOpcode() != Instruction::FDiv &&
           binary->getOpcode() != Instruction::FRem;
  return isa<CastInst, GetElementPtrInst, CmpInst, SelectInst, FreezeInst, UnaryOperator>(
      instruction);
}

bool costsNothing(const Instruction &instruction) {
  return isa<CastInst>(instruction) || isa<GetElementPtrInst>(instruction);
}

/// What an instruction computes with.
iterator_range<User::op_iterator> valuesOf(Instruction &instruction) {
  auto *call = dyn_cast<CallInst>(&instruction);
  return call ? call->args() : instruction.operands();
}

bool isUsedOutside(const Instruction &instruction) {
  return any_of(instruction.users(), [&](const User *user) {
    const auto *other = cast<Instruction>(user);
    return other->getParent() != instruction.getParent() || other->isTerminator() ||
           isa<PHINode>(other);
  });
}

} // namespace

/// What one scalar stands for in all lanes, and that needs no memory, nor what does: made before
/// the loop.
SmallPtrSet<const Instruction *, 16> SerializedBlocks::madeOnce(const BasicBlock &block) const {
  SmallPtrSet<const Instruction *, 16> once;
  auto isKnownBefore = [&](const Value *value) {
    const auto *other = dyn_cast<Instruction>(value);
    return !other ||
           (e_.shapes.isScalar(other) && (other->getParent() != &block || once.contains(other)));
  };
  for (const Instruction &instruction : block)
    if (isa<PHINode>(instruction) ||
        (!instruction.mayReadOrWriteMemory() && // a barrier does
         e_.shapes.isScalar(&instruction) && all_of(instruction.operands(), isKnownBefore)))
      once.insert(&instruction);
  return once;
}

/// A lane may store where another one loads, at a place that no lane's number tells.
bool SerializedBlocks::mayPermute(BasicBlock &block) const {
  SmallVector<std::pair<const Value *, Shape>, 8> loads, stores;
  for (Instruction &instruction : block)
    if (isPlainAccess(instruction)) {
      const Value *address = getLoadStorePointerOperand(&instruction);
      auto &list = isa<LoadInst>(instruction) ? loads : stores;
      list.push_back({getUnderlyingObject(address, 0), e_.shapes.of(address)});
    }
  return any_of(stores, [&](auto &store) {
    return any_of(loads, [&](auto &load) {
      bool known = load.second.regular && store.second.regular && !store.second.uniform();
      return load.first == store.first && !known;
    });
  });
}

bool SerializedBlocks::prefersVectors(Instruction &instruction) {
  return !isPlainAccess(instruction) || memory_.hasVectorForm(instruction) ||
         LoadOfRow.isOn(instruction) || registers_.isPromoted(instruction);
}

bool SerializedBlocks::runsSerialized(BasicBlock &block) {
  if (e_.width == 1 || !e_.options.isOptimised() || !e_.options.isEnabled("serialize-lanes") ||
      mayPermute(block))
    return false;
  double vector = 0, scalar = LoopOverhead;
  unsigned accesses = 0;
  SmallPtrSet<const Value *, 16> taken;
  SmallPtrSet<const Instruction *, 16> once = madeOnce(block);
  const NeighbourRows rows(block, e_.options.registers.bits);
  for (Instruction &instruction : block) {
    if (instruction.isTerminator() || once.contains(&instruction))
      continue;
    if (!isScalarWork(instruction))
      return false;
    if (isUsedOutside(instruction)) {
      if (!isPlainType(instruction.getType()) || values_.lanesOf(&instruction).count != e_.width)
        return false;
      scalar += Transfer;
    }
    for (const Value *operand : instruction.operands()) {
      const auto *other = dyn_cast<Instruction>(operand);
      if (!other || e_.shapes.isScalar(other) ||
          (other->getParent() == &block && !once.contains(other)))
        continue;
      if (!isPlainType(other->getType()))
        return false;
      scalar += taken.insert(other).second ? Transfer : 0;
    }
    if (!costsNothing(instruction))
      scalar += ScalarInstruction / rows.of(instruction);
    if (prefersVectors(instruction)) {
      vector += costsNothing(instruction) ? 0 : VectorInstruction;
      continue;
    }
    ++accesses;
    vector += isa<LoadInst>(instruction)         ? LaneOfGather
              : e_.options.registers.bits >= 512 ? LaneOfScatter
                                                 : LaneOfSplitScatter;
  }
  double share = facts_.sameMasks[facts_.order.index(&block)] == 0 ? 1 : ActiveLanes;
  return accesses >= FewestAccesses && share * scalar < Worthwhile * vector;
}

/// The scalar code of the block for one lane.
void SerializedBlocks::emitLane(ArrayRef<Instruction *> work,
                                const DenseMap<Value *, Value *> &outside,
                                const DenseMap<Instruction *, AllocaInst *> &results, Value *lane) {
  DenseMap<Value *, Value *> here;
  auto operandInLane = [&](Value *value) -> Value * {
    if (Value *known = here.lookup(value))
      return known;
    Value *source = outside.lookup(value);
    if (!source)
      return values_.constantFor(cast<Constant>(value), 1);
    Value *one = e_.shapes.isScalar(value) ? values_.scalarInLane(source, e_.shapes.of(value), lane)
                                           : arrays_.extractLane(source, lane);
    return here[value] = one;
  };
  for (Instruction *instruction : work) {
    Instruction *copy = instruction->clone();
    for (Use &operand : valuesOf(*copy))
      operand.set(operandInLane(operand.get()));
    if (copy->getType()->isPointerTy())
      copy->mutateType(e_.scalarType(copy->getType()));
    Value *result = copy;
    if (isa<AddrSpaceCastInst>(copy)) { // all address spaces are one here
      result = copy->getOperand(0);
      copy->deleteValue();
    } else {
      builder_.Insert(copy);
    }
    here[instruction] = result;
    if (AllocaInst *array = results.lookup(instruction))
      builder_.CreateStore(result, arrays_.elementAddress(array, result->getType(), lane));
  }
}

/// Made again for a lane from what its work takes from memory anyway, or from one number.
bool SerializedBlocks::isRemade(const Value *value, const BasicBlock &block,
                                const SmallPtrSetImpl<const Value *> &taken, unsigned depth) const {
  const auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || depth == 0 || instruction->getParent() == &block ||
      e_.shapes.isScalar(value) || isa<PHINode>(instruction) || !isScalarWork(*instruction) ||
      instruction->mayReadFromMemory() || isa<CallInst>(instruction))
    return false;
  return all_of(instruction->operands(), [&](Value *operand) {
    if (values_.isAtHand(operand) && (costsNothing(*instruction) || e_.shapes.isScalar(operand) ||
                                      isa<Constant>(operand) || taken.contains(operand)))
      return true;
    return isRemade(operand, block, taken, depth - 1);
  });
}

/// The work, and before it what is made again of values from other blocks: less is taken from
/// memory, and carried there.
SerializedBlocks::Work SerializedBlocks::withRemade(ArrayRef<Instruction *> work,
                                                    const BasicBlock &block) {
  SmallPtrSet<const Value *, 16> taken, known(work.begin(), work.end());
  Work all;
  for (Instruction *instruction : work)
    taken.insert_range(valuesOf(*instruction));
  std::function<void(Value *)> remake = [&](Value *value) {
    if (known.contains(value) || !isRemade(value, block, taken, MostRemade))
      return;
    known.insert(value);
    auto *instruction = cast<Instruction>(value);
    for_each(instruction->operands(), remake);
    all.push_back(instruction);
  };
  for (Instruction *instruction : work)
    for_each(valuesOf(*instruction), remake);
  all.append(work.begin(), work.end());
  return all;
}

Error SerializedBlocks::emit(BasicBlock &block, function_ref<Error(Instruction &)> emitOnce) {
  Work work;
  SmallPtrSet<const Instruction *, 16> once = madeOnce(block);
  for (Instruction &instruction : block) {
    if (instruction.isTerminator())
      break;
    builder_.SetCurrentDebugLocation(instruction.getDebugLoc());
    if (!once.contains(&instruction))
      work.push_back(&instruction);
    else if (Error error = emitOnce(instruction))
      return error;
  }
  Work all = withRemade(work, block);
  SmallPtrSet<Value *, 16> inside(all.begin(), all.end());
  DenseMap<Value *, Value *> outside;
  DenseMap<Instruction *, AllocaInst *> results;
  for (Instruction *instruction : all)
    for (Value *value : valuesOf(*instruction))
      if (!isa<Constant>(value) && !inside.contains(value) && !outside.contains(value))
        outside[value] = e_.shapes.isScalar(value) ? values_.scalar(value) : values_.vector(value);
  for (Instruction *instruction : work)
    if (isUsedOutside(*instruction))
      results[instruction] = arrays_.newResults(e_.vectorType(instruction->getType()));
  loops_.forEachLaneInRange([&](Value *lane) { emitLane(all, outside, results, lane); });
  for (Instruction *instruction : work) // in order
    if (AllocaInst *array = results.lookup(instruction))
      values_.define(*instruction, builder_.CreateLoad(array->getAllocatedType(), array));
  return Error::success();
}

} // namespace heddle::simt
