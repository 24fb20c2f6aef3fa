// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Defined assignments of what is on the device. Flang 22 puts the right side in parentheses, as the
// standard has it (Fortran 2018, 10.2.1.5), and then has a value of the host, which no dummy with
// the attribute device takes. Variables of the device stay variables; for dummies of the host
// fixes.cpp writes the parentheses.
#include "flang/Evaluate/call.h"
#include "flang/Evaluate/tools.h"
#include "flang/Semantics/symbol.h"
#include "flang/Semantics/tools.h"

using Fortran::evaluate::ActualArgument;

namespace {

/// Managed variables may be the left side, too, if they are of derived types.
bool staysVariable(const ActualArgument &argument) {
  const auto *expression = argument.UnwrapExpr();
  const Fortran::semantics::Symbol *variable =
      expression ? Fortran::evaluate::GetLastSymbol(*expression) : nullptr;
  auto attribute = Fortran::semantics::GetCUDADataAttr(variable);
  if (!attribute)
    return false;
  bool isOnDeviceAlone = *attribute == Fortran::common::CUDADataAttr::Device ||
                         *attribute == Fortran::common::CUDADataAttr::Constant;
  std::optional<Fortran::evaluate::DynamicType> type = argument.GetType();
  return isOnDeviceAlone || (type && type->category() != Fortran::common::TypeCategory::Derived);
}

} // namespace

// ActualArgument::Parenthesize(), which nothing but defined assignments calls.
void parenthesizeAsFlang(ActualArgument *) __asm__(
    "__real__ZN7Fortran8evaluate14ActualArgument12ParenthesizeEv");
void parenthesizeOnHost(ActualArgument *) __asm__(
    "__wrap__ZN7Fortran8evaluate14ActualArgument12ParenthesizeEv");

void parenthesizeOnHost(ActualArgument *argument) {
  if (!staysVariable(*argument))
    parenthesizeAsFlang(argument);
}
