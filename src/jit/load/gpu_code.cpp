// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code for a GPU that runs it, where load/ptx.cpp writes what programs see of PTX: the device library
// for GPUs comes in front of the CPU's, and LLVM's whole pipeline runs with the costs of its NVPTX
// target, which inlines the library and unrolls loops.
#include "jit/load/gpu_code.h"

#include "base/abi/gpu_statements.h"
#include "frontend/annotations.h"
#include "frontend/error.h"
#include "frontend/kernels.h"
#include "frontend/layout.h"
#include "frontend/own_lines.h"
#include "frontend/pack.h"
#include "jit/load/gpu_barriers.h"
#include "jit/load/gpu_latches.h"
#include "jit/load/gpu_loops.h"
#include "jit/load/gpu_order.h"
#include "jit/load/gpu_pointers.h"
#include "jit/load/gpu_surfaces.h"
#include "jit/load/library.h"
#include "jit/load/ptx.h"
#include "simt/analysis/analyses.h"
#include "simt/lower/lower_nvvm.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/SeparateConstOffsetFromGEP.h"

namespace heddle::jit {

using namespace llvm;
using frontend::fail;

namespace {

/// The variable in the GPU's global space, which the back end takes one of the generic space for.
GlobalVariable &inGlobalSpace(GlobalVariable &variable) {
  if (variable.getAddressSpace() == frontend::GlobalSpace)
    return variable;
  auto *moved = new GlobalVariable(
      *variable.getParent(), variable.getValueType(), variable.isConstant(), variable.getLinkage(),
      variable.hasInitializer() ? variable.getInitializer() : nullptr, "", &variable,
      GlobalValue::NotThreadLocal, frontend::GlobalSpace, variable.isExternallyInitialized());
  moved->copyAttributesFrom(&variable);
  moved->copyMetadata(&variable, 0);
  moved->takeName(&variable);
  variable.replaceAllUsesWith(ConstantExpr::getAddrSpaceCast(moved, variable.getType()));
  variable.eraseFromParent();
  return *moved;
}

/// What the host's code reads and writes as its own is managed memory, which constant memory cannot be.
Error declareTouched(Module &module) {
  if (NamedMDNode *list = module.getNamedMetadata(frontend::TouchedConstants))
    for (MDNode *entry : list->operands()) {
      auto *variable = module.getGlobalVariable(cast<MDString>(entry->getOperand(0))->getString());
      if (!variable || variable->getAddressSpace() != frontend::ConstantSpace)
        continue;
      Expected<GlobalVariable *> moved = leaveConstantSpace(*variable);
      if (!moved)
        return moved.takeError();
      declareManaged(**moved);
    }
  for (GlobalVariable &variable : make_early_inc_range(module.globals()))
    if (variable.hasAttribute(frontend::HostTouches) &&
        is_contained({0u, unsigned(frontend::GlobalSpace)}, variable.getAddressSpace()))
      declareManaged(inGlobalSpace(variable));
  return Error::success();
}

/// ptxas keeps the names of CUDA's device runtime for itself, and our reader of PTX those of what
/// depends on the machine (frontend/ptx/module/build_module.cpp).
void renameRuntime(Module &module) {
  for (Function &function : module)
    if (StringRef name = function.getName();
        function.hasLocalLinkage() && (name.starts_with("cuda") || name.starts_with("__heddle_")))
      function.setName("heddle_gpu_" + name);
}

/// The library's name for a function of C's that the back end has no instructions for; empty: it has.
StringRef libraryName(Intrinsic::ID id) {
#define HEDDLE_FUNCTION(name)                                                                      \
  case Intrinsic::name:                                                                            \
    return "__nv_" #name;
  switch (id) {
    HEDDLE_FUNCTION(sin)
    HEDDLE_FUNCTION(cos)
    HEDDLE_FUNCTION(tan)
    HEDDLE_FUNCTION(asin)
    HEDDLE_FUNCTION(acos)
    HEDDLE_FUNCTION(atan)
    HEDDLE_FUNCTION(atan2)
    HEDDLE_FUNCTION(sinh)
    HEDDLE_FUNCTION(cosh)
    HEDDLE_FUNCTION(tanh)
    HEDDLE_FUNCTION(pow)
    HEDDLE_FUNCTION(powi)
    HEDDLE_FUNCTION(exp)
    HEDDLE_FUNCTION(exp2)
    HEDDLE_FUNCTION(exp10)
    HEDDLE_FUNCTION(log)
    HEDDLE_FUNCTION(log2)
    HEDDLE_FUNCTION(log10)
  default:
    return "";
  }
#undef HEDDLE_FUNCTION
}

/// What clang made of C's math builtins becomes calls of the library.
void callLibrary(Module &module) {
  for (Function &function : make_early_inc_range(module)) {
    StringRef name = libraryName(function.getIntrinsicID());
    if (name.empty() ||
        !(function.getReturnType()->isFloatTy() || function.getReturnType()->isDoubleTy()))
      continue;
    FunctionCallee callee = module.getOrInsertFunction(
        function.getReturnType()->isFloatTy() ? (name + "f").str() : name.str(),
        function.getFunctionType());
    for (User *user : make_early_inc_range(function.users())) {
      auto *call = cast<CallInst>(user);
      call->setCalledFunction(callee);
      call->setAttributes({});
    }
  }
}

/// Whether a format is that of other languages' statements (device/statements.h).
bool isStatement(const Value *format) {
  auto *variable = dyn_cast<GlobalVariable>(format->stripPointerCasts());
  auto *text = variable && variable->hasInitializer()
                   ? dyn_cast<ConstantDataArray>(variable->getInitializer())
                   : nullptr;
  return text && text->isCString() && text->getAsCString() == "%\1";
}

/// They go into a ring (devlib/gpu/statements.cpp), a variable that the driver looks for.
void printStatements(Module &module) {
  Function *print = module.getFunction("vprintf");
  if (!print)
    return;
  auto *type = ArrayType::get(Type::getInt64Ty(module.getContext()), sizeof(GpuStatements) / 8);
  bool isUsed = false;
  for (User *user : make_early_inc_range(print->users())) {
    auto *call = dyn_cast<CallInst>(user);
    if (!call || call->getCalledOperand() != print || !isStatement(call->getArgOperand(0)))
      continue;
    FunctionCallee store = module.getOrInsertFunction("__heddle_gpu_statement", call->getType(),
                                                      call->getArgOperand(1)->getType());
    IRBuilder<> builder(call);
    call->replaceAllUsesWith(builder.CreateCall(store, {call->getArgOperand(1)}));
    call->eraseFromParent();
    isUsed = true;
  }
  if (isUsed)
    (new GlobalVariable(module, type, false, GlobalValue::ExternalLinkage,
                        ConstantAggregateZero::get(type), GpuStatementsName, nullptr,
                        GlobalValue::NotThreadLocal, frontend::GlobalSpace,
                        /*isExternallyInitialized=*/true))
        ->setAlignment(Align(8));
}

/// A GPU stops at a mapa of a rank that the cluster does not have, even where nothing uses the
/// address; and LLVM computes it in front of the condition that it is behind:
///
///   %p = call ptr @llvm.nvvm.mapa(ptr %own, i32 %rank)
///   ->
///   %last = sub i32 %nctarank, 1,  %bound = umin i32 %rank, %last, and mapa of %bound
void boundRanks(Module &module) {
  for (Intrinsic::ID id : {Intrinsic::nvvm_mapa, Intrinsic::nvvm_mapa_shared_cluster})
    if (Function *mapa = Intrinsic::getDeclarationIfExists(&module, id))
      for (User *user : mapa->users()) {
        auto *call = cast<CallInst>(user);
        IRBuilder<> builder(call);
        Value *blocks = builder.CreateIntrinsic(builder.getInt32Ty(),
                                                Intrinsic::nvvm_read_ptx_sreg_cluster_nctarank, {});
        Value *last = builder.CreateSub(blocks, builder.getInt32(1));
        call->setArgOperand(
            1, builder.CreateBinaryIntrinsic(Intrinsic::umin, call->getArgOperand(1), last));
      }
}

/// The library is compiled without builtins, and the inliner would keep it apart from what has them.
void allowInlining(Module &module) {
  for (Function &function : module)
    function.removeFnAttr("no-builtins");
}

unsigned capabilityOf(StringRef cpu) {
  unsigned capability = 0;
  cpu.consume_front("sm_");
  cpu.rtrim("af").getAsInteger(10, capability);
  return capability;
}

/// An own read in front of a compiler's barrier is a poll: what others wrote before is read behind it.
/// On a CPU the order of the reads is enough; a GPU needs a fence.
///
///   %state = load volatile i64, ptr %barrier
///   call void asm sideeffect "", "~{memory}"()
void orderPolls(Module &module, StringRef cpu) {
  const SyncScope::ID scope =
      module.getContext().getOrInsertSyncScopeID(capabilityOf(cpu) >= 90 ? "cluster" : "block");
  for (Function &function : module)
    for (Instruction &one : instructions(function)) {
      auto *load = dyn_cast<LoadInst>(&one);
      auto *barrier =
          dyn_cast_or_null<CallInst>(load && load->isVolatile() ? load->getNextNode() : nullptr);
      auto *text = barrier ? dyn_cast<InlineAsm>(barrier->getCalledOperand()) : nullptr;
      if (text && text->getAsmString().empty())
        IRBuilder<>(barrier).CreateFence(AtomicOrdering::AcquireRelease, scope);
    }
}

/// LLVM's own ends the process at an error, and prints warnings about the program's loops.
void keepErrors(LLVMContext &context, std::string &error) {
  context.setDiagnosticHandlerCallBack(
      [](const DiagnosticInfo *info, void *place) {
        if (info->getSeverity() != DS_Error)
          return;
        raw_string_ostream stream(*static_cast<std::string *>(place));
        DiagnosticPrinterRawOStream printer(stream);
        info->print(printer);
      },
      &error);
}

/// The same address, which ptxas knows nothing of: it takes those of two allocas in a loop for one.
Value *hide(AllocaInst &memory, AllocaInst &slot) {
  IRBuilder<> builder(memory.getNextNode());
  Type *bits = builder.getInt64Ty(), *generic = slot.getType(),
       *local = builder.getPtrTy(frontend::LocalSpace);
  auto *type = FunctionType::get(bits, {generic, bits}, false);
  auto *text = InlineAsm::get(type, "st.volatile.b64 [$1], $2;\n\tld.volatile.b64 $0, [$1];",
                              "=l,l,l,~{memory}", /*hasSideEffects=*/true);
  Value *given = builder.CreatePtrToInt(builder.CreateAddrSpaceCast(&memory, local), bits);
  Value *back = builder.CreateIntToPtr(builder.CreateCall(text, {&slot, given}), local);
  return builder.CreateAddrSpaceCast(back, memory.getType());
}

/// Each turn of a loop has its own memory of alloca. Where the size is a constant LLVM's back end has one
/// place for all turns (NVPTXAllocaHoisting), so it may not see one:
///
///   %node = alloca [16 x i8]
///   ->
///   %size = call i64 asm "mov.b64 $0, $1;", "=l,n"(i64 16),  %node = alloca i8, i64 %size
void keepAllocas(Function &function) {
  SmallVector<AllocaInst *> dynamic;
  for (Instruction &one : instructions(function))
    if (auto *memory = dyn_cast<AllocaInst>(&one); memory && !memory->isStaticAlloca())
      dynamic.push_back(memory);
  if (dynamic.empty())
    return;
  IRBuilder<> entry(&*function.getEntryBlock().getFirstInsertionPt());
  AllocaInst *slot = entry.CreateAlloca(entry.getInt64Ty());
  const DataLayout &layout = function.getDataLayout();
  for (AllocaInst *memory : dynamic) {
    IRBuilder<> builder(memory);
    Value *bytes = nullptr;
    if (std::optional<TypeSize> size = memory->getAllocationSize(layout)) {
      auto *type = FunctionType::get(builder.getInt64Ty(), {builder.getInt64Ty()}, false);
      bytes = builder.CreateCall(InlineAsm::get(type, "mov.b64 $0, $1;", "=l,n", false),
                                 {builder.getInt64(size->getFixedValue())});
    }
    AllocaInst *kept =
        bytes ? builder.CreateAlloca(builder.getInt8Ty(), memory->getAddressSpace(), bytes)
              : cast<AllocaInst>(builder.Insert(memory->clone()));
    kept->setAlignment(std::max(memory->getAlign(), Align(16))); // what C's alloca has
    kept->takeName(memory);
    memory->replaceAllUsesWith(hide(*kept, *slot));
    memory->eraseFromParent();
  }
}

/// -maxrregcount, of kernels without bounds: what the text says of registers goes for the GPU, too.
void limitRegisters(Function &function) {
  Attribute most = function.getFnAttribute("heddle.maxnreg");
  if (most.isValid() && !function.hasFnAttribute("nvvm.maxnreg"))
    function.addFnAttr("nvvm.maxnreg", most.getValueAsString());
}

/// Sums that are indices have constants in them, which an address takes (`[%rd1+4]`), as long as they do not
/// wrap; LLVM's order of sums forgets that. It takes constants out of a sign extension's sum only:
///
///   zext nneg (add nsw %x, 1)  ->  sext (add nsw %x, 1)  ->  sext %x + 1
///   zext nneg %x               ->  sext %x,                 so that both are one
struct SignedIndices : PassInfoMixin<SignedIndices> {
  PreservedAnalyses run(Function &function, FunctionAnalysisManager &) {
    SmallVector<ZExtInst *> extensions;
    SmallPtrSet<Value *, 16> parts;
    for (Instruction &one : instructions(function))
      if (auto *extension = dyn_cast<ZExtInst>(&one); extension && extension->hasNonNeg()) {
        extensions.push_back(extension);
        if (auto *sum = sumOf(*extension))
          parts.insert(sum->op_begin(), sum->op_end());
      }
    for (ZExtInst *extension : extensions) {
      if (!sumOf(*extension) && !parts.contains(extension->getOperand(0)))
        continue;
      IRBuilder<> builder(extension);
      extension->replaceAllUsesWith(
          builder.CreateSExt(extension->getOperand(0), extension->getType()));
      extension->eraseFromParent();
    }
    return PreservedAnalyses::none();
  }

private:
  static BinaryOperator *sumOf(const ZExtInst &extension) {
    auto *sum = dyn_cast<BinaryOperator>(extension.getOperand(0));
    return sum && sum->getOpcode() == Instruction::Add && sum->hasNoSignedWrap() ? sum : nullptr;
  }
};

void optimize(Module &module, TargetMachine &machine) {
  PipelineTuningOptions tuning;
  tuning.LoopVectorization = tuning.LoopInterleaving = false; // a GPU computes with scalars
  PassBuilder builder(&machine, tuning);
  addLoopHints(builder);
  simt::Analyses analyses(machine);
  ModulePassManager passes;
  passes.addPass(createModuleToFunctionPassAdaptor(InferAddressSpacesPass(0)));
  passes.addPass(createModuleToFunctionPassAdaptor(SignedIndices()));
  passes.addPass(createModuleToFunctionPassAdaptor(SeparateConstOffsetFromGEPPass()));
  passes.addPass(builder.buildPerModuleDefaultPipeline(OptimizationLevel::O3));
  passes.addPass(createModuleToFunctionPassAdaptor(LoadsFirst()));
  passes.addPass(createModuleToFunctionPassAdaptor(OneLatch()));
  passes.addPass(createModuleToFunctionPassAdaptor(LatchesContinue()));
  passes.addPass(createModuleToFunctionPassAdaptor(OwnCounters()));
  passes.addPass(createModuleToFunctionPassAdaptor(ApartComparisons()));
  passes.run(module, analyses.modules);
}

} // namespace

Expected<std::vector<uint8_t>> emitGpuCode(const ImageView &image, const GpuTarget &target) {
  const StringRef cpu = target.cpu;
  if (image.header().flags & ImagePtx) { // what the program brought
    Result<std::span<const uint8_t>> text = image.bitcode();
    if (!text)
      return fail(text.error());
    return std::vector<uint8_t>(text->begin(), text->end());
  }
  std::string problem;
  LLVMContext context;
  keepErrors(context, problem);
  Expected<MemoryBufferRef> code = frontend::bitcodeOf(image);
  if (!code)
    return code.takeError();
  auto parsed = parseBitcodeFile(*code, context);
  if (!parsed)
    return parsed.takeError();
  Module &module = **parsed;
  if (target.usesHostVariables)
    if (Error error = pointToManaged(module))
      return error;
  if (!(image.header().compileOptions & OptionNoContract))
    for (Function &function : module)
      simt::contractProducts(function); // so that results are those of the CPU
  for_each(module, frontend::dropLineMarks);
  callLibrary(module);
  printStatements(module);
  declareClusters(module, image);
  if (Error error = useGpuSurfaces(module))
    return error;
  if (Error error = useGpuBarriers(module, capabilityOf(cpu)))
    return error;
  if (Error error = linkGpuLibrary(module, image.header().compileOptions & OptionFastMath))
    return error;
  if (!(image.header().flags & ImageRelocatable)) // nothing else calls its functions
    internalizeModule(module, [](const GlobalValue &value) {
      return !isa<Function>(value) || frontend::isKernel(cast<Function>(value));
    });
  std::string notes;
  if (target.kernel)
    if (Error error = keepKernel(module, target.kernel, target.threads, notes))
      return error;
  renameRuntime(module);
  allowInlining(module);
  boundRanks(module);
  orderPolls(module, cpu);
  if (Error error = declareTouched(module))
    return error;
  prepareText(module, image.header().compileOptions, cpu);
  keepLinesOnly(module);
  for_each(module, limitRegisters);
  auto machine = createGpuMachine(module.getTargetTriple(), cpu, target.ptx);
  if (!machine)
    return machine.takeError();
  if (!(image.header().flags & ImageDebug))
    optimize(module, **machine);
  for (Function &function : module)
    if (!function.isDeclaration())
      keepAllocas(function);
  auto text = writePtx(module, **machine);
  if (!text)
    return text.takeError();
  if (!problem.empty())
    return fail("the NVPTX back end: " + problem);
  std::vector<uint8_t> all(notes.begin(), notes.end());
  all.insert(all.end(), text->begin(), text->end());
  return all;
}

} // namespace heddle::jit
