// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations that nvcc, or g++ behind it, takes and clang refuses:
//
//   main(void) { ... }                  // a warning of g++'s and of nvcc's
//   static inline uint64_t __rdtsc() {} // g++ has it in a header, clang as a builtin
//   __shared__ Object o;                // whose constructor does something: nvcc never calls it
//   const int warpSize = 32;            // in place of CUDA's own
//
// and static kernels of code that programs load, which find them by their names.
#include "frontend/cuda/execution_spaces.h"
#include "frontend/cuda/reference_names.h"
#include "frontend/cuda/wrap.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/Basic/Builtins.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/DeclSpec.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/SemaCUDA.h"

using namespace clang;

#define FUNCTION_START                                                                             \
  "_ZN5clang4Sema23ActOnStartOfFunctionDefEPNS_5ScopeERNS_10DeclaratorEN4llvm15MutableArrayRefIPN" \
  "S_21TemplateParameterListEEEPNS_12SkipBodyInfoENS0_10FnBodyKindE"
#define DECLARATOR "_ZN5clang4Sema15ActOnDeclaratorEPNS_5ScopeERNS_10DeclaratorE"
#define INITIALIZER "_ZN5clang8SemaCUDA23checkAllowedInitializerEPNS_7VarDeclE"

namespace heddle::cuda {

Decl *clangsFunctionStart(Sema &, Scope *, Declarator &, MultiTemplateParamsArg, SkipBodyInfo *,
                          Sema::FnBodyKind) HEDDLE_REAL(FUNCTION_START);
Decl *clangsDeclarator(Sema &, Scope *, Declarator &) HEDDLE_REAL(DECLARATOR);
void clangsInitializerCheck(SemaCUDA &, VarDecl *) HEDDLE_REAL(INITIALIZER);

namespace {

/// `main` without a type returns int.
void giveMainItsType(Sema &sema, Declarator &function) {
  DeclSpec &specifiers = function.getMutableDeclSpec();
  if (specifiers.getTypeSpecType() != TST_unspecified || !sema.CurContext->isTranslationUnit() ||
      !sema.getLangOpts().CPlusPlus)
    return;
  DiagnosticsEngine &diagnostics = sema.getDiagnostics();
  sema.Diag(function.getIdentifierLoc(),
            diagnostics.getDiagnosticIDs()->getCustomDiagID(
                DiagnosticIDs::Warning, "'main' is declared without a type; 'int' is taken"));
  const char *previous = nullptr;
  unsigned id = 0;
  specifiers.SetTypeSpecType(TST_int, function.getIdentifierLoc(), previous, id,
                             sema.getPrintingPolicy());
}

/// A static kernel of code that programs load is found by its name as others are.
void showKernel(Sema &sema, Declarator &function) {
  DeclSpec &specifiers = function.getMutableDeclSpec();
  if (specifiers.getStorageClassSpec() == DeclSpec::SCS_static &&
      specifiers.getAttributes().hasAttribute(ParsedAttr::AT_CUDAGlobal) &&
      sema.CurContext->isFileContext() && isLoadedCode(sema))
    specifiers.ClearStorageClassSpecs();
}

/// A function of the program's is none of clang's builtins that g++ has not.
void forgetBuiltin(Sema &sema, IdentifierInfo &name, bool isStatic) {
  unsigned id = name.getBuiltinID();
  if (id != 0 && (isStatic || !sema.Context.BuiltinInfo.isPredefinedLibFunction(id)))
    name.clearBuiltinID();
}

/// A constant of the program's takes the place of our header's, which nothing finds any more.
void forgetWarpSize(Sema &sema, const Declarator &variable) {
  const DeclSpec &specifiers = variable.getDeclSpec();
  const bool isConstant = specifiers.getTypeQualifiers() & DeclSpec::TQ_const ||
                          specifiers.getConstexprSpecifier() != ConstexprSpecKind::Unspecified;
  if (!isConstant || specifiers.getStorageClassSpec() == DeclSpec::SCS_extern ||
      !sema.CurContext->isTranslationUnit())
    return;
  DeclarationName name(variable.getIdentifier());
  const llvm::SmallVector<NamedDecl *, 2> all(sema.IdResolver.begin(name), sema.IdResolver.end());
  for (NamedDecl *known : all)
    if (isa<VarDecl>(known) && isOfHeaders(sema, *known))
      forget(sema, *known);
}

} // namespace

Decl *declarator(Sema &, Scope *, Declarator &) HEDDLE_WRAP(DECLARATOR);
Decl *declarator(Sema &sema, Scope *scope, Declarator &declared) {
  if (const IdentifierInfo *name = declared.getIdentifier(); name && name->isStr("warpSize"))
    forgetWarpSize(sema, declared);
  return clangsDeclarator(sema, scope, declared);
}

Decl *functionStart(Sema &, Scope *, Declarator &, MultiTemplateParamsArg, SkipBodyInfo *,
                    Sema::FnBodyKind) HEDDLE_WRAP(FUNCTION_START);
Decl *functionStart(Sema &sema, Scope *scope, Declarator &function, MultiTemplateParamsArg lists,
                    SkipBodyInfo *skipped, Sema::FnBodyKind kind) {
  if (const IdentifierInfo *name = function.getIdentifier()) {
    if (name->isStr("main"))
      giveMainItsType(sema, function);
    if (name->getBuiltinID() != 0)
      forgetBuiltin(sema, *const_cast<IdentifierInfo *>(name),
                    function.getDeclSpec().getStorageClassSpec() == DeclSpec::SCS_static);
  }
  showKernel(sema, function);
  return clangsFunctionStart(sema, scope, function, lists, skipped, kind);
}

void checkInitializer(SemaCUDA &, VarDecl *) HEDDLE_WRAP(INITIALIZER);
void checkInitializer(SemaCUDA &cuda, VarDecl *variable) {
  // Code for it is never made (CodeGenFunction::AddInitializerToStaticVarDecl).
  bool isSharedObject =
      variable->hasAttr<CUDASharedAttr>() &&
      cuda.getASTContext().getBaseElementType(variable->getType())->isRecordType();
  if (!isSharedObject)
    clangsInitializerCheck(cuda, variable);
}

} // namespace heddle::cuda
