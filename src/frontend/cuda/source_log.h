// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "clang/Basic/Diagnostic.h"

#include <string>

namespace heddle::cuda {

/// Diagnostics in the form that NVRTC's log has:
///
///   default_program(3): error: identifier "x" is undefined
///     int a = x;
///             ^
///
/// `hasFolders`: headers in <> are searched in some. `hasNumbers`: warnings have those of nvcc's front
/// end, `warning #177-D: ...`, where clang's are known to be the same.
class SourceLog : public clang::DiagnosticConsumer {
public:
  SourceLog(std::string program, bool hasFolders, bool hasNumbers)
      : program_(std::move(program)), hasFolders_(hasFolders), hasNumbers_(hasNumbers) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level, const clang::Diagnostic &) override;
  /// With the line that counts the errors.
  std::string text() const;
  bool isEmpty() const { return text_.empty(); }

private:
  void add(const clang::Diagnostic &, const std::string &kind, const std::string &message);
  std::string placeOf(const clang::Diagnostic &) const;

  std::string program_, text_;
  bool hasFolders_, hasNumbers_;
  unsigned errors_ = 0, catastrophes_ = 0;
};

} // namespace heddle::cuda
