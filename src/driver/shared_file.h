// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files in memory that another process of the same user finds by what it was told.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::driver {

/// Names an open file of a process, for as long as that has it open.
struct FileAddress {
  int32_t process;
  int32_t file;
  uint64_t inode; ///< so that another file under the same number is told
};

/// A descriptor that is closed.
class File {
public:
  explicit File(int number = -1) : number_(number) {}
  File(File &&other) noexcept : number_(other.release()) {}
  ~File();
  int get() const { return number_; }
  int release();
  /// Closes what it has and takes another one.
  void reset(int number);
  explicit operator bool() const { return number_ >= 0; }

private:
  int number_;
};

/// A file in memory of that many zeros; none if the system has no memory.
File createSharedFile(size_t bytes);
FileAddress addressOf(int file);
/// The file at an address; none if there is no such file (any more), or this process may not open
/// it.
File openFile(const FileAddress &);
/// The inode number, or 0.
uint64_t inodeOf(int file);
/// This process made the address.
bool isOwn(const FileAddress &);

} // namespace heddle::driver
