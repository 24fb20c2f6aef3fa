// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names that ASSOCIATE gives to components and parts of arrays: they are where those are. Flang 22
// knows that of a name for a whole variable alone.
//
//   associate (a => grid%levels(k)%a_d)
//     call smooth<<<blocks, threads>>>(a, n)
#include "flang/Evaluate/tools.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/tools.h"

using Fortran::common::CUDADataAttr;
using Fortran::semantics::Symbol;

namespace {

/// What a name stands for: the last symbol of a component. Null if it is no variable's name.
const Symbol *associated(const Symbol *name) {
  const auto *details =
      name ? name->GetUltimate().detailsIf<Fortran::semantics::AssocEntityDetails>() : nullptr;
  bool isVariable = details && details->expr() && Fortran::evaluate::IsVariable(*details->expr());
  return isVariable ? Fortran::evaluate::GetLastSymbol(*details->expr()) : nullptr;
}

} // namespace

// GetCUDADataAttr(symbol).
std::optional<CUDADataAttr> attributeAsFlang(const Symbol *) __asm__(
    "__real__ZN7Fortran9semantics15GetCUDADataAttrEPKNS0_6SymbolE");
std::optional<CUDADataAttr> attributeOfAssociated(const Symbol *) __asm__(
    "__wrap__ZN7Fortran9semantics15GetCUDADataAttrEPKNS0_6SymbolE");

std::optional<CUDADataAttr> attributeOfAssociated(const Symbol *symbol) {
  std::optional<CUDADataAttr> attribute = attributeAsFlang(symbol);
  const Symbol *variable = attribute ? nullptr : associated(symbol);
  return variable ? attributeOfAssociated(variable) : attribute;
}
