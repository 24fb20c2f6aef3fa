// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What clang needs of the system to compile and link host code. It is asked for only where a
// compilation or a link has failed, and by `heddle doctor`: each answer is a run of clang.
#pragma once

#include "tool/tools/toolchain.h"

#include <string>
#include <string_view>
#include <vector>

namespace heddle::tool {

/// What a command prints on its standard output, without the line's end; empty if it fails.
std::string outputOf(const std::vector<std::string> &command);

/// Whether the headers of C and of the C++ standard library are there.
bool hasHostHeaders(const Toolchain &);
/// Where clang finds a library or an object for its links, "libstdc++.so"; empty: nowhere.
std::string findHostLibrary(const Toolchain &, const std::string &name);
/// The linker of host code: lld, if it is there; empty: none is.
std::string findLinker(const Toolchain &);
/// lld of the same version as clang; empty if it is not there.
std::string findLld(const Toolchain &);
/// The option that makes clang link with it, several times as fast as with the system's linker; none
/// without it.
std::vector<std::string> fastLinker(const Toolchain &);

/// Why clang could not compile, if the reason is that the system lacks the headers: one line that
/// names the package. Empty: that is not the reason.
std::string whyNotCompiled(const Toolchain &, std::string_view errors);
/// The same for a link that has failed.
std::string whyNotLinked(const Toolchain &);

} // namespace heddle::tool
