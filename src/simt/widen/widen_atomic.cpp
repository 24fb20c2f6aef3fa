// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomics of warp programs.
//
// In general a read-modify-write runs once for each active lane, in lane order. Two cases are
// better:
//
//  - On shared memory it needs no bus lock, nor a compare-and-swap loop for floats: one core runs
//    all warps of a block in turn, so nobody else can come between its load and its store.
//    Neighbours are one vector load, operation and store.
//  - On one address for all lanes the warp combines its operands first and does one
//    read-modify-write. If the old values are used (a ticket counter), lane l gets the old value
//    plus the operands of the lanes below it.
//
//     atomicrmw add ptr %uniform, i32 %x   ->   %s = reduce.add(select(mask, %x, 0))
//                                               atomicrmw add ptr %uniform, i32 %s
//
// Locked instructions do not overlap: each waits for its cache line. So a compare-and-swap that
// must fail is not tried, and the look at all lanes fetches the lines of those that are:
//
//     cmpxchg %p, %expected, %new     ->    %old = gather %p
//                                           for each lane with %old == %expected: lock cmpxchg
//
// Where the program itself has loaded from the address nothing is looked up again.
//
// Legality (test-and-test-and-set):
//  1. The compare-and-swap is relaxed: it orders nothing else, and one that fails is no more than a
//     load. [order]
//  2. It is not volatile. [not volatile]
//  3. There is no fence in the module that would order it with other accesses: behind a release
//     fence the look may see a flag from before another thread took it, while the data that the
//     flag announces is still on its way. jit/load_before_atomic.cpp shows such a program. [fences]
#include "simt/analysis/memory_space.h"
#include "simt/widen/widener.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

using namespace llvm;

namespace heddle::simt {

/// Certainly in the block's shared memory.
bool Widener::isShared(Value *pointer) const {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(pointer, objects);
  return all_of(objects,
                [&](const Value *object) { return object == thread_.getArg(ParamShared); });
}

namespace {

constexpr unsigned LanesAtOnce = 8; ///< in the loop over all lanes

/// The program itself reads the place, and most likely compares: `if (p[i] < 0) atomicCAS(&p[i],
/// ...)`.
bool programLooks(const AtomicCmpXchgInst &cas) {
  return any_of(cas.getPointerOperand()->users(),
                [](const User *user) { return isa<LoadInst>(user); });
}

/// The operand that changes nothing, or null where lanes cannot be combined.
Constant *neutral(AtomicRMWInst::BinOp op, Type *type) {
  unsigned bits = type->getScalarSizeInBits();
  switch (op) {
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Or:
  case AtomicRMWInst::Xor:
  case AtomicRMWInst::UMax:
    return ConstantInt::get(type, 0);
  case AtomicRMWInst::And:
  case AtomicRMWInst::UMin:
    return Constant::getAllOnesValue(type);
  case AtomicRMWInst::Max:
    return ConstantInt::get(type, APInt::getSignedMinValue(bits));
  case AtomicRMWInst::Min:
    return ConstantInt::get(type, APInt::getSignedMaxValue(bits));
  case AtomicRMWInst::FAdd:
    return ConstantFP::getNegativeZero(type);
  default:
    return nullptr;
  }
}

Value *reduce(IRBuilder<> &builder, AtomicRMWInst::BinOp op, Value *lanes) {
  switch (op) {
  case AtomicRMWInst::Add:
    return builder.CreateAddReduce(lanes);
  case AtomicRMWInst::Or:
    return builder.CreateOrReduce(lanes);
  case AtomicRMWInst::Xor:
    return builder.CreateXorReduce(lanes);
  case AtomicRMWInst::And:
    return builder.CreateAndReduce(lanes);
  case AtomicRMWInst::UMax:
    return builder.CreateIntMaxReduce(lanes, false);
  case AtomicRMWInst::UMin:
    return builder.CreateIntMinReduce(lanes, false);
  case AtomicRMWInst::Max:
    return builder.CreateIntMaxReduce(lanes, true);
  case AtomicRMWInst::Min:
    return builder.CreateIntMinReduce(lanes, true);
  default: { // FAdd: the order among the lanes is free
    auto *sum = cast<Instruction>(builder.CreateFAddReduce(
        ConstantFP::getNegativeZero(lanes->getType()->getScalarType()), lanes));
    sum->setHasAllowReassoc(true);
    return sum;
  }
  }
}

/// Lane l: the sum of the lanes below l.
Value *sumBelow(IRBuilder<> &builder, Value *lanes) {
  auto *type = cast<FixedVectorType>(lanes->getType());
  unsigned width = type->getNumElements();
  Value *zero = Constant::getNullValue(type), *sum = lanes;
  auto shiftUp = [&](Value *value, unsigned by) {
    SmallVector<int, 32> picks;
    for (unsigned lane = 0; lane < width; ++lane)
      picks.push_back(lane < by ? width : lane - by);
    return builder.CreateShuffleVector(value, zero, picks);
  };
  for (unsigned by = 1; by < width; by *= 2)
    sum = builder.CreateAdd(sum, shiftUp(sum, by));
  return shiftUp(sum, 1);
}

} // namespace

Value *Widener::emitSum(Value *lanes) {
  bool isFloat = lanes->getType()->isFPOrFPVectorTy();
  return reduce(builder_, isFloat ? AtomicRMWInst::FAdd : AtomicRMWInst::Add, lanes);
}

/// One read-modify-write for the warp. Null if the operation or the use of its result does not
/// allow it.
Value *Widener::emitCombinedAtomic(AtomicRMWInst &rmw) {
  AtomicRMWInst::BinOp op = rmw.getOperation();
  Constant *identity = neutral(op, rmw.getType());
  bool used = !rmw.use_empty();
  if (width_ == 1 || !identity || !shapes_.isUniform(rmw.getPointerOperand()) ||
      (used && op != AtomicRMWInst::Add))
    return nullptr;
  Value *operands = builder_.CreateSelect(mask_, vector(rmw.getValOperand()), splat(identity));
  Value *total = reduce(builder_, op, operands);
  AtomicRMWInst *one =
      builder_.CreateAtomicRMW(op, scalar(rmw.getPointerOperand()), total, rmw.getAlign(),
                               rmw.getOrdering(), rmw.getSyncScopeID());
  one->setVolatile(rmw.isVolatile());
  Value *result = used ? builder_.CreateAdd(splat(one), sumBelow(builder_, operands)) : splat(one);
  if (isShared(rmw.getPointerOperand()))
    lowerAtomicRMWInst(one);
  return result;
}

/// Neighbours in shared memory: one vector load and store.
Value *Widener::emitContiguousAtomic(AtomicRMWInst &rmw) {
  AtomicRMWInst::BinOp op = rmw.getOperation();
  Shape shape = shapes_.of(rmw.getPointerOperand());
  Type *element = rmw.getType();
  if (width_ == 1 || !(neutral(op, element) || op == AtomicRMWInst::Xchg) ||
      !isShared(rmw.getPointerOperand()) || shape.segment != width_ ||
      shape.stride != int64_t(module_.getDataLayout().getTypeStoreSize(element)))
    return nullptr;
  Value *address = scalar(rmw.getPointerOperand());
  Type *type = vectorType(element);
  Value *old =
      builder_.CreateMaskedLoad(type, address, rmw.getAlign(), mask_, PoisonValue::get(type));
  Value *now = buildAtomicRMWValue(op, builder_, old, vector(rmw.getValOperand()));
  builder_.CreateMaskedStore(now, address, rmw.getAlign(), mask_);
  return old;
}

bool Widener::isAtHand(const Value *value) const {
  return isa<Constant>(value) || isa<Argument>(value) || local_.contains(value) ||
         slots_.contains(value);
}

/// Made before a loop over lanes. An affine address is counted from lane 0. An element of an array
/// is taken by its narrow index: the loop reads a byte where the index was one, not a pointer; from
/// where it was loaded, if it is still there.
Widener::LaneAddress Widener::laneAddress(const Instruction &access, Value *pointer) {
  LaneAddress address;
  Shape shape = shapes_.of(pointer);
  if (shape.regular && shape.segment == width_) {
    address.base = scalar(pointer);
    address.stride = shape.stride;
    return address;
  }
  auto *space = dyn_cast<AddrSpaceCastInst>(pointer);
  auto *gep = dyn_cast<GetElementPtrInst>(space ? space->getPointerOperand() : pointer);
  auto source = [&](Value *index) { // before it was extended
    auto *extension = dyn_cast<CastInst>(index);
    bool extends = extension && (isa<ZExtInst>(extension) || isa<SExtInst>(extension));
    return extends && isAtHand(extension->getOperand(0)) &&
                   !shapes_.of(extension->getOperand(0)).regular
               ? extension->getOperand(0)
               : index;
  };
  if (gep && shapes_.isUniform(gep->getPointerOperand()) && isAtHand(gep->getPointerOperand()) &&
      all_of(gep->indices(), [&](Value *index) { return isAtHand(source(index)); })) {
    address.element = gep;
    address.base = scalar(gep->getPointerOperand());
    for (Value *index : gep->indices()) {
      Value *narrow = source(index);
      auto *extension = narrow == index ? nullptr : cast<CastInst>(index);
      address.indices.push_back({laneOperand(narrow), extension, isStillInMemory(narrow, access)});
    }
    return address;
  }
  address.base = laneOperand(pointer);
  return address;
}

/// Whether lanes' indices may be loaded where they are used, one by one (StillInMemory): from rows
/// of an array that the kernel was given, for accesses to shared memory, which do not write there.
bool Widener::isStillInMemory(const Value *index, const Instruction &access) {
  const auto *load = dyn_cast<LoadInst>(sourceOfIndex(index, shapes_));
  if (!load || !load->isSimple() || load->getParent() != access.getParent())
    return false;
  Shape shape = shapes_.of(load->getPointerOperand());
  int64_t size = load->getDataLayout().getTypeStoreSize(load->getType());
  return shape.regular && shape.segment == width_ && shape.stride == size &&
         isGivenMemory(load->getPointerOperand()) &&
         isShared(const_cast<Value *>(access.getOperand(0))) &&
         none_of(make_range(load->getIterator(), access.getIterator()),
                 [](const Instruction &between) { return between.mayWriteToMemory(); });
}

Value *Widener::addressOfLane(const LaneAddress &address, Value *lane) {
  if (address.element) {
    SmallVector<Value *, 4> indices;
    for (auto [value, extension, isInMemory] : address.indices) {
      Value *one = extractLane(value, lane);
      if (auto *load = dyn_cast<LoadInst>(one); load && isInMemory)
        StillInMemory.put(*load);
      indices.push_back(
          extension ? builder_.CreateCast(extension->getOpcode(), one, extension->getType()) : one);
    }
    return builder_.CreateGEP(address.element->getSourceElementType(), address.base, indices);
  }
  if (!address.stride)
    return extractLane(address.base, lane);
  Value *offset = builder_.CreateMul(builder_.CreateZExt(lane, builder_.getInt64Ty()),
                                     ConstantInt::getSigned(builder_.getInt64Ty(), address.stride));
  return builder_.CreateGEP(builder_.getInt8Ty(), address.base, offset);
}

Error Widener::emitAtomic(Instruction &instruction) {
  if (auto *cas = dyn_cast<AtomicCmpXchgInst>(&instruction); cas && width_ > 1) {
    define(*cas, emitCompareAndSwap(*cas));
    return Error::success();
  }
  auto *rmw = dyn_cast<AtomicRMWInst>(&instruction);
  if (rmw && (emitDeferredAdd(*rmw) || emitInGroup(*rmw)))
    return Error::success();
  Value *together = rmw ? emitCombinedAtomic(*rmw) : nullptr;
  if (rmw && !together)
    together = emitContiguousAtomic(*rmw);
  if (together) {
    define(instruction, together);
    return Error::success();
  }
  bool used = !instruction.use_empty();
  define(instruction,
         emitLanesInTurn(instruction, used ? vectorType(instruction.getType()) : nullptr));
  return Error::success();
}

/// The atomic for each active lane, in lane order. `resultType` is null where nobody looks at the
/// old values; those of a compare-and-swap come without its success.
Value *Widener::emitLanesInTurn(Instruction &instruction, Type *resultType) {
  Value *address = instruction.getOperand(0);
  bool shared = isShared(address), isCas = isa<AtomicCmpXchgInst>(instruction);
  LaneAddress pointer = laneAddress(instruction, address);
  SmallVector<Value *, 3> operands;
  for (Value *operand : drop_begin(instruction.operands()))
    operands.push_back(laneOperand(operand));
  auto one = [&](Value *lane) -> Value * {
    auto *copy = instruction.clone();
    copy->setOperand(0, addressOfLane(pointer, lane));
    for (auto [i, operand] : enumerate(operands))
      copy->setOperand(i + 1, extractLane(operand, lane));
    builder_.Insert(copy);
    if (!shared)
      return isCas && width_ > 1 ? builder_.CreateExtractValue(copy, 0) : copy;
    // The plain form replaces the copy; a marker after it keeps its result findable.
    auto *marker = cast<FreezeInst>(builder_.CreateFreeze(copy));
    if (auto *one = dyn_cast<AtomicRMWInst>(copy))
      lowerAtomicRMWInst(one);
    else
      lowerAtomicCmpXchgInst(cast<AtomicCmpXchgInst>(copy));
    return isCas && width_ > 1 ? builder_.CreateExtractValue(marker, 0) : marker;
  };
  return forEachLane(resultType, one, isCas ? 1 : LanesAtOnce);
}

/// A lane whose expected value is not there fails, and a failed compare-and-swap is a load: one
/// gather serves all of these, and only the others take the lock. It also starts the fetches of all
/// lanes' cache lines at once; locked instructions wait for theirs one by one.
///
///     cmpxchg %p, %expected, %new   ->   %old = gather %p;  %rest = mask & (%old == %expected)
///                                        for each lane of %rest: lock cmpxchg
Value *Widener::emitCompareAndSwap(AtomicCmpXchgInst &cas) {
  Type *element = cas.getCompareOperand()->getType(), *type = vectorType(element);
  Value *address = cas.getPointerOperand(), *expected = vector(cas.getCompareOperand());
  bool looksFirst = !isShared(address) && !shapes_.isUniform(address) && !cas.isVolatile() &&
                    cas.getMergedOrdering() == AtomicOrdering::Monotonic &&
                    !context_.program.hasFences && !programLooks(cas) &&
                    (element->isIntegerTy(32) || element->isIntegerTy(64)) &&
                    options_.isEnabled("test-and-test-and-set");
  Value *old = nullptr;
  if (!looksFirst) {
    old = emitLanesInTurn(cas, type);
  } else {
    compilerFence();
    Value *seen = builder_.CreateMaskedGather(type, vector(address), cas.getAlign(), mask_,
                                              PoisonValue::get(type));
    compilerFence();
    Value *mask = mask_, *rest = activeWhere(builder_.CreateICmpEQ(seen, expected));
    AllocaInst *result = newSlot(type, "cas.old");
    builder_.CreateStore(seen, result);
    BasicBlock *locked = BasicBlock::Create(warp_.getContext(), "cas", &warp_);
    BasicBlock *done = BasicBlock::Create(warp_.getContext(), "cas.done", &warp_);
    builder_.CreateCondBr(any(rest), locked, done);
    builder_.SetInsertPoint(locked);
    auto localCopy = local_; // what is made behind the branch is not there after it
    auto vectorCopy = localVectors_;
    mask_ = rest;
    Value *swapped = emitLanesInTurn(cas, type);
    builder_.CreateStore(builder_.CreateSelect(rest, swapped, seen), result);
    mask_ = mask;
    local_ = std::move(localCopy);
    localVectors_ = std::move(vectorCopy);
    builder_.CreateBr(done);
    builder_.SetInsertPoint(done);
    old = builder_.CreateLoad(type, result);
  }
  Value *both = PoisonValue::get(vectorType(cas.getType()));
  both = builder_.CreateInsertValue(both, old, 0);
  return builder_.CreateInsertValue(both, builder_.CreateICmpEQ(old, expected), 1);
}

} // namespace heddle::simt
