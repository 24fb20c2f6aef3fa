// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "tool/tools/process.h"
#include "tool/tools/toolchain.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::tool {

/// The name under which the heddle command is the host's linker, in <root>/bin.
inline constexpr const char *HostLinkName = "heddle-link";

/// The words of a link by a host compiler (without its name), made right for programs of ours: one
/// OpenMP runtime, and a run path to our shared runtime where the words link it. `isClang` says
/// whether the linker is clang.
Command prepareHostLink(const Toolchain &, Command words, bool isClang);

/// The file that -lname means, shared before static as linkers have it; empty if it lies in none of
/// these folders.
std::string findLibrary(const std::vector<std::string> &folders, const std::string &name);

/// The reason why a host compiler must not link by these words: the output is an input, or a program
/// without shared libraries is to have our runtime.
std::optional<Failure> refuseLink(const Command &words);

/// Runs a host compiler as the linker. What it says about parts of CUDA that are not here is
/// explained. Returns its exit code, or -1 with the reason printed if it could not start.
int runHostLinker(const Command &);

/// heddle-link: links as clang++ would. CMake takes it for the host's linker, since it is the first
/// word of the link line that `nvcc -v` shows.
int runHostLink(const std::vector<std::string> &arguments);

} // namespace heddle::tool
