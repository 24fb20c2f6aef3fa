// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defers additions to global memory.
//
// Problem. Kernels end by adding a block's result to that of all blocks: a sum, a histogram, the
// moments of clusters. On a GPU that is cheap. Here it is a locked instruction, or a loop of them
// for floats, for each element of each block, on cache lines that all cores want.
//
// Method. All blocks add to the same places, and a worker runs many blocks. So the worker keeps
// sums of its own (DeferredAdds in base/abi/kernel_abi.h) and adds them to memory when it leaves the
// launch:
//
//     atomicrmw add %p, %x      ->      br (cell.address == %p), add, first
//                                       add:   cell.value += %x
//                                       first: atomicrmw add %p, %x;  cell.address = %p; ...
//
// The first addition to a place is a real one, so a wild address faults where it is used. Of a
// small array that one parameter points to, the worker keeps a copy with the sums of all elements
// (DeferredWhole), so only a test that the address is in the array is needed.
//
// When. The old values are unused and the additions unordered, so CUDA does not promise when they
// become visible, except at the launch's end or a fence. What the kernel itself can see must stay:
// it has no fences and no other kinds of global atomics, waits for no other block and calls nothing
// unknown. After the addition it accesses no global memory, or only through other parameters than
// the sums, which the runner finds at launch to point into other allocations (DeferredObjects).
// Sums of floats are added in another order, which also differs from launch to launch without this
// pass.
//
// Addresses that depend on the thread and the parameters alone are the same in the next block.
// Others (a histogram by value) are tried until too many sums have been evicted.
//
// Legality (privatize-atomics):
//  1. The old values are not used. [old values]
//  2. All atomics on global memory are additions. [additions]
//  3. Nothing orders them: no fence, no ordering, no volatile access, no loop that waits, no call
//     that may. [unordered]
//  4. Behind the addition the kernel touches no global memory, or all that it touches is found
//     through other parameters, of which the runner knows that they point into other allocations.
//     [looks later]
//  5. The address is certainly not one of shared memory, which the block itself looks at.
//     [global only]
#include "simt/thread/privatize_atomics.h"

#include "simt/analysis/intrinsics.h"
#include "simt/analysis/memory_space.h"
#include "simt/analysis/pass_notes.h"
#include "simt/compilation.h"

#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned MostObjects = 16;    ///< compared at each launch
constexpr unsigned LongestAddress = 64; ///< instructions that it is computed from

DeferredKind kindOf(const AtomicRMWInst &rmw) {
  const Type *type = rmw.getType();
  if (rmw.getOperation() == AtomicRMWInst::Add && type->isIntegerTy(32))
    return DeferredKind::Int32;
  if (rmw.getOperation() == AtomicRMWInst::Add && type->isIntegerTy(64))
    return DeferredKind::Int64;
  if (rmw.getOperation() == AtomicRMWInst::FAdd && type->isFloatTy())
    return DeferredKind::Float;
  if (rmw.getOperation() == AtomicRMWInst::FAdd && type->isDoubleTy())
    return DeferredKind::Double;
  return DeferredKind::None;
}

class Deferral {
public:
  explicit Deferral(ThreadProgram &program) : program_(program), thread_(*program.body) {}

  void run() {
    if (program_.maySpin || !isAlone() || !findAdditions())
      return;
    bool isLast = all_of(additions_, [&](AtomicRMWInst *rmw) { return nothingFollows(*rmw); });
    bool apart = findObjects(/*andOthers=*/!isLast);
    program_.deferred = kindOf(*additions_.front());
    for (AtomicRMWInst *rmw : additions_) {
      bool hasCells = kindOf(*rmw) == program_.deferred;
      unsigned whole = apart ? wholeOf(*rmw) : MostDeferredWholes;
      if ((apart || nothingFollows(*rmw)) && (hasCells || whole < MostDeferredWholes))
        DeferredAddition.put(*rmw, {staysTheSame(rmw->getPointerOperand()), hasCells, whole});
    }
  }

private:
  bool isAlone() const {
    return all_of(*thread_.getParent(), [&](const Function &function) {
      return function.isDeclaration() || &function == &thread_;
    });
  }

  /// All atomics on global memory are additions and nothing orders them.
  bool findAdditions() {
    for (Instruction &instruction : instructions(thread_)) {
      if (isa<FenceInst>(instruction) || instruction.isVolatile())
        return false;
      if (auto *call = dyn_cast<CallInst>(&instruction); call && !staysInBlock(*call))
        return false;
      if (!instruction.isAtomic())
        continue;
      auto *rmw = dyn_cast<AtomicRMWInst>(&instruction);
      auto *cas = dyn_cast<AtomicCmpXchgInst>(&instruction);
      if ((rmw && isBlockMemory(rmw->getPointerOperand(), thread_)) ||
          (cas && isBlockMemory(cas->getPointerOperand(), thread_)))
        continue;
      if (!rmw || !rmw->use_empty() || rmw->getOrdering() != AtomicOrdering::Monotonic ||
          !isElsewhere(rmw->getPointerOperand()))
        return false;
      if (kindOf(*rmw) == DeferredKind::None)
        return false;
      additions_.push_back(rmw);
    }
    return !additions_.empty();
  }

  /// Certainly not in the block's shared memory, which the block itself will look at: found through
  /// parameters, or through pointers that were loaded, where the address of shared memory is
  /// nowhere stored.
  bool isElsewhere(const Value *pointer) {
    SmallVector<const Value *, 4> objects;
    getUnderlyingObjects(pointer, objects, nullptr, /*MaxLookup=*/0);
    return all_of(objects, [&](const Value *object) {
      const auto *load = dyn_cast<LoadInst>(object);
      return load && (load->hasMetadata(LLVMContext::MD_invariant_load) || !isSharedStored());
    });
  }

  bool isSharedStored() {
    SmallVector<Instruction *, 32> accesses;
    if (!isSharedStored_)
      isSharedStored_ =
          !findPlainAccesses(*thread_.getArg(ParamShared), /*andAtomics=*/true, accesses);
    return *isSharedStored_;
  }

  /// From block to block, if not within it: it may walk in a loop.
  bool staysTheSame(const Value *address) const {
    SmallVector<const Value *, 16> pending = {address};
    SmallPtrSet<const Value *, 16> seen;
    while (!pending.empty()) {
      const Value *value = pending.pop_back_val();
      if (!seen.insert(value).second || isa<Constant>(value) ||
          value == thread_.getArg(ParamWarp) || value == thread_.getArg(ParamLaunch))
        continue;
      const auto *instruction = dyn_cast<Instruction>(value);
      if (!instruction || seen.size() > LongestAddress)
        return false;
      const auto *load = dyn_cast<LoadInst>(instruction);
      const auto *call = dyn_cast<CallInst>(instruction);
      bool known = load   ? load->hasMetadata(LLVMContext::MD_invariant_load)
                   : call ? callKind(*call) == CallKind::ThreadIndex
                          : !instruction->mayReadFromMemory();
      if (!known)
        return false;
      if (!call)
        append_range(pending, instruction->operands());
    }
    return true;
  }

  bool touchesGlobal(const Instruction &instruction) const {
    if (isa<AtomicRMWInst>(instruction) || isa<CallInst>(instruction)) // looked at before
      return false;
    const auto *load = dyn_cast<LoadInst>(&instruction);
    if (load && load->hasMetadata(LLVMContext::MD_invariant_load))
      return false;
    const Value *pointer = getLoadStorePointerOperand(&instruction);
    return pointer ? !isBlockMemory(pointer, thread_) : instruction.mayReadOrWriteMemory();
  }

  bool nothingFollows(const AtomicRMWInst &rmw) const {
    for (const Instruction *next = rmw.getNextNode(); next; next = next->getNextNode())
      if (touchesGlobal(*next))
        return false;
    SmallPtrSet<const BasicBlock *, 16> reached;
    SmallVector<const BasicBlock *, 16> pending(successors(rmw.getParent()));
    while (!pending.empty()) {
      const BasicBlock *block = pending.pop_back_val();
      if (!reached.insert(block).second)
        continue;
      if (any_of(*block,
                 [&](const Instruction &instruction) { return touchesGlobal(instruction); }))
        return false;
      append_range(pending, successors(block));
    }
    return true;
  }

  /// The offsets of the parameters that a pointer comes from. False if it comes from elsewhere too.
  bool findParameters(const Value *pointer, SmallVectorImpl<uint32_t> &offsets) const {
    const DataLayout &layout = thread_.getDataLayout();
    SmallVector<const Value *, 4> objects;
    getUnderlyingObjects(pointer, objects);
    return all_of(objects, [&](const Value *object) {
      const auto *load = dyn_cast<LoadInst>(object);
      if (!load || !load->hasMetadata(LLVMContext::MD_invariant_load))
        return false;
      APInt offset(64, 0);
      const Value *base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(
          layout, offset, /*AllowNonInbounds=*/true);
      uint32_t number = static_cast<uint32_t>(offset.getZExtValue());
      if (base == thread_.getArg(ParamLaunch)) {
        offsets.push_back(DeferredObjects::Globals);
        return number == offsetof(Launch, globals);
      }
      const auto *params = dyn_cast<LoadInst>(base);
      offsets.push_back(number);
      return params && params->getPointerOperand() == thread_.getArg(ParamLaunch);
    });
  }

  /// The sums, and with `andOthers` all else that the kernel touches, are found through parameters,
  /// different ones.
  bool findObjects(bool andOthers) {
    static_assert(offsetof(Launch, params) == 0);
    SmallVector<uint32_t, 8> sums, others;
    for (const AtomicRMWInst *rmw : additions_)
      if (!findParameters(rmw->getPointerOperand(), sums))
        return false;
    for (const Instruction &instruction : instructions(thread_))
      if (andOthers && touchesGlobal(instruction) &&
          (!getLoadStorePointerOperand(&instruction) ||
           !findParameters(getLoadStorePointerOperand(&instruction), others)))
        return false;
    if (any_of(others, [&](uint32_t other) { return is_contained(sums, other); }))
      return false;
    auto unique = [](SmallVectorImpl<uint32_t> &offsets) {
      llvm::sort(offsets);
      offsets.erase(llvm::unique(offsets), offsets.end());
      return std::vector<uint32_t>(offsets.begin(), offsets.end());
    };
    std::vector<uint32_t> apart = unique(others);
    if (apart.size() > MostObjects)
      return false;
    program_.deferredSums = unique(sums);
    program_.deferredOthers = std::move(apart);
    findKinds();
    return true;
  }

  /// The kind of each of the sums; none where it has several.
  void findKinds() {
    program_.deferredKinds.assign(program_.deferredSums.size(), DeferredKind::None);
    SmallBitVector known(program_.deferredSums.size());
    for (const AtomicRMWInst *rmw : additions_) {
      unsigned sum = sumOf(*rmw);
      if (sum == known.size())
        continue;
      DeferredKind &kind = program_.deferredKinds[sum];
      kind = !known[sum] || kind == kindOf(*rmw) ? kindOf(*rmw) : DeferredKind::None;
      known.set(sum);
    }
  }

  /// Which of the sums an addition is to; their number if that is not known.
  unsigned sumOf(const AtomicRMWInst &rmw) const {
    ArrayRef<uint32_t> sums = program_.deferredSums;
    SmallVector<uint32_t, 2> offsets;
    bool isKnown = findParameters(rmw.getPointerOperand(), offsets) && offsets.size() == 1;
    return unsigned((isKnown ? find(sums, offsets[0]) : sums.end()) - sums.begin());
  }

  /// The copy in which it may be kept (DeferredNote::Facts::whole).
  unsigned wholeOf(const AtomicRMWInst &rmw) const {
    unsigned sum = sumOf(rmw);
    bool isKept = sum < MostDeferredWholes && sum < program_.deferredKinds.size() &&
                  program_.deferredKinds[sum] == kindOf(rmw);
    return isKept ? sum : MostDeferredWholes;
  }

  ThreadProgram &program_;
  Function &thread_;
  SmallVector<AtomicRMWInst *, 8> additions_;
  std::optional<bool> isSharedStored_;
};

} // namespace

PreservedAnalyses PrivatizeAtomics::run(Compilation &kernel, FunctionAnalysisManager &) {
  Deferral(kernel.thread).run();
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
