// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where Flang has made FIR of a program, the changes of FIR begin.
#include "frontend/fortran/flang/hooks.h"

#include "flang/Frontend/CompilerInstance.h"
#include "flang/Lower/Bridge.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/semantics.h"
#include "flang/Semantics/tools.h"

namespace {

/// The names of components with the attribute device, of which FIR does not know it.
void addComponents(const Fortran::semantics::Scope &scope, llvm::StringSet<> &names) {
  if (scope.IsDerivedType())
    for (const auto &[name, symbol] : scope)
      if (Fortran::semantics::GetCUDADataAttr(&*symbol) == Fortran::common::CUDADataAttr::Device)
        names.insert(name.ToString());
  for (const Fortran::semantics::Scope &inner : scope.children())
    addComponents(inner, names);
}

} // namespace

using Fortran::lower::LoweringBridge;
extern "C" {
void lowerAsFlang(
    LoweringBridge *, const Fortran::parser::Program &,
    const Fortran::semantics::SemanticsContext
        &) __asm__("__real__ZN7Fortran5lower14LoweringBridge5lowerERKNS_6parser7Program"
                   "ERKNS_9semantics16SemanticsContextE");
void lowerAndMend(
    LoweringBridge *, const Fortran::parser::Program &,
    const Fortran::semantics::SemanticsContext
        &) __asm__("__wrap__ZN7Fortran5lower14LoweringBridge5lowerERKNS_6parser7Program"
                   "ERKNS_9semantics16SemanticsContextE");

void lowerAndMend(LoweringBridge *bridge, const Fortran::parser::Program &program,
                  const Fortran::semantics::SemanticsContext &context) {
  lowerAsFlang(bridge, program, context);
  llvm::StringSet<> components;
  addComponents(heddle::fortran::compilation()->getSemanticsContext().globalScope(), components);
  heddle::fortran::mendText(bridge->getModule());
  heddle::fortran::mendTransfers(bridge->getModule());
  heddle::fortran::mendWaits(bridge->getModule(), components);
  heddle::fortran::mendExtents(bridge->getModule());
  heddle::fortran::mendAtomics(bridge->getModule());
  heddle::fortran::mendAllocations(bridge->getModule());
}
}
