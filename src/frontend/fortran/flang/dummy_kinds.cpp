// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dummy in bounds, declared behind them, under IMPLICIT NONE:
//
//   real :: a(n)
//   integer(wide) :: n       ->  integer(8) :: n
//
// Flang 22 looks ahead for the kind of such a dummy if it is a number, and else takes the default.
#include "frontend/fortran/flang/hooks.h"

#include "flang/Frontend/CompilerInstance.h"
#include "flang/Parser/message.h"
#include "flang/Parser/parse-tree-visitor.h"
#include "flang/Parser/parse-tree.h"
#include "flang/Parser/parsing.h"
#include "flang/Semantics/tools.h"

#include "llvm/ADT/StringRef.h"

namespace heddle::fortran {

namespace {

namespace parser = Fortran::parser;

/// The kind in the declaration of integers that declares a name.
struct KindOfName {
  parser::CharBlock name;
  const parser::ScalarIntConstantExpr *kind = nullptr;

  template <typename T> bool Pre(const T &) { return !kind; }
  template <typename T> void Post(const T &) {}
  bool Pre(const parser::ExecutionPart &) { return false; }
  bool Pre(const parser::TypeDeclarationStmt &declaration) {
    const auto &entities = std::get<std::list<parser::EntityDecl>>(declaration.t);
    bool isIt = llvm::any_of(entities, [&](const parser::EntityDecl &entity) {
      return std::get<parser::ObjectName>(entity.t).source.begin() == name.begin();
    });
    const auto &type = std::get<parser::DeclarationTypeSpec>(declaration.t);
    const auto *intrinsic = std::get_if<parser::IntrinsicTypeSpec>(&type.u);
    const auto *integer = intrinsic ? std::get_if<parser::IntegerTypeSpec>(&intrinsic->u) : nullptr;
    if (isIt && integer && integer->v)
      kind = std::get_if<parser::ScalarIntConstantExpr>(&integer->v->u);
    return false;
  }
};

} // namespace

std::optional<std::pair<parser::CharBlock, int64_t>> kindOfDummy(const parser::Message &message) {
  std::string error = message.ToString();
  auto &program = compilation()->getParsing().parseTree();
  if (!program || !llvm::StringRef(error).contains("has already been implicitly declared as INT"))
    return {};
  std::optional<parser::CharBlock> name = blockOf(message);
  KindOfName found{name.value_or(parser::CharBlock())};
  if (name)
    parser::Walk(*program, found);
  if (!found.kind)
    return {};
  std::optional<int64_t> value = Fortran::semantics::GetIntValue(*found.kind);
  if (!value)
    return {};
  return std::pair(found.kind->thing.thing.thing.value().source, *value);
}

} // namespace heddle::fortran
