// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem. Once a block's shared memory is in registers, its program is a net of shuffles of
// hundreds of lanes, of which fewer and fewer matter (in a tree of sums, one in the end). LLVM's
// passes look at one shuffle at a time, keep lanes of values that have several uses, and its back
// end takes wide shuffles through memory.
//
// Method. Every lane is followed through all that only moves it (lanes.h), and the lanes that are
// needed are found backwards from stores, calls and scalars. Then each instruction that computes is
// written anew in pieces as long as a register, for these lanes only; an operand's piece is put
// together by as few shuffles as the pieces that its lanes lie in. Where the needed lanes would
// fill fewer registers if they moved together, and that costs no more than it saves, they do:
//
//     %a = fadd of the even lanes of two registers    ->   lanes 0, 2, ... 30 in one register
//
// What is no lane-wise instruction gets its operands put together, and its result cut.
#include "simt/cut_vectors.h"

#include "simt/lanes.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

#include <map>

using namespace llvm;

namespace heddle::simt {

namespace {

/// A lane in the new program; no piece where it is not needed.
struct Spot {
  Value *piece = nullptr;
  unsigned index = 0;
};

using LaneList = std::vector<Lane>;

class Cutter {
public:
  Cutter(Function &function, unsigned lanes)
      : function_(function), lanes_(function), most_(lanes), builder_(function.getContext()) {}

  void run() {
    std::vector<Instruction *> all;
    for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function_))
      for (Instruction &instruction : *block)
        all.push_back(&instruction);
    originals_.insert(all.begin(), all.end());
    for (Instruction *instruction : all)
      if (laneKind(*instruction) == LaneKind::Joins)
        emitPhi(cast<PHINode>(*instruction));
    BasicBlock *block = nullptr;
    for (Instruction *instruction : all) {
      if (instruction->getParent() != block) {
        block = instruction->getParent();
        known_.clear();
      }
      builder_.SetInsertPoint(instruction);
      emit(*instruction);
    }
    for (Instruction *instruction : all)
      if (laneKind(*instruction) == LaneKind::Joins)
        fillPhi(cast<PHINode>(*instruction));
    for (Instruction *instruction : old_)
      instruction->replaceAllUsesWith(PoisonValue::get(instruction->getType()));
    for (Instruction *instruction : old_)
      instruction->eraseFromParent();
  }

private:
  void emit(Instruction &);
  void emitComputed(Instruction &);
  void emitLoad(Instruction &);
  void emitStore(Instruction &);
  void emitGather(IntrinsicInst &);
  void emitScatter(IntrinsicInst &);
  void emitOpaque(Instruction &);
  void emitExtract(ExtractElementInst &);
  void emitPhi(PHINode &);
  void fillPhi(PHINode &);
  Value *compute(Instruction &, ArrayRef<unsigned> lanes);
  Value *assemble(ArrayRef<Lane> lanes, Type *element);
  Value *build(ArrayRef<Lane> lanes, Type *element);
  Value *whole(Value *vector);
  unsigned shuffles(ArrayRef<Lane> lanes);
  std::vector<SmallVector<unsigned, 16>> place(Instruction &);
  Spot spotOf(const Lane &) const;

  /// These lanes of an operand.
  LaneList pick(Value *vector, ArrayRef<unsigned> lanes) {
    ArrayRef<Lane> origins = lanes_.of(vector);
    LaneList list;
    for (unsigned lane : lanes)
      list.push_back(origins[lane]);
    return list;
  }
  Value *operandPiece(Value *vector, ArrayRef<unsigned> lanes) {
    return assemble(pick(vector, lanes), vector->getType()->getScalarType());
  }
  void define(Instruction &old, ArrayRef<unsigned> lanes, Value *piece) {
    auto &spots = spots_[&old];
    spots.resize(lanesOf(old.getType()));
    for (auto [index, lane] : enumerate(lanes))
      spots[lane] = {piece, unsigned(index)};
  }

  Function &function_;
  Lanes lanes_;
  unsigned most_; ///< lanes of a piece
  IRBuilder<> builder_;
  DenseMap<Value *, SmallVector<Spot, 0>> spots_;
  std::map<std::pair<LaneList, Type *>, Value *> known_; ///< put together in this block already
  DenseSet<Value *> originals_;
  std::vector<Instruction *> old_;
};

void Cutter::emit(Instruction &instruction) {
  LaneKind kind = laneKind(instruction);
  if (kind == LaneKind::Opaque)
    return emitOpaque(instruction);
  old_.push_back(&instruction);
  bool isNeeded = instruction.getType()->isVoidTy() || lanes_.needed(&instruction).any();
  if (!isNeeded)
    return;
  if (kind == LaneKind::Computes)
    emitComputed(instruction);
  else if (kind == LaneKind::Loads)
    emitLoad(instruction);
  else if (kind == LaneKind::Stores)
    emitStore(instruction);
  else if (kind == LaneKind::Gathers)
    instruction.getType()->isVoidTy() ? emitScatter(cast<IntrinsicInst>(instruction))
                                      : emitGather(cast<IntrinsicInst>(instruction));
}

Spot Cutter::spotOf(const Lane &lane) const {
  auto found = spots_.find(lane.value);
  if (found != spots_.end())
    return found->second[lane.number];
  return originals_.contains(lane.value) ? Spot() : Spot{lane.value, lane.number};
}

// ---------------------------------------------------------------------------------------------------
// Pieces of operands.

/// How many shuffles `assemble` needs.
unsigned Cutter::shuffles(ArrayRef<Lane> lanes) {
  SmallVector<Value *, 8> sources;
  bool inPlace = true, constants = false;
  for (auto [index, lane] : enumerate(lanes)) {
    if (!lane.value)
      continue;
    if (isa<Constant>(lane.value)) {
      constants = true;
      continue;
    }
    Spot spot = spotOf(lane);
    if (!spot.piece)
      continue;
    inPlace &= spot.index == index;
    if (!is_contained(sources, spot.piece))
      sources.push_back(spot.piece);
  }
  unsigned count = sources.size() + (constants && !sources.empty());
  return count == 1 && inPlace ? 0 : count <= 1 ? count : count - 1;
}

Value *Cutter::assemble(ArrayRef<Lane> lanes, Type *element) {
  Value *&known = known_[{LaneList(lanes.begin(), lanes.end()), element}];
  if (!known)
    known = build(lanes, element);
  return known;
}

Value *Cutter::build(ArrayRef<Lane> lanes, Type *element) {
  unsigned count = lanes.size();
  struct Source {
    Value *vector;
    SmallVector<int, 16> picks;
  };
  SmallVector<Source, 4> sources;
  auto sourceOf = [&](Value *vector) -> Source & {
    for (Source &source : sources)
      if (source.vector == vector)
        return source;
    return sources.emplace_back(Source{vector, SmallVector<int, 16>(count, PoisonMaskElem)});
  };
  SmallVector<Constant *, 16> constants(count, PoisonValue::get(element));
  bool hasConstants = false;
  SmallVector<std::pair<Value *, unsigned>, 4> scalars;
  for (auto [index, lane] : enumerate(lanes)) {
    if (!lane.value)
      continue;
    if (!lane.value->getType()->isVectorTy()) {
      if (auto *constant = dyn_cast<Constant>(lane.value)) {
        constants[index] = constant;
        hasConstants = true;
      } else {
        scalars.push_back({lane.value, index});
      }
      continue;
    }
    Spot spot = spotOf(lane);
    if (spot.piece)
      sourceOf(spot.piece).picks[index] = spot.index;
  }
  if (!scalars.empty() && sources.empty() && !hasConstants &&
      all_of(scalars, [&](auto &scalar) { return scalar.first == scalars[0].first; }))
    return builder_.CreateVectorSplat(count, scalars[0].first);
  auto lengthOf = [](Value *vector) { return lanesOf(vector->getType()); };
  auto inPlace = [&](const Source &source) {
    return all_of(enumerate(source.picks),
                  [](auto pick) { return pick.value() < 0 || pick.value() == int(pick.index()); });
  };
  if (hasConstants) {
    Source &source = sources.emplace_back(Source{ConstantVector::get(constants), {}});
    for (unsigned i = 0; i < count; ++i)
      source.picks.push_back(isa<PoisonValue>(constants[i]) ? PoisonMaskElem : int(i));
  }
  if (sources.empty())
    sources.push_back({PoisonValue::get(FixedVectorType::get(element, count)),
                       SmallVector<int, 16>(count, PoisonMaskElem)});
  while (sources.size() > 1) {
    Source second = sources.pop_back_val(), first = sources.pop_back_val();
    unsigned length = std::max(lengthOf(first.vector), lengthOf(second.vector));
    for (Source *source : {&first, &second})
      if (unsigned now = lengthOf(source->vector); now < length) {
        SmallVector<int, 16> longer(length, PoisonMaskElem);
        std::iota(longer.begin(), longer.begin() + now, 0);
        source->vector = builder_.CreateShuffleVector(source->vector, longer);
      }
    Source both{nullptr, {}};
    SmallVector<int, 16> picks;
    for (unsigned i = 0; i < count; ++i) {
      picks.push_back(second.picks[i] >= 0 ? second.picks[i] + int(length) : first.picks[i]);
      both.picks.push_back(picks.back() >= 0 ? int(i) : PoisonMaskElem);
    }
    both.vector = builder_.CreateShuffleVector(first.vector, second.vector, picks);
    sources.push_back(both);
  }
  Value *result = sources[0].vector;
  if (lengthOf(result) != count || !inPlace(sources[0]))
    result = builder_.CreateShuffleVector(result, sources[0].picks);
  for (auto [scalar, index] : scalars)
    result = builder_.CreateInsertElement(result, scalar, uint64_t(index));
  return result;
}

/// All lanes of a vector that may have been cut.
Value *Cutter::whole(Value *vector) {
  ArrayRef<Lane> lanes = lanes_.of(vector);
  Type *element = vector->getType()->getScalarType();
  SmallVector<Value *, 16> pieces;
  for (unsigned first = 0; first < lanes.size(); first += most_)
    pieces.push_back(
        assemble(lanes.slice(first, std::min<size_t>(most_, lanes.size() - first)), element));
  return pieces.size() == 1 ? pieces[0] : concatenateVectors(builder_, pieces);
}

// ---------------------------------------------------------------------------------------------------
// Instructions.

/// The lanes of each piece of the result.
std::vector<SmallVector<unsigned, 16>> Cutter::place(Instruction &instruction) {
  const BitVector &needed = lanes_.needed(&instruction);
  std::vector<SmallVector<unsigned, 16>> inPlace, together;
  for (unsigned first = 0; first < needed.size(); first += most_) {
    unsigned end = std::min(first + most_, needed.size());
    int last = needed.find_last_in(first, end);
    if (last < 0)
      continue;
    auto &piece = inPlace.emplace_back();
    unsigned length = std::min<unsigned>(PowerOf2Ceil(last + 1 - first), end - first);
    for (unsigned lane = first; lane < first + length; ++lane)
      piece.push_back(lane);
  }
  for (unsigned lane : needed.set_bits()) {
    if (together.empty() || together.back().size() == most_)
      together.emplace_back();
    together.back().push_back(lane);
  }
  if (together.size() == inPlace.size())
    return inPlace;
  auto cost = [&](ArrayRef<SmallVector<unsigned, 16>> pieces) {
    unsigned sum = pieces.size();
    for (const auto &piece : pieces)
      for (Value *operand : instruction.operands())
        if (operand->getType()->isVectorTy())
          sum += shuffles(pick(operand, piece));
    return sum;
  };
  return cost(together) <= cost(inPlace) ? together : inPlace;
}

Value *Cutter::compute(Instruction &instruction, ArrayRef<unsigned> lanes) {
  SmallVector<Value *, 4> operands;
  unsigned count = instruction.getNumOperands();
  auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  if (intrinsic)
    count = intrinsic->arg_size();
  for (unsigned i = 0; i < count; ++i) {
    Value *operand = instruction.getOperand(i);
    operands.push_back(operand->getType()->isVectorTy() ? operandPiece(operand, lanes) : operand);
  }
  Type *type = FixedVectorType::get(instruction.getType()->getScalarType(), lanes.size());
  if (!intrinsic) {
    Instruction *copy = instruction.clone();
    copy->mutateType(type);
    for (auto [i, operand] : enumerate(operands))
      copy->setOperand(i, operand);
    return builder_.Insert(copy);
  }
  Intrinsic::ID id = intrinsic->getIntrinsicID();
  SmallVector<Type *, 4> types;
  if (isVectorIntrinsicWithOverloadTypeAtArg(id, -1, nullptr))
    types.push_back(type);
  for (auto [i, operand] : enumerate(operands))
    if (isVectorIntrinsicWithOverloadTypeAtArg(id, i, nullptr))
      types.push_back(operand->getType());
  CallInst *call = builder_.CreateIntrinsic(id, types, operands);
  call->copyIRFlags(intrinsic);
  return call;
}

/// In lanes that nobody needs an operand may be anything.
void Cutter::emitComputed(Instruction &instruction) {
  for (const auto &lanes : place(instruction))
    define(instruction, lanes, compute(instruction, lanes));
}

/// Neighbouring elements: what is certain to be there is loaded without a mask.
void Cutter::emitLoad(Instruction &instruction) {
  auto *masked = dyn_cast<IntrinsicInst>(&instruction);
  Value *pointer = instruction.getOperand(0), *mask = masked ? masked->getArgOperand(1) : nullptr;
  Align align =
      masked ? masked->getParamAlign(0).valueOrOne() : cast<LoadInst>(instruction).getAlign();
  Type *element = instruction.getType()->getScalarType();
  uint64_t size = instruction.getDataLayout().getTypeStoreSize(element);
  const BitVector &needed = lanes_.needed(&instruction);
  for (unsigned first = 0; first < needed.size(); first += most_) {
    unsigned end = std::min(first + most_, needed.size());
    int last = needed.find_last_in(first, end);
    if (last < 0)
      continue;
    SmallVector<unsigned, 16> lanes(last + 1 - first);
    std::iota(lanes.begin(), lanes.end(), first);
    Value *bits = mask ? operandPiece(mask, lanes) : nullptr;
    auto *constant = dyn_cast_or_null<Constant>(bits);
    Value *address = builder_.CreateConstGEP1_64(element, pointer, first);
    Align pieceAlign = commonAlignment(align, first * size);
    Type *type = FixedVectorType::get(element, lanes.size());
    Instruction *piece;
    if (!mask || (constant && constant->isAllOnesValue()))
      piece = builder_.CreateAlignedLoad(type, address, pieceAlign);
    else
      piece = builder_.CreateMaskedLoad(type, address, pieceAlign, bits,
                                        operandPiece(masked->getArgOperand(2), lanes));
    piece->copyMetadata(instruction);
    define(instruction, lanes, piece);
  }
}

void Cutter::emitStore(Instruction &instruction) {
  auto *masked = dyn_cast<IntrinsicInst>(&instruction);
  Value *value = instruction.getOperand(0), *pointer = instruction.getOperand(1);
  Value *mask = masked ? masked->getArgOperand(2) : nullptr;
  Align align =
      masked ? masked->getParamAlign(1).valueOrOne() : cast<StoreInst>(instruction).getAlign();
  Type *element = value->getType()->getScalarType();
  uint64_t size = instruction.getDataLayout().getTypeStoreSize(element);
  unsigned count = lanesOf(value->getType());
  for (unsigned first = 0; first < count; first += most_) {
    SmallVector<unsigned, 16> lanes(std::min(most_, count - first));
    std::iota(lanes.begin(), lanes.end(), first);
    if (mask)
      while (!lanes.empty()) { // lanes at the end that never store
        auto *bit = dyn_cast_or_null<Constant>(lanes_.of(mask)[lanes.back()].value);
        if (!bit || !bit->isNullValue())
          break;
        lanes.pop_back();
      }
    if (lanes.empty())
      continue;
    Value *bits = mask ? operandPiece(mask, lanes) : nullptr;
    auto *constant = dyn_cast_or_null<Constant>(bits);
    Value *address = builder_.CreateConstGEP1_64(element, pointer, first);
    Align pieceAlign = commonAlignment(align, first * size);
    Value *stored = operandPiece(value, lanes);
    Instruction *piece;
    if (!mask || (constant && constant->isAllOnesValue()))
      piece = builder_.CreateAlignedStore(stored, address, pieceAlign);
    else
      piece = builder_.CreateMaskedStore(stored, address, pieceAlign, bits);
    piece->copyMetadata(instruction);
  }
}

void Cutter::emitGather(IntrinsicInst &gather) {
  for (const auto &lanes : place(gather)) {
    Type *type = FixedVectorType::get(gather.getType()->getScalarType(), lanes.size());
    CallInst *piece = builder_.CreateMaskedGather(
        type, operandPiece(gather.getArgOperand(0), lanes), gather.getParamAlign(0).valueOrOne(),
        operandPiece(gather.getArgOperand(1), lanes), operandPiece(gather.getArgOperand(2), lanes));
    piece->copyMetadata(gather);
    define(gather, lanes, piece);
  }
}

void Cutter::emitScatter(IntrinsicInst &scatter) {
  unsigned count = lanesOf(scatter.getArgOperand(0)->getType());
  for (unsigned first = 0; first < count; first += most_) {
    SmallVector<unsigned, 16> lanes(std::min(most_, count - first));
    std::iota(lanes.begin(), lanes.end(), first);
    Value *bits = operandPiece(scatter.getArgOperand(2), lanes);
    if (auto *constant = dyn_cast<Constant>(bits); constant && constant->isNullValue())
      continue;
    CallInst *piece = builder_.CreateMaskedScatter(operandPiece(scatter.getArgOperand(0), lanes),
                                                   operandPiece(scatter.getArgOperand(1), lanes),
                                                   scatter.getParamAlign(1).valueOrOne(), bits);
    piece->copyMetadata(scatter);
  }
}

void Cutter::emitExtract(ExtractElementInst &extract) {
  ArrayRef<Lane> lanes = lanes_.of(extract.getVectorOperand());
  uint64_t index = cast<ConstantInt>(extract.getIndexOperand())->getZExtValue();
  Value *scalar = PoisonValue::get(extract.getType());
  if (index < lanes.size() && lanes[index].value) {
    const Lane &lane = lanes[index];
    Spot spot = spotOf(lane);
    scalar = lane.value->getType()->isVectorTy()
                 ? builder_.CreateExtractElement(spot.piece, uint64_t(spot.index))
                 : lane.value;
  }
  extract.replaceAllUsesWith(scalar);
  old_.push_back(&extract);
}

void Cutter::emitOpaque(Instruction &instruction) {
  auto *extract = dyn_cast<ExtractElementInst>(&instruction);
  if (extract && isa<ConstantInt>(extract->getIndexOperand()))
    return emitExtract(*extract);
  for (Use &use : instruction.operands()) {
    auto *operand = dyn_cast<Instruction>(use.get());
    if (operand && operand->getType()->isVectorTy() && laneKind(*operand) != LaneKind::Opaque)
      use.set(whole(operand));
  }
  if (!instruction.getType()->isVectorTy() || lanes_.needed(&instruction).none())
    return;
  builder_.SetInsertPoint(instruction.getParent(), std::next(instruction.getIterator()));
  const BitVector &needed = lanes_.needed(&instruction);
  unsigned count = needed.size();
  for (unsigned first = 0; first < count; first += most_) {
    SmallVector<unsigned, 16> lanes(std::min(most_, count - first));
    if (needed.find_first_in(first, first + lanes.size()) < 0)
      continue;
    std::iota(lanes.begin(), lanes.end(), first);
    SmallVector<int, 16> picks(lanes.begin(), lanes.end());
    define(instruction, lanes,
           count <= most_ ? &instruction : builder_.CreateShuffleVector(&instruction, picks));
  }
}

void Cutter::emitPhi(PHINode &phi) {
  const BitVector &needed = lanes_.needed(&phi);
  for (unsigned first = 0; first < needed.size(); first += most_) {
    unsigned end = std::min(first + most_, needed.size());
    int last = needed.find_last_in(first, end);
    if (last < 0)
      continue;
    SmallVector<unsigned, 16> lanes(last + 1 - first);
    std::iota(lanes.begin(), lanes.end(), first);
    builder_.SetInsertPoint(&phi);
    Type *type = FixedVectorType::get(phi.getType()->getScalarType(), lanes.size());
    define(phi, lanes, builder_.CreatePHI(type, phi.getNumIncomingValues()));
  }
}

void Cutter::fillPhi(PHINode &phi) {
  const BitVector &needed = lanes_.needed(&phi);
  for (unsigned first = 0; first < needed.size(); first += most_) {
    int last = needed.find_last_in(first, std::min(first + most_, needed.size()));
    if (last < 0)
      continue;
    SmallVector<unsigned, 16> lanes(last + 1 - first);
    std::iota(lanes.begin(), lanes.end(), first);
    auto *piece = cast<PHINode>(spots_[&phi][first].piece);
    for (auto [block, value] : zip(phi.blocks(), phi.incoming_values())) {
      Value *incoming =
          piece->getBasicBlockIndex(block) >= 0 ? piece->getIncomingValueForBlock(block) : nullptr;
      if (!incoming) {
        known_.clear();
        builder_.SetInsertPoint(block->getTerminator());
        incoming = operandPiece(value, lanes);
      }
      piece->addIncoming(incoming, block);
    }
  }
}

} // namespace

void cutVectors(Module &module, TargetMachine &machine) {
  Function *function = module.getFunction("runBlocks");
  if (!function)
    return;
  unsigned bits = machine.getTargetTransformInfo(*function)
                      .getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector)
                      .getFixedValue();
  Cutter(*function, std::max(4u, bits / 32)).run();
}

} // namespace heddle::simt
