// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machine's files as clang sees them, with a record of each answer: a result holds for as long as
// the same questions have the same answers. That covers a header that comes to lie in front of another.
#pragma once

#include "frontend/opencl/compiler.h"

#include "llvm/Support/VirtualFileSystem.h"

#include <map>

namespace heddle::opencl {

class WatchedFiles : public llvm::vfs::ProxyFileSystem {
public:
  WatchedFiles() : ProxyFileSystem(llvm::vfs::createPhysicalFileSystem()) {}

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &path) override;
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine &path) override;

  /// The answers so far, by path.
  std::vector<FileAnswer> answers() const;
  /// A file that was read names the time of the compilation.
  bool readsClock() const { return readsClock_; }

private:
  friend class WatchedFile;
  FileAnswer &note(const llvm::Twine &path, const llvm::ErrorOr<llvm::vfs::Status> &);

  std::map<std::string, FileAnswer> answers_;
  bool readsClock_ = false;
};

/// Whether __DATE__ or the like may be in a source.
bool namesClock(llvm::StringRef);

} // namespace heddle::opencl
