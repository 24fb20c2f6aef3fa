// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/copied_addresses.h"

#include "simt/intrinsics.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace heddle::simt {

std::optional<int64_t> CopiedAddresses::stepOfRounds(const TileRead &read) {
  std::vector<unsigned> first;
  for (unsigned round = 0; round < read.rounds; ++round)
    first.insert(first.end(), read.copier.begin(), read.copier.begin() + block_.tables.threads());
  std::optional<ThreadTable> steps =
      ThreadDifferences(block_.sums, first, read.copier).of(address(read));
  if (!steps || read.rounds < 2)
    return std::nullopt;
  int64_t step = (*steps)[block_.tables.threads()];
  for (auto [place, number] : enumerate(*steps))
    if (number != int64_t(place / block_.tables.threads()) * step)
      return std::nullopt;
  return step;
}

Value *CopiedAddresses::distanceOfRounds(const TileRead &read, IRBuilder<> &builder) {
  DenseMap<Value *, Value *> ofFirst;
  for (PHINode &phi : tiles_.loop->getHeader()->phis())
    ofFirst[&phi] = phi.getIncomingValueForBlock(before_);
  DenseMap<Value *, Value *> ofSecond = ofFirst;
  Value *first = ofThread(address(read), read.copier[0], builder, ofFirst),
        *second = ofThread(address(read), read.copier[block_.tables.threads()], builder, ofSecond);
  Type *word = builder.getInt64Ty();
  return builder.CreateSub(builder.CreatePtrToInt(second, word),
                           builder.CreatePtrToInt(first, word));
}

/// What `ofThread` makes can be made in front of the loop over tiles, whether or not its first
/// round would come to compute it.
bool CopiedAddresses::isKnownBefore(Value &value) const {
  if (isa<Constant>(value) || (block_.isCommon(value) && tiles_.loop->isLoopInvariant(&value)) ||
      (value.getType()->isIntegerTy() && block_.tables.of(&value)))
    return true;
  auto *instruction = dyn_cast<Instruction>(&value);
  if (instruction && isa<PHINode>(instruction))
    return instruction->getParent() == tiles_.loop->getHeader();
  auto *call = dyn_cast_or_null<CallInst>(instruction);
  return instruction && !instruction->mayReadOrWriteMemory() &&
         isSafeToSpeculativelyExecute(instruction) &&
         (!call || warpBehaviour(*call) == WarpBehaviour::Elementwise) &&
         all_of(instruction->operands(),
                [&](Value *operand) { return isa<Function>(operand) || isKnownBefore(*operand); });
}

/// What `value` is in one thread, in the first round.
Value *CopiedAddresses::ofThread(Value &value, unsigned thread, IRBuilder<> &builder,
                                 DenseMap<Value *, Value *> &known) {
  if (Value *done = known.lookup(&value))
    return done;
  if (isa<Constant>(value) || (block_.isCommon(value) && tiles_.loop->isLoopInvariant(&value)))
    return &value;
  if (value.getType()->isIntegerTy())
    if (const ThreadTable *table = block_.tables.of(&value))
      return ConstantInt::getSigned(value.getType(), (*table)[thread]);
  Instruction *copy = cast<Instruction>(value).clone();
  for (Use &operand : copy->operands())
    operand.set(ofThread(*operand, thread, builder, known));
  copy->dropPoisonGeneratingFlags();
  return known[&value] = builder.Insert(copy);
}

/// The distance from what one load reads to what another one does, the same for all threads.
std::optional<int64_t> CopiedAddresses::distance(const TileRead &from, const TileRead &to) {
  if (!from.copy->isLike(*to.copy) || from.variable || to.variable)
    return std::nullopt;
  std::optional<ThreadTable> steps =
      ThreadDifferences(block_.sums, from.copier, to.copier).of(address(from));
  return steps && all_equal(*steps)
             ? std::optional((*steps)[0] + to.copy->offset - from.copy->offset)
             : std::nullopt;
}

/// What `value` is in another thread can be computed: it follows from the thread's index by
/// instructions without side effects, and what is known by tables is made of digits.
bool CopiedAddresses::canCopy(Value &value, const TileRead &read) const {
  if (block_.isCommon(value))
    return true;
  if (value.getType()->isIntegerTy())
    if (const ThreadTable *table = block_.tables.of(&value); table && sumFor(read, *table))
      return true;
  auto *instruction = dyn_cast<Instruction>(&value);
  auto *call = dyn_cast_or_null<IntrinsicInst>(instruction);
  if (!instruction ||
      (!isa<BinaryOperator, CastInst, GetElementPtrInst, SelectInst, ICmpInst>(instruction) &&
       !(call && warpBehaviour(*call) == WarpBehaviour::Elementwise && isHarmless(*call))))
    return false;
  return all_of(instruction->operands(),
                [&](Value *operand) { return isa<Function>(operand) || canCopy(*operand, read); });
}

Value *CopiedAddresses::make(const TileRead &read, IRBuilder<> &builder) {
  Type *byte = builder.getInt8Ty();
  for (auto &[other, itsAddress] : addresses_)
    if (read.copy->ahead || facts_.dominators.dominates(other->load, read.load))
      if (std::optional<int64_t> bytes = distance(*other, read))
        return builder.CreateGEP(byte, itsAddress, builder.getInt64(*bytes));
  std::optional<int64_t> step = read.variable && read.before ? stepOfRounds(read) : std::nullopt;
  if (!step) {
    Value *from = firstAddress(read, *read.load);
    if (!read.variable)
      addresses_.push_back({&read, from});
    return from;
  }
  TileRead first = read;
  first.copier.resize(block_.tables.threads());
  first.rounds = 1;
  first.variable = nullptr;
  Value *from = firstAddress(first, *read.before->getTerminator());
  Value *round = builder.CreateZExtOrTrunc(read.variable, builder.getInt64Ty());
  round = builder.CreateSub(round, builder.getInt64(read.first));
  return builder.CreateGEP(byte, from, builder.CreateMul(round, builder.getInt64(*step)));
}

/// Where it moves by a constant number of bytes from tile to tile, it is computed once, before the
/// first.
Value *CopiedAddresses::firstAddress(const TileRead &read, Instruction &before) {
  DenseMap<Value *, Value *> known;
  BasicBlock *header = tiles_.loop->getHeader();
  std::optional<int64_t> step = read.copy->step;
  IRBuilder<> builder(&before);
  Type *byte = builder.getInt8Ty();
  Value *offset = builder.getInt64(read.copy->offset);
  if (!step || *step == 0 || (read.variable && !read.copy->ahead))
    return builder.CreateGEP(byte, copied(address(read), read, before, known), offset);
  for (PHINode &phi : header->phis())
    known[&phi] = phi.getIncomingValueForBlock(before_);
  Value *first = copied(address(read), read, *before_->getTerminator(), known);
  if (!isWhole_) { // a value of its own, which a program that waits keeps and need not compute
                   // again
    builder.SetInsertPoint(before_->getTerminator());
    first = builder.CreateGEP(byte, first, offset);
    builder.SetInsertPoint(&*header->getFirstNonPHIIt());
    PHINode *walk = builder.CreatePHI(first->getType(), 2);
    walk->addIncoming(first, before_);
    builder.SetInsertPoint(latch_->getTerminator());
    walk->addIncoming(builder.CreateGEP(byte, walk, builder.getInt64(*step)), latch_);
    return walk;
  }
  PHINode *&bytes = tileSteps_[*step];
  if (!bytes) {
    builder.SetInsertPoint(&*header->getFirstNonPHIIt());
    bytes = builder.CreatePHI(builder.getInt64Ty(), 2);
    bytes->addIncoming(builder.getInt64(0), before_);
    builder.SetInsertPoint(latch_->getTerminator());
    bytes->addIncoming(builder.CreateAdd(bytes, builder.getInt64(*step)), latch_);
  }
  builder.SetInsertPoint(&before);
  return builder.CreateGEP(byte, builder.CreateGEP(byte, first, offset), bytes);
}

/// What `value` is in the thread that copied.
Value *CopiedAddresses::copied(Value &value, const TileRead &read, Instruction &before,
                               DenseMap<Value *, Value *> &known) {
  if (Value *done = known.lookup(&value))
    return done;
  bool isThere = facts_.dominators.dominates(&value, &before);
  if (isa<Constant>(value) || (block_.isCommon(value) && isThere))
    return &value;
  if (value.getType()->isIntegerTy())
    if (const ThreadTable *table = block_.tables.of(&value); table && sumFor(read, *table))
      return known[&value] = ofTable(value, *table, read, before);
  Instruction *copy = cast<Instruction>(value).clone();
  for (Use &operand : copy->operands())
    operand.set(copied(*operand, read, before, known));
  copy->insertBefore(before.getIterator());
  return known[&value] = copy;
}

Value *CopiedAddresses::ofTable(Value &value, const ThreadTable &table, const TileRead &read,
                                Instruction &before) {
  if (tableFor(read, table) == table && facts_.dominators.dominates(&value, &before))
    return &value;
  IRBuilder<> builder(&before);
  SmallVector<Coordinate, 4> coordinates;
  constexpr Intrinsic::ID Index[] = {Intrinsic::nvvm_read_ptx_sreg_tid_x,
                                     Intrinsic::nvvm_read_ptx_sreg_tid_y,
                                     Intrinsic::nvvm_read_ptx_sreg_tid_z};
  for (auto [index, count] : zip(Index, options_.blockDim))
    if (count > 1)
      coordinates.push_back({builder.CreateIntrinsic(index, ArrayRef<Type *>(), {}), 0});
  coordinates.push_back({read.variable, read.first}); // not used where there is none
  return emitSum(*sumFor(read, table), coordinates, value.getType(), builder);
}

} // namespace heddle::simt
