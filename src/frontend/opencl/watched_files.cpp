// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/opencl/watched_files.h"

namespace heddle::opencl {

using namespace llvm;

/// A file that notes what was read of it.
class WatchedFile : public vfs::File {
public:
  WatchedFile(std::unique_ptr<vfs::File> file, FileAnswer &answer, WatchedFiles &files)
      : file_(std::move(file)), answer_(answer), files_(files) {}

  ErrorOr<vfs::Status> status() override { return file_->status(); }
  ErrorOr<std::string> getName() override { return file_->getName(); }
  std::error_code close() override { return file_->close(); }

  ErrorOr<std::unique_ptr<MemoryBuffer>> getBuffer(const Twine &name, int64_t size, bool terminated,
                                                   bool isVolatile) override {
    auto buffer = file_->getBuffer(name, size, terminated, isVolatile);
    if (!buffer)
      return buffer;
    StringRef text = (*buffer)->getBuffer();
    answer_.isRead = true;
    answer_.size = text.size();
    answer_.hash = hashOf(std::span(reinterpret_cast<const uint8_t *>(text.data()), text.size()));
    files_.readsClock_ |= namesClock(text);
    return buffer;
  }

private:
  std::unique_ptr<vfs::File> file_;
  FileAnswer &answer_;
  WatchedFiles &files_;
};

bool namesClock(StringRef text) {
  return text.contains("__DATE__") || text.contains("__TIME__") || text.contains("__TIMESTAMP__");
}

FileAnswer &WatchedFiles::note(const Twine &path, const ErrorOr<vfs::Status> &status) {
  std::string name = path.str();
  FileAnswer &answer = answers_[name];
  answer.path = std::move(name);
  if (!status)
    return answer;
  answer.kind = status->isDirectory() ? FileKind::Folder : FileKind::File;
  answer.size = status->getSize();
  answer.time = status->getLastModificationTime().time_since_epoch().count();
  return answer;
}

ErrorOr<vfs::Status> WatchedFiles::status(const Twine &path) {
  ErrorOr<vfs::Status> status = ProxyFileSystem::status(path);
  note(path, status);
  return status;
}

ErrorOr<std::unique_ptr<vfs::File>> WatchedFiles::openFileForRead(const Twine &path) {
  auto file = ProxyFileSystem::openFileForRead(path);
  if (!file) {
    note(path, file.getError());
    return file;
  }
  FileAnswer &answer = note(path, (*file)->status());
  return std::make_unique<WatchedFile>(std::move(*file), answer, *this);
}

std::vector<FileAnswer> WatchedFiles::answers() const {
  std::vector<FileAnswer> list;
  for (auto &[path, answer] : answers_)
    list.push_back(answer);
  return list;
}

} // namespace heddle::opencl
