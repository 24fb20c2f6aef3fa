// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program of libNVVM goes the way of clang's bitcode: linked, optimized, packed to a device image, of
// which the JIT's library writes PTX. NVVM IR is that of older LLVMs. Bitcode LLVM upgrades itself,
// intrinsics and annotations too; of text it does not read types of pointers (typed_pointers.h).
//
// Functions `__nv_*` of modules that are added lazily are libdevice, of whomever; the device library
// has them.
#include "rtc/nvvm_program.h"

#include "base/image/module_image.h"
#include "frontend/pack.h"
#include "rtc/toolkit.h"
#include "rtc/typed_pointers.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/AutoUpgrade.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

using namespace llvm;

namespace heddle::rtc {

namespace {

constexpr const char *TargetName = "nvptx64-nvidia-cuda";
constexpr const char *Layout =
    "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64"; // clang's

struct NvvmOptions {
  std::string architecture = "sm_75";
  unsigned number = 75;
  bool isOptimized = true, isDebug = false, hasLines = false, isForLinking = false;
  bool flushes = false, roundsRoots = true, roundsQuotients = true, contracts = true;

  uint32_t compileOptions() const {
    return (flushes ? OptionFlushDenormals : 0) | (roundsRoots ? 0 : OptionApproxSqrt) |
           (roundsQuotients ? 0 : OptionApproxDivide) | (contracts ? 0 : OptionNoContract);
  }
};

/// Another name that older NVVM IR has for a barrier of the block.
void renameBarrier(Module &module) {
  if (Function *old = module.getFunction("llvm.cuda.syncthreads")) {
    old->setName("llvm.nvvm.barrier0");
    UpgradeCallsToIntrinsic(old);
  }
}

/// compute_80, compute_90a
bool takeArchitecture(StringRef value, NvvmOptions &options) {
  if (!value.consume_front("compute_") && !value.consume_front("sm_"))
    return false;
  StringRef number = value.take_while([](char c) { return c >= '0' && c <= '9'; });
  StringRef suffix = value.drop_front(number.size());
  options.architecture = ("sm_" + value).str();
  return !number.getAsInteger(10, options.number) &&
         (suffix.empty() || suffix == "a" || suffix == "f");
}

/// False: it is none of libNVVM's (libNVVM API guide, nvvmCompileProgram), or has another value.
bool takeOption(StringRef word, NvvmOptions &options) {
  auto [name, value] = word.split('=');
  auto takeFlag = [&, value = value](bool &flag) {
    flag = value == "1";
    return value == "0" || value == "1";
  };
  if (word == "-g")
    return options.isDebug = true;
  if (word == "-generate-line-info")
    return options.hasLines = true;
  if (word == "-gen-lto")
    return options.isForLinking = true;
  if (name == "-opt") {
    options.isOptimized = value != "0";
    return value == "0" || value == "3";
  }
  if (name == "-arch")
    return takeArchitecture(value, options);
  if (name == "-ftz")
    return takeFlag(options.flushes);
  if (name == "-prec-sqrt")
    return takeFlag(options.roundsRoots);
  if (name == "-prec-div")
    return takeFlag(options.roundsQuotients);
  if (name == "-fma")
    return takeFlag(options.contracts);
  unsigned threads = 0;
  return name == "-split-compile" && !value.getAsInteger(10, threads);
}

class Compiler {
public:
  Compiler(NvvmProgram &program, const NvvmOptions &options)
      : program_(program), options_(options) {
    context_.setDiagnosticHandlerCallBack(
        [](const DiagnosticInfo *what, void *log) {
          if (what->getSeverity() > DS_Warning)
            return;
          raw_string_ostream stream(*static_cast<std::string *>(log));
          DiagnosticPrinterRawOStream printer(stream);
          what->print(printer);
          stream << '\n';
        },
        &program_.log);
  }

  nvvmResult run(bool makesCode) {
    for (bool isLazy : {false, true})
      for (const NvvmModule &one : program_.modules)
        if (one.isLazy == isLazy)
          if (nvvmResult error = add(one))
            return error;
    if (!whole_)
      return NVVM_ERROR_NO_MODULE_IN_PROGRAM;
    return makesCode ? makeCode() : NVVM_SUCCESS;
  }

private:
  nvvmResult fail(nvvmResult code, const Twine &message) {
    program_.log += ("error: " + message + "\n").str();
    return code;
  }

  std::unique_ptr<Module> parse(const NvvmModule &one, std::string &message) {
    MemoryBufferRef buffer(one.code, one.name);
    auto layout = [](StringRef, StringRef) { return std::optional<std::string>(Layout); };
    if (isBitcode(reinterpret_cast<const unsigned char *>(one.code.data()),
                  reinterpret_cast<const unsigned char *>(one.code.data() + one.code.size()))) {
      auto module = parseBitcodeFile(buffer, context_, ParserCallbacks(layout));
      if (module)
        return std::move(*module);
      message = one.name + ": " + toString(module.takeError());
      return nullptr;
    }
    SMDiagnostic problem;
    const std::string text = withoutPointerTypes(one.code.c_str());
    auto module =
        parseAssembly(MemoryBufferRef(text, one.name), problem, context_, nullptr, layout);
    if (!module)
      message = (one.name + " (" + Twine(problem.getLineNo()) + ", " +
                 Twine(problem.getColumnNo() + 1) + "): parse " + problem.getMessage())
                    .str();
    return module;
  }

  nvvmResult add(const NvvmModule &one) {
    std::string message;
    std::unique_ptr<Module> module = parse(one, message);
    if (!module)
      return fail(NVVM_ERROR_INVALID_IR, message);
    raw_string_ostream stream(message);
    if (verifyModule(*module, &stream))
      return fail(NVVM_ERROR_INVALID_IR, one.name + ": " + StringRef(message).rtrim());
    module->setTargetTriple(Triple(TargetName));
    module->setDataLayout(Layout);
    renameBarrier(*module);
    if (one.isLazy)
      for (Function &function : *module)
        if (function.getName().starts_with("__nv_"))
          function.deleteBody();
    if (!whole_) {
      whole_ = std::move(module);
      return NVVM_SUCCESS;
    }
    const unsigned flags = one.isLazy ? Linker::LinkOnlyNeeded : Linker::None;
    if (Linker::linkModules(*whole_, std::move(module), flags))
      return fail(NVVM_ERROR_COMPILATION, one.name + ": the module cannot be linked");
    return NVVM_SUCCESS;
  }

  /// Inline PTX and intrinsics of NVVM alone stay in their branch.
  void keepInBranches() {
    for (Function &function : *whole_)
      for (Instruction &instruction : instructions(function))
        if (auto *call = dyn_cast<CallInst>(&instruction)) {
          const Function *callee = call->getCalledFunction();
          if (call->isInlineAsm() || (callee && callee->getName().starts_with("llvm.nvvm.") &&
                                      callee->getIntrinsicID() == Intrinsic::not_intrinsic))
            call->setConvergent();
        }
  }

  /// NVVM's operations of a warp have a mode where LLVM has several intrinsics (NVVM IR specification,
  /// "Warp-level Intrinsics"): they become PTX.
  void replaceWarpOperations() {
    constexpr StringLiteral Shuffles[] = {"idx", "up", "down", "bfly"},
                            Votes[] = {"all", "any", "uni"};
    for (Function &function : make_early_inc_range(*whole_)) {
      StringRef name = function.getName();
      if (!name.consume_front("llvm.nvvm.") || !function.isDeclaration())
        continue;
      for (User *user : make_early_inc_range(function.users())) {
        auto *call = dyn_cast<CallInst>(user);
        if (!call || call->getCalledOperand() != &function)
          continue;
        const bool isVote = name == "vote.sync";
        const auto *mode =
            call->arg_size() > 2 ? dyn_cast<ConstantInt>(call->getArgOperand(1)) : nullptr;
        const uint64_t number = mode ? mode->getZExtValue() : 4;
        IRBuilder<> b(call);
        SmallVector<Value *, 4> arguments(call->args());
        Type *word = b.getInt32Ty();
        if (name == "shfl.sync.i32" && arguments.size() == 5 && number < 4) {
          arguments.erase(arguments.begin() + 1);
          replace(*call, ("shfl.sync." + Shuffles[number] + ".b32 $0|p, $3, $4, $5, $2;").str(),
                  "=r,=r,r,r,r,r", arguments);
        } else if (isVote && arguments.size() == 3 && number < 4) {
          Value *predicate = b.CreateZExt(arguments[2], word);
          const std::string text =
              "setp.ne.u32 p, $3, 0; " +
              (number == 3
                   ? std::string("vote.sync.ballot.b32 $0, p, $2;")
                   : ("mov.u32 $0, 0; vote.sync." + Votes[number] + ".pred p, p, $2;").str());
          replace(*call, text, "=&r,=r,r,r", {arguments[0], predicate});
        } else if ((name == "match.all.sync.i32" || name == "match.all.sync.i64") &&
                   arguments.size() == 2) {
          const bool isLong = name.ends_with("64");
          replace(*call,
                  std::string("match.all.sync.b") + (isLong ? "64" : "32") + " $0|p, $3, $2;",
                  isLong ? "=r,=r,r,l" : "=r,=r,r,r", arguments);
        }
      }
    }
  }

  /// By PTX that gives a number in $0 and a predicate in p.
  void replace(CallInst &call, const std::string &text, const char *constraints,
               ArrayRef<Value *> arguments) {
    IRBuilder<> b(&call);
    SmallVector<Type *, 4> types;
    for (Value *argument : arguments)
      types.push_back(argument->getType());
    Type *word = b.getInt32Ty();
    auto *type = FunctionType::get(StructType::get(word, word), types, false);
    Value *both =
        b.CreateCall(type,
                     InlineAsm::get(type, "{ .reg .pred p; " + text + " selp.u32 $1, 1, 0, p; }",
                                    constraints, true),
                     arguments);
    Value *result =
        b.CreateInsertValue(PoisonValue::get(call.getType()), b.CreateExtractValue(both, 0), 0);
    call.replaceAllUsesWith(b.CreateInsertValue(
        result, b.CreateTrunc(b.CreateExtractValue(both, 1), b.getInt1Ty()), 1));
    call.eraseFromParent();
  }

  /// -fma=1, which is the default: products and sums of any instruction are contracted.
  void allowContraction() {
    for (Function &function : *whole_)
      for (Instruction &instruction : instructions(function))
        if (isa<FPMathOperator>(instruction))
          instruction.setHasAllowContract(true);
  }

  void optimize() {
    LoopAnalysisManager loops;
    FunctionAnalysisManager functions;
    CGSCCAnalysisManager components;
    ModuleAnalysisManager modules;
    PipelineTuningOptions tuning;
    tuning.LoopVectorization = tuning.SLPVectorization = tuning.LoopUnrolling = false;
    PassBuilder builder(nullptr, tuning);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(components);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, components, modules);
    builder.buildPerModuleDefaultPipeline(OptimizationLevel::O2).run(*whole_, modules);
  }

  nvvmResult makeCode() {
    Result<const JitLibrary *> jit = openJit();
    if (!jit)
      return fail(NVVM_ERROR_COMPILATION, jit.error());
    std::string bitcode, fatal = (*jit)->survive([&] {
      keepInBranches();
      if (options_.contracts && options_.isOptimized)
        allowContraction();
      if (options_.isOptimized)
        optimize();
      replaceWarpOperations(); // modes are constants now
      raw_string_ostream stream(bitcode);
      WriteBitcodeToFile(*whole_, stream);
    });
    if (!fatal.empty())
      return fail(NVVM_ERROR_COMPILATION, fatal);
    const uint32_t kind = (options_.isDebug ? ImageDebug : 0) |
                          (options_.isForLinking ? 0 : frontend::KeepsInlinePtx);
    auto pack = [&](uint32_t flags) {
      return (*jit)->pack(bitcode, flags | kind, options_.number, options_.compileOptions(), 0);
    };
    Result<std::string> image = pack(options_.isForLinking ? ImageRelocatable : 0);
    if (!image) // symbols that are not defined are others'
      image = pack(ImageRelocatable);
    if (!image)
      return fail(NVVM_ERROR_COMPILATION, image.error());
    if (options_.isForLinking) {
      program_.result = *image;
      return NVVM_SUCCESS;
    }
    Result<std::string> ptx =
        (*jit)->emitPtx(*image, options_.architecture, options_.hasLines || options_.isDebug);
    if (!ptx)
      return fail(NVVM_ERROR_COMPILATION, ptx.error());
    program_.result = *ptx + '\0';
    return NVVM_SUCCESS;
  }

  NvvmProgram &program_;
  const NvvmOptions &options_;
  LLVMContext context_;
  std::unique_ptr<Module> whole_;
};

} // namespace

nvvmResult compileProgram(NvvmProgram &program, const std::vector<std::string> &words,
                          bool makesCode) {
  program.log.clear();
  program.result.clear();
  NvvmOptions options;
  for (const std::string &word : words)
    if (!takeOption(word, options)) {
      program.log = "libnvvm : error: " + word + " is an unsupported option\n";
      return NVVM_ERROR_INVALID_OPTION;
    }
  return Compiler(program, options).run(makesCode);
}

} // namespace heddle::rtc
