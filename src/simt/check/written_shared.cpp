// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The block's shape is known, so the places of a store are found by computing its address for each
// thread: whatever the pattern. A loop that goes over an array from the thread's number on is gone
// through for each thread.
//
//     a store counts if                                        because then
//     it comes before the barrier on all ways there, or         each thread that comes to the
//     behind branches whose conditions are known for each       barrier has made it
//     thread
//     whether threads come to it at all does not differ         all threads of the block have
//     from thread to thread
//
// The barrier must come before the read on all ways there. Of a read whose place is not known all
// of the variable must be written.
#include "simt/check/written_shared.h"

#include "frontend/variable_note.h"
#include "simt/analysis/intrinsics.h"
#include "simt/analysis/shapes.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

#include <bit>
#include <optional>

using namespace llvm;
using heddle::frontend::VariableNote;

namespace heddle::simt {

namespace {

constexpr uint64_t MostBytes = 64 << 10;

/// A value of the loop that is gone through.
struct Bound {
  const PHINode *phi = nullptr;
  uint64_t value = 0;
};

/// Computes values for one thread of the block.
class ThreadValues {
public:
  explicit ThreadValues(const std::array<unsigned, 3> &blockDim) : dim_(blockDim) {}
  unsigned count() const { return dim_[0] * dim_[1] * dim_[2]; }
  /// The bits of a number; nothing if they are not known.
  std::optional<uint64_t> at(const Value *, unsigned thread, Bound = {}, unsigned depth = 24) const;

private:
  std::optional<uint64_t> ofCall(const CallInst &, unsigned thread) const;
  std::array<unsigned, 3> dim_;
};

uint64_t cut(uint64_t value, unsigned bits) {
  return bits >= 64 ? value : value & ((uint64_t(1) << bits) - 1);
}
int64_t extended(uint64_t value, unsigned bits) {
  return bits >= 64 ? int64_t(value) : int64_t(value << (64 - bits)) >> (64 - bits);
}

std::optional<uint64_t> ThreadValues::ofCall(const CallInst &call, unsigned thread) const {
  unsigned x = thread % dim_[0], y = thread / dim_[0] % dim_[1], z = thread / (dim_[0] * dim_[1]);
  switch (warpBehaviour(call)) {
  case WarpBehaviour::ThreadIndexX:
    return x;
  case WarpBehaviour::ThreadIndexY:
    return y;
  case WarpBehaviour::ThreadIndexZ:
    return z;
  case WarpBehaviour::LaneId:
    return thread % WarpSize;
  case WarpBehaviour::WarpId:
    return thread / WarpSize;
  default:
    return std::nullopt;
  }
}

std::optional<uint64_t> binary(const BinaryOperator &op, uint64_t a, uint64_t b, unsigned bits) {
  int64_t sa = extended(a, bits), sb = extended(b, bits);
  bool overflows = b == 0 || (sb == -1 && sa == INT64_MIN);
  switch (op.getOpcode()) {
  case Instruction::Add:
    return a + b;
  case Instruction::Sub:
    return a - b;
  case Instruction::Mul:
    return a * b;
  case Instruction::And:
    return a & b;
  case Instruction::Or:
    return a | b;
  case Instruction::Xor:
    return a ^ b;
  case Instruction::Shl:
    return b < bits ? std::optional(a << b) : std::nullopt;
  case Instruction::LShr:
    return b < bits ? std::optional(a >> b) : std::nullopt;
  case Instruction::AShr:
    return b < bits ? std::optional(uint64_t(sa >> b)) : std::nullopt;
  case Instruction::UDiv:
    return b ? std::optional(a / b) : std::nullopt;
  case Instruction::URem:
    return b ? std::optional(a % b) : std::nullopt;
  case Instruction::SDiv:
    return overflows ? std::nullopt : std::optional(uint64_t(sa / sb));
  case Instruction::SRem:
    return overflows ? std::nullopt : std::optional(uint64_t(sa % sb));
  default:
    return std::nullopt;
  }
}

bool compare(CmpInst::Predicate predicate, uint64_t a, uint64_t b, unsigned bits) {
  return ICmpInst::compare(APInt(bits, a), APInt(bits, b), predicate);
}

std::optional<uint64_t> ThreadValues::at(const Value *value, unsigned thread, Bound bound,
                                         unsigned depth) const {
  if (!value->getType()->isIntegerTy() || value->getType()->getIntegerBitWidth() > 64)
    return std::nullopt;
  unsigned bits = value->getType()->getIntegerBitWidth();
  if (auto *constant = dyn_cast<ConstantInt>(value))
    return constant->getZExtValue();
  if (value == bound.phi)
    return bound.value;
  const auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || !depth)
    return std::nullopt;
  auto of = [&](unsigned i) { return at(instruction->getOperand(i), thread, bound, depth - 1); };
  if (auto *call = dyn_cast<CallInst>(instruction))
    return ofCall(*call, thread);
  if (isa<ZExtInst, TruncInst, FreezeInst>(instruction)) {
    auto a = of(0);
    return a ? std::optional(cut(*a, bits)) : a;
  }
  if (isa<SExtInst>(instruction)) {
    auto a = of(0);
    unsigned from = instruction->getOperand(0)->getType()->getIntegerBitWidth();
    return a ? std::optional(cut(uint64_t(extended(*a, from)), bits)) : a;
  }
  if (isa<SelectInst>(instruction)) {
    auto condition = of(0);
    return condition ? of(*condition ? 1 : 2) : condition;
  }
  if (!isa<BinaryOperator, ICmpInst>(instruction))
    return std::nullopt;
  auto a = of(0), b = of(1);
  if (!a || !b)
    return std::nullopt;
  if (auto *compares = dyn_cast<ICmpInst>(instruction))
    return compare(compares->getPredicate(), *a, *b,
                   compares->getOperand(0)->getType()->getIntegerBitWidth());
  auto result = binary(*cast<BinaryOperator>(instruction), *a, *b, bits);
  return result ? std::optional(cut(*result, bits)) : result;
}

/// An access of a variable.
struct Access {
  const Instruction *instruction;
  const Value *pointer;
  uint64_t bytes;
  bool reads, writes;
};

struct Variable {
  uint64_t bytes = 0; ///< 0: not known; of dynamic memory the most that is looked at
  bool isDynamic = false;
  SmallVector<Access, 8> accesses;
  bool goesElsewhere = false; ///< its address does
};

/// A branch that a thread must take.
struct Way {
  const Value *condition;
  bool isTrue;
};

class WriteProver {
public:
  WriteProver(Function &function, const std::array<unsigned, 3> &blockDim)
      : function_(function), layout_(function.getDataLayout()), threads_(blockDim),
        dominators_(function), loops_(dominators_), ends_(function), order_(function, loops_),
        shapes_(order_, loops_, ends_, {std::bit_ceil(std::max(threads_.count(), 32u)), blockDim},
                /*argumentsVary=*/false) {}

  void run(StringSet<> &written, uint32_t &dynamicBytes);

private:
  void collect();
  void follow(Instruction &address, Variable &);
  bool isWritten(const Variable &, const Access &read, uint32_t &dynamicBytes);
  bool addPlaces(const Variable &, const Access &, Bound, unsigned thread, BitVector &) const;
  bool addStores(const Variable &, const Access &store, const Instruction &barrier, BitVector &);
  bool addLoop(const Variable &, const Access &store, const PHINode &, ArrayRef<Way>,
               BitVector &) const;
  const PHINode *phiOf(const Access &) const;
  bool takes(ArrayRef<Way>, unsigned thread, bool &known) const;
  bool allComeTo(const BasicBlock &) const;
  std::optional<uint64_t> placeOf(const Access &, unsigned thread, Bound) const;

  Function &function_;
  const DataLayout &layout_;
  ThreadValues threads_;
  DominatorTree dominators_;
  LoopInfo loops_;
  PostDominatorTree ends_;
  BlockOrder order_;
  Shapes shapes_;
  StringMap<Variable> variables_;
  SmallVector<const Instruction *, 8> barriers_;
};

void WriteProver::follow(Instruction &address, Variable &variable) {
  SmallVector<Instruction *, 8> open = {&address};
  while (!open.empty()) {
    Instruction *value = open.pop_back_val();
    for (Use &use : value->uses()) {
      auto *user = cast<Instruction>(use.getUser());
      auto add = [&](Type *type, bool reads, bool writes) {
        variable.accesses.push_back(
            {user, value, layout_.getTypeStoreSize(type).getFixedValue(), reads, writes});
      };
      if (isa<GetElementPtrInst>(user) && use.getOperandNo() == 0 && !VariableNote::get(*user))
        open.push_back(user);
      else if (isa<AddrSpaceCastInst, FreezeInst>(user))
        open.push_back(user);
      else if (auto *load = dyn_cast<LoadInst>(user))
        add(load->getType(), true, false);
      else if (auto *store = dyn_cast<StoreInst>(user); store && use.getOperandNo() == 1)
        add(store->getValueOperand()->getType(), false, true);
      else if (auto *rmw = dyn_cast<AtomicRMWInst>(user); rmw && use.getOperandNo() == 0)
        add(rmw->getType(), true, false);
      else if (auto *swap = dyn_cast<AtomicCmpXchgInst>(user); swap && use.getOperandNo() == 0)
        add(swap->getNewValOperand()->getType(), true, false);
      else if (!isa<ICmpInst>(user))
        variable.goesElsewhere = true;
    }
  }
}

void WriteProver::collect() {
  for (Instruction &instruction : instructions(function_)) {
    auto *call = dyn_cast<CallInst>(&instruction);
    if (call && callKind(*call) == CallKind::BlockBarrier && isPlainBarrier(*call))
      barriers_.push_back(call);
    auto note = VariableNote::get(instruction);
    if (!note || note->space != AccessSpace::Shared)
      continue;
    Variable &variable = variables_[note->name];
    variable.isDynamic = note->isDynamic;
    variable.bytes = note->isDynamic ? MostBytes : note->bytes > MostBytes ? 0 : note->bytes;
    variable.goesElsewhere |= note->name.empty() || !variable.bytes;
    follow(instruction, variable);
  }
}

/// The offset in the variable.
std::optional<uint64_t> WriteProver::placeOf(const Access &access, unsigned thread,
                                             Bound bound) const {
  uint64_t place = 0;
  const Value *pointer = access.pointer;
  while (true) {
    if (isa<AddrSpaceCastInst, FreezeInst>(pointer)) {
      pointer = cast<Instruction>(pointer)->getOperand(0);
      continue;
    }
    auto *gep = dyn_cast<GetElementPtrInst>(pointer);
    if (!gep || VariableNote::get(*gep))
      return place;
    SmallMapVector<Value *, APInt, 4> factors;
    APInt constant(64, 0);
    if (!cast<GEPOperator>(gep)->collectOffset(layout_, 64, factors, constant))
      return std::nullopt;
    place += constant.getZExtValue();
    for (auto &[index, factor] : factors) {
      auto number = threads_.at(index, thread, bound);
      if (!number)
        return std::nullopt;
      place += uint64_t(extended(*number, index->getType()->getIntegerBitWidth())) *
               factor.getZExtValue();
    }
    pointer = gep->getPointerOperand();
  }
}

bool WriteProver::addPlaces(const Variable &variable, const Access &access, Bound bound,
                            unsigned thread, BitVector &places) const {
  auto place = placeOf(access, thread, bound);
  if (!place || *place > variable.bytes || access.bytes > variable.bytes - *place)
    return false;
  places.set(unsigned(*place), unsigned(*place + access.bytes));
  return true;
}

/// Whether no branch that threads take differently decides about the block.
bool WriteProver::allComeTo(const BasicBlock &block) const {
  const auto *node = dominators_.getNode(&block);
  while (node && (node = node->getIDom())) {
    const BasicBlock *above = node->getBlock();
    if (above->getTerminator()->getNumSuccessors() > 1 && shapes_.isDivergent(above) &&
        !ends_.dominates(&block, above))
      return false;
  }
  return true;
}

bool WriteProver::takes(ArrayRef<Way> ways, unsigned thread, bool &known) const {
  for (const Way &way : ways) {
    auto condition = threads_.at(way.condition, thread);
    known &= condition.has_value();
    if (!condition || (*condition != 0) != way.isTrue)
      return false;
  }
  return true;
}

/// The one that the place is computed from.
const PHINode *WriteProver::phiOf(const Access &access) const {
  const PHINode *found = nullptr;
  SmallVector<const Value *, 8> open = {access.pointer};
  for (unsigned left = 64; !open.empty() && left; --left) {
    const auto *instruction = dyn_cast<Instruction>(open.pop_back_val());
    if (!instruction || VariableNote::get(*instruction))
      continue;
    if (auto *phi = dyn_cast<PHINode>(instruction)) {
      if (found && found != phi)
        return nullptr;
      found = phi;
    } else if (!isa<CallInst, LoadInst>(instruction)) {
      append_range(open, instruction->operand_values());
    }
  }
  return found;
}

/// Goes through the loop of a store, for each thread.
bool WriteProver::addLoop(const Variable &variable, const Access &store, const PHINode &phi,
                          ArrayRef<Way> ways, BitVector &places) const {
  constexpr unsigned Most = 1 << 16;
  const Loop *loop = loops_.getLoopFor(phi.getParent());
  const BasicBlock *latch = loop->getLoopLatch(), *exiting = loop->getExitingBlock();
  const auto *branch = exiting ? dyn_cast<BranchInst>(exiting->getTerminator()) : nullptr;
  if (!latch || !branch || !branch->isConditional() || phi.getNumIncomingValues() != 2 ||
      (exiting != latch && exiting != loop->getHeader()) ||
      !dominators_.dominates(store.instruction->getParent(), latch))
    return false;
  const Value *first = phi.getIncomingValue(phi.getIncomingBlock(0) == latch);
  const Value *next = phi.getIncomingValueForBlock(latch);
  bool staysIfTrue = loop->contains(branch->getSuccessor(0));
  bool testsFirst = exiting == loop->getHeader() && exiting != latch;
  unsigned turns = 0;
  for (unsigned thread = 0; thread < threads_.count(); ++thread) {
    bool known = true;
    if (!takes(ways, thread, known)) {
      if (!known)
        return false;
      continue;
    }
    auto value = threads_.at(first, thread);
    while (value && ++turns < Most) {
      Bound bound = {&phi, *value};
      auto condition = threads_.at(branch->getCondition(), thread, bound);
      if (!condition)
        return false;
      bool stays = (*condition != 0) == staysIfTrue;
      if (testsFirst && !stays)
        break;
      if (!addPlaces(variable, store, bound, thread, places))
        return false;
      if (!stays)
        break;
      value = threads_.at(next, thread, bound);
    }
    if (!value || turns >= Most)
      return false;
  }
  return true;
}

/// Adds what a store has certainly written when a thread passes the barrier.
bool WriteProver::addStores(const Variable &variable, const Access &store,
                            const Instruction &barrier, BitVector &places) {
  const BasicBlock *block = store.instruction->getParent();
  const BasicBlock *to = barrier.getParent();
  const PHINode *phi = phiOf(store);
  const Loop *loop = phi ? loops_.getLoopFor(phi->getParent()) : nullptr;
  SmallVector<Way, 4> ways;
  if (phi) {
    if (!loop || loop->getHeader() != phi->getParent() || loop->contains(to) ||
        loops_.getLoopFor(block) != loop || !loop->getLoopPreheader())
      return false;
    block = loop->getLoopPreheader();
  } else if (block == to) {
    if (!store.instruction->comesBefore(&barrier))
      return false;
  }
  for (unsigned steps = 0; !dominators_.dominates(block, to); ++steps) {
    const BasicBlock *above = block->getSinglePredecessor();
    const auto *branch = above ? dyn_cast<BranchInst>(above->getTerminator()) : nullptr;
    if (!branch || steps == 8)
      return false;
    if (branch->isConditional())
      ways.push_back({branch->getCondition(), branch->getSuccessor(0) == block});
    block = above;
  }
  if (!allComeTo(*block))
    return false;
  if (phi)
    return addLoop(variable, store, *phi, ways, places);
  for (unsigned thread = 0; thread < threads_.count(); ++thread) {
    bool known = true;
    if (takes(ways, thread, known) && !addPlaces(variable, store, {}, thread, places))
      return false;
    if (!known)
      return false;
  }
  return true;
}

/// Of dynamic memory, if there are at most `dynamicBytes` of it, which this lowers.
bool WriteProver::isWritten(const Variable &variable, const Access &read, uint32_t &dynamicBytes) {
  BitVector needed(unsigned(variable.bytes)), places(unsigned(variable.bytes));
  for (unsigned thread = 0; thread < threads_.count(); ++thread)
    if (!addPlaces(variable, read, {}, thread, needed)) {
      needed.set();
      break;
    }
  for (const Instruction *barrier : barriers_) {
    if (!dominators_.dominates(barrier, read.instruction))
      continue;
    for (const Access &store : variable.accesses) {
      BitVector more = places;
      if (store.writes && addStores(variable, store, *barrier, more))
        places = more;
    }
  }
  if (!needed.test(places))
    return true;
  int unwritten = places.find_first_unset();
  if (!variable.isDynamic || unwritten <= 0)
    return false;
  dynamicBytes = std::min(dynamicBytes, uint32_t(unwritten));
  return true;
}

void WriteProver::run(StringSet<> &written, uint32_t &dynamicBytes) {
  collect();
  constexpr size_t Most = 64;
  for (auto &entry : variables_) {
    const Variable &variable = entry.second;
    uint32_t bytes = dynamicBytes;
    auto isFine = [&](const Access &access) {
      return !access.reads || isWritten(variable, access, bytes);
    };
    if (variable.goesElsewhere || variable.accesses.size() > Most ||
        !all_of(variable.accesses, isFine))
      continue;
    written.insert(entry.first());
    dynamicBytes = bytes;
  }
}

} // namespace

WrittenShared::WrittenShared(Function &function, const std::array<unsigned, 3> &blockDim) {
  bool hasBarrier = any_of(instructions(function), [](Instruction &instruction) {
    auto *call = dyn_cast<CallInst>(&instruction);
    return call && callKind(*call) == CallKind::BlockBarrier;
  });
  if (hasBarrier)
    WriteProver(function, blockDim).run(written_, dynamicBytes_);
}

} // namespace heddle::simt
