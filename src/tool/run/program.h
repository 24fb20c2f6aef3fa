// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that a tool starts and waits for. It stays in our group of processes, and so in the
// terminal's; a signal that is sent to us alone is passed on.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace heddle::tool {

/// In front of a tool's options: what the program is to find as its name.
inline constexpr const char *NameOption = "--program-name";
/// Takes it, and the name, from the front of the words. Empty: it is not there.
std::string takeProgramName(std::vector<std::string> &words);

/// The words of the options, in front of the program and its arguments, without a "--" between.
std::vector<std::string> wordsOfOptions(const std::vector<std::string> &words,
                                        const std::vector<std::string> &program);

/// Runs `program` and its arguments as `name`. Its status as of waitpid; -1 and errno if it cannot run.
int runProgram(const std::vector<std::string> &program, const std::string &name, pid_t &process);
/// As a shell has it.
int exitCodeOf(int status);

/// Programs that are started find our libraries first.
void findOwnLibraries();
/// A file that heddle run would compile.
bool isSource(const std::string &path);

} // namespace heddle::tool
