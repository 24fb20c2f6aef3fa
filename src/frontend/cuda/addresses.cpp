// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `auto f = &get<double>;` where `get` is a template for the host and one for the device: there is
// one function that the caller may call, and clang says that it cannot infer which is meant. It
// asks for a single specialization without a look at the sides; here it is shown those templates
// only that the caller would call first.
#include "frontend/cuda/wrap.h"

#include "clang/AST/ExprCXX.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/SemaCUDA.h"

using namespace clang;

#define RESOLVE                                                                                    \
  "_ZN5clang4Sema43ResolveSingleFunctionTemplateSpecializationEPNS_12OverloadExprEbPNS_14DeclAcce" \
  "ssPairEPNS_24TemplateSpecCandidateSetEb"

namespace heddle::cuda {

FunctionDecl *clangsResolve(Sema &, OverloadExpr *, bool complain, DeclAccessPair *found,
                            TemplateSpecCandidateSet *failed, bool deduces) HEDDLE_REAL(RESOLVE);

namespace {

/// The functions that the caller prefers, if that is not all of them.
UnresolvedSet<4> preferredOf(Sema &sema, const OverloadExpr &overloads) {
  const FunctionDecl *caller = sema.getCurFunctionDecl(/*AllowLambda=*/true);
  SmallVector<SemaCUDA::CUDAFunctionPreference, 4> preferences;
  for (const NamedDecl *decl : overloads.decls()) {
    const FunctionDecl *function = decl->getUnderlyingDecl()->getAsFunction();
    if (!function)
      return {};
    preferences.push_back(sema.CUDA().IdentifyPreference(caller, function));
  }
  auto best = *llvm::max_element(preferences);
  UnresolvedSet<4> preferred;
  for (auto [i, preference] : llvm::enumerate(preferences))
    if (auto decl = overloads.decls_begin() + i; preference == best)
      preferred.addDecl(*decl, decl.getAccess());
  if (preferred.size() == preferences.size())
    preferred.clear();
  return preferred;
}

} // namespace

FunctionDecl *resolve(Sema &, OverloadExpr *, bool complain, DeclAccessPair *found,
                      TemplateSpecCandidateSet *failed, bool deduces) HEDDLE_WRAP(RESOLVE);
FunctionDecl *resolve(Sema &sema, OverloadExpr *overloads, bool complain, DeclAccessPair *found,
                      TemplateSpecCandidateSet *failed, bool deduces) {
  auto *lookup = dyn_cast<UnresolvedLookupExpr>(overloads);
  if (sema.getLangOpts().CUDA && lookup && overloads->getNumDecls() > 1)
    if (UnresolvedSet<4> preferred = preferredOf(sema, *overloads); !preferred.empty()) {
      TemplateArgumentListInfo arguments;
      overloads->copyTemplateArgumentsInto(arguments);
      overloads = UnresolvedLookupExpr::Create(
          sema.Context, lookup->getNamingClass(), lookup->getQualifierLoc(),
          lookup->getTemplateKeywordLoc(), lookup->getNameInfo(), lookup->requiresADL(),
          overloads->hasExplicitTemplateArgs() ? &arguments : nullptr, preferred.begin(),
          preferred.end(), /*KnownDependent=*/false, /*KnownInstantiationDependent=*/false);
    }
  return clangsResolve(sema, overloads, complain, found, failed, deduces);
}

} // namespace heddle::cuda
