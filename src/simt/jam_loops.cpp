// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Problem. A thread with a row of a matrix goes along it once for each column of another one; a
// thread with a point goes through its coordinates once for each centre. What lanes load by a
// gather or from the second-level cache is used for one product and loaded again.
//
// Method. Unroll and jam. The loop's rounds are taken up to 16 at a time, as many as the registers
// have room for: what comes before the inner loop is done for all of them, then one inner loop
// computes all their sums, then what comes behind is done for one round after the other. What is
// the same in all rounds (the inner loop's counter, loads that do not depend on the outer one) is
// there once. The rest goes four rounds at a time, then two, and a last one as before.
//
// Legality. Inner loops of one block, which run as often in each round of the outer loop; beside
// them nothing but straight code, and perhaps one branch around the inner loop that all rounds
// decide alike: jammed rounds run if it is not taken. Before the inner loop and in it nothing is
// written, and what is used there of the round before is its number only. Behind it, stores stay in
// their order, with all else there; what is loaded before and in the loop lies in other objects
// than what is stored (objects.h), or there are no stores. No calls but of pure functions, so no
// barriers. A thread's results have the same bits: each sum has its order.
//
// It is not LLVM's pass (LoopUnrollAndJam): that one refuses a minimum over the rounds, since it
// moves all of a round's results before the inner loops, knows nothing of allocations that are
// apart, and weighs scalars.
//
#include "simt/jam_loops.h"

#include "simt/function_facts.h"
#include "simt/fuse_warps.h"
#include "simt/objects.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr unsigned MostRounds = 16;
constexpr unsigned LargestTurn = 256; ///< instructions of a jammed inner loop
constexpr unsigned FewestInRow = 8;   ///< lanes, for which one element is loaded for all
constexpr unsigned FewestLanes = 16;  ///< of a program with lanes, but where more are asked for

/// A loop around an innermost loop of one block, and straight code beside it.
struct Nest {
  Loop *outer, *inner;
  SmallVector<BasicBlock *, 4> before, behind; ///< in their order, without the inner loop
  Value *goesIn = nullptr;                     ///< decides that the inner loop runs, if anything
  bool goesInIfTrue = true;

  unsigned rounds = 0; ///< at once
  Value *length;       ///< of the outer loop, in its preheader; 0 stands for more than fit
  bool isLengthKnown;
  SmallPtrSet<const Value *, 32> shared;       ///< of the loops: the same in all rounds
  SmallDenseMap<const PHINode *, APInt> steps; ///< of the outer loop's phis that count rounds
};

/// Neither writes nor waits.
bool isPlain(const Instruction &instruction) {
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    return load->isSimple();
  if (const auto *call = dyn_cast<CallBase>(&instruction))
    return !call->isConvergent() && call->doesNotAccessMemory() && !call->mayHaveSideEffects();
  return !instruction.mayReadOrWriteMemory() && !isa<AllocaInst>(instruction);
}

/// Finds what can be jammed, and jams nothing yet: its analyses must hold for all loops.
class Finder {
public:
  Finder(Function &thread, const Options &options)
      : options_(options), facts_(thread), recurrences_(thread, facts_),
        evolution_(recurrences_.evolution),
        lanes_(thread, facts_, {widestFused(options), options.blockDim}),
        objects_(thread, options) {}

  std::vector<Nest> find();

private:
  std::optional<Nest> nestOf(Loop &inner);
  bool isLegal(Nest &);
  bool isEarly(const Nest &, const Instruction &);
  bool isApart(const Nest &, const LoadInst &);
  void findSteps(Nest &);
  void findShared(Nest &);
  bool pays(const Nest &);
  unsigned roundsOf(const Nest &);

  const Options &options_;
  LoopFacts facts_;
  Recurrences recurrences_;
  ScalarEvolution &evolution_;
  LaneShapes lanes_;
  Objects objects_;
};

/// Adds the blocks from `block` on to `end`, one after the other; false where they part. One branch
/// may go around the inner loop, if `around` is given: to that block.
bool follow(BasicBlock *block, const BasicBlock *end, Nest &nest,
            SmallVectorImpl<BasicBlock *> &blocks, BasicBlock **around) {
  while (true) {
    if (!nest.outer->contains(block) || is_contained(blocks, block))
      return false;
    if (block == end)
      return true;
    blocks.push_back(block);
    auto *branch = dyn_cast<BranchInst>(block->getTerminator());
    if (!branch)
      return false;
    if (branch->isUnconditional()) {
      block = branch->getSuccessor(0);
      continue;
    }
    BasicBlock *preheader = nest.inner->getLoopPreheader();
    if (!around || *around || !nest.outer->isLoopInvariant(branch->getCondition()) ||
        !is_contained(branch->successors(), preheader))
      return false;
    nest.goesIn = branch->getCondition();
    nest.goesInIfTrue = branch->getSuccessor(0) == preheader;
    *around = branch->getSuccessor(nest.goesInIfTrue ? 1 : 0);
    block = preheader;
  }
}

bool isBottomTested(const Loop &loop) {
  return loop.isLoopSimplifyForm() && loop.getExitingBlock() == loop.getLoopLatch() &&
         loop.getExitBlock();
}

std::optional<Nest> Finder::nestOf(Loop &inner) {
  Nest nest;
  nest.outer = inner.getParentLoop();
  nest.inner = &inner;
  Loop *outer = nest.outer;
  if (!outer || inner.getNumBlocks() != 1 || outer->getSubLoops().size() != 1 ||
      !isBottomTested(inner) || !isBottomTested(*outer))
    return std::nullopt;
  BasicBlock *around = nullptr, *latch = outer->getLoopLatch();
  if (!follow(outer->getHeader(), inner.getHeader(), nest, nest.before, &around) ||
      !follow(inner.getExitBlock(), latch, nest, nest.behind, nullptr))
    return std::nullopt;
  nest.behind.push_back(latch);
  bool isWhole = nest.before.size() + nest.behind.size() + 1 == outer->getNumBlocks();
  if (!isWhole || (around && !is_contained(nest.behind, around)))
    return std::nullopt;
  return nest;
}

/// Which of the outer loop's phis count its rounds.
void Finder::findSteps(Nest &nest) {
  for (PHINode &phi : nest.outer->getHeader()->phis()) {
    const auto *walk =
        phi.getType()->isIntegerTy() ? dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(&phi)) : nullptr;
    if (!walk || walk->getLoop() != nest.outer || !walk->isAffine())
      continue;
    if (const auto *step = dyn_cast<SCEVConstant>(walk->getStepRecurrence(evolution_)))
      nest.steps.try_emplace(&phi, step->getAPInt());
  }
}

/// No store of the outer loop changes what is loaded.
bool Finder::isApart(const Nest &nest, const LoadInst &load) {
  return all_of(nest.behind, [&](BasicBlock *block) {
    return all_of(*block, [&](const Instruction &instruction) {
      const auto *store = dyn_cast<StoreInst>(&instruction);
      return !store || objects_.areApart(load.getPointerOperand(), store->getPointerOperand());
    });
  });
}

/// May be done for later rounds before this one ends.
bool Finder::isEarly(const Nest &nest, const Instruction &instruction) {
  bool isHeaderPhi = isa<PHINode>(instruction) && instruction.getParent() == nest.before.front();
  if (isHeaderPhi || instruction.isTerminator())
    return true;
  bool usesNumbersOnly = all_of(instruction.operands(), [&](Value *operand) {
    auto *phi = dyn_cast<PHINode>(operand);
    return !phi || phi->getParent() != nest.before.front() || nest.steps.contains(phi);
  });
  const auto *load = dyn_cast<LoadInst>(&instruction);
  return usesNumbersOnly && isPlain(instruction) && (!load || isApart(nest, *load));
}

bool Finder::isLegal(Nest &nest) {
  const SCEV *rounds = evolution_.getBackedgeTakenCount(nest.outer),
             *turns = evolution_.getBackedgeTakenCount(nest.inner);
  if (isa<SCEVCouldNotCompute>(rounds) || isa<SCEVCouldNotCompute>(turns) ||
      !evolution_.isLoopInvariant(turns, nest.outer))
    return false;
  findSteps(nest);
  auto allOf = [](ArrayRef<BasicBlock *> blocks, auto holds) {
    return all_of(blocks, [&](BasicBlock *block) { return all_of(*block, holds); });
  };
  auto isEarly = [&](const Instruction &i) { return this->isEarly(nest, i); };
  return allOf(nest.before, isEarly) && allOf(nest.inner->getHeader(), isEarly) &&
         allOf(nest.behind, [](const Instruction &i) {
           const auto *store = dyn_cast<StoreInst>(&i);
           return i.isTerminator() || isPlain(i) || (store && store->isSimple());
         });
}

/// What of the loops is the same in all rounds of the outer one.
void Finder::findShared(Nest &nest) {
  auto isShared = [&](const Value *value) {
    const auto *instruction = dyn_cast<Instruction>(value);
    return !instruction || !nest.outer->contains(instruction) || nest.shared.contains(value);
  };
  for (PHINode &phi : nest.inner->getHeader()->phis())
    if (evolution_.isSCEVable(phi.getType()))
      if (const auto *walk = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(&phi));
          walk && walk->getLoop() == nest.inner && walk->isAffine() &&
          evolution_.isLoopInvariant(walk->getStart(), nest.outer) &&
          evolution_.isLoopInvariant(walk->getStepRecurrence(evolution_), nest.outer))
        nest.shared.insert(&phi);
  auto findIn = [&](BasicBlock *block) {
    for (Instruction &instruction : *block)
      if (!isa<PHINode>(instruction) && !instruction.isTerminator() &&
          all_of(instruction.operands(), isShared))
        nest.shared.insert(&instruction);
  };
  for_each(nest.before, findIn);
  findIn(nest.inner->getHeader());
}

/// Each program loads for its own lanes: not the same for a row of them, nor for each of the rows.
bool isOfLanes(const Shape &address, unsigned width) {
  return address.period == width && !address.constantIn(FewestInRow);
}

/// All lanes go the same ways, and a load that differs between them is shared by the rounds.
bool Finder::pays(const Nest &nest) {
  const Shapes &shapes = lanes_.shapes;
  if (shapes.isDivergent(nest.outer->getLoopLatch()) ||
      shapes.isDivergent(nest.inner->getLoopLatch()))
    return false;
  return any_of(*nest.inner->getHeader(), [&](const Instruction &instruction) {
    const auto *load = dyn_cast<LoadInst>(&instruction);
    return load && nest.shared.contains(load) &&
           isOfLanes(shapes.of(load->getPointerOperand()), shapes.width());
  });
}

/// As many as leave half of the registers for other things than the inner loop's sums.
unsigned Finder::roundsOf(const Nest &nest) {
  const BasicBlock &turn = *nest.inner->getHeader();
  auto size = count_if(turn, [&](const Instruction &i) { return !nest.shared.contains(&i); });
  unsigned registers = 0;
  for (const PHINode &phi : turn.phis())
    if (!nest.shared.contains(&phi))
      registers += divideCeil(FewestLanes * phi.getDataLayout().getTypeSizeInBits(phi.getType()),
                              options_.registers.bits);
  unsigned most = std::min({MostRounds, unsigned(LargestTurn / size),
                            options_.registers.count / 2 / std::max(registers, 1u)});
  unsigned length = evolution_.getSmallConstantTripCount(nest.outer);
  if (length == 0)
    return most < 2 ? 0 : bit_floor(most);
  most = std::min(most, length);
  for (unsigned rounds = most; rounds > 1; --rounds)
    if (length % rounds == 0)
      return rounds;
  return most;
}

std::vector<Nest> Finder::find() {
  std::vector<Nest> found;
  SCEVExpander expander(evolution_, "jam");
  for (Loop *inner : facts_.loops.getLoopsInPreorder()) {
    std::optional<Nest> nest = inner->isInnermost() ? nestOf(*inner) : std::nullopt;
    if (!nest || !isLegal(*nest))
      continue;
    findShared(*nest);
    nest->rounds = pays(*nest) ? roundsOf(*nest) : 0;
    Instruction *before = nest->outer->getLoopPreheader()->getTerminator();
    const SCEV *more = evolution_.getBackedgeTakenCount(nest->outer);
    if (nest->rounds < 2 || !expander.isSafeToExpandAt(more, before))
      continue;
    Value *last = expander.expandCodeFor(more, more->getType(), before);
    nest->isLengthKnown = isa<SCEVConstant>(more);
    nest->length = IRBuilder<>(before).CreateAdd(last, ConstantInt::get(last->getType(), 1));
    found.push_back(std::move(*nest));
  }
  return found;
}

/// Makes a jammed loop in front of a nest.
class Jammer {
public:
  explicit Jammer(const Nest &nest)
      : nest_(nest), header_(*nest.outer->getHeader()), turn_(*nest.inner->getHeader()),
        preheader_(nest.outer->getLoopPreheader()), copies_(nest.rounds) {}

  /// How many rounds are left to the original loop.
  Value *run();

private:
  BasicBlock *newBlock(const Twine &name) {
    return BasicBlock::Create(header_.getContext(), name, header_.getParent(), &header_);
  }
  Value *in(unsigned round, Value *value) const;
  /// A phi's value from round to round.
  Value *handedOn(unsigned round, const PHINode &phi) const {
    return in(round, phi.getIncomingValueForBlock(nest_.outer->getLoopLatch()));
  }
  Value *choose(); // whether there are rounds to jam, and how many
  void startRounds();
  void copy(Instruction &, unsigned round, BasicBlock *to);
  void copyBefore();
  void copyTurn();
  void copyBehind();
  Value *leave();

  const Nest &nest_;
  BasicBlock &header_, &turn_; ///< of the original loops
  BasicBlock *preheader_;
  BasicBlock *first_, *jammed_, *last_, *done_, *rest_;
  Value *times_;   ///< how often the jammed loop runs
  PHINode *count_; ///< how often it has
  SmallVector<std::pair<PHINode *, PHINode *>, 4>
      phis_; ///< of the outer loop; theirs in the jammed one
  SmallVector<DenseMap<const Value *, Value *>, MostRounds> copies_; ///< of what the loops compute
};

/// What `value` is in a round.
Value *Jammer::in(unsigned round, Value *value) const {
  auto found = copies_[round].find(value);
  return found == copies_[round].end() ? value : found->second;
}

void Jammer::startRounds() {
  IRBuilder<> builder(first_);
  for (PHINode &phi : header_.phis()) {
    PHINode *ours = builder.CreatePHI(phi.getType(), 2, phi.getName());
    ours->addIncoming(phi.getIncomingValueForBlock(preheader_), preheader_);
    phis_.push_back({&phi, ours});
    copies_[0][&phi] = ours;
  }
  count_ = builder.CreatePHI(times_->getType(), 2, "jam.count");
  count_->addIncoming(ConstantInt::get(times_->getType(), 0), preheader_);
  for (auto [phi, ours] : phis_) {
    auto step = nest_.steps.find(phi);
    if (step == nest_.steps.end())
      continue;
    // No round counts beyond what the original loop counts to.
    auto *next = dyn_cast<OverflowingBinaryOperator>(
        phi->getIncomingValueForBlock(nest_.outer->getLoopLatch()));
    bool isSum = next && next->getOpcode() == Instruction::Add;
    for (unsigned round = 1; round < nest_.rounds; ++round)
      copies_[round][phi] =
          builder.CreateAdd(ours, ConstantInt::get(phi->getContext(), step->second * round), "",
                            isSum && next->hasNoUnsignedWrap(), isSum && next->hasNoSignedWrap());
  }
}

void Jammer::copy(Instruction &instruction, unsigned round, BasicBlock *to) {
  Instruction *copy = instruction.clone();
  copy->insertInto(to, to->end());
  for (Use &operand : copy->operands())
    operand = in(round, operand);
  copies_[round][&instruction] = copy;
}

void Jammer::copyBefore() {
  for (unsigned round = 0; round < nest_.rounds; ++round)
    for (BasicBlock *block : nest_.before)
      for (Instruction &instruction : *block) {
        auto *phi = dyn_cast<PHINode>(&instruction);
        if (instruction.isTerminator() || (phi && block == &header_))
          continue;
        if (phi)
          copies_[round][phi] = in(round, phi->getIncomingValue(0));
        else if (round > 0 && nest_.shared.contains(&instruction))
          copies_[round][&instruction] = copies_[0][&instruction];
        else
          copy(instruction, round, first_);
      }
  BranchInst::Create(jammed_, first_);
}

void Jammer::copyTurn() {
  auto isThere = [&](const Instruction &instruction, unsigned round) {
    return round > 0 && nest_.shared.contains(&instruction);
  };
  for (unsigned round = 0; round < nest_.rounds; ++round)
    for (PHINode &phi : turn_.phis())
      copies_[round][&phi] = isThere(phi, round)
                                 ? copies_[0][&phi]
                                 : PHINode::Create(phi.getType(), 2, phi.getName(), jammed_);
  for (unsigned round = 0; round < nest_.rounds; ++round)
    for (Instruction &instruction : turn_) {
      if (isa<PHINode>(instruction) || instruction.isTerminator())
        continue;
      if (isThere(instruction, round))
        copies_[round][&instruction] = copies_[0][&instruction];
      else
        copy(instruction, round, jammed_);
    }
  for (unsigned round = 0; round < nest_.rounds; ++round)
    for (PHINode &phi : turn_.phis())
      if (!isThere(phi, round)) {
        auto *ours = cast<PHINode>(copies_[round][&phi]);
        Value *start = phi.getIncomingValueForBlock(nest_.inner->getLoopPreheader());
        ours->addIncoming(in(round, start), first_);
        ours->addIncoming(in(round, phi.getIncomingValueForBlock(&turn_)), jammed_);
      }
  auto *branch = cast<BranchInst>(turn_.getTerminator());
  bool staysIfTrue = branch->getSuccessor(0) == &turn_;
  IRBuilder<>(jammed_).CreateCondBr(in(0, branch->getCondition()), staysIfTrue ? jammed_ : last_,
                                    staysIfTrue ? last_ : jammed_);
}

void Jammer::copyBehind() {
  for (unsigned round = 0; round < nest_.rounds; ++round) {
    for (auto [phi, ours] : phis_)
      if (round > 0 && !nest_.steps.contains(phi))
        copies_[round][phi] = handedOn(round - 1, *phi);
    for (BasicBlock *block : nest_.behind)
      for (Instruction &instruction : *block) {
        if (auto *phi = dyn_cast<PHINode>(&instruction)) {
          // Not what comes around the inner loop.
          for (auto [value, from] : zip(phi->incoming_values(), phi->blocks()))
            if (!is_contained(nest_.before, from))
              copies_[round][phi] = in(round, value);
        } else if (!instruction.isTerminator()) {
          copy(instruction, round, last_);
        }
      }
  }
  IRBuilder<> builder(last_);
  Value *next = builder.CreateNUWAdd(count_, ConstantInt::get(count_->getType(), 1));
  count_->addIncoming(next, last_);
  for (auto [phi, ours] : phis_)
    ours->addIncoming(handedOn(nest_.rounds - 1, *phi), last_);
  builder.CreateCondBr(builder.CreateICmpEQ(next, times_), done_, first_);
}

/// To the original loop for the rest, if there is one: its length.
Value *Jammer::leave() {
  IRBuilder<> builder(done_);
  BasicBlock *exit = nest_.outer->getExitBlock();
  unsigned last = nest_.rounds - 1;
  Value *made = builder.CreateMul(times_, ConstantInt::get(times_->getType(), nest_.rounds));
  Value *left = builder.CreateSub(nest_.length, made);
  builder.CreateCondBr(builder.CreateIsNull(left), exit, rest_);
  for (PHINode &phi : exit->phis())
    phi.addIncoming(in(last, phi.getIncomingValueForBlock(nest_.outer->getLoopLatch())), done_);
  builder.SetInsertPoint(rest_);
  for (auto [phi, ours] : phis_) {
    PHINode *start = builder.CreatePHI(phi->getType(), 2);
    start->addIncoming(phi->getIncomingValueForBlock(preheader_), preheader_);
    start->addIncoming(handedOn(last, *phi), done_);
    int index = phi->getBasicBlockIndex(preheader_);
    phi->setIncomingValue(index, start);
    phi->setIncomingBlock(index, rest_);
  }
  PHINode *length = builder.CreatePHI(left->getType(), 2);
  length->addIncoming(nest_.length, preheader_);
  length->addIncoming(left, done_);
  builder.CreateBr(&header_);
  return length;
}

Value *Jammer::run() {
  first_ = newBlock("jam.first");
  jammed_ = newBlock("jam.turn");
  last_ = newBlock("jam.last");
  done_ = newBlock("jam.done");
  rest_ = newBlock("jam.rest");
  IRBuilder<> builder(preheader_->getTerminator());
  times_ = builder.CreateUDiv(nest_.length, ConstantInt::get(nest_.length->getType(), nest_.rounds),
                              "jam.times");
  Value *some = builder.CreateIsNotNull(times_);
  if (nest_.goesIn)
    some = builder.CreateAnd(some,
                             nest_.goesInIfTrue ? nest_.goesIn : builder.CreateNot(nest_.goesIn));
  builder.CreateCondBr(some, first_, rest_);
  preheader_->getTerminator()->eraseFromParent();
  startRounds();
  copyBefore();
  copyTurn();
  copyBehind();
  return leave();
}

} // namespace

bool jamLoops(ThreadProgram &program, const Options &options) {
  Finder finder(*program.body, options); // its loops are those of the nests
  std::vector<Nest> nests = finder.find();
  for (Nest &nest : nests) {
    nest.length = Jammer(nest).run();
    for (unsigned rounds : {4, 2})
      if (!nest.isLengthKnown && rounds < nest.rounds) {
        nest.rounds = rounds;
        nest.length = Jammer(nest).run();
      }
  }
  if (!nests.empty() && !options.objects.empty())
    program.trustsObjects = true;
  return !nests.empty();
}

} // namespace heddle::simt
