// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Extended lambdas. nvcc has traits of a type built in (CUDA guide, "Extended Lambda Type Traits"):
// whether it is the closure of a lambda that is marked __device__, or __host__ __device__, in a
// function that the host may call. Here the closure gets member types that say so, before anybody
// can ask for them; include/heddle/library_hooks.h looks for them. Lambdas without a mark are of
// both sides to clang, and are none.
#include "frontend/cuda/wrap.h"

#include "clang/AST/DeclCXX.h"
#include "clang/Sema/ScopeInfo.h"
#include "clang/Sema/Sema.h"

using namespace clang;

#define ACT_ON_LAMBDA "_ZN5clang4Sema15ActOnLambdaExprENS_14SourceLocationEPNS_4StmtE"
#define BUILD_LAMBDA "_ZN5clang4Sema15BuildLambdaExprENS_14SourceLocationES1_"

namespace heddle::cuda {

ExprResult clangsLambda(Sema &, SourceLocation, Stmt *body) HEDDLE_REAL(ACT_ON_LAMBDA);
ExprResult clangsBuiltLambda(Sema &, SourceLocation, SourceLocation) HEDDLE_REAL(BUILD_LAMBDA);

namespace {

template <typename Attribute> bool isMarked(const FunctionDecl &function) {
  const auto *attribute = function.getAttr<Attribute>();
  return attribute && !attribute->isImplicit();
}

/// The function that the lambda is in, or null. Lambdas between are looked through.
const FunctionDecl *functionAround(const CXXRecordDecl &closure) {
  const DeclContext *context = closure.getDeclContext();
  while (context && !context->isFileContext()) {
    const auto *function = dyn_cast<FunctionDecl>(context);
    if (function && !isLambdaCallOperator(function))
      return function;
    context = context->getParent();
  }
  return nullptr;
}

bool mayRunOnHost(const FunctionDecl &function) {
  return !function.hasAttr<CUDAGlobalAttr>() &&
         (function.hasAttr<CUDAHostAttr>() || !function.hasAttr<CUDADeviceAttr>());
}

void addType(ASTContext &context, CXXRecordDecl &closure, StringRef name) {
  auto *type = TypedefDecl::Create(context, &closure, closure.getLocation(), closure.getLocation(),
                                   &context.Idents.get(name),
                                   context.getTrivialTypeSourceInfo(context.VoidTy));
  type->setAccess(AS_public);
  type->setImplicit();
  closure.addDecl(type);
}

/// Of the lambda whose body has just been read or instantiated.
void noteLambda(Sema &sema) {
  const auto *lambda = dyn_cast<sema::LambdaScopeInfo>(sema.FunctionScopes.back());
  if (!sema.getLangOpts().CUDA || !lambda || !lambda->Lambda || !lambda->CallOperator)
    return;
  const CXXMethodDecl &call = *lambda->CallOperator;
  const FunctionDecl *around = functionAround(*lambda->Lambda);
  if (!around || !mayRunOnHost(*around) || !isMarked<CUDADeviceAttr>(call))
    return;
  ASTContext &context = sema.getASTContext();
  if (isMarked<CUDAHostAttr>(call)) {
    addType(context, *lambda->Lambda, "__heddle_host_device_lambda");
    return;
  }
  addType(context, *lambda->Lambda, "__heddle_device_lambda");
  if (!lambda->HasImplicitReturnType)
    addType(context, *lambda->Lambda, "__heddle_returning_lambda");
}

} // namespace

ExprResult lambda(Sema &, SourceLocation, Stmt *body) HEDDLE_WRAP(ACT_ON_LAMBDA);
ExprResult lambda(Sema &sema, SourceLocation start, Stmt *body) {
  noteLambda(sema);
  return clangsLambda(sema, start, body);
}

/// An instantiation: clang's own call for a lambda that was read does not come here.
ExprResult builtLambda(Sema &, SourceLocation, SourceLocation) HEDDLE_WRAP(BUILD_LAMBDA);
ExprResult builtLambda(Sema &sema, SourceLocation start, SourceLocation end) {
  noteLambda(sema);
  return clangsBuiltLambda(sema, start, end);
}

} // namespace heddle::cuda
