// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it does: legalize_shuffles.h.
//
// Members of structures. Lanes that read structures of three floats side by side get each member by
// a shuffle of three registers, of which LLVM's back end knows two at most: it would take lane by
// lane what comes from more, and all of a vector whose number of registers is no power of two. What
// a result takes of 3, 5, 7 or 9 registers lies at different places in them, so it is blended into
// one register, each lane where it lies, and put in order at the end; what is stored is put in
// order first, once for all registers of the result, and blended then (shuffle_legalizer.cpp).
// Members of bytes and shorts go by chunks of 16 bytes (chunk_shuffles.cpp).
// Loads, stores and phis of such vectors go by registers too; their masks, a lane's for all its
// members, are spread as numbers.
//
// Legality (legalize-shuffles):
//  1. Loads and stores that are cut are plain ones. [plain]
//  2. They are of whole registers, whose bytes follow each other as the whole's do. [whole]
//  3. Of a masked access the registers' masks are known, and nobody wants what a load gives in idle
//     lanes. [masks]
#include "jit/vector/legalize_shuffles.h"

#include "jit/vector/chunk_shuffles.h"
#include "jit/vector/shuffle_legalizer.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/VectorUtils.h"

using namespace llvm;

namespace heddle::jit {

namespace {

constexpr unsigned MixingBits = 512; ///< registers of machines that mix the lanes of two (vpermt2)

/// A part of a register's alignment, parts put together, one lane everywhere: what the back end
/// takes as it is.
bool isLegal(const ShuffleVectorInst &shuffle, unsigned lanes) {
  int index = 0;
  if (shuffle.isExtractSubvectorMask(index) && index % lanes == 0)
    return true;
  return shuffle.isConcat() || shuffle.isZeroEltSplat();
}

/// Of the machine's registers.
class Registers {
public:
  explicit Registers(TypeSize bits) : bits_(bits.getFixedValue()) {}

  /// 0: not of such elements.
  unsigned lanesOf(Type *type) const {
    unsigned size = type->getScalarSizeInBits();
    return size < 8 ? 0 : bits_ / size;
  }
  bool isWider(Type *type) const {
    unsigned lanes = lanesOf(type);
    return lanes > 1 && cast<FixedVectorType>(type)->getNumElements() > lanes;
  }
  /// Whole registers, whose number is no power of two: the back end takes the elements of such
  /// vectors one by one.
  bool isOdd(Type *type) const {
    auto *vector = dyn_cast<FixedVectorType>(type);
    return vector && isWider(type) && vector->getNumElements() % lanesOf(type) == 0 &&
           !isPowerOf2_32(vector->getNumElements());
  }
  bool blendsFirst(Type *type) const {
    return bits_ < MixingBits && type->getScalarSizeInBits() >= 32;
  }

private:
  unsigned bits_;
};

/// What is known of the access holds of each part.
void takeOver(Instruction &part, const Instruction &whole) {
  part.copyMetadata(whole,
                    {LLVMContext::MD_tbaa, LLVMContext::MD_alias_scope, LLVMContext::MD_noalias,
                     LLVMContext::MD_nontemporal, LLVMContext::MD_invariant_load});
  part.setDebugLoc(whole.getDebugLoc());
}

/// Where register `i` of an access lies, and how it is aligned there.
std::pair<Value *, Align> placeOf(IRBuilder<> &builder, Value *pointer, Align align, Type *type,
                                  unsigned i) {
  uint64_t offset = i * builder.GetInsertBlock()->getDataLayout().getTypeStoreSize(type);
  return {builder.CreatePtrAdd(pointer, builder.getInt64(offset)), commonAlignment(align, offset)};
}

/// A load or a store, which may have a mask.
struct Access {
  Instruction *instruction;
  Value *pointer;
  Value *value; ///< what is stored, or loaded where the mask is not set
  Value *mask;  ///< null: none
  Align align;
  bool isStore;

  Type *type() const { return isStore ? value->getType() : instruction->getType(); }
};

std::optional<Access> accessOf(Instruction &instruction) {
  if (auto *load = dyn_cast<LoadInst>(&instruction); load && load->isSimple())
    return Access{load, load->getPointerOperand(), nullptr, nullptr, load->getAlign(), false};
  if (auto *store = dyn_cast<StoreInst>(&instruction); store && store->isSimple())
    return Access{store,   store->getPointerOperand(), store->getValueOperand(),
                  nullptr, store->getAlign(),          true};
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  if (call && call->getIntrinsicID() == Intrinsic::masked_load)
    return Access{call,
                  call->getArgOperand(0),
                  call->getArgOperand(2),
                  call->getArgOperand(1),
                  call->getParamAlign(0).valueOrOne(),
                  false};
  if (call && call->getIntrinsicID() == Intrinsic::masked_store)
    return Access{call,
                  call->getArgOperand(1),
                  call->getArgOperand(0),
                  call->getArgOperand(2),
                  call->getParamAlign(1).valueOrOne(),
                  true};
  return std::nullopt;
}

/// Cuts accesses to vectors of whole registers, if these are no power of two.
class AccessCutter {
public:
  AccessCutter(const Registers &registers, Pieces &pieces)
      : registers_(registers), pieces_(pieces) {}

  void cutLoad(const Access &load);
  void cutStore(const Access &store);

private:
  /// The masks of the registers, or none if it is not one of members of structures.
  ArrayRef<Value *> masksOf(const Access &);

  const Registers &registers_;
  Pieces &pieces_; ///< of the function's values so far
  /// By the lanes' masks, spread over members, and the lanes of a register.
  DenseMap<std::pair<Value *, unsigned>, SmallVector<Value *, 8>> masks_;
};

/// A lane's mask is that of all its members: it is spread over them as a number, for which there
/// are instructions.
ArrayRef<Value *> AccessCutter::masksOf(const Access &access) {
  auto *spread = dyn_cast<ShuffleVectorInst>(access.mask);
  if (!spread)
    return {};
  Type *type = access.type();
  unsigned lanes = registers_.lanesOf(type);
  SmallVector<Value *, 8> &masks = masks_[{spread, lanes}];
  if (!masks.empty())
    return masks;
  IRBuilder<> builder(spread);
  Type *number = builder.getIntNTy(type->getScalarSizeInBits());
  auto widened = [&](Value *mask) {
    unsigned count = cast<FixedVectorType>(mask->getType())->getNumElements();
    return builder.CreateSExt(mask, FixedVectorType::get(number, count));
  };
  auto *numbers = dyn_cast<ShuffleVectorInst>(builder.CreateShuffleVector(
      widened(spread->getOperand(0)), widened(spread->getOperand(1)), spread->getShuffleMask()));
  Value *whole =
      numbers ? ShuffleLegalizer(*numbers, lanes, registers_.blendsFirst(type), pieces_).run()
              : nullptr;
  if (!whole)
    return {};
  builder.SetInsertPoint(spread);
  for (Value *piece : pieces_[whole])
    masks.push_back(builder.CreateIsNeg(piece));
  return masks;
}

void AccessCutter::cutLoad(const Access &load) {
  unsigned lanes = registers_.lanesOf(load.type());
  auto *type = FixedVectorType::get(load.type()->getScalarType(), lanes);
  ArrayRef<Value *> masks;
  if (load.mask && (!isa<UndefValue>(load.value) || (masks = masksOf(load)).empty()))
    return;
  IRBuilder<> builder(load.instruction);
  SmallVector<Value *, 8> pieces;
  for (unsigned i = 0; i < cast<FixedVectorType>(load.type())->getNumElements() / lanes; ++i) {
    auto [pointer, align] = placeOf(builder, load.pointer, load.align, type, i);
    Instruction *part =
        load.mask ? cast<Instruction>(builder.CreateMaskedLoad(type, pointer, align, masks[i]))
                  : builder.CreateAlignedLoad(type, pointer, align);
    pieces.push_back(part);
    takeOver(*part, *load.instruction);
  }
  Value *whole = concatenateVectors(builder, pieces);
  load.instruction->replaceAllUsesWith(whole);
  load.instruction->eraseFromParent();
  pieces_[whole] = std::move(pieces);
}

void AccessCutter::cutStore(const Access &store) {
  auto found = pieces_.find(store.value);
  if (found == pieces_.end())
    return;
  SmallVector<Value *, 8> pieces = found->second;
  ArrayRef<Value *> masks;
  if (store.mask && (masks = masksOf(store)).empty())
    return;
  IRBuilder<> builder(store.instruction);
  for (auto [i, piece] : enumerate(pieces)) {
    auto [pointer, align] = placeOf(builder, store.pointer, store.align, piece->getType(), i);
    Instruction *part =
        store.mask ? cast<Instruction>(builder.CreateMaskedStore(piece, pointer, align, masks[i]))
                   : builder.CreateAlignedStore(piece, pointer, align);
    takeOver(*part, *store.instruction);
  }
  store.instruction->eraseFromParent();
}

/// A value that takes different ways to here is that of its registers. What comes in is known when
/// all else is cut.
void startPhi(PHINode &phi, unsigned lanes, Pieces &known) {
  auto *whole = cast<FixedVectorType>(phi.getType());
  auto *type = FixedVectorType::get(whole->getElementType(), lanes);
  SmallVector<Value *, 8> pieces;
  for (unsigned i = 0; i < whole->getNumElements() / lanes; ++i)
    pieces.push_back(PHINode::Create(type, phi.getNumIncomingValues(), "", phi.getIterator()));
  known[&phi] = std::move(pieces);
}

void finishPhi(PHINode &phi, unsigned lanes, const Pieces &known) {
  const SmallVector<Value *, 8> &pieces = known.find(&phi)->second;
  SmallDenseMap<BasicBlock *, SmallVector<Value *, 8>> incoming; // a block may come in twice
  for (auto [value, from] : zip(phi.incoming_values(), phi.blocks())) {
    SmallVector<Value *, 8> &parts = incoming[from];
    if (auto found = known.find(value); parts.empty() && found != known.end())
      parts = found->second;
    IRBuilder<> builder(from->getTerminator());
    for (auto [i, piece] : enumerate(pieces)) {
      if (parts.size() == i)
        parts.push_back(
            builder.CreateShuffleVector(value, createSequentialMask(i * lanes, lanes, 0)));
      cast<PHINode>(piece)->addIncoming(parts[i], from);
    }
  }
}

void replacePhi(PHINode &phi, Pieces &known) {
  IRBuilder<> builder(phi.getParent(), phi.getParent()->getFirstInsertionPt());
  phi.replaceAllUsesWith(concatenateVectors(builder, known[&phi]));
  known.erase(&phi);
  phi.eraseFromParent();
}

} // namespace

PreservedAnalyses LegalizeShuffles::run(Function &function, FunctionAnalysisManager &analyses) {
  const TargetTransformInfo &target = analyses.getResult<TargetIRAnalysis>(function);
  TypeSize registerBits = target.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector);
  Registers registers(registerBits);
  SmallVector<Instruction *, 16> loads, stores;
  SmallVector<PHINode *, 8> phis;
  SmallVector<ShuffleVectorInst *, 32> wide;
  auto visit = [&](Instruction &instruction) {
    if (auto *shuffle = dyn_cast<ShuffleVectorInst>(&instruction)) {
      Type *type = shuffle->getType(), *from = shuffle->getOperand(0)->getType();
      if ((registers.isWider(type) || registers.isWider(from)) &&
          !isLegal(*shuffle, registers.lanesOf(type)))
        wide.push_back(shuffle);
    } else if (auto *phi = dyn_cast<PHINode>(&instruction)) {
      if (registers.isOdd(phi->getType()))
        phis.push_back(phi);
    } else if (std::optional<Access> access = accessOf(instruction);
               access && registers.isOdd(access->type())) {
      (access->isStore ? stores : loads).push_back(&instruction);
    }
  };
  // Operands before what they are used for: what is cut is not there any more.
  for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function))
    for_each(*block, visit);
  bool isChanged = !loads.empty() || !stores.empty() || !phis.empty();
  Pieces pieces;
  AccessCutter cutter(registers, pieces);
  for (PHINode *phi : phis)
    startPhi(*phi, registers.lanesOf(phi->getType()), pieces);
  for (Instruction *load : loads)
    cutter.cutLoad(*accessOf(*load));
  ChunkShuffles chunks(target, registerBits);
  for (ShuffleVectorInst *shuffle : wide) {
    Type *type = shuffle->getType();
    if (chunks.replace(*shuffle)) {
      isChanged = true;
      continue;
    }
    isChanged |=
        ShuffleLegalizer(*shuffle, registers.lanesOf(type), registers.blendsFirst(type), pieces)
            .run() != nullptr;
  }
  for (Instruction *store : stores)
    cutter.cutStore(*accessOf(*store));
  for (PHINode *phi : phis)
    finishPhi(*phi, registers.lanesOf(phi->getType()), pieces);
  for (PHINode *phi : phis)
    replacePhi(*phi, pieces);
  return simt::changedInBlocks(isChanged);
}

} // namespace heddle::jit
