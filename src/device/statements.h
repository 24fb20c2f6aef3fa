// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels print in the form of another language. Device code collects the items of an output
// statement in memory and prints it by vprintf with the conversion "%\1", whose argument is the
// statement's address. Only the language's runtime library knows what lies there: it registers the
// function that makes text of it.
#pragma once

#include <cstddef>

namespace heddle::device {

/// Writes the text of a statement by `append(to, text, bytes)`, which may be called several times.
/// Called by workers, by several at once.
using AppendText = void (*)(void *to, const char *text, size_t bytes);
using FormatStatement = void (*)(const void *statement, AppendText append, void *to);

inline constexpr char StatementConversion = '\1';

/// For the process. Without one, statements have no text.
void setStatementFormatter(FormatStatement);
FormatStatement statementFormatter();

} // namespace heddle::device
