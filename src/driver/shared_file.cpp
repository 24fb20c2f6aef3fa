// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/shared_file.h"

#include "base/temporary_files.h"

#include <cstdio>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::driver {

File::~File() { reset(-1); }

void File::reset(int number) {
  if (number_ >= 0)
    close(number_);
  number_ = number;
}

int File::release() { return std::exchange(number_, -1); }

File createSharedFile(size_t bytes) {
  FileSizeGuard guard;
  File file(memfd_create("heddle-shared", MFD_CLOEXEC));
  if (file && ftruncate(file.get(), static_cast<off_t>(bytes)) != 0)
    return File();
  return file;
}

uint64_t inodeOf(int file) {
  struct stat status;
  return fstat(file, &status) == 0 ? status.st_ino : 0;
}

FileAddress addressOf(int file) { return {getpid(), file, inodeOf(file)}; }

bool isOwn(const FileAddress &address) { return address.process == getpid(); }

File openFile(const FileAddress &address) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", address.process, address.file);
  File file(open(path, O_RDWR | O_CLOEXEC));
  if (file && inodeOf(file.get()) != address.inode)
    return File();
  return file;
}

} // namespace heddle::driver
