// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `T __restrict__ *a` in a template: the word stands one place too early and qualifies T, which
// means nothing unless T is a pointer. nvcc takes it, as long as T is a parameter of a template;
// clang refuses the instantiation.
#include "frontend/cuda/wrap.h"

#include "clang/AST/ASTContext.h"
#include "clang/Sema/Sema.h"

using namespace clang;

#define QUALIFIED                                                                                  \
  "_ZN5clang4Sema18BuildQualifiedTypeENS_8QualTypeENS_14SourceLocationENS_10QualifiersEPKNS_8Decl" \
  "SpecE"

namespace heddle::cuda {

QualType clangsQualified(Sema &, QualType, SourceLocation, Qualifiers, const DeclSpec *)
    HEDDLE_REAL(QUALIFIED);

namespace {

bool mayBeRestricted(QualType type) {
  return type->isDependentType() || type->isAnyPointerType() || type->isReferenceType() ||
         type->isMemberPointerType() || type->isBlockPointerType();
}

} // namespace

QualType qualified(Sema &, QualType, SourceLocation, Qualifiers, const DeclSpec *)
    HEDDLE_WRAP(QUALIFIED);
QualType qualified(Sema &sema, QualType type, SourceLocation place, Qualifiers qualifiers,
                   const DeclSpec *specifiers) {
  if (qualifiers.hasRestrict() && sema.getLangOpts().CUDA && !type.isNull() &&
      !mayBeRestricted(type))
    qualifiers.removeRestrict();
  return clangsQualified(sema, type, place, qualifiers, specifiers);
}

} // namespace heddle::cuda
