// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/memory/rows.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace heddle::jit {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

constexpr unsigned FewestLanes = 8;

int64_t bytesOf(const LaneAccess &access) { return access.type()->getScalarSizeInBits() / 8; }

/// Of each 16 bytes of two registers, the lower or upper half's elements in turns.
Value *unpack(IRBuilder<> &builder, Value *left, Value *right, unsigned group, bool upper) {
  auto *type = cast<FixedVectorType>(left->getType());
  int lanes = static_cast<int>(type->getNumElements()),
      piece = static_cast<int>(RowPieceBits / type->getScalarSizeInBits());
  SmallVector<int, 32> picks;
  for (int first = 0; first < lanes; first += piece)
    for (int i = 0; i < piece / 2; i += static_cast<int>(group))
      for (int side : {0, lanes})
        for (int j = 0; j < static_cast<int>(group); ++j)
          picks.push_back(side + first + (upper ? piece / 2 : 0) + i + j);
  return builder.CreateShuffleVector(left, right, picks);
}

} // namespace

bool LaneAddresses::addMove(Value *index, uint64_t bytes) {
  Value *one = index->getType()->isVectorTy() ? getSplatValue(index) : index;
  if (!one || !one->getType()->isIntegerTy(64))
    return false;
  moves.push_back({one, bytes});
  return true;
}

bool LaneAddresses::take(Value *pointers, const DataLayout &layout) {
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

FixedVectorType *LaneAccess::type() const { return cast<FixedVectorType>(call->getType()); }

Value *LaneAccess::pointers() const { return call->getArgOperand(0); }
Value *LaneAccess::mask() const { return call->getArgOperand(1); }

Align alignOf(const IntrinsicInst &call) { return call.getParamAlign(0).valueOrOne(); }

RowFinder::RowFinder(Function &function, FunctionAnalysisManager &analyses)
    : layout_(function.getDataLayout()),
      evolution_(analyses.getResult<ScalarEvolutionAnalysis>(function)),
      aliases_(analyses.getResult<AAManager>(function)),
      registers_(simt::vectorRegisters(analyses.getResult<TargetIRAnalysis>(function))) {
  for (BasicBlock &block : function)
    findIn(block);
}

unsigned RowFinder::chunkOf(const FixedVectorType &type) const {
  return std::min<unsigned>(type.getNumElements(), registers_.bits / type.getScalarSizeInBits());
}

std::optional<LaneAccess> RowFinder::accessOf(Instruction &instruction) const {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (!call || call->getIntrinsicID() != Intrinsic::masked_gather)
    return {};
  LaneAccess access = {call, {}, nullptr};
  const FixedVectorType &type = *access.type();
  unsigned bits = type.getScalarSizeInBits(), lanes = type.getNumElements();
  bool isOther = !isa<Constant>(call->getArgOperand(2));
  if (type.getElementType()->isPointerTy() || (bits != 32 && bits != 64) || lanes < FewestLanes ||
      isOther || lanes % chunkOf(type) != 0 || chunkOf(type) % (RowPieceBits / bits) != 0 ||
      !access.addresses.take(access.pointers(), layout_))
    return {};
  Type *number = Type::getInt64Ty(call->getContext());
  SmallVector<const SCEV *, 4> terms = {evolution_.getZero(number)};
  for (auto [index, bytes] : access.addresses.moves)
    terms.push_back(
        evolution_.getMulExpr(evolution_.getSCEV(index), evolution_.getConstant(number, bytes)));
  access.same = evolution_.getAddExpr(terms);
  if (access.addresses.base)
    access.same = evolution_.getAddExpr(evolution_.getSCEV(access.addresses.base), access.same);
  return access;
}

/// Bytes from each lane's element to that of another access, if that is known.
std::optional<int64_t> RowFinder::distance(const LaneAccess &from, const LaneAccess &to) const {
  if (from.addresses.lanes != to.addresses.lanes || from.addresses.scale != to.addresses.scale ||
      from.mask() != to.mask() || from.type() != to.type() ||
      !from.addresses.base != !to.addresses.base)
    return {};
  const auto *bytes = dyn_cast<SCEVConstant>(evolution_.getMinusSCEV(to.same, from.same));
  return bytes ? std::optional(bytes->getAPInt().getSExtValue()) : std::nullopt;
}

/// The row that an access belongs to.
Row *RowFinder::rowOf(const LaneAccess &access) {
  auto row = find_if(open_, [&](const Row &row) { return distance(row.first, access); });
  return row == open_.end() ? nullptr : &*row;
}

void RowFinder::add(const LaneAccess &access) {
  Row *row = rowOf(access);
  if (!row) {
    open_.push_back({access, access.call, {{0, access.call}}});
    return;
  }
  row->members.push_back({*distance(row->first, access), access.call});
  row->last = access.call;
}

/// Takes the neighbours in pieces. What is left of less than a piece is worth one of its own, which
/// has elements of the one before, if it is more than half.
void RowFinder::close(Row &row) {
  int64_t size = bytesOf(row.first);
  size_t piece = row.pieceLength();
  sort(row.members, less_first());
  for (size_t begin = 0, end; begin < row.members.size(); begin = end) {
    end = begin + 1;
    while (end < row.members.size() && row.members[end].first == row.members[end - 1].first + size)
      ++end;
    size_t count = end - begin, rest = count % piece;
    bool takesRest = 2 * rest > piece;
    if (count >= piece)
      rows.push_back(
          {row.first,
           row.last,
           {row.members.begin() + begin, row.members.begin() + (takesRest ? end : end - rest)}});
  }
}

/// Whether what follows an instruction cannot be in a row with what is before it.
bool RowFinder::ends(const Row &row, Instruction &instruction) const {
  return any_of(row.members, [&](const auto &member) {
    return isModSet(aliases_.getModRefInfo(&instruction, member.second));
  });
}

void RowFinder::findIn(BasicBlock &block) {
  auto closeIf = [&](auto condition) {
    erase_if(open_, [&](Row &row) {
      bool closes = condition(row);
      if (closes)
        close(row);
      return closes;
    });
  };
  for (Instruction &instruction : block) {
    std::optional<LaneAccess> access = accessOf(instruction);
    Row *row = access ? rowOf(*access) : nullptr;
    const IntrinsicInst *own = row ? row->first.call : nullptr;
    if (!isGuaranteedToTransferExecutionToSuccessor(&instruction))
      closeIf([](Row &) { return true; });
    else if (instruction.mayWriteToMemory())
      closeIf([&](Row &other) { return other.first.call != own && ends(other, instruction); });
    if (access)
      add(*access);
  }
  closeIf([](Row &) { return true; });
}

/// Where a vector's elements are in memory from when on they are known.
Value *RowAddresses::slotOf(Value *lanes) {
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

SmallVector<Value *, 64> RowAddresses::of(IRBuilder<> &builder, const LaneAccess &access) {
  const LaneAddresses &from = access.addresses;
  Value *base = from.base, *offset = builder.getInt64(0);
  for (auto [index, bytes] : from.moves)
    offset = builder.CreateAdd(offset, builder.CreateMul(index, builder.getInt64(bytes)));
  if (base)
    base = builder.CreatePtrAdd(base, offset);
  Value *slot = isa<Constant>(from.lanes) ? nullptr : slotOf(from.lanes);
  Type *type = from.lanes->getType()->getScalarType();
  SmallVector<Value *, 64> addresses;
  for (unsigned lane = 0; lane < access.type()->getNumElements(); ++lane) {
    Value *one =
        slot ? builder.CreateLoad(type, builder.CreateConstInBoundsGEP1_64(type, slot, lane))
             : builder.CreateExtractElement(from.lanes, lane);
    addresses.push_back(
        base ? builder.CreatePtrAdd(base, builder.CreateMul(one, builder.getInt64(from.scale)))
             : builder.CreatePtrAdd(one, offset));
  }
  return addresses;
}

SmallVector<Value *, 4> transposedPieces(IRBuilder<> &builder, ArrayRef<Value *> in) {
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

void splitAtWholeMask(const Row &row, Instruction &place, Instruction *&then,
                      Instruction *&otherwise) {
  IRBuilder<> builder(&place);
  Value *bits = builder.CreateBitCast(builder.CreateFreeze(row.first.mask()),
                                      builder.getIntNTy(row.first.type()->getNumElements()));
  Value *all = builder.CreateICmpEQ(bits, Constant::getAllOnesValue(bits->getType()));
  SplitBlockAndInsertIfThenElse(all, place.getIterator(), &then, &otherwise);
}

} // namespace heddle::jit
