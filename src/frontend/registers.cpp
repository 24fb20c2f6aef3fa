// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The register estimate.
//
// It answers occupancy questions, -Xptxas -v and -Mcuda=ptxinfo before there is a GPU. It is the
// largest number of 32-bit values alive at one point of the optimised device code:
//   - an i1 lives in a predicate register and counts nothing; up to 32 bits count one, 64 bits two,
//     vectors and structs the sum of their parts;
//   - a kernel's parameters and the sizes of block and grid lie in the constant bank and count
//     nothing until they are used by value; addresses of local variables and all constants count
//     nothing;
//   - what an instruction can take as an operand in another form counts as what it is made of: an
//     address with a constant offset, an index that is extended for an address;
//   - at a call that was not inlined the callee's own need comes on top, for a function of the device
//     library that of a typical one.
// Liveness is the textbook backward data flow over basic blocks.
//
// What is alive differs between generations of GPUs (Rules): an address has 32 bits on those of
// compute capability 1.x, the stack pointer and what ptxas keeps at hand take some more, and all
// round up to an even number. From 3.0 on loops that load and whose turns are counted are unrolled
// four times, and load ahead up to 32 registers. From 7.0 on other code is computed ahead, too.
//
// The rules were found by comparing with ptxas 13 on 198 kernels of bench/ (7.5 and 9.0) and with
// the listings of "CUDA Fortran for Scientists and Engineers" (1.0 to 3.5). On 9.0 half of the
// former are within a seventh and four of five within a third, and the mean is right; of the latter
// most are equal.
#include "frontend/registers.h"

#include "frontend/layout.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace heddle::frontend {

using namespace llvm;

namespace {

/// What a generation's compiler makes of live values.
struct Rules {
  unsigned addressWords; ///< of a pointer to global memory
  unsigned base;         ///< the stack pointer, and what ptxas keeps at hand
  unsigned unit;         ///< counts are multiples of it
  unsigned ahead;        ///< what is at most computed ahead of its use, half of what is alive
  bool loadsAhead;       ///< of turns of a loop that come later
};
constexpr Rules RulesOf[RegisterGenerations] = {
    {1, 2, 1, 0, false}, {2, 3, 2, 0, false}, {2, 4, 2, 0, true}, {2, 5, 2, 8, true}};

constexpr unsigned MostRegisters = 255;
constexpr unsigned Unrolled = 4;        ///< turns of a loop at once
constexpr unsigned LoadAheadLimit = 32; ///< registers that each of 2048 threads may have
constexpr unsigned AheadLimit = 64;     ///< and each of 1024, the largest block
constexpr unsigned LibraryFloat = 6, LibraryDouble = 14; ///< what a mathematical function needs

/// The sizes of block and grid, and constant variables: operands in the constant bank.
bool isInConstantBank(const Value &value) {
  if (auto *load = dyn_cast<LoadInst>(&value)) {
    auto *variable = dyn_cast<GlobalVariable>(load->getPointerOperand()->stripInBoundsOffsets());
    return variable && variable->getAddressSpace() == ConstantSpace;
  }
  auto *intrinsic = dyn_cast<IntrinsicInst>(&value);
  if (!intrinsic)
    return false;
  switch (intrinsic->getIntrinsicID()) {
  case Intrinsic::nvvm_read_ptx_sreg_ntid_x:
  case Intrinsic::nvvm_read_ptx_sreg_ntid_y:
  case Intrinsic::nvvm_read_ptx_sreg_ntid_z:
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
    return true;
  default:
    return false;
  }
}

bool isIndex(const Instruction &instruction) {
  return all_of(instruction.users(), [](const User *user) { return isa<GetElementPtrInst>(user); });
}

/// What an instruction's value is an operand's form of; null if it is a value of its own.
const Value *formOf(const Value &value) {
  auto *instruction = dyn_cast<Instruction>(&value);
  if (!instruction)
    return nullptr;
  auto *address = dyn_cast<GetElementPtrInst>(instruction);
  bool isForm = isa<AddrSpaceCastInst, BitCastInst, FreezeInst>(instruction) ||
                (address && address->hasAllConstantIndices()) ||
                (isa<SExtInst, ZExtInst>(instruction) && isIndex(*instruction));
  return isForm ? instruction->getOperand(0) : nullptr;
}

bool isBarrier(const Instruction &instruction) {
  auto *call = dyn_cast<CallBase>(&instruction);
  const Function *callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName().starts_with("llvm.nvvm.barrier.");
}

/// Whether a block is a loop whose turns are counted, which ptxas or the compiler before it unrolls.
bool isCountedLoop(const BasicBlock &block) {
  auto *branch = dyn_cast<BranchInst>(block.getTerminator());
  auto *compare =
      branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
  return compare && is_contained(successors(&block), &block) &&
         any_of(compare->operands(), [&](const Value *operand) {
           auto *instruction = dyn_cast<Instruction>(operand);
           return !instruction || instruction->getParent() != &block;
         });
}

/// Which values of a function are alive where: those that take registers, numbered.
class Liveness {
public:
  explicit Liveness(const Function &function) {
    numberValues(function);
    for (const BasicBlock &block : function)
      sets_[&block] = summarize(block);
    for (bool changed = true; changed;) {
      changed = false;
      for (const BasicBlock *block : post_order(&function))
        changed |= update(*block);
    }
  }

  const std::vector<const Value *> &values() const { return values_; }
  const BitVector &liveOut(const BasicBlock &block) const {
    return sets_.find(&block)->second.liveOut;
  }

  /// The number of what a value is a form of; nothing if that takes no register.
  std::optional<unsigned> numberOf(const Value *value) const {
    while (const Value *of = formOf(*value))
      value = of;
    auto at = index_.find(value);
    return at == index_.end() ? std::nullopt : std::optional(at->second);
  }

  void forEachUse(const Instruction &instruction, auto &&action) const {
    for (const Value *operand : instruction.operands())
      if (std::optional<unsigned> number = numberOf(operand))
        action(*number);
  }

private:
  struct BlockSets {
    BitVector use, define, liveIn, liveOut;
  };

  void add(const Value &value) {
    Type *type = value.getType();
    if (!type->isSized() || type->isIntegerTy(1) || isInConstantBank(value) || formOf(value))
      return;
    index_[&value] = static_cast<unsigned>(values_.size());
    values_.push_back(&value);
  }

  void numberValues(const Function &function) {
    if (function.getCallingConv() != CallingConv::PTX_Kernel)
      for (const Argument &argument : function.args())
        add(argument);
    for (const BasicBlock &block : function)
      for (const Instruction &instruction : block)
        if (!isa<AllocaInst>(instruction))
          add(instruction);
  }

  BlockSets summarize(const BasicBlock &block) const {
    auto size = static_cast<unsigned>(values_.size());
    BlockSets sets{BitVector(size), BitVector(size), BitVector(size), BitVector(size)};
    for (const Instruction &instruction : reverse(block)) {
      if (auto at = index_.find(&instruction); at != index_.end()) {
        sets.define.set(at->second);
        sets.use.reset(at->second);
      }
      if (!isa<PHINode>(instruction))
        forEachUse(instruction, [&](unsigned number) { sets.use.set(number); });
    }
    return sets;
  }

  /// One step of liveOut = union of successors' liveIn, liveIn = use | (liveOut - define). A phi's
  /// operand is alive at the end of the block it comes from.
  bool update(const BasicBlock &block) {
    BlockSets &sets = sets_[&block];
    BitVector out(static_cast<unsigned>(values_.size()));
    for (const BasicBlock *next : successors(&block)) {
      out |= sets_[next].liveIn;
      for (const PHINode &phi : next->phis())
        if (std::optional<unsigned> number = numberOf(phi.getIncomingValueForBlock(&block)))
          out.set(*number);
    }
    BitVector in = out;
    in.reset(sets.define);
    in |= sets.use;
    bool changed = in != sets.liveIn || out != sets.liveOut;
    sets.liveIn = std::move(in);
    sets.liveOut = std::move(out);
    return changed;
  }

  DenseMap<const Value *, unsigned> index_;
  std::vector<const Value *> values_;
  DenseMap<const BasicBlock *, BlockSets> sets_;
};

using LivenessOf = DenseMap<const Function *, std::unique_ptr<Liveness>>;

const Liveness &find(LivenessOf &all, const Function &function) {
  std::unique_ptr<Liveness> &liveness = all[&function];
  if (!liveness)
    liveness = std::make_unique<Liveness>(function);
  return *liveness;
}

/// The registers that a generation's compiler gives functions.
class Pressure {
public:
  Pressure(const Rules &rules, LivenessOf &liveness) : rules_(rules), liveness_(liveness) {}

  unsigned largest(const Function &function) {
    known_.try_emplace(&function, 0); // while it is being computed: recursion ends
    const Liveness &liveness = find(liveness_, function);
    std::vector<unsigned> weights;
    for (const Value *value : liveness.values())
      weights.push_back(wordsOf(*value, function.getDataLayout()));
    unsigned most = 0, ofLoops = 0;
    for (const BasicBlock &block : function) {
      unsigned needs = largestIn(block, liveness, weights);
      most = std::max(most, needs);
      if (rules_.loadsAhead && isCountedLoop(block))
        ofLoops = std::max(ofLoops, unrolled(block, needs));
    }
    return std::max(most + aheadOf(most), ofLoops);
  }

private:
  unsigned wordsOf(const Value &value, const DataLayout &layout) const {
    Type *type = value.getType();
    if (type->isPointerTy())
      return type->getPointerAddressSpace() == SharedSpace ? 1 : rules_.addressWords;
    if (type->isIntegerTy(64) && !isa<LoadInst>(value) && rules_.addressWords == 1)
      return 1; // an index
    return static_cast<unsigned>((layout.getTypeSizeInBits(type).getFixedValue() + 31) / 32);
  }

  unsigned largestIn(const BasicBlock &block, const Liveness &liveness,
                     ArrayRef<unsigned> weights) {
    BitVector live = liveness.liveOut(block);
    unsigned now = 0;
    for (unsigned number : live.set_bits())
      now += weights[number];
    unsigned most = now;
    for (const Instruction &instruction : reverse(block)) {
      if (auto number = liveness.numberOf(&instruction);
          number && live.test(*number) && liveness.values()[*number] == &instruction) {
        live.reset(*number);
        now -= weights[*number];
      }
      most = std::max(most, now + calleeNeeds(instruction));
      if (isa<PHINode>(instruction))
        continue;
      liveness.forEachUse(instruction, [&](unsigned number) {
        if (!live.test(number)) {
          live.set(number);
          now += weights[number];
        }
      });
      most = std::max(most, now);
    }
    return most;
  }

  /// What is computed ahead of its use beside what is alive anyway.
  unsigned aheadOf(unsigned alive) const {
    unsigned limit = AheadLimit - rules_.base;
    return alive < limit ? std::min({alive / 2, rules_.ahead, limit - alive}) : 0;
  }

  /// What a loop needs whose turns are loaded ahead, each with its addresses.
  unsigned unrolled(const BasicBlock &loop, unsigned needs) const {
    unsigned words = 0, limit = LoadAheadLimit - rules_.base;
    for (const Instruction &instruction : loop) {
      if (isBarrier(instruction))
        return needs;
      if (isa<LoadInst>(instruction))
        words += wordsOf(instruction, loop.getDataLayout()) + rules_.addressWords;
    }
    return std::min(needs + (Unrolled - 1) * words, std::max(needs, limit));
  }

  unsigned calleeNeeds(const Instruction &instruction) {
    auto *call = dyn_cast<CallBase>(&instruction);
    const Function *callee = call ? call->getCalledFunction() : nullptr;
    if (callee && callee->isDeclaration() && callee->getName().starts_with("__nv_"))
      return callee->getReturnType()->isDoubleTy() ? LibraryDouble : LibraryFloat;
    if (!callee || callee->isDeclaration())
      return 0;
    if (auto at = known_.find(callee); at != known_.end())
      return at->second;
    unsigned needs = largest(*callee);
    known_[callee] = needs;
    return needs;
  }

  const Rules &rules_;
  LivenessOf &liveness_;
  DenseMap<const Function *, unsigned> known_;
};

} // namespace

RegisterCounts estimateRegisters(const Function &kernel) {
  LivenessOf liveness;
  RegisterCounts counts = {};
  for (size_t generation = 0; generation != RegisterGenerations; ++generation) {
    const Rules &rules = RulesOf[generation];
    unsigned alive = Pressure(rules, liveness).largest(kernel);
    unsigned needs = alignTo(rules.base + alive, rules.unit);
    counts[generation] = static_cast<uint8_t>(std::min(needs, MostRegisters));
  }
  return counts;
}

} // namespace heddle::frontend
