// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvcc takes a braced list for the shape of a grid or block, where clang's parser wants expressions:
//
//     kernel<<<blocks, {32, 4}>>>(p);    ->    kernel<<<blocks, dim3{32, 4}>>>(p);
//
// The tokens up to the closing brackets are read ahead when the opening ones are; the parser gets
// them with the type's name in front of such lists.
#include "frontend/cuda/wrap.h"

#include "clang/Lex/Preprocessor.h"

using namespace clang;

#define LEX "_ZN5clang12Preprocessor3LexERNS_5TokenE"

namespace heddle::cuda {

void clangsLex(Preprocessor &, Token &) HEDDLE_REAL(LEX);
void lex(Preprocessor &, Token &) HEDDLE_WRAP(LEX);

namespace {

Token shapesName(Preprocessor &preprocessor, SourceLocation place) {
  IdentifierInfo *name = preprocessor.getIdentifierInfo("dim3");
  Token token;
  token.startToken();
  token.setKind(name->getTokenID());
  token.setIdentifierInfo(name);
  token.setLocation(place);
  token.setLength(1);
  return token;
}

/// What stands behind `<<<`, to its end or that of the statement or directive.
SmallVector<Token, 32> readConfiguration(Preprocessor &preprocessor) {
  SmallVector<Token, 32> tokens;
  bool isBegin = true;
  for (int depth = 0;;) {
    Token token;
    clangsLex(preprocessor, token);
    if (isBegin && depth == 0 && token.is(tok::l_brace))
      tokens.push_back(shapesName(preprocessor, token.getLocation()));
    tokens.push_back(token);
    depth += token.isOneOf(tok::l_paren, tok::l_square, tok::l_brace);
    depth -= token.isOneOf(tok::r_paren, tok::r_square, tok::r_brace);
    isBegin = token.is(tok::comma);
    if (depth < 0 || token.isOneOf(tok::eof, tok::eod) || token.isAnnotation() ||
        (depth == 0 && token.isOneOf(tok::greatergreatergreater, tok::semi)))
      return tokens;
  }
}

} // namespace

void lex(Preprocessor &preprocessor, Token &token) {
  clangsLex(preprocessor, token);
  if (token.isNot(tok::lesslessless) || preprocessor.isBacktrackEnabled())
    return;
  SmallVector<Token, 32> tokens = readConfiguration(preprocessor);
  auto copies = std::make_unique<Token[]>(tokens.size());
  std::copy(tokens.begin(), tokens.end(), copies.get());
  // Those of a macro's text or argument have not been expanded yet.
  preprocessor.EnterTokenStream(std::move(copies), static_cast<unsigned>(tokens.size()),
                                /*DisableMacroExpansion=*/false, /*IsReinject=*/true);
}

} // namespace heddle::cuda
