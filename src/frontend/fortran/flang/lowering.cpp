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

using Fortran::common::CUDADataAttr;
using heddle::fortran::DeviceNames;

void addComponent(const Fortran::semantics::Symbol &component, DeviceNames &names) {
  std::optional<CUDADataAttr> attribute = Fortran::semantics::GetCUDADataAttr(&component);
  if (attribute == CUDADataAttr::Device)
    names.components.insert(component.name().ToString());
  else if (attribute == CUDADataAttr::Managed || attribute == CUDADataAttr::Unified)
    names.managedComponents.insert(component.name().ToString());
}

void addFunction(const Fortran::semantics::Symbol &symbol, DeviceNames &names) {
  const auto *details = symbol.detailsIf<Fortran::semantics::SubprogramDetails>();
  if (details && details->isFunction() &&
      Fortran::semantics::GetCUDADataAttr(&details->result()).has_value())
    names.functions.insert(symbol.name().ToString());
}

void addNames(const Fortran::semantics::Scope &scope, DeviceNames &names) {
  for (const auto &[name, symbol] : scope)
    if (scope.IsDerivedType())
      addComponent(*symbol, names);
    else
      addFunction(*symbol, names);
  for (const Fortran::semantics::Scope &inner : scope.children())
    addNames(inner, names);
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
  DeviceNames names;
  addNames(heddle::fortran::compilation()->getSemanticsContext().globalScope(), names);
  heddle::fortran::mendAddresses(bridge->getModule());
  heddle::fortran::mendText(bridge->getModule());
  heddle::fortran::mendTransfers(bridge->getModule());
  heddle::fortran::mendWaits(bridge->getModule(), names);
  heddle::fortran::mendExtents(bridge->getModule());
  heddle::fortran::mendAtomics(bridge->getModule());
  heddle::fortran::mendAllocations(bridge->getModule());
}
}
