// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/tiles/copied_addresses.h"

#include "simt/analysis/intrinsics.h"
#include "simt/analysis/recompute.h"

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
  Value *first = ofThread(address(read), read.copier[0], builder),
        *second = ofThread(address(read), read.copier[block_.tables.threads()], builder);
  Type *word = builder.getInt64Ty();
  return builder.CreateSub(builder.CreatePtrToInt(second, word),
                           builder.CreatePtrToInt(first, word));
}

bool CopiedAddresses::isKnownBefore(const TileRead &read) const {
  auto isInput = [&](Value &value) {
    return variable(value) || isCommonBefore(value) || block_.tables.of(&value);
  };
  auto mayRepeat = [](const Instruction &instruction) { // in another thread
    auto *call = dyn_cast<CallInst>(&instruction);
    return isRepeatable(instruction) &&
           (!call || warpBehaviour(*call) == WarpBehaviour::Elementwise);
  };
  return canRecompute(address(read), isInput, mayRepeat);
}

/// What `value` is in one thread, in the first round.
Value *CopiedAddresses::ofThread(Value &value, unsigned thread, IRBuilder<> &builder) const {
  Recomputation there(builder, [&](Value &input) -> Value * {
    if (PHINode *phi = variable(input))
      return phi->getIncomingValueForBlock(before_);
    if (isCommonBefore(input))
      return &input;
    const ThreadTable *table = block_.tables.of(&input);
    return table ? ConstantInt::getSigned(input.getType(), (*table)[thread]) : nullptr;
  });
  return there.of(value);
}

bool CopiedAddresses::isCommonBefore(Value &value) const {
  return block_.isCommon(value) && tiles_.loop->isLoopInvariant(&value);
}

/// Of the loop over tiles; null for other values.
PHINode *CopiedAddresses::variable(Value &value) const {
  auto *phi = dyn_cast<PHINode>(&value);
  return phi && phi->getParent() == tiles_.loop->getHeader() ? phi : nullptr;
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

bool CopiedAddresses::canMake(const TileRead &read) const {
  auto isInput = [&](Value &value) {
    if (block_.isCommon(value))
      return true;
    const ThreadTable *table = block_.tables.of(&value);
    return table && sumFor(read, *table).has_value();
  };
  auto mayRepeat = [](const Instruction &instruction) { // the thread that copied did it, too
    auto *call = dyn_cast<IntrinsicInst>(&instruction);
    return isa<BinaryOperator, CastInst, GetElementPtrInst, SelectInst, ICmpInst>(instruction) ||
           (call && warpBehaviour(*call) == WarpBehaviour::Elementwise && onlyComputes(*call));
  };
  return canRecompute(address(read), isInput, mayRepeat);
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
  BasicBlock *header = tiles_.loop->getHeader();
  std::optional<int64_t> step = read.copy->step;
  IRBuilder<> builder(&before);
  Type *byte = builder.getInt8Ty();
  Value *offset = builder.getInt64(read.copy->offset);
  if (!step || *step == 0 || (read.variable && !read.copy->ahead))
    return builder.CreateGEP(byte, copied(read, before, /*isFirst=*/false), offset);
  Value *first = copied(read, *before_->getTerminator(), /*isFirst=*/true);
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

/// The address in the thread that copied, in this round or in the first one.
Value *CopiedAddresses::copied(const TileRead &read, Instruction &before, bool isFirst) {
  IRBuilder<> builder(&before);
  auto input = [&](Value &value) -> Value * {
    if (PHINode *phi = isFirst ? variable(value) : nullptr)
      return phi->getIncomingValueForBlock(before_);
    if (block_.isCommon(value) && facts_.dominators.dominates(&value, &before))
      return &value;
    const ThreadTable *table = block_.tables.of(&value);
    return table && sumFor(read, *table) ? ofTable(value, *table, read, before) : nullptr;
  };
  return Recomputation(builder, input, Flags::Kept).of(address(read));
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
