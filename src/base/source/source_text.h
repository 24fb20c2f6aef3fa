// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <string_view>

namespace heddle {

/// The place behind the comment or the string or character literal that begins at `at` in C++ text;
/// `at` itself if none does. Raw strings are not known.
size_t skipText(std::string_view text, size_t at);

/// The place of the next character from `at` on that is neither blank nor in a comment.
size_t skipBlanks(std::string_view text, size_t at);

/// The place of the last character before `at` that is no white space; npos if there is none.
size_t lastBefore(std::string_view text, size_t at);

/// The place behind the bracket that closes the one at `at`; npos if it is never closed.
size_t behindClosing(std::string_view text, size_t at);

bool isNameCharacter(char c);

} // namespace heddle
