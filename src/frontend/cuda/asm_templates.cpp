// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// asm("mov.u32 %0, %laneid;" : "=r"(lane)): nvcc takes one percent sign before a register's name
// where clang wants two. An operand's is followed by its number, a bracket, or a letter and one of
// these (a modifier of the host's assembler); a letter before anything else begins a name. Without
// operands the template is taken as it is.
#include "frontend/cuda/wrap.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/Sema.h"

#include "llvm/ADT/StringExtras.h"

using namespace clang;

#define ASM_STATEMENT                                                                              \
  "_ZN5clang4Sema15ActOnGCCAsmStmtENS_14SourceLocationEbbjjPPNS_14IdentifierInfoEN4llvm15MutableA" \
  "rrayRefIPNS_4ExprEEES9_S8_S9_jS1_"

namespace heddle::cuda {

StmtResult clangsAsmStatement(Sema &, SourceLocation, bool isSimple, bool isVolatile,
                              unsigned outputs, unsigned inputs, IdentifierInfo **names,
                              MultiExprArg constraints, MultiExprArg operands, Expr *text,
                              MultiExprArg clobbers, unsigned labels, SourceLocation end)
    HEDDLE_REAL(ASM_STATEMENT);

namespace {

/// With two percent signs before names.
std::string spelt(StringRef text) {
  std::string changed;
  for (size_t at = 0; at < text.size(); ++at) {
    changed += text[at];
    if (text[at] != '%')
      continue;
    StringRef behind = text.drop_front(at + 1);
    bool isModifier = behind.size() > 1 && (behind[1] == '[' || llvm::isDigit(behind[1]));
    if (!behind.empty() && llvm::isAlpha(behind[0]) && !isModifier)
      changed += '%';
    else if (behind.starts_with("%"))
      changed += text[++at];
  }
  return changed;
}

/// A literal of another text, whose place is the other's.
Expr *literalOf(Sema &sema, StringRef text, const StringLiteral &other) {
  std::string spelling;
  llvm::raw_string_ostream stream(spelling);
  stream << '"';
  stream.write_escaped(text) << '"';
  Token token;
  token.startToken();
  token.setKind(tok::string_literal);
  sema.getPreprocessor().CreateString(spelling, token, other.getBeginLoc(), other.getEndLoc());
  ASTContext &context = sema.Context;
  return StringLiteral::Create(context, text, StringLiteralKind::Ordinary, /*Pascal=*/false,
                               context.getStringLiteralArrayType(context.CharTy, text.size()),
                               token.getLocation());
}

} // namespace

StmtResult asmStatement(Sema &, SourceLocation, bool isSimple, bool isVolatile, unsigned outputs,
                        unsigned inputs, IdentifierInfo **names, MultiExprArg constraints,
                        MultiExprArg operands, Expr *text, MultiExprArg clobbers, unsigned labels,
                        SourceLocation end) HEDDLE_WRAP(ASM_STATEMENT);
StmtResult asmStatement(Sema &sema, SourceLocation begin, bool isSimple, bool isVolatile,
                        unsigned outputs, unsigned inputs, IdentifierInfo **names,
                        MultiExprArg constraints, MultiExprArg operands, Expr *text,
                        MultiExprArg clobbers, unsigned labels, SourceLocation end) {
  auto *literal = dyn_cast_if_present<StringLiteral>(text);
  if (literal && !isSimple && literal->isOrdinary())
    if (std::string changed = spelt(literal->getString()); changed != literal->getString())
      text = literalOf(sema, changed, *literal);
  return clangsAsmStatement(sema, begin, isSimple, isVolatile, outputs, inputs, names, constraints,
                            operands, text, clobbers, labels, end);
}

} // namespace heddle::cuda
