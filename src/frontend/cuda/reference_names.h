// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace clang {
class NamedDecl;
class Sema;
} // namespace clang

namespace heddle::cuda {

/// Whether a declaration is of our headers, at their top, where a program's may take its place.
bool isOfHeaders(const clang::Sema &, const clang::NamedDecl &);

/// Nothing finds the declaration any more.
void forget(clang::Sema &, clang::NamedDecl &);

} // namespace heddle::cuda
