// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums in groups.
//
// A matrix product for GPUs keeps 8x8 sums in the registers of each thread, and its loop over a
// slice in shared memory is unrolled. A warp program has 64 vectors of them, two to four times what
// the processor has registers, so in program order each sum is loaded and stored again for each
// product. But the sums are independent of each other: those that fit go through the whole slice
// first, then the next. What they share, rows and columns of the slice, is loaded again for
// each group; that is one load for several products.
//
// A chain is a sum and the products that are added to it, in one block. Chains go together that
// share the wider of their factors, a vector of its own in each lane; the other one is mostly a
// scalar that is broadcast. Operands that are loads, or shuffles of loads, are made again for each
// group; nothing in between may write to memory. Of a vector that is put together of others, as by
// broadcasts for a few lanes each, a group makes the parts that it uses.
//
// Which go together, and which are cut: chain_groups.cpp.
//
// What a warp program carries through its barriers lies in its frame (simt/entry/entry.cpp). Such sums
// are stored there right behind their group, and not all at the barrier: until then most would wait
// on the stack. Who else wants them loads them from the frame.
//
// Rejected: leaving it to the machine scheduler, which looks at one instruction at a time and never
// loads twice.
//
// A quarter of the registers is left for the factors: with AVX2 16 sums of eight lanes are two
// groups. Pairs of lanes in a row of a tile are a segment too (simt/analysis/shape.h), so that the
// tile's loads are plain vector loads.
//
// A program may use a tile right after it has loaded it, or have two that take turns and load
// nothing ahead. There a misaligned address ends the program between the sums and their places in
// the frame, or the sums are stored one by one among the products; such stores move behind their
// group. What comes behind the loop takes the members of sums that lie side by side from the whole
// (simt/entry/coalesce_frame_slots.cpp).
//
// Not done: loops over a slice that are left, and not unrolled.
//
// Legality (register-block-sums):
//  1. Nothing is written between the first load that is made again and the last product, but sums
//     to their places in the frame, of which 4 to 7 speak. [writes between]
//  2. The first of these loads is found however many steps it is from a factor. [far loads]
//  3. A sum that its block wants before the last product of all stays where it is: sums are made
//     behind that. The products of a sum keep their order. [early use]
//  4. The frame is the function's own: an argument that nothing else points to, whose address goes
//     nowhere, and all accesses to it are at known places. [frame]
//  5. A sum that is stored behind its group goes to the very place that it was loaded from, and no
//     other store touches that. [place]
//  6. What was loaded from there is the start of this sum and used for nothing else: others would
//     load it again behind the store. [first use]
//  7. Each way from the sum leads over its store before the place is read, by then or when the
//     program goes on after it has waited, or to the end of the warp: on another way the frame must
//     keep what it has. The sum is in no loop between two waits. [all ways]
#include "jit/schedule/register_block_sums.h"

#include "jit/emit/back_end.h"
#include "jit/schedule/chain_groups.h"
#include "jit/schedule/warp_frame.h"

#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

namespace heddle::jit {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

constexpr unsigned ShortestChain = 4; ///< products
constexpr unsigned LongestSlice = 8;  ///< instructions from a load to a factor

bool isProduct(const Value *value) {
  const auto *call = dyn_cast<IntrinsicInst>(value);
  return call && isa<FixedVectorType>(call->getType()) &&
         (call->getIntrinsicID() == Intrinsic::fma || call->getIntrinsicID() == Intrinsic::fmuladd);
}

/// The product that the sum so far is added to, if it is used for nothing else.
IntrinsicInst *next(const IntrinsicInst &product) {
  if (!product.hasOneUse() || !isProduct(*product.user_begin()))
    return nullptr;
  auto *user = cast<IntrinsicInst>(const_cast<User *>(*product.user_begin()));
  return user->getParent() == product.getParent() && user->getArgOperand(2) == &product ? user
                                                                                        : nullptr;
}

/// Costs little to do again: loads, and what brings them into form.
bool isCheap(const Instruction &instruction) {
  if (const auto *load = dyn_cast<LoadInst>(&instruction))
    return load->isSimple();
  return isa<ShuffleVectorInst, InsertElementInst, ExtractElementInst, BitCastInst>(instruction);
}

class Block {
public:
  Block(BasicBlock &block, const RegisterFile &registers) : block_(block), registers_(registers) {}

  bool run() {
    findChains();
    if (registersOfAll() <= registers_.most())
      return false;
    findStoresBack();
    dropUsedBefore();
    if (registersOfAll() <= registers_.most() || !isQuiet())
      return false;
    SmallVector<ChainGroup, 8> groups = groupChains(chains_, registers_);
    if (groups.size() < 2)
      return false;
    IRBuilder<> builder(placeOfGroups());
    for (const ChainGroup &group : groups) {
      separate(builder);
      if (group.isCut())
        emitCut(group, builder);
      else
        emit(group.chains, builder);
    }
    for (auto &[chain, registers] : cut_)
      join(*chain, registers, builder);
    for (SumChain &chain : chains_)
      RecursivelyDeleteTriviallyDeadInstructions(chain.products.back());
    return true;
  }

private:
  void findChains() {
    SmallPtrSet<const Instruction *, 32> seen;
    for (Instruction &instruction : block_) {
      if (!isProduct(&instruction) || !seen.insert(&instruction).second)
        continue;
      SumChain chain;
      for (auto *product = cast<IntrinsicInst>(&instruction); product; product = next(*product)) {
        chain.products.push_back(product);
        seen.insert(product);
      }
      uint64_t bits = instruction.getType()->getPrimitiveSizeInBits().getFixedValue();
      chain.registers = divideCeil(bits, registers_.bits);
      if (chain.products.size() >= ShortestChain)
        chains_.push_back(chain);
    }
    for (const SumChain &chain : chains_)
      if (!last_ || last_->comesBefore(chain.products.back()))
        last_ = chain.products.back();
  }

  unsigned registersOfAll() const {
    unsigned all = 0;
    for (const SumChain &chain : chains_)
      all += chain.registers;
    return all;
  }

  /// Asked once: as soon as the first products are made anew, a start has a second use.
  void findStoresBack() {
    WarpFrame frame(*block_.getParent());
    for (SumChain &chain : chains_)
      chain.back = frame.storeBack(*chain.first(), *chain.products.back());
  }

  /// All sums are made behind the last product; a store to the frame may move there.
  void dropUsedBefore() {
    erase_if(chains_, [&](const SumChain &chain) {
      return any_of(chain.products.back()->users(), [&](const User *user) {
        const auto *instruction = cast<Instruction>(user);
        return instruction->getParent() == &block_ && !isa<PHINode>(instruction) &&
               instruction != chain.back && !last_->comesBefore(instruction);
      });
    });
  }

  /// Behind the last product, and behind stores that will move.
  Instruction *placeOfGroups() const {
    SmallPtrSet<const Instruction *, 32> back;
    for (const SumChain &chain : chains_)
      back.insert(chain.back);
    Instruction *place = last_->getNextNode();
    while (back.contains(place))
      place = place->getNextNode();
    return place;
  }

  /// Between the first load of a factor and the last product memory stays as it is. (Sums that are
  /// stored back to the frame stay there till then.)
  bool isQuiet() {
    Instruction *first = nullptr;
    SmallPtrSet<Value *, 32> seen;
    SmallPtrSet<const Instruction *, 32> back;
    for (SumChain &chain : chains_) {
      if (chain.back) {
        back.insert(chain.back);
        seen.insert(chain.first());
      }
      for (IntrinsicInst *product : chain.products)
        for (Value *operand : product->args())
          findFirstLoad(operand, first, seen);
    }
    if (!first)
      return false;
    for (Instruction *i = first; i != last_; i = i->getNextNode())
      if (i->mayWriteToMemory() && !match(i, m_Intrinsic<Intrinsic::prefetch>()) &&
          !back.contains(i))
        return false;
    return true;
  }

  /// However far back it is: one value may be few steps from one factor and many from another.
  void findFirstLoad(Value *value, Instruction *&first, SmallPtrSetImpl<Value *> &seen) {
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction || instruction->getParent() != &block_ || !isCheap(*instruction) ||
        !seen.insert(value).second)
      return;
    if (isa<LoadInst>(instruction)) {
      if (!first || instruction->comesBefore(first))
        first = instruction;
      return;
    }
    for (Value *operand : instruction->operands())
      findFirstLoad(operand, first, seen);
  }

  /// Nothing at run time; but the back end, which otherwise takes equal loads of a block for one,
  /// loads again behind it.
  static void separate(IRBuilder<> &builder) {
    builder.CreateFence(AtomicOrdering::SequentiallyConsistent, SyncScope::SingleThread);
  }

  void emit(ArrayRef<SumChain *> members, IRBuilder<> &builder) {
    DenseMap<Value *, Value *> made;
    SmallVector<Value *, 8> sums;
    size_t longest = 0;
    for (const SumChain *chain : members) {
      sums.push_back(remake(chain->first(), made, builder, LongestSlice));
      longest = std::max(longest, chain->products.size());
    }
    for (size_t step = 0; step < longest; ++step)
      for (auto [chain, sum] : zip(members, sums)) {
        if (step >= chain->products.size())
          continue;
        Instruction *copy = chain->products[step]->clone();
        for (unsigned factor : {0, 1})
          copy->setOperand(factor, remake(copy->getOperand(factor), made, builder, LongestSlice));
        copy->setOperand(2, sum);
        sum = builder.Insert(copy);
      }
    for (auto [chain, sum] : zip(members, sums)) {
      Value *address = getLoadStorePointerOperand(chain->first());
      chain->products.back()->replaceAllUsesWith(sum);
      if (chain->back)
        WarpFrame::keep(*cast<Instruction>(sum), *chain->back, *address);
    }
  }

  /// The products of some of the chains' registers.
  void emitCut(const ChainGroup &group, IRBuilder<> &builder) {
    DenseMap<Value *, Value *> made;
    SmallVector<DenseMap<Value *, Value *>, 8> cut(group.end);
    auto ofRegister = [&](const SumChain &chain, Value *value, unsigned index) {
      Value *&known = cut[getSplatValue(value) ? 0 : index][value];
      return known ? known : known = narrow(chain, *value, index, made, builder);
    };
    size_t longest = 0;
    for (SumChain *chain : group.chains) {
      SmallVector<Value *, 8> &sums = cut_[chain];
      sums.resize(chain->registers);
      for (unsigned i = group.first; i < group.end; ++i)
        sums[i] = chain->back ? narrowLoad(*chain, *cast<LoadInst>(chain->first()), i, builder)
                              : ofRegister(*chain, chain->first(), i);
      longest = std::max(longest, chain->products.size());
    }
    for (size_t step = 0; step < longest; ++step)
      for (auto [chain, i] : group.inOrder()) {
        if (step >= chain->products.size())
          continue;
        IntrinsicInst &product = *chain->products[step];
        Value *a = ofRegister(*chain, product.getArgOperand(0), i),
              *b = ofRegister(*chain, product.getArgOperand(1), i);
        Value *&sum = cut_[chain][i];
        CallInst *next =
            builder.CreateIntrinsic(a->getType(), product.getIntrinsicID(), {a, b, sum});
        next->copyFastMathFlags(&product);
        sum = next;
      }
    if (group.isTight)
      block_.getParent()->addFnAttr(InOrder);
    for (SumChain *chain : group.chains)
      if (StoreInst *store = chain->back)
        for (unsigned i = group.first; i < group.end; ++i)
          builder.CreateAlignedStore(
              cut_[chain][i], placeOf(*getLoadStorePointerOperand(chain->first()), i, builder),
              commonAlignment(store->getAlign(), i * registers_.bits / 8));
  }

  /// The whole sum of a chain that was cut, where somebody wants it.
  void join(SumChain &chain, ArrayRef<Value *> registers, IRBuilder<> &builder) {
    IntrinsicInst &sum = *chain.products.back();
    if (chain.back) {
      WarpFrame::loadAgain(sum, *chain.back, *getLoadStorePointerOperand(chain.first()));
      chain.back->eraseFromParent();
    }
    if (!sum.use_empty())
      sum.replaceAllUsesWith(concatenateVectors(builder, registers));
  }

  static FixedVectorType *registerOf(const SumChain &chain) {
    auto *type = cast<FixedVectorType>(chain.first()->getType());
    return FixedVectorType::get(type->getElementType(), type->getNumElements() / chain.registers);
  }

  Value *placeOf(Value &address, unsigned index, IRBuilder<> &builder) const {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), &address,
                                              index * registers_.bits / 8);
  }

  Value *narrowLoad(const SumChain &chain, LoadInst &load, unsigned index,
                    IRBuilder<> &builder) const {
    return builder.CreateAlignedLoad(registerOf(chain),
                                     placeOf(*load.getPointerOperand(), index, builder),
                                     commonAlignment(load.getAlign(), index * registers_.bits / 8));
  }

  /// Register `index` of a vector.
  Value *narrow(const SumChain &chain, Value &value, unsigned index,
                DenseMap<Value *, Value *> &made, IRBuilder<> &builder) {
    FixedVectorType *type = registerOf(chain);
    if (Value *scalar = getSplatValue(&value)) {
      Value *one = remake(scalar, made, builder, LongestSlice);
      return builder.CreateVectorSplat(type->getNumElements(), one);
    }
    auto *load = dyn_cast<LoadInst>(&value);
    if (load && load->getParent() == &block_ && load->isSimple())
      return narrowLoad(chain, *load, index, builder);
    unsigned lanes = type->getNumElements();
    return pick(value, createSequentialMask(index * lanes, lanes, 0), made, builder);
  }

  /// These lanes of a vector. Vectors that are put together of others are not made whole for it.
  Value *pick(Value &value, ArrayRef<int> lanes, DenseMap<Value *, Value *> &made,
              IRBuilder<> &builder) {
    auto *shuffle = dyn_cast<ShuffleVectorInst>(&value);
    if (shuffle && shuffle->getParent() == &block_) {
      int sources = cast<FixedVectorType>(shuffle->getOperand(0)->getType())->getNumElements();
      SmallVector<int, 16> picks = map_to_vector<16>(
          lanes, [&](int lane) { return lane < 0 ? lane : shuffle->getMaskValue(lane); });
      if (all_of(picks, [&](int lane) { return lane < sources; }))
        return pick(*shuffle->getOperand(0), picks, made, builder);
      if (all_of(picks, [&](int lane) { return lane < 0 || lane >= sources; })) {
        for (int &lane : picks)
          lane -= lane < 0 ? 0 : sources;
        return pick(*shuffle->getOperand(1), picks, made, builder);
      }
    }
    Value *whole = remake(&value, made, builder, LongestSlice);
    unsigned all = cast<FixedVectorType>(whole->getType())->getNumElements();
    bool isWhole = lanes.size() == all && ShuffleVectorInst::isIdentityMask(lanes, all);
    return isWhole ? whole : builder.CreateShuffleVector(whole, lanes);
  }

  Value *remake(Value *value, DenseMap<Value *, Value *> &made, IRBuilder<> &builder,
                unsigned depth) {
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction || instruction->getParent() != &block_ || !isCheap(*instruction) || depth == 0)
      return value;
    if (Value *copy = made.lookup(value))
      return copy;
    Instruction *copy = instruction->clone();
    for (Use &operand : copy->operands())
      if (!isa<LoadInst>(instruction))
        operand.set(remake(operand, made, builder, depth - 1));
    return made[value] = builder.Insert(copy);
  }

  BasicBlock &block_;
  RegisterFile registers_;
  SmallVector<SumChain, 0> chains_;
  MapVector<SumChain *, SmallVector<Value *, 8>> cut_; ///< chains' sums, register by register
  IntrinsicInst *last_ = nullptr;
};

} // namespace

PreservedAnalyses RegisterBlockSums::run(Function &function, FunctionAnalysisManager &analyses) {
  const TargetTransformInfo &target = analyses.getResult<TargetIRAnalysis>(function);
  unsigned bits =
      target.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
  unsigned registers = target.getNumberOfRegisters(target.getRegisterClassForType(
      true, FixedVectorType::get(Type::getFloatTy(function.getContext()), bits / 32)));
  bool isChanged = false;
  if (bits != 0)
    for (BasicBlock &block : function)
      isChanged |= Block(block, {bits, registers}).run();
  return simt::changedInBlocks(isChanged);
}

} // namespace heddle::jit
