// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MODULE PROCEDURE in a submodule: the procedure is what its interface in the module says, with
// ATTRIBUTES, LAUNCH_BOUNDS and CLUSTER_DIMS. Flang 22 copies the dummies of the interface to the
// procedure, and not these.
//
//   attributes(global) module subroutine k(a)      in the module's interface block
//   module procedure k                             in the submodule: a kernel
//
// It gets the names that device code knows, too, which Flang copies where it reads ATTRIBUTES.
#include "frontend/fortran/flang/hooks.h"

#include "flang/Frontend/CompilerInstance.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/symbol.h"

using Fortran::semantics::Scope;
using Fortran::semantics::SubprogramDetails;
using Fortran::semantics::Symbol;

namespace Fortran::semantics {
struct SymbolAndTypeMappings;
}
using Fortran::semantics::SymbolAndTypeMappings;

namespace {

/// Whether the procedure becomes device code.
bool copyAttributes(const Symbol &interface, Symbol &procedure) {
  const auto *from = interface.detailsIf<SubprogramDetails>();
  auto *to = procedure.detailsIf<SubprogramDetails>();
  if (!from || !to || !from->cudaSubprogramAttrs() || to->cudaSubprogramAttrs())
    return false;
  to->set_cudaSubprogramAttrs(*from->cudaSubprogramAttrs());
  to->set_cudaLaunchBounds(std::vector<std::int64_t>(from->cudaLaunchBounds()));
  to->set_cudaClusterDims(std::vector<std::int64_t>(from->cudaClusterDims()));
  return *from->cudaSubprogramAttrs() != Fortran::common::CUDASubprogramAttrs::Host;
}

void addDeviceNames(Scope &scope) {
  auto &context = heddle::fortran::compilation()->getSemanticsContext();
  for (const auto &name : context.GetCUDADeviceScope().GetSymbols()) {
    if (scope.FindSymbol(name->name()))
      continue;
    auto added = scope.try_emplace(name->name(), Fortran::semantics::Attrs{},
                                   Fortran::semantics::UseDetails{name->name(), *name});
    added.first->second->flags() = name->flags();
  }
}

} // namespace

// MapSubprogramToNewSymbols(interface, procedure, scope, mappings).
void mapAsFlang(const Symbol &, Symbol &, Scope &, SymbolAndTypeMappings *) __asm__(
    "__real__ZN7Fortran9semantics25MapSubprogramToNewSymbolsERKNS0_6SymbolERS1_RNS0_5ScopeEPNS0_"
    "21SymbolAndTypeMappingsE");
void mapWithAttributes(const Symbol &, Symbol &, Scope &, SymbolAndTypeMappings *) __asm__(
    "__wrap__ZN7Fortran9semantics25MapSubprogramToNewSymbolsERKNS0_6SymbolERS1_RNS0_5ScopeEPNS0_"
    "21SymbolAndTypeMappingsE");

void mapWithAttributes(const Symbol &interface, Symbol &procedure, Scope &scope,
                       SymbolAndTypeMappings *mappings) {
  bool isDevice = copyAttributes(interface, procedure);
  mapAsFlang(interface, procedure, scope, mappings);
  if (isDevice)
    addDeviceNames(scope);
}
