// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FIR to LLVM IR: Flang's code generation passes, with what differs for the device. There is no
// target rewriting for the device, whose functions pass complex values and structures as LLVM does
// by itself: nothing but our own code calls them.
#include "frontend/fortran/stages.h"

#include "frontend/fortran/device_loops.h"
#include "frontend/fortran/products.h"

#include "flang/Optimizer/CodeGen/CodeGen.h"
#include "flang/Optimizer/Dialect/FIRDialect.h"
#include "flang/Optimizer/Transforms/Passes.h"

#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/StripDeadPrototypes.h"

#include <limits>

namespace heddle::fortran {

using namespace mlir;

namespace {

/// A pass on functions, on the initialisers of globals and on what OpenMP's clauses make.
template <typename F> void addNested(PassManager &passes, F create) {
  passes.addNestedPass<func::FuncOp>(create());
  passes.addNestedPass<fir::GlobalOp>(create());
  passes.addNestedPass<omp::DeclareReductionOp>(create());
  passes.addNestedPass<omp::PrivateClauseOp>(create());
}

/// A local array of the host that is not on the stack any more, in bytes. nvfortran keeps automatic
/// arrays on the heap and large ones of constant size out of the stack, so programs count on more
/// than a stack's 8 MiB.
constexpr size_t HeapBytes = 64 << 10;

/// Device code has no stack that grows: what has no constant size is on the heap, all else is not.
constexpr size_t AnyBytes = std::numeric_limits<size_t>::max();

/// Arrays, characters and descriptors become loops and calls.
void addSimplifications(PassManager &passes, Half half) {
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  passes.addPass(createCSEPass());
  passes.addNestedPass<func::FuncOp>(
      fir::createArrayValueCopyPass(fir::ArrayValueCopyOptions{true}));
  addNested(passes, [] { return fir::createCharacterConversion(); });
  passes.addPass(createCanonicalizerPass(config));
  passes.addPass(fir::createSimplifyRegionLite());
  passes.addPass(fir::createSimplifyIntrinsics());
  passes.addNestedPass<func::FuncOp>(createPowersPass());
  passes.addPass(fir::createAlgebraicSimplificationPass(config));
  passes.addPass(createCSEPass());
  if (half == Half::Device)
    passes.addNestedPass<func::FuncOp>(fir::createStackArrays());
  passes.addNestedPass<func::FuncOp>(fir::createMemoryAllocationOpt(
      {/*dynamicArrayOnHeap=*/true, half == Half::Device ? AnyBytes : HeapBytes}));
  passes.addPass(fir::createPolymorphicOpConversion());
  passes.addPass(fir::createAssumedRankOpConversion());
  passes.addPass(fir::createLowerRepackArraysPass());
  passes.addPass(fir::createSimplifyFIROperations({/*preferInlineImplementation=*/true}));
  addNested(passes, [] { return fir::createStackReclaim(); });
  if (half == Half::Device)
    passes.addNestedPass<func::FuncOp>(createDeviceLoopsPass());
  addNested(passes, [] { return fir::createCFGConversion(); });
  passes.addPass(createSCFToControlFlowPass());
  passes.addPass(createCanonicalizerPass(config));
  passes.addPass(fir::createSimplifyRegionLite());
}

void addDebugInformation(PassManager &passes, DebugLevel level) {
  if (level == DebugLevel::None)
    return;
  fir::AddDebugInfoOptions options;
  options.debugLevel =
      level == DebugLevel::Full ? LLVM::DIEmissionKind::Full : LLVM::DIEmissionKind::LineTablesOnly;
  options.isOptimized = level != DebugLevel::Full;
  options.dwarfVersion = 5;
  passes.addPass(fir::createAddDebugInfoPass(options));
}

void addCodeGeneration(PassManager &passes, Half half, DebugLevel level) {
  passes.addPass(fir::createConvertComplexPow());
  passes.addPass(createCSEPass());
  passes.addPass(fir::createBoxedProcedurePass());
  addNested(passes, [] { return fir::createAbstractResultOpt(); });
  fir::CodeGenRewriteOptions rewriting;
  rewriting.preserveDeclare = level == DebugLevel::Full; // they carry the names of variables
  passes.addPass(fir::createCodeGenRewrite(rewriting));
  passes.addPass(fir::createExternalNameConversion({/*appendUnderscore=*/true}));
  if (half == Half::Host)
    passes.addPass(fir::createTargetRewritePass());
  passes.addPass(fir::createCompilerGeneratedNamesConversion());
  addDebugInformation(passes, level);
  passes.addPass(createToLLVMPass(half));
  passes.addPass(createReconcileUnrealizedCastsPass());
  if (half == Half::Device)
    passes.addPass(createConvertNVVMToLLVMPass()); // PTX of vector atomics and of bulk copies
}

/// What nobody uses goes: the packer takes no declaration without a meaning for devices.
void removeUnused(llvm::Module &module) {
  llvm::ModuleAnalysisManager analyses;
  llvm::PassBuilder builder;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  builder.registerModuleAnalyses(analyses);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, analyses);
  llvm::ModulePassManager passes;
  passes.addPass(llvm::GlobalDCEPass());
  passes.addPass(llvm::StripDeadPrototypesPass());
  passes.run(module, analyses);
}

/// Variables of blocks and loops live as long as the procedure: simt has no stack that shrinks.
void keepVariables(llvm::Function &function) {
  llvm::SmallVector<llvm::IntrinsicInst *> marks;
  bool hasDynamic = false;
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (auto *mark = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
        mark && (mark->getIntrinsicID() == llvm::Intrinsic::stacksave ||
                 mark->getIntrinsicID() == llvm::Intrinsic::stackrestore))
      marks.push_back(mark);
    auto *memory = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (!memory)
      continue;
    if (!llvm::isa<llvm::Constant>(memory->getArraySize()))
      hasDynamic = true;
    else if (memory->getParent() != &function.getEntryBlock())
      memory->moveBefore(function.getEntryBlock().getFirstInsertionPt());
  }
  if (hasDynamic)
    return;
  for (llvm::IntrinsicInst *mark : llvm::reverse(marks)) { // uses first
    if (!mark->use_empty())
      mark->replaceAllUsesWith(llvm::PoisonValue::get(mark->getType()));
    mark->eraseFromParent();
  }
}

} // namespace

std::unique_ptr<llvm::Module> generateCode(ModuleOp module, Half half, DebugLevel level,
                                           llvm::LLVMContext &context) {
  PassManager passes(module->getName());
  addSimplifications(passes, half);
  addCodeGeneration(passes, half, level);
  if (failed(passes.run(module)))
    return nullptr;
  if (half == Half::Host) // the kernels' names have been resolved
    for (auto gpuModule : llvm::make_early_inc_range(module.getOps<gpu::GPUModuleOp>()))
      gpuModule.erase();
  module.walk([&](LLVM::LLVMFuncOp function) {
    if (function->removeAttr(KernelAttribute))
      function->setAttr(NVVM::NVVMDialect::getKernelFuncAttrName(),
                        UnitAttr::get(module.getContext()));
  });
  std::unique_ptr<llvm::Module> result = translateModuleToLLVMIR(module, context);
  if (result && half == Half::Device) {
    for (llvm::Function &function : *result)
      if (!function.isDeclaration())
        keepVariables(function);
    fuseRightProducts(*result);
    removeUnused(*result);
  }
  return result;
}

} // namespace heddle::fortran
