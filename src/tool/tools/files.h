// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/result.h"
#include "tool/tools/interrupts.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::tool {

Result<std::string> readFile(const std::string &path);
/// Reads a file descriptor from its start.
Result<std::string> readDescriptor(int fd);
/// Writes a file whole. Returns the reason when that fails; no part of the file is left then.
std::optional<Failure> writeFile(const std::string &path, std::string_view text);
/// Removes what a command would write again. Devices and pipes, such as /dev/null, stay.
void removeRegularFile(const std::string &path);
bool isFile(const std::string &path);
bool isDirectory(const std::string &path);
/// The reason why a command that reads these files may not write those: one of the latter is one of
/// the former, by this or another name. Devices and pipes are read and written as one likes.
std::optional<Failure> refuseOverwriting(const std::vector<std::string> &inputs,
                                         const std::vector<std::string> &outputs);
/// Makes a folder and those above it. False when that fails.
bool makeDirectories(const std::string &path);
std::string fileName(std::string_view path);    ///< "a/b.cu" -> "b.cu"
std::string directoryOf(std::string_view path); ///< "a/b.cu" -> "a", "b.cu" -> "."
std::string stem(std::string_view path);        ///< "a/b.cu" -> "b"
std::string extension(std::string_view path);   ///< "a/b.cu" -> ".cu"
std::string absolutePath(const std::string &path);
/// Finds a program as a shell does. Empty when it is nowhere.
std::string findProgram(const std::string &name);

/// A folder for intermediate files, removed with all that lies in it.
class TemporaryDirectory {
public:
  TemporaryDirectory() = default;
  TemporaryDirectory(const TemporaryDirectory &) = delete;
  TemporaryDirectory &operator=(const TemporaryDirectory &) = delete;
  ~TemporaryDirectory();
  /// Its path; the first call makes it, in TMPDIR or /tmp.
  Result<std::string> path();

private:
  std::string path_;
  std::optional<Unfinished> unfinished_;
};

} // namespace heddle::tool
