// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `#define UNROLL #pragma unroll`: nvcc preprocesses a source and reads the text again, so such a
// macro becomes a line with a directive. C++ has `_Pragma("unroll")` for it; when such a macro is
// defined, its text becomes that. A macro with parameters cannot have such a text: behind # one of
// them must come.
//
// `#pragma nv_diag_suppress 177`, and its like: numbers of nvcc's diagnostics (CUDA guide, "Diagnostic
// Pragmas"), for clang's warnings of the same meaning.
#include "frontend/cuda/wrap.h"

#include "base/messages/diagnostic_numbers.h"

#include "clang/Frontend/Utils.h"
#include "clang/Lex/MacroInfo.h"
#include "clang/Lex/Pragma.h"
#include "clang/Lex/Preprocessor.h"

#include "llvm/ADT/DenseMap.h"

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

/// What the directives of one preprocessor have changed: warnings and what they were.
using Defaults = llvm::StringMap<diag::Severity>;

/// A directive that gives numbered diagnostics a severity, or, without one, back what they had.
class NumberedSeverity : public PragmaHandler {
public:
  NumberedSeverity(StringRef name, std::optional<diag::Severity> severity,
                   std::shared_ptr<Defaults> defaults)
      : PragmaHandler(name), severity_(severity), defaults_(std::move(defaults)) {}

  void HandlePragma(Preprocessor &preprocessor, PragmaIntroducer place, Token &token) override {
    for (preprocessor.Lex(token); token.isNot(tok::eod); preprocessor.Lex(token)) {
      unsigned number = 0;
      if (token.is(tok::numeric_constant) &&
          !StringRef(preprocessor.getSpelling(token)).getAsInteger(10, number))
        for (std::string_view warning : warningsOfNumber(number))
          set(preprocessor.getDiagnostics(), warning, place.Loc);
    }
  }

private:
  void set(DiagnosticsEngine &diagnostics, StringRef warning, SourceLocation at) {
    SmallVector<diag::kind, 8> members;
    diagnostics.getDiagnosticIDs()->getDiagnosticsInGroup(diag::Flavor::WarningOrError, warning,
                                                          members);
    if (members.empty())
      return;
    const bool isIgnored = diagnostics.isIgnored(members.front(), at);
    auto [known, isNew] = defaults_->try_emplace(warning, isIgnored ? diag::Severity::Ignored
                                                                    : diag::Severity::Warning);
    diagnostics.setSeverityForGroup(diag::Flavor::WarningOrError, warning,
                                    severity_.value_or(known->second), at);
  }

  const std::optional<diag::Severity> severity_;
  const std::shared_ptr<Defaults> defaults_;
};

/// `#pragma nv_diagnostic push` and `pop`.
class SeverityStack : public PragmaHandler {
public:
  using PragmaHandler::PragmaHandler;
  void HandlePragma(Preprocessor &preprocessor, PragmaIntroducer place, Token &token) override {
    preprocessor.LexUnexpandedToken(token);
    const IdentifierInfo *word = token.getIdentifierInfo();
    if (word && word->isStr("push"))
      preprocessor.getDiagnostics().pushMappings(place.Loc);
    else if (word && word->isStr("pop"))
      preprocessor.getDiagnostics().popMappings(place.Loc);
  }
};

void addDiagnosticPragmas(Preprocessor &preprocessor) {
  auto defaults = std::make_shared<Defaults>();
  const std::pair<StringRef, std::optional<diag::Severity>> names[] = {
      {"diag_suppress", diag::Severity::Ignored},
      {"diag_warning", diag::Severity::Warning},
      {"diag_once", diag::Severity::Warning},
      {"diag_error", diag::Severity::Error},
      {"diag_default", std::nullopt}};
  for (std::string prefix : {"nv_", ""}) { // the latter is older
    for (const auto &[name, severity] : names)
      preprocessor.AddPragmaHandler(new NumberedSeverity(prefix + name.str(), severity, defaults));
    preprocessor.AddPragmaHandler(new SeverityStack(prefix + "diagnostic"));
  }
}

} // namespace

void initialize(Preprocessor &, const PreprocessorOptions &, const PCHContainerReader &,
                const FrontendOptions &, const CodeGenOptions &) HEDDLE_WRAP(INITIALIZE);
void initialize(Preprocessor &preprocessor, const PreprocessorOptions &options,
                const PCHContainerReader &reader, const FrontendOptions &frontend,
                const CodeGenOptions &code) {
  clangsInitialize(preprocessor, options, reader, frontend, code);
  preprocessor.addPPCallbacks(std::make_unique<PragmasOfMacros>(preprocessor));
  addDiagnosticPragmas(preprocessor);
}

} // namespace heddle::cuda
