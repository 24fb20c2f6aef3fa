// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An entry ends in a trailer: a magic number, the number of bytes before it, the key that it was
// stored for, and a hash of those bytes. What was cut short, changed on the disk, or lies under
// another entry's name is no entry.
//
// Unfinished entries lie in a folder of their own, each locked (flock) by the process that writes
// it. The system drops the lock of a process that is killed, so an unlocked file there is a
// leftover. A process id in the file's name would not do: caches are shared between containers,
// which number their processes by themselves. Between making a file and locking it, its writer
// finds out that it was swept: it has no name any more.
#include "base/cache/cache_files.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

namespace heddle {

namespace {

constexpr char TrailerMagic[8] = {'H', 'E', 'D', 'D', 'L', 'E', 'O', '2'};

struct Trailer {
  char magic[8];
  uint64_t size;
  Hash128 key, content;
};
static_assert(sizeof(Trailer) == EntryTrailerBytes);

bool writeAll(int file, const void *data, size_t size) {
  auto *bytes = static_cast<const char *>(data);
  while (size != 0) {
    ssize_t written = write(file, bytes, size);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    bytes += written;
    size -= static_cast<size_t>(written);
  }
  return true;
}

std::string unfinishedIn(const std::string &root) { return root + "/unfinished"; }

/// Makes a file with a new name; empty if the folder would not have it.
std::string makeUnfinished(const std::string &root, int &file) {
  static std::atomic<unsigned> serial = 0;
  std::string folder = unfinishedIn(root);
  for (int tries = 0; tries < 1000; ++tries) {
    std::string path = folder + "/" + std::to_string(getpid()) + "." + std::to_string(serial++);
    file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0700);
    if (file >= 0)
      return path;
    if (errno != EEXIST)
      break;
  }
  return "";
}

/// Programs are run, and root, who may read any file, may not run one without the right to. Nobody
/// else may write.
bool isUsable(mode_t mode) {
  return S_ISREG(mode) && (mode & S_IRWXU) == S_IRWXU && !(mode & (S_IWGRP | S_IWOTH));
}

bool lockAlone(int file) { return flock(file, LOCK_EX | LOCK_NB) == 0; }

bool hasName(int file) {
  struct stat status;
  return fstat(file, &status) == 0 && status.st_nlink > 0;
}

} // namespace

FolderState lookAtFolder(const std::string &path) {
  struct stat status;
  if (lstat(path.c_str(), &status) != 0)
    return {};
  if (S_ISLNK(status.st_mode))
    return {true, "it is a symbolic link"};
  if (!S_ISDIR(status.st_mode))
    return {true, "it is no folder"};
  if (status.st_uid != geteuid())
    return {true, "it belongs to another user, number " + std::to_string(status.st_uid)};
  if (status.st_mode & (S_IWGRP | S_IWOTH))
    return {true, "others may write to it (chmod go-w)"};
  return {true, ""};
}

bool makeDirectories(const std::string &path) {
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    if (mkdir(path.substr(0, slash).c_str(), 0700) != 0 && errno != EEXIST)
      return false;
    if (slash == std::string::npos)
      return true;
  }
}

bool writeEntry(int file, const Hash128 &key, std::span<const uint8_t> bytes) {
  Trailer trailer = {{}, bytes.size(), key, hashOf(bytes)};
  std::memcpy(trailer.magic, TrailerMagic, sizeof(TrailerMagic));
  return writeAll(file, bytes.data(), bytes.size()) && writeAll(file, &trailer, sizeof(trailer));
}

int openEntry(const std::string &path) {
  return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

bool isWhole(int file, const Hash128 &key) {
  struct stat status;
  Trailer trailer;
  if (fstat(file, &status) != 0 || !isUsable(status.st_mode) ||
      status.st_size < off_t(sizeof(trailer)))
    return false;
  off_t at = status.st_size - off_t(sizeof(trailer));
  if (pread(file, &trailer, sizeof(trailer), at) != ssize_t(sizeof(trailer)) ||
      std::memcmp(trailer.magic, TrailerMagic, sizeof(TrailerMagic)) != 0 ||
      trailer.size != uint64_t(at) || trailer.key != key)
    return false;
  Hash128 content;
  return hashOfFile(file, trailer.size, content) && content == trailer.content;
}

bool writeByRename(const std::string &root, const std::string &path, const Hash128 &key,
                   std::span<const uint8_t> bytes) {
  std::string folder = unfinishedIn(root);
  if (!makeDirectories(folder) || !lookAtFolder(folder).problem.empty())
    return false;
  for (int tries = 0; tries < 10; ++tries) {
    int made = -1;
    std::string unfinished = makeUnfinished(root, made);
    if (unfinished.empty())
      return false;
    // The lock is on a descriptor that cannot write: it lasts until the file has its name, when no
    // program that is open for writing may be run any more.
    Descriptor lock(openEntry(unfinished));
    bool written;
    {
      Descriptor file(made);
      if (!lock || (!lockAlone(lock) && errno == EWOULDBLOCK) || !hasName(file))
        continue; // another process took it for a leftover
      written = fchmod(file, S_IRWXU) == 0 && writeEntry(file, key, bytes); // whatever umask says
    }
    if (written && rename(unfinished.c_str(), path.c_str()) == 0)
      return true;
    unlink(unfinished.c_str());
    return false;
  }
  return false;
}

void sweepUnfinished(const std::string &root) {
  std::string folder = unfinishedIn(root);
  FolderState state = lookAtFolder(folder);
  DIR *stream = state.exists && state.problem.empty() ? opendir(folder.c_str()) : nullptr;
  if (!stream)
    return;
  while (dirent *item = readdir(stream)) {
    if (item->d_name[0] == '.')
      continue;
    std::string path = folder + "/" + item->d_name;
    Descriptor file(openEntry(path));
    if (file && lockAlone(file))
      unlink(path.c_str());
  }
  closedir(stream);
}

} // namespace heddle
