// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of kernels and variables as expressions of C++ (`scale<float>`, `&space::table`). Each is a
// statement in a function of the host behind the source. No code is made of such a function, but
// what it names is instantiated and compiled:
//
//   #line 1 "__nv_name_map"
//   static void __heddle_name_map() {
//   (void)(scale<float>);
//   }
#include "frontend/cuda/name_expressions.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Mangle.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Frontend/CompilerInstance.h"

using namespace clang;

namespace heddle::cuda {

namespace {

constexpr const char *MapName = "__heddle_name_map";

/// What an expression names, or null.
const ValueDecl *namedBy(const Stmt *statement) {
  const auto *expression = dyn_cast_if_present<Expr>(statement);
  while (expression) {
    expression = expression->IgnoreParenCasts();
    if (const auto *name = dyn_cast<DeclRefExpr>(expression))
      return name->getDecl();
    const auto *address = dyn_cast<UnaryOperator>(expression);
    expression = address && address->getOpcode() == UO_AddrOf ? address->getSubExpr() : nullptr;
  }
  return nullptr;
}

class NameReader : public ASTConsumer {
public:
  NameReader(DiagnosticsEngine &diagnostics, const std::vector<std::string> &expressions,
             std::vector<std::string> &names)
      : diagnostics_(diagnostics), expressions_(expressions), names_(names) {}

  void HandleTranslationUnit(ASTContext &context) override {
    const FunctionDecl *map = find(context);
    if (!map || !map->hasBody() || diagnostics_.hasErrorOccurred())
      return;
    ASTNameGenerator names(context);
    const auto *body = cast<CompoundStmt>(map->getBody());
    if (body->size() != expressions_.size()) { // one was more than an expression
      diagnostics_.Report(map->getLocation(), diagnostics_.getDiagnosticIDs()->getCustomDiagID(
                                                  DiagnosticIDs::Error, "expected an expression"));
      return;
    }
    for (const Stmt *statement : body->body())
      read(names, *statement);
  }

private:
  static const FunctionDecl *find(ASTContext &context) {
    for (const NamedDecl *found :
         context.getTranslationUnitDecl()->lookup(&context.Idents.get(MapName)))
      if (const auto *function = dyn_cast<FunctionDecl>(found))
        return function;
    return nullptr;
  }

  void read(ASTNameGenerator &names, const Stmt &statement) {
    const ValueDecl *named = namedBy(&statement);
    const auto *function = dyn_cast_if_present<FunctionDecl>(named);
    if (function && !function->hasAttr<CUDAGlobalAttr>())
      return refuse(statement, "name expression cannot form address of a non-__global__ function");
    const auto *variable = dyn_cast_if_present<VarDecl>(named);
    if (!function && !(variable && (variable->hasAttr<CUDADeviceAttr>() ||
                                    variable->hasAttr<CUDAConstantAttr>())))
      return refuse(statement, "name expression must form address of a __global__ function or the "
                               "address of a __device__/__constant__ variable");
    const bool isCode = function || !variable->isExternC();
    names_.push_back(isCode ? names.getName(named) : variable->getNameAsString());
  }

  void refuse(const Stmt &statement, const char *why) {
    diagnostics_.Report(statement.getBeginLoc(),
                        diagnostics_.getDiagnosticIDs()->getCustomDiagID(
                            DiagnosticIDs::Error, std::string(why) + "; it was: \"" +
                                                      expressions_[names_.size()] + "\""));
    names_.emplace_back();
  }

  DiagnosticsEngine &diagnostics_;
  const std::vector<std::string> &expressions_;
  std::vector<std::string> &names_;
};

} // namespace

std::string usesOf(const std::vector<std::string> &expressions) {
  if (expressions.empty())
    return "";
  std::string text = "\n#line 1 \"__nv_name_map\"\nstatic inline __attribute__((host)) void " +
                     std::string(MapName) + "() {\n";
  for (const std::string &expression : expressions)
    text += "(void)(" + expression + ");\n";
  return text + "}\n";
}

std::unique_ptr<ASTConsumer> nameExpressions(CompilerInstance &clang,
                                             const std::vector<std::string> &expressions,
                                             std::vector<std::string> &names) {
  return std::make_unique<NameReader>(clang.getDiagnostics(), expressions, names);
}

} // namespace heddle::cuda
