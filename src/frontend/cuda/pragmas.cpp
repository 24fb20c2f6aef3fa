// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `#define UNROLL #pragma unroll`: nvcc preprocesses a source and reads the text again, so such a
// macro becomes a line with a directive. C++ has `_Pragma("unroll")` for it; when such a macro is
// defined, its text becomes that. A macro with parameters cannot have such a text: behind # one of
// them must come.
#include "frontend/cuda/wrap.h"

#include "clang/Frontend/Utils.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/Preprocessor.h"

using namespace clang;

#define INITIALIZE                                                                                 \
  "_ZN5clang22InitializePreprocessorERNS_12PreprocessorERKNS_19PreprocessorOptionsERKNS_18PCHCont" \
  "ainerReaderERKNS_15FrontendOptionsERKNS_14CodeGenOptionsE"

namespace heddle::cuda {

void clangsInitialize(Preprocessor &, const PreprocessorOptions &, const PCHContainerReader &,
                      const FrontendOptions &, const CodeGenOptions &) HEDDLE_REAL(INITIALIZE);

namespace {

/// The string literal that _Pragma makes the text of.
std::string quoted(StringRef text) {
  std::string literal = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      literal += '\\';
    literal += c;
  }
  return literal + '"';
}

class PragmasOfMacros : public PPCallbacks {
public:
  explicit PragmasOfMacros(Preprocessor &preprocessor) : preprocessor_(preprocessor) {}

  void MacroDefined(const Token &, const MacroDirective *directive) override {
    auto *macro = const_cast<MacroInfo *>(directive->getMacroInfo());
    if (!macro->isObjectLike())
      return;
    ArrayRef<Token> tokens = macro->tokens();
    for (unsigned i = 0; i + 1 < tokens.size(); ++i)
      if (tokens[i].is(tok::hash) && tokens[i + 1].getIdentifierInfo() &&
          tokens[i + 1].getIdentifierInfo()->isStr("pragma"))
        return rewrite(*macro, i);
  }

private:
  /// Makes an operator of the directive at `begin`, which ends with the macro. The tokens lie where
  /// the directive does: a macro's are of the text of its definition.
  void rewrite(MacroInfo &macro, unsigned begin) {
    constexpr unsigned Words = 2; // # and pragma
    std::string text;
    for (const Token &token : macro.tokens().drop_front(begin + Words))
      text += (text.empty() ? "" : " ") + preprocessor_.getSpelling(token);
    StringRef literal = StringRef(quoted(text)).copy(preprocessor_.getPreprocessorAllocator());
    IdentifierInfo *name = preprocessor_.getIdentifierInfo("_Pragma");
    SmallVector<Token, 8> tokens(macro.tokens().take_front(begin));
    auto add = [&](tok::TokenKind kind, size_t length) -> Token & {
      Token &token = tokens.emplace_back();
      token.startToken();
      token.setKind(kind);
      token.setLocation(macro.getReplacementToken(begin).getLocation());
      token.setLength(length);
      return token;
    };
    Token &word = add(name->getTokenID(), name->getLength());
    word.setIdentifierInfo(name);
    word.setFlag(Token::LeadingSpace);
    add(tok::l_paren, 1);
    add(tok::string_literal, literal.size()).setLiteralData(literal.data());
    add(tok::r_paren, 1);
    macro.setTokens(tokens, preprocessor_.getPreprocessorAllocator());
  }

  Preprocessor &preprocessor_;
};

} // namespace

void initialize(Preprocessor &, const PreprocessorOptions &, const PCHContainerReader &,
                const FrontendOptions &, const CodeGenOptions &) HEDDLE_WRAP(INITIALIZE);
void initialize(Preprocessor &preprocessor, const PreprocessorOptions &options,
                const PCHContainerReader &reader, const FrontendOptions &frontend,
                const CodeGenOptions &code) {
  clangsInitialize(preprocessor, options, reader, frontend, code);
  preprocessor.addPPCallbacks(std::make_unique<PragmasOfMacros>(preprocessor));
}

} // namespace heddle::cuda
