// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One counter for all warps.
//
// Problem. Sorts for GPUs let each warp of a block count on its own: where a key goes is the number
// of its digit's keys in the warps before, and its rank among those of its own warp. So warps need
// not wait for each other. Here they run one after the other in any case, and pay for it twice:
// each key is counted to be ranked, its rank is kept, and both are read again when it is stored.
//
// Method. One counter a digit that starts where the block's first key of the digit goes, and that
// each key takes and counts up, in the order of warps, rounds and lanes, gives the same places:
//
//     counters[w][t] = 0 for all w; barrier         |
//     rank[k] = atomicAdd(&counters[warp][digit[k]], 1)
//     barrier                                       |  keys[warp][k][lane] = key[k]
//     sum = start                                   |  counters[0][t] = start
//     for w: count = counters[w][t];           ->   |  barrier
//            counters[w][t] = sum; sum += count     |  if (t == 0)
//     barrier                                       |    for w, k, l: key = keys[w][k][l];
//     out[counters[warp][digit[k]] + rank[k]] =     |      out[counters[0][digit(key)]++] = key
//         key[k]                                    |
//
// What comes out is a thread program as any other: right at all widths. It is scalar code for the
// keys, as the ranking was, with two stores a key in place of three.
//
// What must hold: these are all accesses to the counters, made by all threads, once, with barriers
// between; the ranks have no other use; the rounds are alike; and the stores are the last that the
// kernel does to memory. What a store needs is computed again from the thread's index and what else
// differs between the threads (the keys). That is loaded again where nobody writes to it, since
// `out` is known to be another array (objects.cpp); otherwise it goes through shared memory, as
// above.
//
// The loop goes through the lanes of a warp at once, whose addresses are the first one's and a
// constant. One thread that counts for all warps needs neither ranks nor scan, and the block
// becomes one program.
//
// Not where the store's values are loaded behind the last barrier (a payload beside the key), or
// where more is done with ranks or counts.
#include "simt/thread/merge_warp_counters.h"

#include "simt/analysis/objects.h"
#include "simt/analysis/shape.h"
#include "simt/canonical/normalize.h"
#include "simt/compilation.h"
#include "simt/thread/warp_counters.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

#include <map>
#include <optional>

using namespace llvm;
using namespace llvm::PatternMatch;

namespace heddle::simt {

namespace {

constexpr unsigned MostStaged = 3;          ///< values of a thread and round
constexpr uint64_t LargestStage = 32 << 10; ///< bytes: they should stay in the nearest cache
constexpr unsigned LongestChain = 16;       ///< of what is computed again

/// The same value of all rounds.
using Row = std::vector<Value *>;

class Joining {
public:
  Joining(ThreadProgram &program, const Options &options)
      : program_(program), thread_(*program.body), layout_(thread_.getDataLayout()),
        objects_(thread_, options), found_(thread_, options),
        shapes_(found_.path.order, found_.facts.loops, found_.path.postDominators,
                {unsigned(PowerOf2Ceil(found_.threads)), options.blockDim},
                /*argumentsVary=*/false) {}

  bool run() {
    if (!found_.find() || !plan())
      return false;
    rewrite();
    return true;
  }

private:
  enum class Form { Uniform, Place, Thread, Computed, Reloaded, Staged };
  /// The addresses of a row of loads: base + first + step * round.
  struct Run {
    Value *base;
    int64_t first, step;
  };
  /// Where the loop over all keys is.
  struct Key {
    unsigned lane;
    Value *item;   ///< among the block's keys
    Value *round;  ///< of its thread
    Value *thread; ///< that has it
    Value *place;  ///< where it goes
  };

  bool plan();
  bool plan(const Row &row, unsigned depth);
  bool planComputed(const Row &row, unsigned depth);
  std::optional<Run> runOf(const Row &row) const;
  bool mayStage(const Row &row) const;
  Row operands(const Row &row, unsigned index) const;
  Row rowOf(function_ref<Value *(const WarpCounters::Round &)> value) const;
  void stage();
  void rewrite();
  void buildLoop(BasicBlock &before, BasicBlock &loop, BasicBlock &rest);
  void countKey(IRBuilder<> &builder, Key key);
  Value *emit(const Row &row, IRBuilder<> &builder, const Key &key);
  Value *emitReload(const Row &row, IRBuilder<> &builder, const Key &key);
  void erase();

  ThreadProgram &program_;
  Function &thread_;
  const DataLayout &layout_;
  Objects objects_;
  WarpCounters found_;
  Shapes shapes_;
  std::map<Row, Form> forms_;
  std::vector<Row> staged_;
  std::map<Row, Value *> emitted_; ///< for one key
  std::map<Row, Value *> firsts_;  ///< addresses of reloads for the first lane
  std::map<Row, Value *> stages_;
};

Row Joining::rowOf(function_ref<Value *(const WarpCounters::Round &)> value) const {
  Row row;
  for (const WarpCounters::Round &round : found_.rounds)
    row.push_back(value(round));
  return row;
}

Row Joining::operands(const Row &row, unsigned index) const {
  Row all;
  for (Value *value : row)
    all.push_back(cast<User>(value)->getOperand(index));
  return all;
}

/// Made by all threads, before a barrier.
bool Joining::mayStage(const Row &row) const {
  Type *type = row.front()->getType();
  return (type->isIntegerTy() || type->isFloatingPointTy()) &&
         type->getPrimitiveSizeInBits() == layout_.getTypeStoreSizeInBits(type) &&
         all_of(row, [&](Value *value) {
           auto *made = dyn_cast<Instruction>(value);
           return made && made->getType() == type && !found_.roundOf.contains(made) &&
                  found_.isSure(*made) && found_.areApart(*made, *found_.rounds.front().before);
         });
}

/// Loads that all threads make, at a regular distance from round to round, of what nobody writes.
std::optional<Joining::Run> Joining::runOf(const Row &row) const {
  std::optional<Run> run;
  for (auto [round, value] : enumerate(row)) {
    auto *load = dyn_cast<LoadInst>(value);
    if (!load || load->getType() != row.front()->getType() || !found_.isSure(*load) ||
        !objects_.isConstant(*load))
      return {};
    APInt distance(64, 0);
    Value *base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(
        layout_, distance, /*AllowNonInbounds=*/true);
    int64_t offset = distance.getSExtValue();
    if (round == 0)
      run = Run{base, offset, 0};
    if (round == 1)
      run->step = offset - run->first;
    if (base != run->base || offset != run->first + int64_t(round) * run->step)
      return {};
  }
  return run;
}

/// From its operands, of which each round has its own.
bool Joining::planComputed(const Row &row, unsigned depth) {
  auto *first = cast<Instruction>(row.front());
  bool isTail = found_.roundOf.contains(first);
  bool isAlike = all_of(row, [&](Value *value) {
    auto *made = cast<Instruction>(value);
    return made->isSameOperationAs(first) && found_.roundOf.contains(made) == isTail;
  });
  if (!isAlike || !(isTail || isPure(*first)) || depth == 0)
    return false;
  for (unsigned i = 0; i < first->getNumOperands(); ++i)
    if (!plan(operands(row, i), depth - 1))
      return false;
  forms_[row] = Form::Computed;
  return true;
}

/// How the loop over all keys comes to a value; false if it cannot.
bool Joining::plan(const Row &row, unsigned depth) {
  if (forms_.contains(row))
    return true;
  auto *first = dyn_cast<Instruction>(row.front());
  bool isOne = all_equal(row);
  if (isOne && (isa<Constant, Argument>(row.front()) ||
                (first && shapes_.isUniform(first) &&
                 found_.facts.dominators.dominates(first, found_.rounds.front().before)))) {
    forms_[row] = Form::Uniform;
    return true;
  }
  if (!all_of(row, [](Value *value) { return isa<Instruction>(value); }))
    return false;
  if (all_of(zip(row, found_.rounds),
             [](auto pair) { return get<0>(pair) == get<1>(pair).place; })) {
    forms_[row] = Form::Place;
    return true;
  }
  if (isOne && match(first, m_Intrinsic<Intrinsic::nvvm_read_ptx_sreg_tid_x>())) {
    forms_[row] = Form::Thread;
    return true;
  }
  auto forms = forms_;
  size_t staged = staged_.size();
  if (std::optional<Run> run = runOf(row);
      run && depth > 0 && plan(Row(row.size(), run->base), depth - 1)) {
    forms_[row] = Form::Reloaded;
    return true;
  }
  if (planComputed(row, depth))
    return true;
  forms_ = std::move(forms);
  staged_.resize(staged);
  if (found_.roundOf.contains(first) || staged_.size() == MostStaged || !mayStage(row))
    return false;
  forms_[row] = Form::Staged;
  staged_.push_back(row);
  return true;
}

bool Joining::plan() {
  for (const WarpCounters::Round &round : found_.rounds)
    if (round.stores.empty() || round.stores.size() != found_.rounds.front().stores.size())
      return false;
  for (unsigned i = 0; i < found_.rounds.front().stores.size(); ++i) {
    Row row = rowOf([&](const WarpCounters::Round &round) { return round.stores[i]; });
    if (!plan(row, LongestChain))
      return false;
  }
  Row digits = rowOf([](const WarpCounters::Round &round) { return round.digit; });
  uint64_t bytes = 0;
  if (!plan(digits, LongestChain))
    return false;
  for (const Row &row : staged_)
    bytes +=
        layout_.getTypeStoreSize(row.front()->getType()) * found_.threads * found_.rounds.size();
  return bytes <= LargestStage;
}

/// stage[warp][round][lane], behind the program's own shared memory.
void Joining::stage() {
  IRBuilder<> builder(&*thread_.getEntryBlock().getFirstInsertionPt());
  Value *index = builder.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_tid_x, {});
  Value *warp = builder.CreateLShr(index, Log2_32(WarpSize)),
        *lane = builder.CreateAnd(index, WarpSize - 1);
  Value *cell =
      builder.CreateAdd(builder.CreateMul(warp, builder.getInt32(found_.rounds.size() * WarpSize)),
                        lane, "", /*HasNUW=*/true, /*HasNSW=*/true);
  cell = builder.CreateZExt(cell, builder.getInt64Ty());
  for (const Row &row : staged_) {
    Type *type = row.front()->getType();
    unsigned offset = alignTo(program_.staticShared, 64);
    program_.staticShared =
        offset + layout_.getTypeStoreSize(type) * found_.threads * found_.rounds.size();
    builder.SetInsertPoint(cast<Instruction>(cell)->getNextNode());
    Value *stage = stages_[row] =
        builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), &found_.shared, offset);
    Value *mine = builder.CreateInBoundsGEP(type, stage, cell);
    for (auto [i, value] : enumerate(row)) {
      auto *made = cast<Instruction>(value);
      builder.SetInsertPoint(*made->getInsertionPointAfterDef());
      builder.SetCurrentDebugLocation(made->getDebugLoc());
      builder.CreateStore(value, builder.CreateConstInBoundsGEP1_64(type, mine, i * WarpSize));
    }
  }
}

/// From where the first lane loads, if lanes do so side by side.
Value *Joining::emitReload(const Row &row, IRBuilder<> &builder, const Key &key) {
  program_.trustsObjects = true; // or the key might be another one by now
  auto *load = cast<LoadInst>(row.front());
  Run run = *runOf(row);
  Shape shape = shapes_.of(run.base);
  Value *&first = firsts_[row], *address = nullptr;
  if (key.lane > 0 && shape.segment >= WarpSize) {
    address = builder.CreatePtrAdd(first, builder.getInt64(key.lane * uint64_t(shape.stride)));
  } else {
    Value *offset =
        builder.CreateAdd(builder.CreateMul(key.round, builder.getInt64(uint64_t(run.step))),
                          builder.getInt64(uint64_t(run.first)));
    address = builder.CreatePtrAdd(emit(Row(row.size(), run.base), builder, key), offset);
    first = address;
  }
  return builder.CreateAlignedLoad(load->getType(), address, load->getAlign());
}

Value *Joining::emit(const Row &row, IRBuilder<> &builder, const Key &key) {
  if (Value *known = emitted_[row])
    return known;
  auto *first = row.front();
  Value *value = nullptr;
  switch (forms_.at(row)) {
  case Form::Uniform:
    return first;
  case Form::Place:
    return key.place;
  case Form::Thread:
    return key.thread;
  case Form::Reloaded:
    value = emitReload(row, builder, key);
    break;
  case Form::Staged:
    value = builder.CreateLoad(first->getType(),
                               builder.CreateInBoundsGEP(first->getType(), stages_[row], key.item));
    break;
  case Form::Computed: {
    Instruction *copy = cast<Instruction>(first)->clone();
    for (Value *other : row)
      if (!isa<StoreInst>(copy))
        copy->andIRFlags(other);
    for (unsigned i = 0; i < copy->getNumOperands(); ++i)
      copy->setOperand(i, emit(operands(row, i), builder, key));
    builder.Insert(copy);
    value = copy;
  }
  }
  return emitted_[row] = value;
}

/// Takes the key's place, counts it, and stores what goes there.
void Joining::countKey(IRBuilder<> &builder, Key key) {
  emitted_.clear();
  Row digits = rowOf([](const WarpCounters::Round &round) { return round.digit; });
  Value *counters =
      builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), &found_.shared, found_.start);
  Value *counter = builder.CreateInBoundsGEP(found_.type, counters, emit(digits, builder, key));
  key.place = builder.CreateLoad(found_.type, counter);
  builder.CreateStore(builder.CreateAdd(key.place, ConstantInt::get(found_.type, 1)), counter);
  for (unsigned i = 0; i < found_.rounds.front().stores.size(); ++i)
    emit(rowOf([&](const WarpCounters::Round &round) { return round.stores[i]; }), builder, key);
}

/// For all keys in the order of warps, rounds and lanes; a warp's at once, so that addresses are
/// those of the first lane and a constant.
void Joining::buildLoop(BasicBlock &before, BasicBlock &loop, BasicBlock &rest) {
  IRBuilder<> builder(&loop);
  builder.SetCurrentDebugLocation(found_.rounds.front().before->getDebugLoc());
  Value *rounds = builder.getInt64(found_.rounds.size());
  PHINode *row = builder.CreatePHI(builder.getInt64Ty(), 2);
  Value *round = builder.CreateURem(row, rounds);
  Value *item = builder.CreateShl(row, Log2_32(WarpSize), "", /*HasNUW=*/true, /*HasNSW=*/true);
  Value *thread = builder.CreateShl(builder.CreateUDiv(row, rounds), Log2_32(WarpSize), "",
                                    /*HasNUW=*/true, /*HasNSW=*/true);
  thread = builder.CreateTrunc(thread, builder.getInt32Ty(), "", /*IsNUW=*/true, /*IsNSW=*/true);
  for (unsigned lane = 0; lane < WarpSize; ++lane)
    countKey(builder,
             {lane, builder.CreateOr(item, builder.getInt64(lane), "", /*IsDisjoint=*/true), round,
              builder.CreateOr(thread, builder.getInt32(lane), "", /*IsDisjoint=*/true), nullptr});
  Value *next = builder.CreateAdd(row, builder.getInt64(1), "", /*HasNUW=*/true, /*HasNSW=*/true);
  uint64_t rows = uint64_t(found_.threads) / WarpSize * found_.rounds.size();
  builder.CreateCondBr(builder.CreateICmpULT(next, builder.getInt64(rows)), &loop, &rest);
  row->addIncoming(builder.getInt64(0), &before);
  row->addIncoming(next, &loop);
}

void Joining::rewrite() {
  stage();
  Instruction *from = found_.rounds.front().before;
  BasicBlock *block = from->getParent(), *rest = SplitBlock(block, from);
  BasicBlock *loop = BasicBlock::Create(thread_.getContext(), "keys", &thread_, rest);
  IRBuilder<> builder(block->getTerminator());
  builder.SetCurrentDebugLocation(from->getDebugLoc());
  Value *index = builder.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_tid_x, {});
  builder.CreateCondBr(builder.CreateICmpEQ(index, builder.getInt32(0)), loop, rest);
  block->getTerminator()->eraseFromParent();
  buildLoop(*block, *loop, *rest);
  erase();
}

/// What the loop does instead.
void Joining::erase() {
  SmallVector<WeakTrackingVH, 32> dead;
  auto drop = [&](Instruction *instruction) {
    for (Value *operand : instruction->operands())
      dead.push_back(operand);
    instruction->eraseFromParent();
  };
  for (Instruction *instruction : reverse(found_.tail))
    drop(instruction);
  for (WarpCounters::Round &round : found_.rounds) {
    round.before->eraseFromParent();
    drop(round.rank);
  }
  for (StoreInst *zero : found_.zeros)
    drop(zero);
  for (StoreInst *sum : reverse(drop_begin(found_.sums)))
    drop(sum);
  RecursivelyDeleteTriviallyDeadInstructionsPermissive(dead);
}

} // namespace

PreservedAnalyses MergeWarpCounters::run(Compilation &kernel, FunctionAnalysisManager &) {
  const auto &[program, options] = std::tie(kernel.thread, kernel.options);
  bool isRow = options.blockDim[1] == 1 && options.blockDim[2] == 1;
  if (program.polls || !isRow || options.blockDim[0] % WarpSize ||
      options.blockDim[0] <= WarpSize || program.usesDynamicShared || program.usesFibers ||
      program.abreast || program.staticShared == 0 || !Joining(kernel.thread, options).run())
    return PreservedAnalyses::all();
  renormalize(kernel.module, kernel.machine);
  if (kernel.isFormFree)
    takeWholeBlock(kernel); // it has little left to do but one thread's work
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
