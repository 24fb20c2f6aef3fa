// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/cuda/source_log.h"

#include "base/messages/diagnostic_numbers.h"
#include "frontend/cuda/precompiled.h"

#include "clang/AST/DeclarationName.h"
#include "clang/Basic/DiagnosticLex.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/SmallString.h"

using namespace clang;
using Level = DiagnosticsEngine::Level;

namespace heddle::cuda {

namespace {

bool isInAngles(const Diagnostic &diagnostic) {
  const char *text = diagnostic.getSourceManager().getCharacterData(diagnostic.getLocation());
  return text && *text == '<';
}

/// Text of messages by which programs that use NVRTC decide what to do next; otherwise clang's.
std::string messageOf(const Diagnostic &diagnostic, bool hasFolders) {
  if (diagnostic.getID() == diag::err_pp_file_not_found ||
      diagnostic.getID() == diag::err_pp_file_not_found_angled_include_not_fatal) {
    std::string file = "open source file \"" + diagnostic.getArgStdStr(0) + "\"";
    return isInAngles(diagnostic) && !hasFolders
               ? "could not " + file + " (no directories in search list)"
               : "cannot " + file;
  }
  if (diagnostic.getID() == diag::err_undeclared_var_use)
    return "identifier \"" +
           DeclarationName::getFromOpaqueInteger(diagnostic.getRawArg(0)).getAsString() +
           "\" is undefined";
  llvm::SmallString<128> text;
  diagnostic.FormatDiagnostic(text);
  return std::string(text);
}

/// " #177-D" of a warning, or empty.
std::string numberOf(const Diagnostic &diagnostic) {
  DiagnosticIDs &all = *diagnostic.getDiags()->getDiagnosticIDs();
  const unsigned number = numberOfWarning(all.getWarningOptionForDiag(diagnostic.getID()).str());
  return number ? " #" + std::to_string(number) + "-D" : "";
}

/// The line of source and a caret below the column.
std::string shownLine(const SourceManager &sources, SourceLocation place) {
  bool isInvalid = false;
  auto [file, offset] = sources.getDecomposedLoc(place);
  StringRef text = sources.getBufferData(file, &isInvalid);
  if (isInvalid || offset > text.size())
    return "";
  size_t begin = offset;
  while (begin > 0 && text[begin - 1] != '\n')
    --begin;
  StringRef line = text.substr(begin).take_until([](char c) { return c == '\n' || c == '\r'; });
  return ("  " + line + "\n  ").str() + std::string(offset - begin, ' ') + "^\n";
}

} // namespace

std::string SourceLog::placeOf(const Diagnostic &diagnostic) const {
  if (!diagnostic.hasSourceManager() || diagnostic.getLocation().isInvalid())
    return "";
  PresumedLoc place = diagnostic.getSourceManager().getPresumedLoc(
      diagnostic.getSourceManager().getExpansionLoc(diagnostic.getLocation()));
  if (place.isInvalid())
    return "";
  StringRef file = place.getFilename();
  file.consume_front("./");
  if (isDirectivesPath(file))
    file = program_;
  return (file + "(" + std::to_string(place.getLine()) + ")").str();
}

void SourceLog::add(const Diagnostic &diagnostic, const std::string &kind,
                    const std::string &message) {
  std::string place = placeOf(diagnostic);
  text_ += (place.empty() ? "" : place + ": ") + kind + ": " + message + "\n";
  if (!place.empty()) {
    const SourceManager &sources = diagnostic.getSourceManager();
    text_ += shownLine(sources, sources.getExpansionLoc(diagnostic.getLocation()));
  }
  text_ += "\n";
}

void SourceLog::HandleDiagnostic(Level level, const Diagnostic &diagnostic) {
  DiagnosticConsumer::HandleDiagnostic(level, diagnostic);
  if (level == DiagnosticsEngine::Ignored)
    return;
  const bool isLost = level == DiagnosticsEngine::Fatal;
  if (diagnostic.getID() == diag::fatal_too_many_errors)
    return add(diagnostic, "remark", "error limit reached");
  catastrophes_ += isLost;
  errors_ += level == DiagnosticsEngine::Error;
  add(diagnostic,
      isLost                                ? std::string("catastrophic error")
      : level == DiagnosticsEngine::Error   ? "error"
      : level == DiagnosticsEngine::Warning ? "warning" + (hasNumbers_ ? numberOf(diagnostic) : "")
      : level == DiagnosticsEngine::Note    ? "note"
                                            : "remark",
      messageOf(diagnostic, hasFolders_));
}

std::string SourceLog::text() const {
  if (!errors_ && !catastrophes_)
    return text_;
  auto counted = [](unsigned count, const std::string &what) {
    return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
  };
  std::string counts = errors_ ? counted(errors_, "error") : "";
  if (catastrophes_)
    counts += (errors_ ? " and " : "") + counted(catastrophes_, "catastrophic error");
  return text_ + counts + " detected in the compilation of \"" + program_ + "\".\n" +
         (catastrophes_ ? "Compilation terminated.\n" : "");
}

} // namespace heddle::cuda
