// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/opencl/link.h"

#include "frontend/opencl/pipeline.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/MemoryBuffer.h"

namespace heddle::opencl {

using namespace llvm;

namespace {

/// Puts LLVM's words into a log.
struct Words : DiagnosticHandler {
  explicit Words(std::string &log) : log(log) {}
  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() > DS_Warning)
      return true;
    raw_string_ostream stream(log);
    DiagnosticPrinterRawOStream printer(stream);
    stream << (info.getSeverity() == DS_Error ? "error: " : "warning: ");
    info.print(printer);
    stream << "\n";
    return true;
  }
  std::string &log;
};

class Linking {
public:
  Linking(const LinkRequest &request, const std::string &builtins)
      : request_(request), builtins_(builtins) {
    context_.setDiagnosticHandler(std::make_unique<Words>(result_.log));
  }

  Linked run() {
    result_.isGood = link() && (request_.isLibrary || finish());
    if (!result_.isGood)
      return std::move(result_);
    raw_string_ostream stream(result_.code);
    WriteBitcodeToFile(*module_, stream);
    stream.flush();
    return std::move(result_);
  }

private:
  bool fail(const std::string &message) {
    result_.log += "error: " + message + "\n";
    return false;
  }

  bool link() {
    module_ = std::make_unique<Module>("program", context_);
    for (const std::string &code : request_.modules) {
      Expected<std::unique_ptr<Module>> part =
          parseBitcodeFile(MemoryBufferRef(code, "program"), context_);
      if (!part)
        return fail(toString(part.takeError()));
      if (module_->getTargetTriple().empty()) {
        module_->setTargetTriple((*part)->getTargetTriple());
        module_->setDataLayout((*part)->getDataLayout());
      }
      if (Linker::linkModules(*module_, std::move(*part)))
        return fail("the programs cannot be linked");
    }
    return true;
  }

  bool finish() {
    result_.kernels = describeKernels(*module_);
    result_.globalBytes = globalBytes(*module_);
    makeForms(*module_, result_.kernels);
    if (Result<bool> lowered = lowerPrintf(*module_); !lowered)
      return fail(lowered.error());
    if (!linkBuiltins())
      return false;
    lowerHandles(*module_);
    if (const Function *function = recursive())
      return fail("function '" + function->getName().str() +
                  "' is recursive, which OpenCL C does not allow");
    inlineAll();
    findFree(*module_, result_.kernels);
    expandQueries(*module_, result_.kernels);
    for (Kernel &kernel : result_.kernels)
      if (kernel.needsRange)
        module_->getFunction(kernel.name)->eraseFromParent();
    optimize();
    return true;
  }

  /// What the programs call of the library.
  bool linkBuiltins() {
    for (Function &function : *module_) {
      if (!function.isDeclaration())
        isOwn_.insert(&function);
      function.removeFnAttr(Attribute::OptimizeNone);
      function.removeFnAttr(Attribute::NoInline);
    }
    if (Result<bool> linked = opencl::linkBuiltins(*module_, builtins_); !linked)
      return fail(linked.error());
    return true;
  }

  /// A function of the programs that may call itself; null if there is none.
  const Function *recursive() {
    CallGraph calls(*module_);
    for (auto cycle = scc_begin(&calls); !cycle.isAtEnd(); ++cycle)
      if (cycle.hasCycle())
        for (const CallGraphNode *node : *cycle)
          if (isOwn_.contains(node->getFunction()))
            return node->getFunction();
    return nullptr;
  }

  /// OpenCL C has neither recursion nor pointers to functions. What asks for its place must be in the
  /// kernel; built-in functions that do not may stay functions where they are long. Short ones may not:
  /// the first passes would make 64 bits of numbers that they know to be positive, `(int)get_local_id(0)`,
  /// and of all that is computed with them.
  void inlineAll() {
    for (Function &function : *module_) {
      if (function.isDeclaration() || function.getCallingConv() == CallingConv::PTX_Kernel)
        continue;
      function.setLinkage(GlobalValue::InternalLinkage);
      if (isOwn_.contains(&function) || function.getInstructionCount() < Short)
        function.addFnAttr(Attribute::AlwaysInline);
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (Function &function : *module_)
        if (!function.isDeclaration() && !function.hasFnAttribute(Attribute::AlwaysInline) &&
            function.getCallingConv() != CallingConv::PTX_Kernel && needsPlace(function)) {
          function.removeFnAttr(Attribute::NoInline);
          function.addFnAttr(Attribute::AlwaysInline);
          changed = true;
        }
    }
    Pipeline(*module_).inlineMarked(*module_);
  }

  /// It calls a query, or a function that is to be inlined and was not there before.
  static bool needsPlace(Function &function) {
    for (Instruction &instruction : instructions(function))
      if (auto *call = dyn_cast<CallBase>(&instruction))
        if (Function *callee = call->getCalledFunction())
          if (callee->getName().starts_with("__heddle_cl_") ||
              (callee->hasFnAttribute("heddle-place")))
            return function.addFnAttr("heddle-place"), true;
    return false;
  }

  void optimize() { Pipeline(*module_).optimize(*module_, request_.isDebug); }

  static constexpr unsigned Short = 32; ///< instructions
  const LinkRequest &request_;
  const std::string &builtins_;
  Linked result_;
  LLVMContext context_;
  std::unique_ptr<Module> module_;
  SmallPtrSet<Function *, 32> isOwn_;
};

} // namespace

Linked linkModules(const LinkRequest &request, const std::string &builtins) {
  return Linking(request, builtins).run();
}

} // namespace heddle::opencl
