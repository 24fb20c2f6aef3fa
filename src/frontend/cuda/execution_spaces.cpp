// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations without an execution space in programs of NVRTC. By default they are the host's, and
// an error at namespace scope; with -default-device functions are of both sides (a pragma says so,
// include/heddle/rtc/end.h) and variables get an attribute here.
//
// Hosts find kernels and variables of code that they load by their names also if they are static:
// all are kept, and those at global scope have the names that NVRTC gives them, `c` where clang has
// `_ZL1c`.
#include "frontend/cuda/execution_spaces.h"
#include "frontend/cuda/wrap.h"

#include "base/image/device_flags.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/SemaCUDA.h"

using namespace clang;

#define CONSTANT_ATTRIBUTE "_ZN5clang8SemaCUDA20MaybeAddConstantAttrEPNS_7VarDeclE"

namespace heddle::cuda {

void clangsConstantAttribute(SemaCUDA &, VarDecl *) HEDDLE_REAL(CONSTANT_ATTRIBUTE);

namespace {

bool isOfDevice(const VarDecl &variable) {
  return variable.hasAttr<CUDADeviceAttr>() || variable.hasAttr<CUDAConstantAttr>() ||
         variable.hasAttr<CUDASharedAttr>();
}

class HostCode : public ASTConsumer {
public:
  explicit HostCode(CompilerInstance &clang) : clang_(clang) {}

  bool HandleTopLevelDecl(DeclGroupRef group) override {
    const unsigned errors = clang_.getDiagnosticClient().getNumErrors();
    if (errors == errors_) // of a wrong declaration clang has left out attributes
      for (const Decl *one : group)
        visit(*one);
    errors_ = clang_.getDiagnosticClient().getNumErrors();
    return true;
  }

private:
  void visit(const Decl &one) {
    if (const auto *context = dyn_cast<DeclContext>(&one);
        context && (isa<NamespaceDecl>(one) || isa<LinkageSpecDecl>(one))) {
      for (const Decl *inner : context->decls())
        visit(*inner);
      return;
    }
    if (clang_.getSourceManager().isInSystemHeader(one.getLocation()))
      return;
    if (const auto *function = dyn_cast<FunctionDecl>(&one))
      visitFunction(*function);
    else if (const auto *variable = dyn_cast<VarDecl>(&one))
      visitVariable(*variable);
  }

  void visitFunction(const FunctionDecl &function) {
    const bool isMarked = function.hasAttr<CUDAHostAttr>() || function.hasAttr<CUDADeviceAttr>() ||
                          function.hasAttr<CUDAGlobalAttr>();
    if (function.isThisDeclarationADefinition() && !isMarked && !isa<CXXMethodDecl>(function) &&
        !function.isConstexpr() && !function.isImplicit() &&
        !function.getName().starts_with("__heddle"))
      report(function,
             "a function without __host__, __device__ or __global__ is the host's, and there is no "
             "host in JIT mode; with -default-device it is the device's");
  }

  void visitVariable(const VarDecl &variable) {
    const bool isConstant = variable.isConstexpr() || variable.getType().isConstQualified();
    if (variable.isFileVarDecl() && !isOfDevice(variable) && !isConstant &&
        !variable.getType()->isDependentType() &&
        variable.isThisDeclarationADefinition() == VarDecl::Definition)
      report(
          variable,
          "a variable without __device__, __constant__, __shared__ or __managed__ is the host's, "
          "and there is no host in JIT mode; with -default-device it is the device's");
  }

  void report(const Decl &one, const char *text) {
    DiagnosticsEngine &diagnostics = clang_.getDiagnostics();
    diagnostics.Report(one.getLocation(),
                       diagnostics.getDiagnosticIDs()->getCustomDiagID(DiagnosticIDs::Error, text));
  }

  CompilerInstance &clang_;
  unsigned errors_ = 0; ///< of declarations before this one
};

} // namespace

namespace {

/// A variable of the device that only its file could see.
void keepForHost(ASTContext &context, VarDecl &variable) {
  if (!isOfDevice(variable) || variable.hasAttr<CUDASharedAttr>() || variable.isExternallyVisible())
    return;
  context.CUDADeviceVarODRUsedByHost.insert(&variable);
  variable.addAttr(UsedAttr::CreateImplicit(context));
  if (variable.getDeclContext()->getRedeclContext()->isTranslationUnit())
    variable.addAttr(AsmLabelAttr::CreateImplicit(context, variable.getName()));
}

} // namespace

bool isLoadedCode(Sema &sema) {
  const LangOptions &options = sema.getLangOpts();
  return options.CUDAIsDevice && !options.GPURelocatableDeviceCode &&
         sema.getPreprocessor().isMacroDefined(LoadedCodeMacro);
}

void constantAttribute(SemaCUDA &, VarDecl *) HEDDLE_WRAP(CONSTANT_ATTRIBUTE);
void constantAttribute(SemaCUDA &cuda, VarDecl *variable) {
  const bool isOwn = variable->isFileVarDecl() && !variable->getType()->isDependentType() &&
                     !cuda.SemaRef.getSourceManager().isInSystemHeader(variable->getLocation());
  if (isOwn && isLoadedCode(cuda.SemaRef))
    keepForHost(cuda.getASTContext(), *variable);
  clangsConstantAttribute(cuda, variable);
  if (isOwn && !isOfDevice(*variable) &&
      cuda.SemaRef.getPreprocessor().isMacroDefined(DefaultDeviceMacro))
    variable->addAttr(CUDADeviceAttr::CreateImplicit(cuda.getASTContext()));
}

namespace {

/// What hosts see is not written to a precompiled header, but the attribute is.
class PrecompiledVariables : public ASTConsumer {
public:
  explicit PrecompiledVariables(CompilerInstance &clang) : clang_(clang) {}

  void HandleInterestingDecl(DeclGroupRef group) override {
    for (Decl *one : group)
      if (auto *variable = dyn_cast<VarDecl>(one);
          variable && isOfDevice(*variable) && variable->hasAttr<UsedAttr>() &&
          variable->getAttr<UsedAttr>()->isImplicit() && !variable->isExternallyVisible())
        clang_.getASTContext().CUDADeviceVarODRUsedByHost.insert(variable);
  }

private:
  CompilerInstance &clang_;
};

} // namespace

std::unique_ptr<ASTConsumer> keepPrecompiledVariables(CompilerInstance &clang) {
  return std::make_unique<PrecompiledVariables>(clang);
}

std::unique_ptr<ASTConsumer> refuseHostCode(CompilerInstance &clang) {
  return std::make_unique<HostCode>(clang);
}

} // namespace heddle::cuda
