// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <csignal>
#include <string>

namespace heddle {

/// The first folder for temporary files that has room, of TMPDIR, /tmp, /var/tmp and /dev/shm; if
/// none has, the first.
std::string temporaryFolder();

/// The path of an open file that has no other name; empty where there is no /proc.
std::string pathOfDescriptor(int file);

/// A folder of this process's alone, removed with all that lies in it at the end.
class ScratchFolder {
public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;
  /// Empty if there can be none.
  const std::string &path() const { return path_; }

private:
  std::string path_;
  int process_;
};

/// Where the size of files is limited (ulimit -f), writing beyond it fails for this thread, and does
/// not end the program.
class FileSizeGuard {
public:
  FileSizeGuard();
  ~FileSizeGuard();
  FileSizeGuard(const FileSizeGuard &) = delete;
  FileSizeGuard &operator=(const FileSizeGuard &) = delete;

private:
  sigset_t before_;
  bool wasPending_;
};

} // namespace heddle
