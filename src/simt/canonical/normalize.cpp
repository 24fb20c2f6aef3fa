// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it does: normalize.h. Beside that, loops that count bits one by one (`x &= x - 1`) are one
// instruction where the machine has it.
//
// Legality (recognize-popcount): none: it is LLVM's LoopIdiomRecognize, of which only what counts
// bits is on.
#include "simt/canonical/normalize.h"

#include "simt/analysis/analyses.h"
#include "simt/analysis/launch_facts.h"
#include "simt/canonical/combine_member_loads.h"
#include "simt/canonical/expand_reductions.h"
#include "simt/canonical/expand_vector_casts.h"
#include "simt/canonical/join_values.h"
#include "simt/canonical/kept_variables.h"
#include "simt/canonical/make_reducible.h"
#include "simt/canonical/split_struct_phis.h"
#include "simt/canonical/split_volatile.h"
#include "simt/canonical/unroll_arrays.h"
#include "simt/canonical/unused_inputs.h"
#include "simt/canonical/volatile_locals.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopIdiomRecognize.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LowerSwitch.h"
#include "llvm/Transforms/Utils/UnifyFunctionExitNodes.h"

using namespace llvm;

namespace heddle::simt {

namespace {

template <typename Build> void runOnFunctions(Module &module, TargetMachine &machine, Build build) {
  Analyses analyses(machine);
  FunctionPassManager passes;
  build(passes);
  for (Function &function : module)
    if (!function.isDeclaration())
      passes.run(function, analyses.functions);
}

/// A path that ends in `unreachable` (after a trap or a failed assertion) returns instead: the
/// runtime does not come back there. Calls lose `noreturn`, by which later passes would put the
/// `unreachable` back.
void returnFromUnreachable(Function &function) {
  function.removeFnAttr(Attribute::NoReturn);
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<CallBase>(&instruction)) {
      call->removeFnAttr(Attribute::NoReturn);
      if (Function *callee = call->getCalledFunction())
        callee->removeFnAttr(Attribute::NoReturn);
    }
  for (BasicBlock &block : function) {
    auto *unreachable = dyn_cast<UnreachableInst>(block.getTerminator());
    if (!unreachable)
      continue;
    Type *type = function.getReturnType();
    Value *value = type->isVoidTy() ? nullptr : PoisonValue::get(type);
    ReturnInst::Create(function.getContext(), value, unreachable->getIterator());
    unreachable->eraseFromParent();
  }
}

/// The pieces, at most 8 bytes and as wide as the alignment allows, that an object of `size` bytes
/// falls into.
struct Piece {
  uint64_t offset;
  unsigned bytes;
};

SmallVector<Piece, 16> pieces(uint64_t size, Align align) {
  SmallVector<Piece, 16> result;
  uint64_t widest = std::min<uint64_t>(align.value(), 8);
  for (uint64_t offset = 0; offset < size;) {
    uint64_t bytes = widest;
    while (bytes > size - offset)
      bytes /= 2;
    result.push_back({offset, static_cast<unsigned>(bytes)});
    offset += bytes;
  }
  return result;
}

Value *at(IRBuilder<> &builder, Value *base, uint64_t offset) {
  return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, offset);
}

Align sourceAlign(const MemTransferInst &copy) { return copy.getSourceAlign().valueOrOne(); }
Align targetAlign(const MemTransferInst &copy) { return copy.getDestAlign().valueOrOne(); }

/// For each variable that is copied, the least alignment of what it is copied from and to. All its
/// copies take pieces of that size, so that none must be taken apart and put together in registers.
using Variables = DenseMap<const Value *, Align>;

Variables findVariables(Function &function) {
  Variables variables;
  for (Instruction &instruction : instructions(function))
    if (auto *copy = dyn_cast<MemTransferInst>(&instruction))
      for (Value *side : {copy->getRawSource(), copy->getRawDest()})
        if (const Value *object = getUnderlyingObject(side); isa<AllocaInst>(object)) {
          Align both = std::min(sourceAlign(*copy), targetAlign(*copy));
          Align &least = variables.try_emplace(object, both).first->second;
          least = std::min(least, both);
        }
  return variables;
}

void expandCopy(MemTransferInst &copy, uint64_t size, const Variables &variables) {
  IRBuilder<> builder(&copy);
  Align source = sourceAlign(copy), target = targetAlign(copy), piece = std::min(source, target);
  for (Value *side : {copy.getRawSource(), copy.getRawDest()})
    if (auto variable = variables.find(getUnderlyingObject(side)); variable != variables.end())
      piece = std::min(piece, variable->second);
  SmallVector<Value *, 16> values; // all are read before any is written: the objects may overlap
  auto parts = pieces(size, piece);
  for (Piece piece : parts)
    values.push_back(builder.CreateAlignedLoad(
        builder.getIntNTy(8 * piece.bytes), at(builder, copy.getRawSource(), piece.offset),
        commonAlignment(source, piece.offset), copy.isVolatile()));
  for (auto [piece, value] : zip(parts, values))
    builder.CreateAlignedStore(value, at(builder, copy.getRawDest(), piece.offset),
                               commonAlignment(target, piece.offset), copy.isVolatile());
  copy.eraseFromParent();
}

void expandSet(MemSetInst &set, uint64_t size) {
  IRBuilder<> builder(&set);
  Align target = set.getDestAlign().valueOrOne();
  for (Piece piece : pieces(size, target)) {
    Type *type = builder.getIntNTy(8 * piece.bytes);
    Value *ones = ConstantInt::get(type, APInt::getSplat(8 * piece.bytes, APInt(8, 1)));
    Value *value = builder.CreateMul(builder.CreateZExt(set.getValue(), type), ones);
    builder.CreateAlignedStore(value, at(builder, set.getRawDest(), piece.offset),
                               commonAlignment(target, piece.offset), set.isVolatile());
  }
  set.eraseFromParent();
}

} // namespace

void expandMemory(Function &function, uint64_t largest) {
  Variables variables = findVariables(function);
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    auto *memory = dyn_cast<MemIntrinsic>(&instruction);
    auto *length = memory ? dyn_cast<ConstantInt>(memory->getLength()) : nullptr;
    if (!length || length->getZExtValue() > largest)
      continue;
    if (auto *copy = dyn_cast<MemTransferInst>(memory))
      expandCopy(*copy, length->getZExtValue(), variables);
    else
      expandSet(*cast<MemSetInst>(memory), length->getZExtValue());
  }
}

namespace {

/// Lanes that wait at the exit count as returned, so a barrier must not stand there.
void isolateReturn(Function &function) {
  for (BasicBlock &block : make_early_inc_range(function)) {
    auto *exit = dyn_cast<ReturnInst>(block.getTerminator());
    if (!exit)
      continue;
    bool converges = any_of(block, [](const Instruction &instruction) {
      auto *call = dyn_cast<CallInst>(&instruction);
      return call && call->isConvergent();
    });
    if (converges)
      block.splitBasicBlock(exit, "exit");
  }
}

bool hasLocalArray(Module &module) {
  return any_of(module, [](Function &function) {
    return any_of(instructions(function), [](Instruction &instruction) {
      auto *alloca = dyn_cast<AllocaInst>(&instruction);
      return alloca && alloca->getAllocatedType()->isAggregateType();
    });
  });
}

/// Whether loops were unrolled that were not marked for it before.
bool unrollArraysOnce(Module &module, TargetMachine &machine) {
  bool anyMarked = false;
  runOnFunctions(module, machine, [&](FunctionPassManager &passes) {
    passes.addPass(LoopSimplifyPass());
    passes.addPass(LCSSAPass());
    passes.addPass(MarkArrayLoopsPass(anyMarked));
    passes.addPass(LoopUnrollPass(LoopUnrollOptions(2, /*OnlyWhenForced=*/true)));
    // What SROA wants: constant indices, and the loop's blocks as one.
    passes.addPass(InstCombinePass());
    passes.addPass(SimplifyCFGPass(SimplifyCFGOptions().convertSwitchToLookupTable(false)));
    // What an unrolled loop read at its counter is invariant in the loop around it.
    passes.addPass(SROAPass(SROAOptions::PreserveCFG));
    passes.addPass(createFunctionToLoopPassAdaptor(LICMPass(LICMOptions()), /*UseMemorySSA=*/true));
  });
  return anyMarked;
}

/// After inlining: a callee's loops walk over the caller's arrays.
void unrollArrays(Module &module, TargetMachine &machine) {
  while (hasLocalArray(module) && unrollArraysOnce(module, machine))
    ;
}

template <typename Action> void onDefinitions(Module &module, Action action) {
  for (Function &function : module)
    if (!function.isDeclaration())
      action(function);
}

/// Of LLVM's LoopIdiomRecognize only what counts bits is wanted. Fills, copies and checksums are of
/// loops whose number of turns is known before, and those that count bits are not; and there are no
/// functions of C's library to call.
struct CountBits : PassInfoMixin<CountBits> {
  PreservedAnalyses run(Loop &loop, LoopAnalysisManager &analyses,
                        LoopStandardAnalysisResults &results, LPMUpdater &updater) {
    if (results.SE.hasLoopInvariantBackedgeTakenCount(&loop))
      return PreservedAnalyses::all();
    TargetLibraryInfoImpl none(loop.getHeader()->getModule()->getTargetTriple());
    none.disableAllFunctions();
    TargetLibraryInfo library(none);
    LoopStandardAnalysisResults ours = {results.AA, results.AC, results.DT,  results.LI,
                                        results.SE, library,    results.TTI, results.MSSA};
    return LoopIdiomRecognizePass().run(loop, analyses, ours, updater);
  }
};

/// Loops that count bits one by one become one instruction where the machine has it:
/// for (; x; ++n) x &= x - 1; for (; x; ++n) x >>= 1. clang leaves them to us: it knows no machine.
void countBits(Module &module, TargetMachine &machine) {
  runOnFunctions(module, machine, [](FunctionPassManager &passes) {
    LoopPassManager loops;
    loops.addPass(CountBits());
    loops.addPass(LoopDeletionPass());
    passes.addPass(createFunctionToLoopPassAdaptor(std::move(loops)));
  });
}

void canonicalizeControlFlow(Module &module, TargetMachine &machine) {
  onDefinitions(module, returnFromUnreachable); // of loops that never end, too
  runOnFunctions(module, machine, [&](FunctionPassManager &passes) {
    passes.addPass(LowerSwitchPass());
    passes.addPass(UnifyFunctionExitNodesPass());
    passes.addPass(MakeReduciblePass());
    passes.addPass(LoopSimplifyPass());
    passes.addPass(LCSSAPass());
  });
  onDefinitions(module, [](Function &function) { removeUnreachableBlocks(function); });
  onDefinitions(module, isolateReturn);
}

} // namespace

PreservedAnalyses Normalize::run(Module &module, ModuleAnalysisManager &analyses) {
  auto [machine, options] = analyses.getResult<LaunchFactsAnalysis>(module);
  if (options.isOptimised()) {
    onDefinitions(module, readPlainly);
    runOnFunctions(module, machine, [](FunctionPassManager &passes) {
      passes.addPass(SROAPass(SROAOptions::PreserveCFG));
    });
  }
  onDefinitions(module, [](Function &function) { expandMemory(function); });
  if (options.isOptimised() && options.isEnabled("unroll-arrays"))
    unrollArrays(module, machine);
  if (options.mode == Mode::Checked) { // who waits for whom is told by comparing values
    onDefinitions(module, hideVariables);
    runOnFunctions(module, machine,
                   [](FunctionPassManager &passes) { passes.addPass(InstCombinePass()); });
    onDefinitions(module, showVariables);
  }
  runOnFunctions(module, machine, [&](FunctionPassManager &passes) {
    if (!options.isOptimised())
      return;
    passes.addPass(SROAPass(SROAOptions::PreserveCFG));
    passes.addPass(EarlyCSEPass());
    passes.addPass(InstCombinePass());
    passes.addPass(SimplifyCFGPass(SimplifyCFGOptions().convertSwitchToLookupTable(false)));
    passes.addPass(EarlyCSEPass());
  });
  if (options.isOptimised())
    onDefinitions(module, joinValues);
  onDefinitions(module, returnFromUnreachable);
  onDefinitions(module, splitStructPhis);
  onDefinitions(module, expandReductions);
  onDefinitions(module, splitVolatile);
  onDefinitions(module, expandVectorCasts);
  ScalarizerPassOptions scalars;
  scalars.ScalarizeLoadStore = true;
  scalars.ScalarizeVariableInsertExtract = true;
  runOnFunctions(module, machine,
                 [&](FunctionPassManager &passes) { passes.addPass(ScalarizerPass(scalars)); });
  if (options.isOptimised() && options.isEnabled("combine-member-loads"))
    onDefinitions(module, combineMemberLoads);
  if (options.isOptimised() && options.isEnabled("recognize-popcount"))
    countBits(module, machine);
  canonicalizeControlFlow(module, machine);
  if (options.isOptimised() && options.isEnabled("unused-inputs"))
    onDefinitions(module, dropUnusedInputs);
  return PreservedAnalyses::none();
}

void renormalize(Module &module, TargetMachine &machine) {
  simplify(module, machine);
  canonicalizeControlFlow(module, machine);
}

void simplify(Module &module, TargetMachine &machine) {
  runOnFunctions(module, machine, [](FunctionPassManager &passes) {
    passes.addPass(SROAPass(SROAOptions::PreserveCFG));
    passes.addPass(EarlyCSEPass());
    passes.addPass(InstCombinePass());
    passes.addPass(SimplifyCFGPass());
    passes.addPass(LoopSimplifyPass());
    passes.addPass(LCSSAPass());
  });
}

void fold(Function &function, TargetMachine &machine) {
  Analyses analyses(machine);
  FunctionPassManager passes;
  passes.addPass(EarlyCSEPass());
  passes.addPass(InstCombinePass());
  passes.addPass(SimplifyCFGPass());
  passes.run(function, analyses.functions);
}

} // namespace heddle::simt
