// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `auto f = &get<double>;` where `get` is a template for the host and one for the device: there is
// one function that the caller may call, and clang says that it cannot tell which is meant. It
// looks for a single specialization, and for the most specialized one of several, before it looks
// at the sides. Here it is shown those only that the caller would call first.
#include "frontend/cuda/wrap.h"

#include "clang/AST/ExprCXX.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/SemaCUDA.h"

using namespace clang;

#define RESOLVE                                                                                    \
  "_ZN5clang4Sema43ResolveSingleFunctionTemplateSpecializationEPNS_12OverloadExprEbPNS_14DeclAcce" \
  "ssPairEPNS_24TemplateSpecCandidateSetEb"
#define MOST_SPECIALIZED                                                                           \
  "_ZN5clang4Sema18getMostSpecializedENS_21UnresolvedSetIteratorES1_RNS_24TemplateSpecCandidateSe" \
  "tENS_14SourceLocationERKNS_17PartialDiagnosticES7_S7_bNS_8QualTypeE"

namespace heddle::cuda {

FunctionDecl *clangsResolve(Sema &, OverloadExpr *, bool complains, DeclAccessPair *found,
                            TemplateSpecCandidateSet *failed, bool deduces) HEDDLE_REAL(RESOLVE);
UnresolvedSetIterator
clangsMostSpecialized(Sema &, UnresolvedSetIterator begin, UnresolvedSetIterator end,
                      TemplateSpecCandidateSet &failed, SourceLocation,
                      const PartialDiagnostic &none, const PartialDiagnostic &ambiguous,
                      const PartialDiagnostic &candidate, bool complains, QualType target)
    HEDDLE_REAL(MOST_SPECIALIZED);

namespace {

/// The functions that the caller prefers.
UnresolvedSet<4> preferredOf(Sema &sema, UnresolvedSetIterator begin, UnresolvedSetIterator end) {
  const FunctionDecl *caller = sema.getCurFunctionDecl(/*AllowLambda=*/true);
  UnresolvedSet<4> preferred;
  int best = -1;
  for (auto decl = begin; decl != end; ++decl) {
    const FunctionDecl *function = (*decl)->getUnderlyingDecl()->getAsFunction();
    int preference = function ? sema.CUDA().IdentifyPreference(caller, function) : 0;
    if (preference > best)
      preferred.clear();
    best = std::max(best, preference);
    if (preference == best)
      preferred.addDecl(*decl, decl.getAccess());
  }
  return preferred;
}

} // namespace

FunctionDecl *resolve(Sema &, OverloadExpr *, bool complains, DeclAccessPair *found,
                      TemplateSpecCandidateSet *failed, bool deduces) HEDDLE_WRAP(RESOLVE);
FunctionDecl *resolve(Sema &sema, OverloadExpr *overloads, bool complains, DeclAccessPair *found,
                      TemplateSpecCandidateSet *failed, bool deduces) {
  auto *lookup = dyn_cast<UnresolvedLookupExpr>(overloads);
  if (!sema.getLangOpts().CUDA || !lookup || lookup->getNumDecls() < 2)
    return clangsResolve(sema, overloads, complains, found, failed, deduces);
  UnresolvedSet<4> preferred = preferredOf(sema, lookup->decls_begin(), lookup->decls_end());
  if (preferred.size() != lookup->getNumDecls()) {
    TemplateArgumentListInfo arguments;
    lookup->copyTemplateArgumentsInto(arguments);
    overloads = UnresolvedLookupExpr::Create(
        sema.Context, lookup->getNamingClass(), lookup->getQualifierLoc(),
        lookup->getTemplateKeywordLoc(), lookup->getNameInfo(), lookup->requiresADL(),
        lookup->hasExplicitTemplateArgs() ? &arguments : nullptr, preferred.begin(),
        preferred.end(), /*KnownDependent=*/false, /*KnownInstantiationDependent=*/false);
  }
  return clangsResolve(sema, overloads, complains, found, failed, deduces);
}

UnresolvedSetIterator mostSpecialized(Sema &, UnresolvedSetIterator begin,
                                      UnresolvedSetIterator end, TemplateSpecCandidateSet &failed,
                                      SourceLocation, const PartialDiagnostic &none,
                                      const PartialDiagnostic &ambiguous,
                                      const PartialDiagnostic &candidate, bool complains,
                                      QualType target) HEDDLE_WRAP(MOST_SPECIALIZED);
UnresolvedSetIterator mostSpecialized(Sema &sema, UnresolvedSetIterator begin,
                                      UnresolvedSetIterator end, TemplateSpecCandidateSet &failed,
                                      SourceLocation place, const PartialDiagnostic &none,
                                      const PartialDiagnostic &ambiguous,
                                      const PartialDiagnostic &candidate, bool complains,
                                      QualType target) {
  UnresolvedSet<4> preferred;
  if (sema.getLangOpts().CUDA && ambiguous.getDiagID() == diag::err_addr_ovl_ambiguous)
    preferred = preferredOf(sema, begin, end);
  if (preferred.empty())
    return clangsMostSpecialized(sema, begin, end, failed, place, none, ambiguous, candidate,
                                 complains, target);
  auto best = clangsMostSpecialized(sema, preferred.begin(), preferred.end(), failed, place, none,
                                    ambiguous, candidate, complains, target);
  return best == preferred.end()
             ? end
             : std::find_if(begin, end, [&](const NamedDecl *decl) { return decl == *best; });
}

} // namespace heddle::cuda
