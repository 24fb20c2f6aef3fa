// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace heddle::tool {

/// `heddle check [options] program arguments`, by that name, or as compute-sanitizer or cuda-memcheck.
/// Runs the program with checks, and tells what they have found. Its signals are its own business:
/// before any thread starts, and without handleInterrupts.
int runCheck(const std::vector<std::string> &arguments);
int runComputeSanitizer(const std::string &name, const std::vector<std::string> &arguments);

/// The words of a `heddle check` of a program that calls itself `name`.
std::vector<std::string> checkCommand(const std::vector<std::string> &options,
                                      const std::string &program, const std::string &name,
                                      const std::vector<std::string> &arguments);
/// Whether this command runs programs as `heddle check` does.
bool isCheckCommand(const std::string &name, const std::vector<std::string> &words);

} // namespace heddle::tool
