// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keeps shared memory in registers.
//
// Method. With the whole block in one program, and the loops over its barriers unrolled, the places
// that lanes access in shared memory are constants, whatever the pattern: neighbours, strides,
// permutations. Shared memory is cut into pieces that no access crosses, each a vector variable of
// cells (shared_pieces.cpp). PromoteMemToReg turns the variables into values;
// eliminate_dead_lanes.cpp traces each lane through the shuffles to where it was computed, so that
// nothing is left of them where lanes and places agree.
//
// Nothing is changed unless every access has this form: a place that is known at run time only may
// be any. Memory that a block has not written reads as zero.
//
// Overruns. Shared memory ends at a guard page. An access beyond the static part, which may exceed
// what the launch asked for, still faults: its last byte is touched if the launch gave less.
// Accesses there under a mask that is known at run time only must lie within what an earlier access
// has tested; otherwise everything stays in memory.
//
// An array stays in memory if the registers cannot hold it twice and lanes read it in rows that
// are shifted against the lanes that wrote it: registers would have to be assembled for each read,
// while memory gives any row (isBetterInMemory). With AVX2 that is a stencil's tile. Arrays with an
// index that is known at run time only stay there too.
//
// Legality (promote-shared):
//  1. One program holds the block, so nobody else sees its shared memory. [whole block]
//  2. The place of each access is known when it is compiled, for each lane. [known places]
//  3. The address goes nowhere but into loads and stores. [plain accesses]
//  4. Lanes that a mask known at run time chooses store to different places. [different places]
//  5. Such accesses lie within what is certain to be there: shared memory ends at a guard page,
//     where the program must fault as it did. [within]
#include "simt/shared/promote_shared.h"

#include "base/abi/kernel_abi.h"
#include "simt/analysis/pass_notes.h"
#include "simt/canonical/normalize.h"
#include "simt/compilation.h"
#include "simt/shared/shared_branches.h"
#include "simt/shared/shared_pieces.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace heddle::simt {

namespace {

constexpr int64_t MostBytes = 4096; ///< of one piece: twice the registers of AVX-512
/// The same where it is accessed so seldom that few more cells are moved (a tile that is
/// transposed).
constexpr int64_t MostBytesMovedOnce = 8192;
constexpr uint64_t FewCells = 1 << 14;
constexpr uint64_t MostCells = 1 << 20; ///< moved, all accesses together: what compiling costs

/// Lanes that a mask known at run time chooses write to one place: which one stays is not known.
bool mayCollide(const SharedAccess &access) {
  if (!access.isStore || access.hasConstantMask())
    return false;
  SmallVector<int64_t, 8> places;
  for (auto [lane, place] : enumerate(access.places))
    if (access.mayTouch(lane))
      places.push_back(place);
  sort(places);
  int64_t size = access.instruction->getDataLayout().getTypeStoreSize(access.element);
  for (unsigned i = 1; i < places.size(); ++i)
    if (places[i] < places[i - 1] + size)
      return true;
  return false;
}

class Promotion {
public:
  Promotion(Function &function, Instruction &shared, const VectorRegisters &registers,
            unsigned staticBytes)
      : function_(function), shared_(shared), registers_(registers), staticBytes_(staticBytes),
        dominators_(function) {}

  bool run() {
    std::optional<std::vector<SharedAccess>> accesses = findSharedAccesses(shared_);
    if (!accesses || accesses->empty() || any_of(*accesses, mayCollide) ||
        isBetterInMemory(*accesses, registers_) || !findTests(*accesses))
      return false;
    std::vector<SharedPiece> pieces = cutIntoPieces(function_, *accesses);
    uint64_t cells = 0;
    for (SharedPiece &piece : pieces) {
      cells += piece.moved();
      int64_t most = piece.moved() <= FewCells ? MostBytesMovedOnce : MostBytes;
      if (piece.end - piece.first > most || cells > MostCells)
        return false;
    }
    LoopInfo loops(dominators_);
    const Loop *blocks = loops.getLoopFor(accesses->front().instruction->getParent());
    if (!blocks)
      return false;
    blocks = blocks->getOutermostLoop();
    start_ = blocks->getHeader();
    for (const Test &test : tests_)
      emit(test, *blocks);
    for (SharedAccess &access : *accesses)
      if (access.bytes().first == access.bytes().second)
        drop(access);
    for (SharedPiece &piece : pieces)
      rewrite(piece);
    flattenStores(function_, masked_);
    promote(pieces);
    return true;
  }

private:
  struct Test {
    Instruction *before;
    int64_t end;
  };

  /// Where the launch's shared memory must be compared with what is accessed; false if it is not
  /// certain that lanes reach that far.
  bool findTests(std::vector<SharedAccess> &accesses) {
    DenseMap<const Instruction *, const SharedAccess *> byInstruction;
    for (SharedAccess &access : accesses)
      byInstruction[access.instruction] = &access;
    for (BasicBlock *block : ReversePostOrderTraversal<Function *>(&function_))
      for (Instruction &instruction : *block) {
        const SharedAccess *access = byInstruction.lookup(&instruction);
        if (!access || access->bytes().second <= staticBytes_)
          continue;
        int64_t end = access->bytes().second;
        if (any_of(tests_, [&](const Test &test) {
              return test.end >= end && dominators_.dominates(test.before, &instruction);
            }))
          continue;
        if (!access->hasConstantMask())
          return false;
        tests_.push_back({&instruction, end});
      }
    return none_of(accesses, [](const SharedAccess &access) { return access.bytes().first < 0; });
  }

  void rewrite(SharedPiece &piece) {
    IRBuilder<> entry(&function_.getEntryBlock(), function_.getEntryBlock().getFirstInsertionPt());
    piece.variable = entry.CreateAlloca(piece.type, nullptr, "shared");
    IRBuilder<> start(start_, start_->getFirstInsertionPt());
    start.CreateStore(Constant::getNullValue(piece.type), piece.variable);
    rewriteAccesses(piece, masked_);
  }

  /// An access of no lane.
  static void drop(SharedAccess &access) {
    Type *type = access.instruction->getType();
    if (!access.isStore)
      access.instruction->replaceAllUsesWith(access.value() ? access.value()
                                                            : PoisonValue::get(type));
    access.instruction->eraseFromParent();
  }

  /// Before the first block of the grid, if each comes to the access: between its loads and what is
  /// computed of them a branch would cost more than its two instructions.
  Instruction *placeOf(const Test &test, const Loop &blocks) {
    PostDominatorTree postDominators(function_);
    BasicBlock *before = blocks.getLoopPredecessor();
    bool isAlways = postDominators.dominates(test.before->getParent(), start_);
    return before && isAlways ? SplitEdge(before, start_)->getTerminator() : test.before;
  }

  void emit(const Test &test, const Loop &blocks) {
    IRBuilder<> entry(function_.getEntryBlock().getTerminator());
    Value *field = entry.CreateConstInBoundsGEP1_64(entry.getInt8Ty(), function_.getArg(0),
                                                    offsetof(Launch, sharedBytes));
    Value *given = entry.CreateLoad(entry.getInt32Ty(), field);
    Instruction *place = placeOf(test, blocks);
    IRBuilder<> builder(place);
    Value *tooFew = builder.CreateICmpULT(given, builder.getInt32(test.end));
    MDBuilder weights(function_.getContext());
    Instruction *then = SplitBlockAndInsertIfThen(tooFew, place->getIterator(), false,
                                                  weights.createUnlikelyBranchWeights());
    builder.SetInsertPoint(then);
    builder.SetCurrentDebugLocation(test.before->getDebugLoc());
    Value *last = builder.CreateConstGEP1_64(builder.getInt8Ty(), &shared_, test.end - 1);
    builder.CreateLoad(builder.getInt8Ty(), last, /*isVolatile=*/true);
  }

  void promote(ArrayRef<SharedPiece> pieces) {
    std::vector<AllocaInst *> variables;
    for (const SharedPiece &piece : pieces)
      variables.push_back(piece.variable);
    dominators_.recalculate(function_);
    PromoteMemToReg(variables, dominators_);
    SmallVector<WeakTrackingVH, 16> dead;
    for (User *user : shared_.users())
      dead.push_back(user);
    RecursivelyDeleteTriviallyDeadInstructionsPermissive(dead);
  }

  Function &function_;
  Instruction &shared_;
  VectorRegisters registers_;
  int64_t staticBytes_;
  DominatorTree dominators_;
  BasicBlock *start_ = nullptr; ///< where a block of the grid begins
  std::vector<Test> tests_;
  std::vector<MaskedStore> masked_;
};

} // namespace

Instruction *findSharedMemory(Function &function) {
  for (Instruction &instruction : function.getEntryBlock())
    if (SharedMemory.isOn(instruction))
      return &instruction;
  return nullptr;
}

PreservedAnalyses PromoteShared::run(Compilation &kernel, FunctionAnalysisManager &) {
  Function *function = kernel.module.getFunction(RunBlocksName);
  Instruction *shared = function ? findSharedMemory(*function) : nullptr;
  if (!shared || shared->use_empty())
    return PreservedAnalyses::all();
  fold(*function, kernel.machine);
  shared = findSharedMemory(*function);
  kernel.inRegisters =
      shared &&
      Promotion(*function, *shared, kernel.options.registers, kernel.thread.staticShared).run();
  return PreservedAnalyses::none();
}

} // namespace heddle::simt
