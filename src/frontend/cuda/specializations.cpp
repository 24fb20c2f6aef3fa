// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Specializations and explicit instantiations whose execution spaces are not the template's:
//
//   template <class T> __host__ __device__ float rounded(T t);
//   template <> __device__ float rounded(int i) { return __int2float_rz(i); }
//   template float rounded<double>(double);
//
// clang takes the spaces for a part of the signature and finds no template. nvcc gives a
// specialization its own and the template's, and both sides if it names none. Kernels stay apart.
#include "frontend/cuda/wrap.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Sema/DeclSpec.h"
#include "clang/Sema/Lookup.h"
#include "clang/Sema/Sema.h"
#include "clang/Sema/SemaCUDA.h"

#include <optional>

using namespace clang;

#define TARGET "_ZN5clang8SemaCUDA14IdentifyTargetEPKNS_12FunctionDeclEb"
#define SPECIALIZATION                                                                             \
  "_ZN5clang4Sema35CheckFunctionTemplateSpecializationEPNS_12FunctionDeclEPNS_24TemplateArgument"  \
  "ListInfoERNS_12LookupResultEb"
#define MEMBER "_ZN5clang4Sema25CheckMemberSpecializationEPNS_9NamedDeclERNS_12LookupResultE"
#define INSTANTIATION                                                                              \
  "_ZN5clang4Sema26ActOnExplicitInstantiationEPNS_5ScopeENS_14SourceLocationES3_RNS_10DeclaratorE"

namespace heddle::cuda {

using Target = CUDAFunctionTarget;

Target clangsTarget(SemaCUDA &, const FunctionDecl *, bool ignoresImplicit) HEDDLE_REAL(TARGET);
bool clangsSpecialization(Sema &, FunctionDecl *, TemplateArgumentListInfo *, LookupResult &,
                          bool isFriend) HEDDLE_REAL(SPECIALIZATION);
bool clangsMember(Sema &, NamedDecl *, LookupResult &) HEDDLE_REAL(MEMBER);
DeclResult clangsInstantiation(Sema &, Scope *, SourceLocation, SourceLocation, Declarator &)
    HEDDLE_REAL(INSTANTIATION);

namespace {

/// The target of the declaration whose template is looked for.
thread_local std::optional<Target> wanted;

/// Says what is wanted, for a scope.
class Wanted {
public:
  explicit Wanted(Target target) : before(wanted) { wanted = target; }
  ~Wanted() { wanted = before; }

private:
  std::optional<Target> before;
};

/// Whether one of the templates of that name has just the target.
bool hasTemplateFor(SemaCUDA &cuda, const FunctionTemplateDecl &found, Target target) {
  for (NamedDecl *other : found.getDeclContext()->getRedeclContext()->lookup(found.getDeclName()))
    if (const auto *candidate = dyn_cast<FunctionTemplateDecl>(other->getUnderlyingDecl());
        candidate && clangsTarget(cuda, candidate->getTemplatedDecl(), true) == target)
      return true;
  return false;
}

bool isOneSides(Target target) { return target == Target::Host || target == Target::Device; }

/// Both get the spaces of both.
void join(Sema &sema, FunctionDecl &one, FunctionDecl &other) {
  const Target a = clangsTarget(sema.CUDA(), &one, false),
               b = clangsTarget(sema.CUDA(), &other, false);
  const bool areOfSides =
      (isOneSides(a) || a == Target::HostDevice) && (isOneSides(b) || b == Target::HostDevice);
  if (a == b || !areOfSides)
    return;
  for (FunctionDecl *function : {&one, &other}) {
    if (!function->hasAttr<CUDAHostAttr>())
      function->addAttr(CUDAHostAttr::CreateImplicit(sema.Context));
    if (!function->hasAttr<CUDADeviceAttr>())
      function->addAttr(CUDADeviceAttr::CreateImplicit(sema.Context));
  }
}

/// With what it specializes, the one that was found.
void joinFound(Sema &sema, NamedDecl &declared, const LookupResult &found) {
  auto *function = dyn_cast<FunctionDecl>(&declared);
  if (function && sema.getLangOpts().CUDA && found.isSingleResult())
    if (auto *known = dyn_cast<FunctionDecl>(found.getFoundDecl()))
      join(sema, *function, *known);
}

} // namespace

Target targetOf(SemaCUDA &, const FunctionDecl *, bool ignoresImplicit) HEDDLE_WRAP(TARGET);
Target targetOf(SemaCUDA &cuda, const FunctionDecl *function, bool ignoresImplicit) {
  const Target own = clangsTarget(cuda, function, ignoresImplicit);
  if (!wanted || !ignoresImplicit || !function || own == *wanted || own == Target::Global ||
      *wanted == Target::Global)
    return own;
  const FunctionTemplateDecl *found = function->getPrimaryTemplate();
  return !found || hasTemplateFor(cuda, *found, *wanted) ? own : *wanted;
}

bool specialization(Sema &, FunctionDecl *, TemplateArgumentListInfo *, LookupResult &,
                    bool isFriend) HEDDLE_WRAP(SPECIALIZATION);
bool specialization(Sema &sema, FunctionDecl *function, TemplateArgumentListInfo *arguments,
                    LookupResult &previous, bool isFriend) {
  if (!sema.getLangOpts().CUDA)
    return clangsSpecialization(sema, function, arguments, previous, isFriend);
  const Target own = clangsTarget(sema.CUDA(), function, true);
  const Wanted scope(own);
  if (clangsSpecialization(sema, function, arguments, previous, isFriend))
    return true;
  // It has the template's by now.
  if (own == Target::Host && function->hasAttr<CUDADeviceAttr>() &&
      !function->hasAttr<CUDAHostAttr>())
    function->addAttr(CUDAHostAttr::CreateImplicit(sema.Context));
  joinFound(sema, *function, previous);
  return false;
}

bool member(Sema &, NamedDecl *, LookupResult &) HEDDLE_WRAP(MEMBER);
bool member(Sema &sema, NamedDecl *declared, LookupResult &previous) {
  if (clangsMember(sema, declared, previous))
    return true;
  joinFound(sema, *declared, previous);
  return false;
}

DeclResult instantiation(Sema &, Scope *, SourceLocation, SourceLocation, Declarator &)
    HEDDLE_WRAP(INSTANTIATION);
DeclResult instantiation(Sema &sema, Scope *scope, SourceLocation externPlace, SourceLocation place,
                         Declarator &declared) {
  if (!sema.getLangOpts().CUDA)
    return clangsInstantiation(sema, scope, externPlace, place, declared);
  const Wanted target(sema.CUDA().IdentifyTarget(declared.getDeclSpec().getAttributes()));
  return clangsInstantiation(sema, scope, externPlace, place, declared);
}

} // namespace heddle::cuda
