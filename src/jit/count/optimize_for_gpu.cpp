// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang has optimised the module when the image was made, but for what the JIT does better when it
// knows the width: partial unrolling (plugin/full_unrolling.cpp). Here LLVM's whole pipeline runs
// once more with the costs of its NVPTX target, and behind it the passes over IR that the back end
// begins with: so the back end finds nothing left to move, and what is counted is what it writes.
//
// What must be as in plain code is done first: all functions are inlined, and products and sums
// become one operation, by the rules of simt.
#include "jit/count/optimize_for_gpu.h"

#include "frontend/functions.h"
#include "frontend/remainder_note.h"
#include "simt/analysis/analyses.h"
#include "simt/canonical/expand_memory.h"
#include "simt/lower/lower_nvvm.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/NaryReassociate.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SeparateConstOffsetFromGEP.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Scalar/SpeculativeExecution.h"
#include "llvm/Transforms/Scalar/StraightLineStrengthReduce.h"
#include "llvm/Transforms/Utils/BreakCriticalEdges.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/LowerMemIntrinsics.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Vectorize/LoadStoreVectorizer.h"

using namespace llvm;

namespace heddle::jit {

namespace {

constexpr unsigned GlobalSpace = 1, SharedSpace = 3, ConstantSpace = 4; ///< of NVPTX
constexpr unsigned GenericSpace = 0;

/// Other kernels and the host see what this one leaves in variables.
void keepVariables(Module &module) {
  for (GlobalVariable &variable : module.globals())
    if (variable.getAddressSpace() != SharedSpace && !variable.isConstant() &&
        !variable.getName().starts_with("llvm."))
      variable.setLinkage(GlobalValue::ExternalLinkage);
}

/// Objects of other kernels have pointers to these.
void keepNumbered(Module &module) {
  bool callsPointers = any_of(module, [](Function &function) {
    return any_of(instructions(function), [](Instruction &instruction) {
      auto *call = dyn_cast<CallBase>(&instruction);
      return call && !isa<Function>(call->getCalledOperand()) && !call->isInlineAsm();
    });
  });
  SmallVector<GlobalValue *, 8> kept;
  if (callsPointers)
    for (Function *function : frontend::numberedFunctions(module))
      if (function && !function->isDeclaration())
        kept.push_back(function);
  appendToCompilerUsed(module, kept);
}

/// As simt does before it contracts.
void inlineAll(Module &module, Function &kernel, TargetMachine &gpu) {
  SmallPtrSet<Function *, 8> staying;
  CallGraph graph(module);
  for (auto component = scc_begin(&graph); !component.isAtEnd(); ++component)
    if (component.hasCycle())
      for (CallGraphNode *node : *component)
        staying.insert(node->getFunction());
  for (Function &function : module) {
    if (function.isDeclaration() || &function == &kernel)
      continue;
    if (staying.contains(&function) || function.hasFnAttribute(Attribute::OptimizeNone)) {
      function.removeFnAttr(Attribute::AlwaysInline);
      continue;
    }
    function.removeFnAttr(Attribute::NoInline);
    function.addFnAttr(Attribute::AlwaysInline);
  }
  simt::Analyses analyses(gpu);
  ModulePassManager passes;
  passes.addPass(AlwaysInlinerPass(/*InsertLifetime=*/false));
  passes.addPass(GlobalDCEPass());
  passes.run(module, analyses.modules);
}

/// A kernel is given pointers to global memory (LLVM's back end takes that for granted, too).
void markGlobalParams(Function &kernel) {
  IRBuilder<> builder(&*kernel.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  for (Argument &argument : kernel.args()) {
    if (!argument.getType()->isPointerTy() || argument.hasByValAttr() || argument.use_empty() ||
        argument.getType()->getPointerAddressSpace() != GenericSpace)
      continue;
    Value *global = builder.CreateAddrSpaceCast(&argument, builder.getPtrTy(GlobalSpace));
    Value *generic = builder.CreateAddrSpaceCast(global, argument.getType());
    argument.replaceUsesWithIf(generic, [&](Use &use) { return use.getUser() != global; });
  }
}

/// Copies and fills: up to some size as single accesses, then in loops.
void expandMemory(Function &function, TargetMachine &gpu) {
  constexpr uint64_t MostInPieces = 512;
  simt::expandMemory(function, MostInPieces);
  SmallVector<MemIntrinsic *, 4> left;
  for (Instruction &instruction : instructions(function))
    if (auto *memory = dyn_cast<MemIntrinsic>(&instruction))
      left.push_back(memory);
  TargetTransformInfo costs = gpu.getTargetTransformInfo(function);
  for (MemIntrinsic *memory : left) {
    if (auto *copy = dyn_cast<MemCpyInst>(memory))
      expandMemCpyAsLoop(copy, costs);
    else if (auto *fill = dyn_cast<MemSetInst>(memory))
      expandMemSetAsLoop(fill);
    else if (!expandMemMoveAsLoop(cast<MemMoveInst>(memory), costs))
      continue;
    memory->eraseFromParent();
  }
}

/// Loads and stores in one go of which some elements are not wanted (LoadStoreVectorizer): element
/// by element, as the processor's code has them.
void expandMasked(Function &function) {
  SmallVector<IntrinsicInst *, 4> masked;
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<IntrinsicInst>(&instruction))
      if (call->getIntrinsicID() == Intrinsic::masked_load ||
          call->getIntrinsicID() == Intrinsic::masked_store)
        masked.push_back(call);
  for (IntrinsicInst *call : masked) {
    const bool isLoad = call->getIntrinsicID() == Intrinsic::masked_load;
    Value *data = isLoad ? call : call->getArgOperand(0);
    Value *pointer = call->getArgOperand(isLoad ? 0 : 1);
    auto *mask = dyn_cast<Constant>(call->getArgOperand(isLoad ? 1 : 2));
    auto *type = dyn_cast<FixedVectorType>(data->getType());
    if (!mask || !type)
      continue;
    IRBuilder<> builder(call);
    Value *result = isLoad ? call->getArgOperand(2) : nullptr;
    for (unsigned i = 0; i < type->getNumElements(); ++i) {
      Constant *isWanted = mask->getAggregateElement(i);
      if (!isWanted || !isWanted->isOneValue())
        continue;
      Value *at = builder.CreateConstInBoundsGEP1_32(type->getElementType(), pointer, i);
      if (isLoad)
        result =
            builder.CreateInsertElement(result, builder.CreateLoad(type->getElementType(), at), i);
      else
        builder.CreateStore(builder.CreateExtractElement(data, i), at);
    }
    if (isLoad)
      call->replaceAllUsesWith(result);
    call->eraseFromParent();
  }
}

/// Assemblers place arrays in shared memory so that elements side by side can be read in one go.
void alignShared(Module &module) {
  const Align Widest(16);
  for (GlobalVariable &variable : module.globals())
    if (variable.getAddressSpace() == SharedSpace && !variable.isDeclaration() &&
        variable.getAlign().valueOrOne() < Widest &&
        module.getDataLayout().getTypeAllocSize(variable.getValueType()) >= Widest.value())
      variable.setAlignment(Widest);
}

/// Innermost loops whose trips are known when they begin: nvcc's compiler unrolls them by 4, with
/// what is left one after the other, and its assembler short ones by 4 again. Few constant ones it
/// writes out, and goes further there than LLVM does for its NVPTX target.
struct UnrollShortLoops : PassInfoMixin<UnrollShortLoops> {
  static constexpr unsigned Short = 16, Long = 48, MostTrips = 32, MostInstructions = 1024;

  PreservedAnalyses run(Function &function, FunctionAnalysisManager &analyses) {
    auto &evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
    for (Loop *loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
      if (loop->isInnermost() && !hasUnrollTransformation(loop))
        unroll(*loop, evolution);
    return PreservedAnalyses::all();
  }

private:
  static void unroll(Loop &loop, ScalarEvolution &evolution) {
    size_t size = 0;
    for (BasicBlock *block : loop.blocks())
      size += block->sizeWithoutDebug();
    if (const unsigned trips = evolution.getSmallConstantTripCount(&loop)) {
      if (trips <= MostTrips && trips * size <= MostInstructions)
        addStringMetadataToLoop(&loop, "llvm.loop.unroll.full");
    } else if (loop.getNumBlocks() == 1 && size <= Long &&
               evolution.hasLoopInvariantBackedgeTakenCount(&loop)) {
      unrollBy4(loop, /*isAgain=*/size <= Short && !hasAtomics(loop));
    }
  }

  /// The assembler does not repeat these.
  static bool hasAtomics(const Loop &loop) {
    return any_of(loop.blocks(), [](const BasicBlock *block) {
      return any_of(*block, [](const Instruction &i) { return i.isAtomic(); });
    });
  }

  /// Now, and the loop of four steps once more when LoopUnrollPass comes again.
  static void unrollBy4(Loop &loop, bool isAgain) {
    LLVMContext &context = loop.getHeader()->getContext();
    auto attribute = [&](StringRef name, Metadata *value) {
      return MDNode::get(context, {MDString::get(context, name), value});
    };
    MDNode *by4 =
        attribute("llvm.loop.unroll.count",
                  ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), 4)));
    MDNode *never = MDNode::get(context, MDString::get(context, "llvm.loop.unroll.disable"));
    MDNode *full = MDNode::get(context, MDString::get(context, "llvm.loop.unroll.full"));
    loop.setLoopID(makePostTransformationMetadata(
        context, loop.getLoopID(), {},
        {by4, attribute("llvm.loop.unroll.followup_unrolled", isAgain ? by4 : never),
         attribute("llvm.loop.unroll.followup_remainder", full)}));
  }
  /// The program says how.
  static bool hasUnrollTransformation(const Loop *loop) {
    return findOptionMDForLoop(loop, "llvm.loop.unroll.disable") ||
           findOptionMDForLoop(loop, "llvm.loop.unroll.count") ||
           findOptionMDForLoop(loop, "llvm.loop.unroll.full") ||
           findOptionMDForLoop(loop, "llvm.loop.unroll.enable");
  }
};

/// Masks by a variable, of what the program has as a remainder (plugin/mark_remainders.cpp), divide
/// again:
///
///     %m = add i32 %step, -1                %r = urem i32 %i, %step
///     %r = and i32 %i, %m, !dbg !7          !heddle.remainders = !{!7}
void restoreRemainders(Function &function) {
  using namespace PatternMatch;
  const NamedMDNode *notes = function.getParent()->getNamedMetadata(frontend::RemaindersNote);
  if (!notes)
    return;
  auto isNoted = [&](const Instruction &instruction) {
    const DILocation *place = instruction.getDebugLoc();
    return place && any_of(notes->operands(), [&](const MDNode *note) {
             auto *noted = dyn_cast<DILocation>(note);
             return noted && noted->getLine() == place->getLine() &&
                    noted->getColumn() == place->getColumn() &&
                    noted->getFilename() == place->getFilename();
           });
  };
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    Value *number, *divisor;
    // Of -1 there are as many bits as the number can have.
    if (!isNoted(instruction) ||
        !match(&instruction, m_c_And(m_Add(m_Value(divisor), m_LowBitMask()), m_Value(number))))
      continue;
    IRBuilder<> builder(&instruction);
    instruction.replaceAllUsesWith(builder.CreateURem(number, divisor));
    instruction.eraseFromParent();
  }
}

/// Addresses of shared and constant memory have 32 bits on GPUs, so that what is added to an index
/// is part of the access, whether or not the sum could leave the 32 bits of its type:
///
///     %i = zext i32 (add i32 %x, 1) to i64       %s = sext i32 %x to i64
///     getelementptr float, ptr addrspace(3)      %i = add i64 %s, 1
///
/// Arrays are small: what an index is of an access within them is the same by either sign.
struct SplitShortOffsets : PassInfoMixin<SplitShortOffsets> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
    for (Instruction &instruction : instructions(function))
      if (auto *address = dyn_cast<GetElementPtrInst>(&instruction);
          address && (address->getAddressSpace() == SharedSpace ||
                      address->getAddressSpace() == ConstantSpace))
        for (Use &index : address->indices())
          split(index, *address);
    return PreservedAnalyses::none();
  }

private:
  static void split(Use &index, GetElementPtrInst &address) {
    using namespace PatternMatch;
    Value *number;
    if (!match(index.get(), m_ZExtOrSExt(m_Value(number))) || !number->getType()->isIntegerTy(32))
      return;
    IRBuilder<> builder(&address);
    Value *variable;
    const APInt *constant;
    if (match(number, m_AddLike(m_Value(variable), m_APInt(constant))))
      index.set(builder.CreateNSWAdd(builder.CreateSExt(variable, index->getType()),
                                     builder.getInt64(constant->getSExtValue())));
    else
      index.set(builder.CreateSExt(number, index->getType()));
  }
};

/// Those that the back end begins with.
FunctionPassManager backEndPasses() {
  FunctionPassManager passes;
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(InferAddressSpacesPass(GenericSpace));
  passes.addPass(SplitShortOffsets());
  passes.addPass(SeparateConstOffsetFromGEPPass());
  passes.addPass(SpeculativeExecutionPass());
  passes.addPass(StraightLineStrengthReducePass());
  passes.addPass(GVNPass());
  passes.addPass(NaryReassociatePass());
  passes.addPass(EarlyCSEPass());
  passes.addPass(LoadStoreVectorizerPass());
  passes.addPass(SROAPass(SROAOptions::ModifyCFG));
  passes.addPass(BreakCriticalEdgesPass()); // what the back end copies on an edge has a place
  return passes;
}

void runPipeline(Module &module, TargetMachine &gpu) {
  PipelineTuningOptions tuning;
  // simt wants scalars, and a GPU computes with them.
  tuning.SLPVectorization = tuning.LoopVectorization = tuning.LoopInterleaving = false;
  PassBuilder builder(&gpu, tuning);
  simt::Analyses analyses(gpu);
  ModulePassManager passes;
  passes.addPass(createModuleToFunctionPassAdaptor(InferAddressSpacesPass(GenericSpace)));
  passes.addPass(createModuleToFunctionPassAdaptor(UnrollShortLoops()));
  passes.addPass(builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3));
  FunctionPassManager again;
  again.addPass(LoopUnrollPass(
      LoopUnrollOptions(3, /*OnlyWhenForced=*/true).setUpperBound(/*AllowUpperBound=*/true)));
  again.addPass(InstCombinePass());
  again.addPass(SimplifyCFGPass());
  passes.addPass(createModuleToFunctionPassAdaptor(std::move(again)));
  passes.run(module, analyses.modules);
  for (Function &function : module)
    if (!function.isDeclaration())
      expandMemory(function, gpu);
  analyses.modules.clear();
  analyses.functions.clear();
  ModulePassManager last;
  last.addPass(createModuleToFunctionPassAdaptor(backEndPasses()));
  last.run(module, analyses.modules);
  for (Function &function : module)
    expandMasked(function), restoreRemainders(function);
}

} // namespace

void optimizeForGpu(Module &module, Function &kernel, TargetMachine &gpu, bool contracts,
                    bool optimizes) {
  keepVariables(module);
  keepNumbered(module);
  inlineAll(module, kernel, gpu);
  if (contracts)
    for (Function &function : module)
      if (!function.isDeclaration())
        simt::contractProducts(function);
  if (!optimizes) {
    for (Function &function : module)
      if (!function.isDeclaration())
        expandMemory(function, gpu);
    return;
  }
  markGlobalParams(kernel);
  alignShared(module);
  runPipeline(module, gpu);
}

} // namespace heddle::jit
