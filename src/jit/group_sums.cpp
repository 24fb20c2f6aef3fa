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
// group; nothing in between may write to memory.
//
// What a warp program carries through its barriers lies in its frame (simt/entry.cpp). Such sums
// are stored there right behind their group, and not all at the barrier: until then most would wait
// on the stack. Who else wants them loads them from the frame.
//
// Rejected: leaving it to the machine scheduler, which looks at one instruction at a time and never
// loads twice.
#include "jit/group_sums.h"

#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/Local.h"

namespace heddle::jit {

using namespace llvm;

namespace {

constexpr unsigned ShortestChain = 4; ///< products
constexpr unsigned LongestSlice = 8;  ///< instructions from a load to a factor

struct Chain {
  SmallVector<IntrinsicInst *, 16> products;
  unsigned registers;
  Value *first() const { return products.front()->getArgOperand(2); }
};

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

/// The memory behind the one argument that nobody else has: the frame of a suspended program.
class Frame {
public:
  explicit Frame(Function &function) {
    for (Argument &argument : function.args())
      if (argument.hasNoAliasAttr() && !argument_)
        argument_ = &argument;
    if (argument_ && !findAccesses(*argument_, 0))
      places_.clear();
  }

  /// The store that puts the sum of `chain` back where it came from, if nobody else looks there.
  StoreInst *storeBack(const Chain &chain) const {
    auto *load = dyn_cast<LoadInst>(chain.first());
    auto place = load ? places_.find(load) : places_.end();
    if (place == places_.end())
      return nullptr;
    StoreInst *store = nullptr;
    for (auto &[access, other] : places_) {
      if (access == load || other.end <= place->second.start || place->second.end <= other.start)
        continue;
      auto *candidate = dyn_cast<StoreInst>(access);
      if (store || !candidate || candidate->getValueOperand() != chain.products.back() ||
          other.start != place->second.start)
        return nullptr;
      store = candidate;
    }
    return store && !comesBack(*chain.products.back()->getParent(), *load->getParent()) ? store
                                                                                        : nullptr;
  }

  /// Stores `sum`, which was loaded from `address`, where it was made. Other blocks load it again.
  static void keep(Instruction &sum, StoreInst &store, Value &address) {
    store.setOperand(StoreInst::getPointerOperandIndex(), &address);
    store.moveAfter(&sum);
    DenseMap<BasicBlock *, Value *> atEnd;
    for (Use &use : make_early_inc_range(sum.uses())) {
      auto *user = cast<Instruction>(use.getUser());
      auto *phi = dyn_cast<PHINode>(user);
      BasicBlock *block = phi ? phi->getIncomingBlock(use) : user->getParent();
      if (block == sum.getParent())
        continue;
      Value *&known = atEnd[block];
      if (!phi || !known) {
        IRBuilder<> builder(phi ? block->getTerminator() : user);
        Value *again = builder.CreateAlignedLoad(sum.getType(), &address, store.getAlign());
        use.set(again);
        if (phi)
          known = again;
      } else {
        use.set(known);
      }
    }
  }

private:
  struct Place {
    uint64_t start, end; ///< bytes from the frame's begin
  };

  /// Whether there is a way from the end of one block to the other.
  static bool comesBack(BasicBlock &from, const BasicBlock &to) {
    return any_of(successors(&from),
                  [&](BasicBlock *next) { return is_contained(depth_first(next), &to); });
  }

  /// False if the address goes elsewhere.
  bool findAccesses(Value &address, uint64_t offset) {
    const DataLayout &layout = argument_->getParent()->getDataLayout();
    return all_of(address.users(), [&](User *user) {
      APInt more(64, 0);
      if (auto *part = dyn_cast<GetElementPtrInst>(user))
        return part->accumulateConstantOffset(layout, more) &&
               findAccesses(*part, offset + more.getZExtValue());
      if (getLoadStorePointerOperand(user) != &address)
        return false;
      uint64_t bytes = layout.getTypeStoreSize(getLoadStoreType(user)).getFixedValue();
      places_[cast<Instruction>(user)] = {offset, offset + bytes};
      return true;
    });
  }

  Argument *argument_ = nullptr;
  MapVector<Instruction *, Place> places_;
};

class Block {
public:
  Block(BasicBlock &block, unsigned registerBits, unsigned registers)
      : block_(block), registerBits_(registerBits), registers_(registers) {}

  void run() {
    findChains();
    unsigned all = 0;
    for (const Chain &chain : chains_)
      all += chain.registers;
    if (all <= room() || !isQuiet())
      return;
    SmallVector<SmallVector<Chain *, 8>, 8> groups = group();
    if (groups.size() < 2)
      return;
    IRBuilder<> builder(last_->getNextNode());
    Frame frame(*block_.getParent());
    for (auto &members : groups) {
      separate(builder);
      emit(members, frame, builder);
    }
    for (Chain &chain : chains_)
      RecursivelyDeleteTriviallyDeadInstructions(chain.products.back());
  }

private:
  void findChains() {
    SmallPtrSet<const Instruction *, 32> seen;
    for (Instruction &instruction : block_) {
      if (!isProduct(&instruction) || !seen.insert(&instruction).second)
        continue;
      Chain chain;
      for (auto *product = cast<IntrinsicInst>(&instruction); product; product = next(*product)) {
        chain.products.push_back(product);
        seen.insert(product);
      }
      uint64_t bits = instruction.getType()->getPrimitiveSizeInBits().getFixedValue();
      chain.registers = divideCeil(bits, registerBits_);
      if (chain.products.size() >= ShortestChain)
        chains_.push_back(chain);
    }
    for (const Chain &chain : chains_)
      if (!last_ || last_->comesBefore(chain.products.back()))
        last_ = chain.products.back();
    // All sums are made behind the last product.
    erase_if(chains_, [&](const Chain &chain) {
      return any_of(chain.products.back()->users(), [&](const User *user) {
        const auto *instruction = cast<Instruction>(user);
        return instruction->getParent() == &block_ && !isa<PHINode>(instruction) &&
               !last_->comesBefore(instruction);
      });
    });
  }

  /// Between the first load of a factor and the last product memory stays as it is.
  bool isQuiet() {
    Instruction *first = nullptr;
    SmallPtrSet<Value *, 32> seen;
    for (Chain &chain : chains_)
      for (IntrinsicInst *product : chain.products)
        for (Value *operand : product->args())
          findFirstLoad(operand, first, seen, LongestSlice);
    if (!first)
      return false;
    for (Instruction *i = first; i != last_; i = i->getNextNode())
      if (i->mayWriteToMemory() && !isPrefetch(*i))
        return false;
    return true;
  }

  static bool isPrefetch(const Instruction &instruction) {
    const auto *call = dyn_cast<IntrinsicInst>(&instruction);
    return call && call->getIntrinsicID() == Intrinsic::prefetch;
  }

  void findFirstLoad(Value *value, Instruction *&first, SmallPtrSetImpl<Value *> &seen,
                     unsigned depth) {
    auto *instruction = dyn_cast<Instruction>(value);
    if (!instruction || instruction->getParent() != &block_ || !isCheap(*instruction) ||
        depth == 0 || !seen.insert(value).second)
      return;
    if (isa<LoadInst>(instruction)) {
      if (!first || instruction->comesBefore(first))
        first = instruction;
      return;
    }
    for (Value *operand : instruction->operands())
      findFirstLoad(operand, first, seen, depth - 1);
  }

  /// Registers for sums, beside those for what is added to them.
  unsigned room() const { return registers_ * 3 / 4; }

  /// The factor that is no broadcast.
  static Value *wideFactor(const Chain &chain) {
    IntrinsicInst *product = chain.products.front();
    Value *a = product->getArgOperand(0), *b = product->getArgOperand(1);
    return getSplatValue(a) ? b : a;
  }

  /// As many chains with the same wide factor as there are registers for, in equal parts.
  SmallVector<SmallVector<Chain *, 8>, 8> group() {
    MapVector<Value *, SmallVector<Chain *, 16>> shared;
    for (Chain &chain : chains_)
      shared[wideFactor(chain)].push_back(&chain);
    SmallVector<SmallVector<Chain *, 8>, 8> groups;
    SmallVector<Chain *, 8> rest; // of factors that few chains share
    auto room = [&](const Chain &chain) {
      return std::max(1u, this->room() / std::max(1u, chain.registers));
    };
    for (auto &[factor, chains] : shared) {
      if (chains.size() * 2 <= room(*chains.front())) {
        rest.append(chains.begin(), chains.end());
        continue;
      }
      cut(chains, room(*chains.front()), groups);
    }
    if (!rest.empty())
      cut(rest, room(*rest.front()), groups);
    return groups;
  }

  static void cut(ArrayRef<Chain *> chains, unsigned room,
                  SmallVectorImpl<SmallVector<Chain *, 8>> &groups) {
    unsigned parts = divideCeil(chains.size(), room), each = divideCeil(chains.size(), parts);
    for (; !chains.empty(); chains = chains.drop_front(std::min<size_t>(each, chains.size())))
      groups.emplace_back(chains.take_front(each));
  }

  /// Nothing at run time; but the back end, which otherwise takes equal loads of a block for one,
  /// loads again behind it.
  static void separate(IRBuilder<> &builder) {
    builder.CreateFence(AtomicOrdering::SequentiallyConsistent, SyncScope::SingleThread);
  }

  void emit(ArrayRef<Chain *> members, Frame &frame, IRBuilder<> &builder) {
    DenseMap<Value *, Value *> made;
    SmallVector<Value *, 8> sums;
    size_t longest = 0;
    for (const Chain *chain : members) {
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
      StoreInst *store = frame.storeBack(*chain);
      Value *address = getLoadStorePointerOperand(chain->first());
      chain->products.back()->replaceAllUsesWith(sum);
      if (store)
        Frame::keep(*cast<Instruction>(sum), *store, *address);
    }
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
  unsigned registerBits_, registers_;
  SmallVector<Chain, 0> chains_;
  IntrinsicInst *last_ = nullptr;
};

} // namespace

void groupSums(Module &module, TargetMachine &machine) {
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    TargetTransformInfo target = machine.getTargetTransformInfo(function);
    unsigned bits =
        target.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue();
    unsigned registers = target.getNumberOfRegisters(target.getRegisterClassForType(
        true, FixedVectorType::get(Type::getFloatTy(module.getContext()), bits / 32)));
    if (bits == 0)
      continue;
    for (BasicBlock &block : function)
      Block(block, bits, registers).run();
  }
}

} // namespace heddle::jit
