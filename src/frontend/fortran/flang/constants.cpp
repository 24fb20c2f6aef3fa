// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of named constants in modules of other sources. Flang 22 refers to the variable that the
// module's own object has. On the device there is none if that source has no device code, as a
// plain .f90 has none. Module files have the values, so each source gets constants of its own, under
// the module's names.
#include "flang/Lower/AbstractConverter.h"
#include "flang/Lower/ConvertVariable.h"
#include "flang/Lower/PFTBuilder.h"
#include "flang/Optimizer/Builder/FIRBuilder.h"
#include "flang/Semantics/scope.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/tools.h"

using Fortran::lower::AbstractConverter;
using Fortran::lower::AggregateStoreMap;
using Fortran::lower::SymMap;
using Fortran::lower::pft::Variable;

namespace heddle::fortran {

namespace {

/// Whether a variable is an array of named constants of a module that is not compiled here.
bool isConstantOfOtherSource(const Variable &variable) {
  if (variable.isAggregateStore() || variable.isAlias() || !variable.isGlobal())
    return false;
  const Fortran::semantics::Symbol &symbol = variable.getSymbol().GetUltimate();
  return Fortran::semantics::IsNamedConstant(symbol) && symbol.Rank() > 0 &&
         symbol.owner().IsModule() && symbol.IsFromModFile();
}

void defineConstant(AbstractConverter &converter, const Variable &variable) {
  bool isCuda = converter.getFoldingContext().languageFeatures().IsEnabled(
      Fortran::common::LanguageFeature::CUDA);
  if (!isCuda || !isConstantOfOtherSource(variable))
    return;
  const Fortran::semantics::Symbol &symbol = variable.getSymbol().GetUltimate();
  Fortran::lower::defineGlobal(converter, Variable(symbol, /*global=*/true),
                               converter.mangleName(symbol),
                               converter.getFirOpBuilder().createInternalLinkage());
}

} // namespace

} // namespace heddle::fortran

// instantiateVariable(converter, variable, symbols, stores).
#define INSTANTIATE_VARIABLE                                                                       \
  "_ZN7Fortran5lower19instantiateVariableERNS0_17AbstractConverterERKNS0_3pft8VariableERNS0_"      \
  "6SymMapERN4llvm8DenseMapISt5tupleIJPKNS_9semantics5ScopeEmEEN4mlir5ValueENS9_12DenseMapInfo"    \
  "ISG_vEENS9_6detail12DenseMapPairISG_SI_EEEE"

extern "C" {
void instantiateAsFlang(AbstractConverter &, const Variable &, SymMap &,
                        AggregateStoreMap &) __asm__("__real_" INSTANTIATE_VARIABLE);
void instantiateWithConstants(AbstractConverter &, const Variable &, SymMap &,
                              AggregateStoreMap &) __asm__("__wrap_" INSTANTIATE_VARIABLE);

void instantiateWithConstants(AbstractConverter &converter, const Variable &variable,
                              SymMap &symbols, AggregateStoreMap &stores) {
  heddle::fortran::defineConstant(converter, variable);
  instantiateAsFlang(converter, variable, symbols, stores);
}
}
