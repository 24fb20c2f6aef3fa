// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function of a class template may name a member that the template does not have, as long as
// nothing uses the function (Thrust's `optional<T &>::emplace`): nvcc and g++ look for members of
// the template's own when the function is instantiated, clang when it reads it. Here the name waits
// for the instantiation, as that of a member of a parameter's does.
#include "frontend/cuda/wrap.h"

#include "clang/AST/DeclCXX.h"
#include "clang/Sema/Lookup.h"
#include "clang/Sema/Sema.h"

using namespace clang;

#define MEMBER_ACCESS                                                                              \
  "_ZN5clang4Sema21ActOnMemberAccessExprEPNS_5ScopeEPNS_4ExprENS_14SourceLocationENS_3tok9Token"   \
  "KindERNS_12CXXScopeSpecES5_RNS_13UnqualifiedIdEPNS_4DeclE"

#define EMPTY_LOOKUP                                                                               \
  "_ZN5clang4Sema19DiagnoseEmptyLookupEPNS_5ScopeERNS_12CXXScopeSpecERNS_12LookupResultERNS_27Cor" \
  "rectionCandidateCallbackEPNS_24TemplateArgumentListInfoEN4llvm8ArrayRefIPNS_4ExprEEEPNS_11Decl" \
  "ContextE"

namespace heddle::cuda {

bool clangsEmptyLookup(Sema &, Scope *, CXXScopeSpec &, LookupResult &,
                       CorrectionCandidateCallback &, TemplateArgumentListInfo *, ArrayRef<Expr *>,
                       DeclContext *) HEDDLE_REAL(EMPTY_LOOKUP);
ExprResult clangsMemberAccess(Sema &, Scope *, Expr *object, SourceLocation sign,
                              tok::TokenKind kind, CXXScopeSpec &, SourceLocation templateKeyword,
                              UnqualifiedId &member, Decl *) HEDDLE_REAL(MEMBER_ACCESS);

namespace {

/// Whether the template that is being read is the object's class and lacks the member.
bool isMissingMember(Sema &sema, const Expr *object, bool isArrow, const CXXScopeSpec &scope,
                     const UnqualifiedId &member) {
  if (member.getKind() != UnqualifiedIdKind::IK_Identifier || scope.isNotEmpty() ||
      !sema.CurContext->isDependentContext())
    return false;
  QualType type = object->getType();
  if (isArrow)
    type = type->getPointeeType();
  CXXRecordDecl *record = type.isNull() ? nullptr : type->getAsCXXRecordDecl();
  if (!record || !record->isDependentContext() || !record->getDefinition() ||
      record->hasAnyDependentBases())
    return false;
  LookupResult found(sema, DeclarationName(member.Identifier), member.StartLocation,
                     Sema::LookupMemberName);
  found.suppressDiagnostics();
  return !sema.LookupQualifiedName(found, record) &&
         found.getResultKind() == LookupResultKind::NotFound;
}

/// Whether the class that is being instantiated has, or inherits, the name.
bool findInherited(Sema &sema, LookupResult &name) {
  const auto *method = dyn_cast<CXXMethodDecl>(sema.CurContext);
  if (!method || !method->isTemplateInstantiation())
    return false;
  sema.LookupQualifiedName(name, const_cast<CXXRecordDecl *>(method->getParent()));
  if (name.getResultKind() == LookupResultKind::Found ||
      name.getResultKind() == LookupResultKind::FoundOverloaded)
    return true;
  name.suppressDiagnostics();
  name.clear();
  return false;
}

} // namespace

bool emptyLookup(Sema &, Scope *, CXXScopeSpec &, LookupResult &, CorrectionCandidateCallback &,
                 TemplateArgumentListInfo *, ArrayRef<Expr *>, DeclContext *)
    HEDDLE_WRAP(EMPTY_LOOKUP);
/// False if the name was found.
bool emptyLookup(Sema &sema, Scope *scope, CXXScopeSpec &qualifier, LookupResult &name,
                 CorrectionCandidateCallback &corrections,
                 TemplateArgumentListInfo *explicitArguments, ArrayRef<Expr *> arguments,
                 DeclContext *where) {
  if (sema.getLangOpts().CUDA && qualifier.isEmpty() && !where && findInherited(sema, name))
    return false;
  return clangsEmptyLookup(sema, scope, qualifier, name, corrections, explicitArguments, arguments,
                           where);
}

ExprResult memberAccess(Sema &, Scope *, Expr *object, SourceLocation sign, tok::TokenKind kind,
                        CXXScopeSpec &, SourceLocation templateKeyword, UnqualifiedId &member,
                        Decl *) HEDDLE_WRAP(MEMBER_ACCESS);
ExprResult memberAccess(Sema &sema, Scope *scope, Expr *object, SourceLocation sign,
                        tok::TokenKind kind, CXXScopeSpec &qualifier,
                        SourceLocation templateKeyword, UnqualifiedId &member, Decl *decl) {
  bool isArrow = kind == tok::arrow;
  if (!isMissingMember(sema, object, isArrow, qualifier, member))
    return clangsMemberAccess(sema, scope, object, sign, kind, qualifier, templateKeyword, member,
                              decl);
  DeclarationNameInfo name(DeclarationName(member.Identifier), member.StartLocation);
  return sema.ActOnDependentMemberExpr(object, object->getType(), isArrow, sign, qualifier,
                                       templateKeyword, nullptr, name, nullptr);
}

} // namespace heddle::cuda
