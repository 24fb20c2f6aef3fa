// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel template calls may be there for the device only:
//
//   #ifdef __CUDA_ARCH__
//   __device__ void keep(float *to, float value); // the host's translation sees no such overload
//   #endif
//   template <class T> __global__ void kernel(T *p) { keep(p, T(1)); }
//
// nvcc instantiates the kernel for the device. For the host, which only launches it, clang
// instantiates it too: needless work, and errors that nobody else has. Here its body is empty there.
#include "frontend/cuda/wrap.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/Stmt.h"
#include "clang/Sema/Sema.h"

using namespace clang;

#define STATEMENT "_ZN5clang4Sema9SubstStmtEPNS_4StmtERKNS_30MultiLevelTemplateArgumentListE"

namespace heddle::cuda {

StmtResult clangsStatement(Sema &, Stmt *, const MultiLevelTemplateArgumentList &)
    HEDDLE_REAL(STATEMENT);

StmtResult statement(Sema &, Stmt *, const MultiLevelTemplateArgumentList &) HEDDLE_WRAP(STATEMENT);
StmtResult statement(Sema &sema, Stmt *pattern, const MultiLevelTemplateArgumentList &arguments) {
  const auto *function = dyn_cast<FunctionDecl>(sema.CurContext);
  if (pattern && function && function->hasAttr<CUDAGlobalAttr>() &&
      !sema.getLangOpts().CUDAIsDevice)
    return CompoundStmt::Create(sema.Context, {}, FPOptionsOverride(), pattern->getBeginLoc(),
                                pattern->getEndLoc());
  return clangsStatement(sema, pattern, arguments);
}

} // namespace heddle::cuda
