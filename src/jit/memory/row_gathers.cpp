// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathers of rows.
//
// Lanes that each read four neighbouring words, a piece of a row of their own, take four gathers. A
// gather takes as long as a load for each lane, on many processors longer. But one load of 16 bytes
// has all four words of a lane:
//
//     gather %p;  gather %p + 4;  gather %p + 8;  gather %p + 12
//  ->
//     br all(%mask), a load of <4 x i32> for each lane and a transposition, the gathers
//
// Registers are filled with the loads of lanes 0, 4, 8, 12, of lanes 1, 5, 9, 13 and so on, as
// operands in memory. Then two shuffles within 16 bytes for each register are the transposition.
// Doubles are taken two by two. Where lanes go along rows in a loop, simt/unroll-rows makes the
// neighbours.
//
// The lanes' addresses are scalars. What differs between lanes is stored once, where it is
// computed, mostly before a loop; the rest is the same in all lanes.
//
// Legality (row-gathers):
//  1. The gathers are of the same lanes: the mask is one value, the vector of what differs between
//     their addresses too, and the rest differs by a constant. [neighbours]
//  2. All lanes are active, which is asked at run time. [asked]
//  3. Nothing between the gathers writes to what they read, or may not go on to the later ones.
//     [between]
//  4. Elements of 4 or 8 bytes, and so many lanes that registers come out even. [groups]
#include "jit/memory/row_gathers.h"

#include "simt/simt.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::jit {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

constexpr unsigned PieceBits = 128; ///< of a lane's row that are loaded at once
constexpr unsigned FewestLanes = 8;

/// The addresses of lanes: base, moved by what is the same in all lanes, and scale * lanes[i].
struct Addresses {
  Value *base = nullptr;                              ///< null where `lanes` are addresses
  SmallVector<std::pair<Value *, uint64_t>, 4> moves; ///< numbers of 64 bits and scales, bytes
  Value *lanes = nullptr;
  uint64_t scale = 1;

  bool addMove(Value *index, uint64_t bytes) {
    Value *one = index->getType()->isVectorTy() ? getSplatValue(index) : index;
    if (!one || !one->getType()->isIntegerTy(64))
      return false;
    moves.push_back({one, bytes});
    return true;
  }

  bool take(Value *pointers, const DataLayout &);
};

/// False if an index is not of 64 bits, or steps over more than elements.
bool Addresses::take(Value *pointers, const DataLayout &layout) {
  auto *gep = dyn_cast<GetElementPtrInst>(pointers);
  auto bytesOf = [&] {
    return layout.getTypeAllocSize(gep->getSourceElementType()).getFixedValue();
  };
  auto isVector = [](const Value *value) { return value->getType()->isVectorTy(); };
  while (gep && gep->getNumIndices() == 1 && isVector(gep->getPointerOperand())) {
    if (!addMove(gep->getOperand(1), bytesOf()))
      break;
    pointers = gep->getPointerOperand();
    gep = dyn_cast<GetElementPtrInst>(pointers);
  }
  bool hasBase = gep && gep->getNumIndices() == 1 && !isVector(gep->getPointerOperand());
  if (!hasBase) {
    lanes = pointers;
    return true;
  }
  base = gep->getPointerOperand();
  lanes = gep->getOperand(1);
  scale = bytesOf();
  Value *left, *right;
  while (match(lanes, m_AddLike(m_Value(left), m_Value(right)))) {
    if (addMove(left, scale))
      lanes = right;
    else if (addMove(right, scale))
      lanes = left;
    else
      break;
  }
  return lanes->getType()->getScalarSizeInBits() == 64;
}

struct Gather {
  IntrinsicInst *call;
  Addresses addresses;
  const SCEV *same; ///< of the address: what all lanes have in common

  FixedVectorType *type() const { return cast<FixedVectorType>(call->getType()); }
  Value *mask() const { return call->getArgOperand(1); }
};

/// Gathers of neighbours in a block.
struct Row {
  Gather first;                                                 ///< in the block
  SmallVector<std::pair<int64_t, IntrinsicInst *>, 16> members; ///< and bytes from `first`
};

class Finder {
public:
  Finder(Function &function, FunctionAnalysisManager &analyses)
      : layout_(function.getDataLayout()),
        evolution_(analyses.getResult<ScalarEvolutionAnalysis>(function)),
        aliases_(analyses.getResult<AAManager>(function)),
        registers_(simt::vectorRegisters(analyses.getResult<TargetIRAnalysis>(function))) {
    for (BasicBlock &block : function)
      findIn(block);
  }

  std::vector<Row> rows; ///< of whole pieces, in the order of addresses

  /// Lanes of a register.
  unsigned chunkOf(const FixedVectorType &type) const {
    return std::min<unsigned>(type.getNumElements(), registers_.bits / type.getScalarSizeInBits());
  }

private:
  std::optional<Gather> gatherOf(Instruction &) const;
  std::optional<int64_t> distance(const Gather &from, const Gather &to) const;
  void findIn(BasicBlock &);
  void add(const Gather &);
  void close(Row &);

  const DataLayout &layout_;
  ScalarEvolution &evolution_;
  AAResults &aliases_;
  simt::VectorRegisters registers_;
  std::vector<Row> open_;
};

std::optional<Gather> Finder::gatherOf(Instruction &instruction) const {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (!call || call->getIntrinsicID() != Intrinsic::masked_gather)
    return {};
  Gather gather = {call, {}, nullptr};
  unsigned bits = gather.type()->getScalarSizeInBits(), lanes = gather.type()->getNumElements();
  if (gather.type()->getElementType()->isPointerTy() || (bits != 32 && bits != 64) ||
      lanes < FewestLanes || !isa<Constant>(call->getArgOperand(2)) ||
      lanes % chunkOf(*gather.type()) != 0 || chunkOf(*gather.type()) % (PieceBits / bits) != 0 ||
      !gather.addresses.take(call->getArgOperand(0), layout_))
    return {};
  Type *number = Type::getInt64Ty(call->getContext());
  SmallVector<const SCEV *, 4> terms = {evolution_.getZero(number)};
  for (auto [index, bytes] : gather.addresses.moves)
    terms.push_back(
        evolution_.getMulExpr(evolution_.getSCEV(index), evolution_.getConstant(number, bytes)));
  gather.same = evolution_.getAddExpr(terms);
  if (gather.addresses.base)
    gather.same = evolution_.getAddExpr(evolution_.getSCEV(gather.addresses.base), gather.same);
  return gather;
}

/// Bytes from each lane's element to that of another gather, if that is known.
std::optional<int64_t> Finder::distance(const Gather &from, const Gather &to) const {
  if (from.addresses.lanes != to.addresses.lanes || from.addresses.scale != to.addresses.scale ||
      from.mask() != to.mask() || from.type() != to.type() ||
      !from.addresses.base != !to.addresses.base)
    return {};
  const auto *bytes = dyn_cast<SCEVConstant>(evolution_.getMinusSCEV(to.same, from.same));
  return bytes ? std::optional(bytes->getAPInt().getSExtValue()) : std::nullopt;
}

void Finder::add(const Gather &gather) {
  for (Row &row : open_)
    if (std::optional<int64_t> bytes = distance(row.first, gather)) {
      row.members.push_back({*bytes, gather.call});
      return;
    }
  open_.push_back({gather, {{0, gather.call}}});
}

/// Takes the whole pieces of neighbours.
void Finder::close(Row &row) {
  int64_t size = row.first.type()->getScalarSizeInBits() / 8;
  size_t piece = PieceBits / 8 / size;
  sort(row.members, less_first());
  for (size_t begin = 0, end; begin < row.members.size(); begin = end) {
    end = begin + 1;
    while (end < row.members.size() && row.members[end].first == row.members[end - 1].first + size)
      ++end;
    if (size_t whole = (end - begin) / piece * piece)
      rows.push_back(
          {row.first, {row.members.begin() + begin, row.members.begin() + begin + whole}});
  }
}

void Finder::findIn(BasicBlock &block) {
  for (Instruction &instruction : block) {
    if (std::optional<Gather> gather = gatherOf(instruction))
      add(*gather);
    bool goesOn = isGuaranteedToTransferExecutionToSuccessor(&instruction);
    if (goesOn && !instruction.mayWriteToMemory())
      continue;
    erase_if(open_, [&](Row &row) {
      bool ends = !goesOn || any_of(row.members, [&](const auto &member) {
        return isModSet(aliases_.getModRefInfo(&instruction, member.second));
      });
      if (ends)
        close(row);
      return ends;
    });
  }
  for_each(open_, [&](Row &row) { close(row); });
  open_.clear();
}

class Rewriter {
public:
  explicit Rewriter(const Finder &finder) : finder_(finder) {}

  /// The gathers have no more uses then.
  void take(const Row &);

private:
  Value *slotOf(Value *lanes);
  SmallVector<Value *, 64> addressesOf(IRBuilder<> &, const Gather &);
  void emitPiece(IRBuilder<> &, const Row &, size_t first, ArrayRef<Value *> addresses,
                 SmallVectorImpl<Value *> &results) const;
  SmallVector<Value *, 16> emitRows(Instruction &before, const Row &);
  static SmallVector<Value *, 16> emitGathers(Instruction &before, const Row &);

  const Finder &finder_;
  DenseMap<Value *, Value *> slots_;
};

/// Where a vector's elements are in memory from when on they are known.
Value *Rewriter::slotOf(Value *lanes) {
  Value *&slot = slots_[lanes];
  if (slot)
    return slot;
  auto *type = cast<FixedVectorType>(lanes->getType());
  Function &function = isa<Argument>(lanes) ? *cast<Argument>(lanes)->getParent()
                                            : *cast<Instruction>(lanes)->getFunction();
  BasicBlock &entry = function.getEntryBlock();
  auto *made = IRBuilder<>(&entry, entry.getFirstInsertionPt())
                   .CreateAlloca(ArrayType::get(type->getElementType(), type->getNumElements()));
  made->setAlignment(Align(64));
  BasicBlock::iterator behind = isa<Argument>(lanes)
                                    ? std::next(made->getIterator())
                                    : *cast<Instruction>(lanes)->getInsertionPointAfterDef();
  IRBuilder<>(behind->getParent(), behind).CreateAlignedStore(lanes, made, Align(64));
  return slot = made;
}

SmallVector<Value *, 64> Rewriter::addressesOf(IRBuilder<> &builder, const Gather &gather) {
  const Addresses &from = gather.addresses;
  Value *base = from.base, *offset = builder.getInt64(0);
  for (auto [index, bytes] : from.moves)
    offset = builder.CreateAdd(offset, builder.CreateMul(index, builder.getInt64(bytes)));
  if (base)
    base = builder.CreatePtrAdd(base, offset);
  Value *slot = isa<Constant>(from.lanes) ? nullptr : slotOf(from.lanes);
  Type *type = from.lanes->getType()->getScalarType();
  SmallVector<Value *, 64> addresses;
  for (unsigned lane = 0; lane < gather.type()->getNumElements(); ++lane) {
    Value *one =
        slot ? builder.CreateLoad(type, builder.CreateConstInBoundsGEP1_64(type, slot, lane))
             : builder.CreateExtractElement(from.lanes, lane);
    addresses.push_back(
        base ? builder.CreatePtrAdd(base, builder.CreateMul(one, builder.getInt64(from.scale)))
             : builder.CreatePtrAdd(one, offset));
  }
  return addresses;
}

/// Of each 16 bytes of two registers, the lower or upper half's elements in turns.
Value *unpack(IRBuilder<> &builder, Value *left, Value *right, unsigned group, bool upper) {
  auto *type = cast<FixedVectorType>(left->getType());
  int lanes = static_cast<int>(type->getNumElements()),
      piece = static_cast<int>(PieceBits / type->getScalarSizeInBits());
  SmallVector<int, 32> picks;
  for (int first = 0; first < lanes; first += piece)
    for (int i = 0; i < piece / 2; i += static_cast<int>(group))
      for (int side : {0, lanes})
        for (int j = 0; j < static_cast<int>(group); ++j)
          picks.push_back(side + first + (upper ? piece / 2 : 0) + i + j);
  return builder.CreateShuffleVector(left, right, picks);
}

/// The columns of what registers hold in their pieces: register i has rows i, i + n, i + 2 n ...
SmallVector<Value *, 4> transposed(IRBuilder<> &builder, ArrayRef<Value *> in) {
  auto both = [&](Value *left, Value *right, unsigned group) {
    return std::pair(unpack(builder, left, right, group, false),
                     unpack(builder, left, right, group, true));
  };
  if (in.size() == 2) {
    auto [low, high] = both(in[0], in[1], 1);
    return {low, high};
  }
  auto [low0, high0] = both(in[0], in[1], 1);
  auto [low1, high1] = both(in[2], in[3], 1);
  auto [first, second] = both(low0, low1, 2);
  auto [third, fourth] = both(high0, high1, 2);
  return {first, second, third, fourth};
}

/// The elements of the row from its member `first` on.
void Rewriter::emitPiece(IRBuilder<> &builder, const Row &row, size_t first,
                         ArrayRef<Value *> addresses, SmallVectorImpl<Value *> &results) const {
  const auto &[distance, member] = row.members[first];
  auto *type = cast<FixedVectorType>(member->getType());
  unsigned length = PieceBits / type->getScalarSizeInBits(), chunk = finder_.chunkOf(*type);
  auto *pieceType = FixedVectorType::get(type->getElementType(), length);
  Align align = member->getParamAlign(0).valueOrOne();
  SmallVector<SmallVector<Value *, 8>, 4> columns(length);
  for (unsigned begin = 0; begin < type->getNumElements(); begin += chunk) {
    SmallVector<Value *, 4> registers;
    for (unsigned i = 0; i < length; ++i) {
      SmallVector<Value *, 4> parts;
      for (unsigned lane = begin + i; lane < begin + chunk; lane += length)
        parts.push_back(builder.CreateAlignedLoad(
            pieceType, builder.CreatePtrAdd(addresses[lane], builder.getInt64(distance)), align));
      registers.push_back(concatenateVectors(builder, parts));
    }
    for (auto [i, column] : enumerate(transposed(builder, registers)))
      columns[i].push_back(column);
  }
  for (const auto &column : columns)
    results.push_back(concatenateVectors(builder, column));
}

SmallVector<Value *, 16> Rewriter::emitRows(Instruction &before, const Row &row) {
  IRBuilder<> builder(&before);
  builder.SetCurrentDebugLocation(row.first.call->getDebugLoc());
  SmallVector<Value *, 64> addresses = addressesOf(builder, row.first);
  SmallVector<Value *, 16> results;
  size_t piece = PieceBits / row.first.type()->getScalarSizeInBits();
  for (size_t i = 0; i < row.members.size(); i += piece)
    emitPiece(builder, row, i, addresses, results);
  return results;
}

/// The same as gathers, all in the place of the first.
SmallVector<Value *, 16> Rewriter::emitGathers(Instruction &before, const Row &row) {
  IRBuilder<> builder(&before);
  SmallVector<Value *, 16> results;
  for (auto [distance, member] : row.members) {
    builder.SetCurrentDebugLocation(member->getDebugLoc());
    Value *pointers =
        builder.CreatePtrAdd(row.first.call->getArgOperand(0), builder.getInt64(distance));
    results.push_back(builder.CreateMaskedGather(member->getType(), pointers,
                                                 member->getParamAlign(0).valueOrOne(),
                                                 row.first.mask(), member->getArgOperand(2)));
  }
  return results;
}

void Rewriter::take(const Row &row) {
  Instruction *place = row.first.call;
  SmallVector<Value *, 16> results;
  if (match(row.first.mask(), m_AllOnes())) {
    results = emitRows(*place, row);
  } else {
    IRBuilder<> builder(place);
    Value *bits = builder.CreateBitCast(builder.CreateFreeze(row.first.mask()),
                                        builder.getIntNTy(row.first.type()->getNumElements()));
    Value *all = builder.CreateICmpEQ(bits, Constant::getAllOnesValue(bits->getType()));
    Instruction *then = nullptr, *otherwise = nullptr;
    SplitBlockAndInsertIfThenElse(all, place->getIterator(), &then, &otherwise);
    SmallVector<Value *, 16> whole = emitRows(*then, row), some = emitGathers(*otherwise, row);
    for (auto [one, other] : zip(whole, some)) {
      auto *value = PHINode::Create(one->getType(), 2, "", place->getParent()->begin());
      value->addIncoming(one, then->getParent());
      value->addIncoming(other, otherwise->getParent());
      results.push_back(value);
    }
  }
  for (auto [value, member] : zip(results, row.members))
    member.second->replaceAllUsesWith(value);
}

} // namespace

PreservedAnalyses RowGathers::run(Function &function, FunctionAnalysisManager &analyses) {
  Finder finder(function, analyses);
  Rewriter rewriter(finder);
  for (const Row &row : finder.rows)
    rewriter.take(row);
  for (const Row &row : finder.rows)
    for (const auto &[distance, member] : row.members)
      member->eraseFromParent();
  return finder.rows.empty() ? PreservedAnalyses::all() : PreservedAnalyses::none();
}

} // namespace heddle::jit
