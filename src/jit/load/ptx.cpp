// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/load/ptx.h"

#include "frontend/annotations.h"
#include "frontend/error.h"
#include "frontend/functions.h"
#include "frontend/nvptx.h"
#include "frontend/pack.h"
#include "jit/emit/back_end.h"
#include "jit/load/library.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle::jit {

using namespace llvm;
using frontend::fail;

namespace {

/// What nvcc of CUDA 12.8 writes. LLVM's default is older than much that code may use; for later
/// boards it is newer.
constexpr const char *UsualPtx = "+ptx87";
constexpr StringLiteral LaterBoards[] = {"sm_88", "sm_103", "sm_110", "sm_121"};

bool isLater(StringRef cpu) {
  return is_contained(LaterBoards, cpu.rtrim("af")) || cpu.ends_with("f");
}

const Target *nvptxTarget(const Triple &triple, std::string &error) {
  initializeNvptx();
  return TargetRegistry::lookupTarget(triple, error);
}

/// __managed__ of what the annotations tell of.
void declareAnnotated(Module &module) {
  for (const frontend::Annotation &annotation : frontend::readAnnotations(module))
    if (annotation.text == "heddle_managed")
      declareManaged(*annotation.target);
}

/// A float as an integer, rounded: C's functions, which the back end would call.
void convertRounded(Module &module) {
  for (Function &function : module)
    for (Instruction &one : make_early_inc_range(instructions(function))) {
      auto *call = dyn_cast<IntrinsicInst>(&one);
      const Intrinsic::ID id = call ? call->getIntrinsicID() : Intrinsic::not_intrinsic;
      const bool isAway = id == Intrinsic::lround || id == Intrinsic::llround;
      if (!isAway && id != Intrinsic::lrint && id != Intrinsic::llrint)
        continue;
      IRBuilder<> builder(call);
      Value *rounded = builder.CreateUnaryIntrinsic(isAway ? Intrinsic::round : Intrinsic::rint,
                                                    call->getArgOperand(0));
      call->replaceAllUsesWith(builder.CreateFPToSI(rounded, call->getType()));
      call->eraseFromParent();
    }
}

} // namespace

void declareManaged(GlobalValue &variable) {
  LLVMContext &context = variable.getContext();
  auto *one = ConstantAsMetadata::get(ConstantInt::get(Type::getInt32Ty(context), 1));
  variable.getParent()
      ->getOrInsertNamedMetadata("nvvm.annotations")
      ->addOperand(MDNode::get(
          context, {ValueAsMetadata::get(&variable), MDString::get(context, "managed"), one}));
}

void declareClusters(Module &module, const ImageView &image) {
  for (const ImageKernel &row : image.kernels()) {
    Function *kernel = module.getFunction(image.string(row.name));
    const auto &blocks = row.clusterDim;
    if (kernel && blocks[0])
      kernel->addFnAttr("nvvm.cluster_dim",
                        formatv("{0},{1},{2}", blocks[0], blocks[1], blocks[2]).str());
    const auto &threads = row.blockDim;
    if (kernel && threads[0])
      kernel->addFnAttr("nvvm.reqntid",
                        formatv("{0},{1},{2}", threads[0], threads[1], threads[2]).str());
  }
}

/// A line table proper would mark the file as one to debug (`.target sm_90, debug`).
void keepLinesOnly(Module &module) {
  NamedMDNode *list = module.getNamedMetadata("llvm.dbg.cu");
  if (!list)
    return;
  DebugInfoFinder finder;
  finder.processModule(module);
  MapVector<DICompileUnit *, DICompileUnit *> units;
  for (MDNode *node : list->operands()) {
    auto *unit = cast<DICompileUnit>(node);
    units[unit] = DICompileUnit::getDistinct(
        module.getContext(), unit->getSourceLanguage(), unit->getFile(), unit->getProducer(),
        unit->isOptimized(), "", 0, "", DICompileUnit::DebugDirectivesOnly, nullptr, nullptr,
        nullptr, nullptr, nullptr, 0, false, false, DICompileUnit::DebugNameTableKind::None, false,
        "", "");
  }
  for (DISubprogram *subprogram : finder.subprograms())
    if (auto unit = units.find(subprogram->getUnit()); unit != units.end())
      subprogram->replaceUnit(unit->second);
  list->clearOperands();
  for (auto &[old, unit] : units)
    list->addOperand(unit);
}

namespace {

/// -prec-div=false: `div.full.f32`; -use_fast_math: the approximations of divisions and roots.
void approximate(Module &module, uint32_t options) {
  const bool flushes = options & OptionFlushDenormals, isFast = options & OptionFastMath;
  for (Function &function : module)
    for (Instruction &one : make_early_inc_range(instructions(function))) {
      auto *call = dyn_cast<IntrinsicInst>(&one);
      const bool isRoot = call && call->getIntrinsicID() == Intrinsic::sqrt;
      const bool isDivision = one.getOpcode() == Instruction::FDiv;
      if (!one.getType()->isFloatTy() ||
          !(isRoot ? options & OptionApproxSqrt : isDivision && options & OptionApproxDivide))
        continue;
      if (isRoot || isFast) {
        one.setHasApproxFunc(true);
        continue;
      }
      IRBuilder<> builder(&one);
      Value *full =
          builder.CreateIntrinsic(flushes ? Intrinsic::nvvm_div_full_ftz : Intrinsic::nvvm_div_full,
                                  {}, {one.getOperand(0), one.getOperand(1)});
      one.replaceAllUsesWith(full);
      one.eraseFromParent();
    }
}

/// The same with .ftz; 0: there is none.
Intrinsic::ID flushingOf(Intrinsic::ID id) {
  switch (id) {
  case Intrinsic::nvvm_add_rn_f:
    return Intrinsic::nvvm_add_rn_ftz_f;
  case Intrinsic::nvvm_mul_rn_f:
    return Intrinsic::nvvm_mul_rn_ftz_f;
  case Intrinsic::nvvm_fma_rn_f:
    return Intrinsic::nvvm_fma_rn_ftz_f;
  case Intrinsic::nvvm_rsqrt_approx_f:
    return Intrinsic::nvvm_rsqrt_approx_ftz_f;
  case Intrinsic::nvvm_sqrt_approx_f:
    return Intrinsic::nvvm_sqrt_approx_ftz_f;
  case Intrinsic::nvvm_sin_approx_f:
    return Intrinsic::nvvm_sin_approx_ftz_f;
  case Intrinsic::nvvm_cos_approx_f:
    return Intrinsic::nvvm_cos_approx_ftz_f;
  default:
    return Intrinsic::not_intrinsic;
  }
}

constexpr StringLiteral FastPrefix = "__nv_fast_"; // of the device library

/// `__sinf` and the like are instructions, or products and quotients of what they give: what else the
/// library has of them is for CPUs. tanh.approx is Turing's.
bool isInstruction(StringRef name, StringRef cpu) {
  unsigned sm = 0;
  return name.starts_with(FastPrefix) &&
         (name != "__nv_fast_tanhf" ||
          (cpu.consume_front("sm_") && !cpu.consumeInteger(10, sm) && sm >= 75));
}

/// sin.approx.f32 -> sin.approx.ftz.f32
void flushInstruction(CallInst &call) {
  auto *text = dyn_cast<InlineAsm>(call.getCalledOperand());
  auto [name, rest] =
      text ? text->getAsmString().split(".approx.f32") : std::pair<StringRef, StringRef>();
  if (!rest.empty() && name != "tanh")
    call.setCalledOperand(InlineAsm::get(text->getFunctionType(),
                                         (name + ".approx.ftz.f32" + rest).str(),
                                         text->getConstraintString(), text->hasSideEffects()));
}

/// -ftz=true, of the library's functions too: else the text would have to keep some numbers and not
/// others, which is slow where it is read back (frontend/ptx/module/flushes.cpp).
void flush(Module &module) {
  for (Function &function : module) {
    function.addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
    for (Instruction &one : make_early_inc_range(instructions(function)))
      if (auto *call = dyn_cast<CallInst>(&one)) {
        if (Intrinsic::ID id = flushingOf(call->getIntrinsicID()))
          call->setCalledFunction(Intrinsic::getOrInsertDeclaration(&module, id));
        if (function.getName().starts_with(FastPrefix))
          flushInstruction(*call);
      }
  }
}

/// A fence of one thread binds the compiler only, and the back end does not know it.
void replaceOwnFences(Function &function) {
  for (Instruction &one : make_early_inc_range(instructions(function)))
    if (auto *fence = dyn_cast<FenceInst>(&one);
        fence && fence->getSyncScopeID() == SyncScope::SingleThread) {
      IRBuilder<> builder(fence);
      auto *type = FunctionType::get(builder.getVoidTy(), false);
      builder.CreateCall(type, InlineAsm::get(type, "", "~{memory}", /*hasSideEffects=*/true));
      fence->eraseFromParent();
    }
}

void prepare(Module &module, StringRef cpu) {
  frontend::eraseBookkeeping(module);
  if (NamedMDNode *functions = module.getNamedMetadata(frontend::FunctionsMetadata))
    functions->eraseFromParent();
  for (Function &function : module) {
    replaceOwnFences(function);
    function.removeFnAttr("target-features");
    if (function.hasFnAttribute("target-cpu"))
      function.addFnAttr("target-cpu", cpu);
  }
}

/// LLVM notes the name of what is visible in a comment above it (`// .globl x`): programs that look for
/// uses of names in the text take it for one.
std::vector<uint8_t> withoutNotes(StringRef text) {
  std::vector<uint8_t> kept;
  kept.reserve(text.size());
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    if (!line.starts_with("\t// .globl\t")) {
      kept.insert(kept.end(), line.bytes_begin(), line.bytes_end());
      kept.push_back('\n');
    }
    text = rest;
  }
  return kept;
}

} // namespace

Expected<std::unique_ptr<TargetMachine>> createGpuMachine(const Triple &triple, StringRef cpu,
                                                          unsigned version) {
  std::string error;
  const Target *target = nvptxTarget(triple, error);
  if (!target)
    return fail(error);
  std::unique_ptr<MCSubtargetInfo> known(target->createMCSubtargetInfo(triple, "", ""));
  if (!known || !known->isCPUStringValid(cpu))
    return fail("no PTX for " + cpu);
  const std::string features = version ? "+ptx" + utostr(version) : isLater(cpu) ? "" : UsualPtx;
  return std::unique_ptr<TargetMachine>(
      target->createTargetMachine(triple, cpu, features, TargetOptions(), std::nullopt));
}

void prepareForGpu(Module &module, uint32_t compileOptions, StringRef cpu) {
  declareAnnotated(module); // before their annotations go
  approximate(module, compileOptions);
  prepare(module, cpu);
}

void prepareText(Module &module, uint32_t compileOptions, StringRef cpu) {
  declareAnnotated(module);
  convertRounded(module);
  approximate(module, compileOptions);
  if (compileOptions & OptionFlushDenormals)
    flush(module);
  prepare(module, cpu);
}

Expected<SmallVector<char, 0>> writePtx(Module &module, TargetMachine &machine,
                                        bool keepsCounters) {
  SmallVector<char, 0> text;
  raw_svector_ostream stream(text);
  legacy::PassManager passes;
  {
    const BackEndList list(keepsCounters);
    if (machine.addPassesToEmitFile(passes, stream, nullptr, CodeGenFileType::AssemblyFile))
      return fail("LLVM's NVPTX back end cannot write assembly");
  }
  passes.run(module);
  return text;
}

Expected<std::vector<uint8_t>> emitPtx(const ImageView &image, StringRef cpu, bool hasLines) {
  LLVMContext context;
  if (image.header().flags & ImagePtx) { // it is what the image was made of
    Result<std::span<const uint8_t>> text = image.bitcode();
    if (!text)
      return fail(text.error());
    return std::vector<uint8_t>(text->begin(), text->end());
  }
  Expected<MemoryBufferRef> code = frontend::bitcodeOf(image);
  if (!code)
    return code.takeError();
  auto module = parseBitcodeFile(*code, context);
  if (!module)
    return module.takeError();
  declareAnnotated(**module); // before their annotations go
  declareClusters(**module, image);
  if (Error error =
          linkWholeLibrary(**module, [&](StringRef name) { return isInstruction(name, cpu); }))
    return error;
  prepareText(**module, image.header().compileOptions, cpu);
  if (!hasLines)
    StripDebugInfo(**module);
  else if (!(image.header().flags & ImageDebug))
    keepLinesOnly(**module);
  auto machine = createGpuMachine((*module)->getTargetTriple(), cpu);
  if (!machine)
    return machine.takeError();
  auto text = writePtx(**module, **machine);
  if (!text)
    return text.takeError();
  return withoutNotes({text->data(), text->size()});
}

} // namespace heddle::jit
