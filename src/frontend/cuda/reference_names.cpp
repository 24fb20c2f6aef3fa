// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `texture` and `surface`, the templates of references, which CUDA had up to version 11. Programs of
// the texts use them; later ones have types, kernels and variables of these names, as `class
// texture` of a ray tracer. So what a program declares takes the template's place:
//
//   class texture {};                   // nothing finds the template any more
//   using namespace shading;            // which has a `texture`: the name is not ambiguous
//
// All names are looked up in one of two functions of clang's, when they are declared, too.
#include "frontend/cuda/reference_names.h"

#include "frontend/cuda/wrap.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/Sema/Lookup.h"
#include "clang/Sema/Sema.h"

using namespace clang;

#define LOOK_UP "_ZN5clang4Sema10LookupNameERNS_12LookupResultEPNS_5ScopeEbb"
#define LOOK_UP_PARSED                                                                             \
  "_ZN5clang4Sema16LookupParsedNameERNS_12LookupResultEPNS_5ScopeEPNS_12CXXScopeSpecENS_8QualTyp"  \
  "eEbb"

namespace heddle::cuda {

bool clangsLookUp(Sema &, LookupResult &, Scope *, bool, bool) HEDDLE_REAL(LOOK_UP);
bool clangsLookUpParsed(Sema &, LookupResult &, Scope *, CXXScopeSpec *, QualType, bool, bool)
    HEDDLE_REAL(LOOK_UP_PARSED);

bool isOfHeaders(const Sema &sema, const NamedDecl &found) {
  return found.getDeclContext()->isTranslationUnit() &&
         sema.getSourceManager().isInSystemHeader(found.getLocation());
}

void forget(Sema &sema, NamedDecl &known) {
  sema.IdResolver.RemoveDecl(&known);
  sema.TUScope->RemoveDecl(&known);
  if (!known.isFromASTFile())
    known.getDeclContext()->removeDecl(&known);
}

namespace {

bool isOfReferences(DeclarationName name) {
  const IdentifierInfo *text = name.getAsIdentifierInfo();
  return text && (text->isStr("texture") || text->isStr("surface"));
}

/// Takes the template out of what was found where the program has the name, too, or declares it.
bool preferPrograms(Sema &sema, LookupResult &result, const Scope *scope) {
  const bool declares =
      result.isForRedeclaration() && !sema.getSourceManager().isInSystemHeader(result.getNameLoc());
  if (!declares && !result.isAmbiguous())
    return !result.empty();
  LookupResult::Filter filter = result.makeFilter();
  while (filter.hasNext()) {
    NamedDecl *found = filter.next();
    if (!isa<ClassTemplateDecl>(found) || !isOfHeaders(sema, *found))
      continue;
    filter.erase();
    if (declares && scope == sema.TUScope)
      forget(sema, *found);
  }
  filter.done();
  return !result.empty();
}

} // namespace

bool lookUp(Sema &, LookupResult &, Scope *, bool, bool) HEDDLE_WRAP(LOOK_UP);
bool lookUp(Sema &sema, LookupResult &result, Scope *scope, bool builtins, bool isC) {
  const bool isFound = clangsLookUp(sema, result, scope, builtins, isC);
  if (!isFound || !isOfReferences(result.getLookupName()))
    return isFound;
  return preferPrograms(sema, result, scope);
}

bool lookUpParsed(Sema &, LookupResult &, Scope *, CXXScopeSpec *, QualType, bool, bool)
    HEDDLE_WRAP(LOOK_UP_PARSED);
bool lookUpParsed(Sema &sema, LookupResult &result, Scope *scope, CXXScopeSpec *path,
                  QualType object, bool builtins, bool enters) {
  const bool isFound = clangsLookUpParsed(sema, result, scope, path, object, builtins, enters);
  if (!isFound || !isOfReferences(result.getLookupName()))
    return isFound;
  return preferPrograms(sema, result, scope);
}

} // namespace heddle::cuda
