// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits wide vectors into registers, without dead lanes.
//
// Problem. Once a block's shared memory is in registers, its program is a network of shuffles of
// hundreds of lanes, of which fewer and fewer matter (one in the end for a tree of sums). LLVM's
// passes look at one shuffle at a time and keep lanes of values that have several uses, and its
// back end lowers wide shuffles through memory.
//
// Method. Each lane is traced through everything that only moves it (lanes.h), and the needed lanes
// are found backwards from stores, calls and scalars. Then each computing instruction is rewritten
// in register-sized pieces, for these lanes only. An operand's piece is assembled by as few
// shuffles as the pieces that its lanes lie in, or together with others that lie in the same pieces
// (exchange.h). Lanes move together if they then fill fewer registers, and the move costs no more
// than it saves:
//
//     %a = fadd of the even lanes of two registers    ->   lanes 0, 2, ... 30 in one register
//
// Instructions that are not lane-wise get assembled operands, and their results are split.
//
// A tree of sums over 256 floats becomes 16 loads, 15 additions of registers and four within one.
// Programs that are not split here (without shared memory in registers) get register shuffles from
// jit/vector/legalize_shuffles.cpp.
//
// Legality (eliminate-dead-lanes): none: it leaves out lanes that no store, call or scalar needs,
// and moves the others.
#include "simt/vector/eliminate_dead_lanes.h"

#include "simt/analysis/pass_notes.h"
#include "simt/analysis/shape.h"
#include "simt/canonical/normalize.h"
#include "simt/compilation.h"
#include "simt/vector/lane_origins.h"
#include "simt/vector/pieces.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

#include <set>

using namespace llvm;

namespace heddle::simt {

namespace {

using LaneList = std::vector<Lane>;

/// Registers of an operand's piece, from which it is worth to look for others made of them.
constexpr unsigned FewestShared = 4;
/// Pieces of operands looked at for that in a program: what compiling costs.
constexpr unsigned MostLookedAt = 1 << 15;

class Cutter {
public:
  Cutter(Function &function, unsigned lanes, bool exchanges)
      : function_(function), lanes_(function), most_(lanes), exchanges_(exchanges),
        builder_(function.getContext()), pieces_(builder_) {}

  void run() {
    for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function_))
      for (Instruction &instruction : *block)
        all_.push_back(&instruction);
    pieces_.replaces(all_);
    for (Instruction *instruction : all_)
      if (laneKind(*instruction) == LaneKind::Joins)
        emitPhi(cast<PHINode>(*instruction));
    BasicBlock *block = nullptr;
    for (; current_ < all_.size(); ++current_) {
      Instruction *instruction = all_[current_];
      if (instruction->getParent() != block) {
        block = instruction->getParent();
        forget();
      }
      builder_.SetInsertPoint(instruction);
      emit(*instruction);
    }
    for (Instruction *instruction : all_)
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
  Value *whole(Value *vector);
  std::vector<SmallVector<unsigned, 16>> place(Instruction &);

  /// These lanes of an operand.
  LaneList pick(Value *vector, ArrayRef<unsigned> lanes) {
    ArrayRef<Lane> origins = lanes_.of(vector);
    LaneList list;
    for (unsigned lane : lanes)
      list.push_back(origins[lane]);
    return list;
  }
  Value *operandPiece(Value *vector, ArrayRef<unsigned> lanes) {
    LaneList list = pick(vector, lanes);
    Type *element = vector->getType()->getScalarType();
    if (exchanges_ && current_ < all_.size())
      assembleWithOthers(list, element);
    return pieces_.assemble(list, element);
  }
  void assembleWithOthers(const LaneList &, Type *element);
  void forget() {
    pieces_.forget();
    shared_.clear();
  }
  void define(Instruction &old, ArrayRef<unsigned> lanes, Value *piece) {
    pieces_.define(old, lanes, piece);
  }

  Function &function_;
  LaneOrigins lanes_;
  unsigned most_;  ///< lanes of a piece
  bool exchanges_; ///< of lanes between many registers, at once
  IRBuilder<> builder_;
  Pieces pieces_;
  std::vector<Instruction *> all_, old_;
  size_t current_ = 0;                    ///< of all_: what is written anew
  std::set<std::vector<Value *>> shared_; ///< registers that were looked for in this block
  unsigned lookedAt_ = 0;
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

/// All lanes of a vector that may have been cut.
Value *Cutter::whole(Value *vector) {
  ArrayRef<Lane> lanes = lanes_.of(vector);
  Type *element = vector->getType()->getScalarType();
  SmallVector<Value *, 16> pieces;
  for (unsigned first = 0; first < lanes.size(); first += most_)
    pieces.push_back(pieces_.assemble(
        lanes.slice(first, std::min<size_t>(most_, lanes.size() - first)), element));
  return pieces.size() == 1 ? pieces[0] : concatenateVectors(builder_, pieces);
}

// ---------------------------------------------------------------------------------------------------
// Instructions.

/// Puts together what this and later instructions of the block take from the same registers.
void Cutter::assembleWithOthers(const LaneList &list, Type *element) {
  auto registersOf = [&](const LaneList &lanes) {
    std::vector<Value *> registers = pieces_.registersOf(lanes, element);
    sort(registers);
    return registers;
  };
  std::vector<Value *> registers = registersOf(list);
  if (registers.size() < FewestShared || !shared_.insert(registers).second)
    return;
  std::vector<LaneList> together = {list};
  BasicBlock *block = all_[current_]->getParent();
  for (size_t i = current_; i < all_.size() && all_[i]->getParent() == block; ++i) {
    LaneKind kind = laneKind(*all_[i]);
    if (kind != LaneKind::Computes && kind != LaneKind::Stores)
      continue;
    for (Value *operand : all_[i]->operands()) {
      unsigned count = lanesOf(operand->getType());
      if (operand->getType()->getScalarType() != element || isa<Constant>(operand))
        continue;
      for (unsigned first = 0; first + list.size() <= count; first += list.size()) {
        if (++lookedAt_ > MostLookedAt)
          return;
        ArrayRef<Lane> lanes = lanes_.of(operand).slice(first, list.size());
        LaneList other(lanes.begin(), lanes.end());
        if (registersOf(other) == registers && !is_contained(together, other))
          together.push_back(std::move(other));
      }
    }
  }
  if (together.size() > 1)
    pieces_.assembleAll(together, element);
}

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
          sum += pieces_.shuffles(pick(operand, piece));
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
  Value *scalar = index < lanes.size() ? pieces_.extract(lanes[index]) : nullptr;
  if (!scalar)
    scalar = PoisonValue::get(extract.getType());
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
    auto *piece = cast<PHINode>(pieces_.pieceOf({&phi, unsigned(last)}));
    for (auto [block, value] : zip(phi.blocks(), phi.incoming_values())) {
      Value *incoming =
          piece->getBasicBlockIndex(block) >= 0 ? piece->getIncomingValueForBlock(block) : nullptr;
      if (!incoming) {
        forget();
        builder_.SetInsertPoint(block->getTerminator());
        incoming = operandPiece(value, lanes);
      }
      piece->addIncoming(incoming, block);
    }
  }
}

} // namespace

/// Of 32 bits.
static unsigned lanesOfRegister(const Function &function, TargetMachine &machine) {
  unsigned bits = machine.getTargetTransformInfo(function)
                      .getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector)
                      .getFixedValue();
  return std::max(4u, bits / 32);
}

PreservedAnalyses EliminateDeadLanes::run(Compilation &kernel, FunctionAnalysisManager &) {
  const Options &options = kernel.options;
  Function *function = kernel.module.getFunction(RunBlocksName);
  if (!function || options.width < WarpSize || kernel.warp.waits)
    return PreservedAnalyses::all();
  unsigned lanes = lanesOfRegister(*function, kernel.machine);
  if (kernel.inRegisters || kernel.thread.together > 1) {
    Cutter(*function, lanes, options.isEnabled("shuffle-network")).run();
    return PreservedAnalyses::none();
  }
  unsigned used = alignTo(options.threads(), lanes);
  if (used >= options.width)
    return PreservedAnalyses::all();
  fold(*function, kernel.machine);
  Cutter(*function, used & -used, /*exchanges=*/false).run();
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
