// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An entry is one file, <directory>/<2 digits>/<30 digits>, named by its key (cache_files.h). It is
// read and compared with its hash each time that it is looked up, for what is found is run: damage
// of the disk, or by a program, costs a compilation. Nothing outside the directory decides what
// lies in it: no link is followed, and a directory that others may write to is not used.
//
// Several processes. An entry appears by rename, so nobody sees half of one, and two processes that
// store the same key store the same bytes. Nothing is locked on the way to a hit. <directory>/size,
// under its lock, keeps the books: it holds the sum of all entries, so the directory is only walked
// when the sum passes the bound. Eviction then takes the entries whose time of last use (the file's
// mtime, which lookup sets) is oldest, down to 7/8 of the bound. A process that has an evicted
// entry open keeps it: that is how unlink works. One that found it but has not opened it yet gets
// an error from dlopen and compiles again.
#include "base/cache/object_cache.h"

#include "base/cache/cache_files.h"
#include "base/cache/version.h"
#include "base/machine/cpu.h"
#include "base/messages/messages.h"
#include "base/temporary_files.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace heddle {

namespace {

constexpr uint64_t DefaultMaxBytes = uint64_t(1) << 30;

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::string defaultDirectory() {
  if (std::string path = environment("CUDA_CACHE_PATH"); !path.empty()) {
    while (path.size() > 1 && path.back() == '/') // a link with a slash behind it would be followed
      path.pop_back();
    return path;
  }
  if (std::string path = environment("XDG_CACHE_HOME"); !path.empty())
    return path + "/heddle";
  if (std::string path = environment("HOME"); !path.empty())
    return path + "/.cache/heddle";
  return "";
}

std::string directoryOf(const std::string &root, const std::string &name) {
  return root + "/" + name.substr(0, 2);
}

std::string pathOf(const std::string &root, const Hash128 &key) {
  std::string name = key.text();
  return directoryOf(root, name) + "/" + name.substr(2);
}

/// For files of this process only, where files in memory have no path; removed at its end.
const std::string &scratchFolder() {
  static const ScratchFolder folder;
  return folder.path();
}

Result<std::string> storeInScratch(const Hash128 &key, std::span<const uint8_t> bytes) {
  std::string path = scratchFolder() + "/" + key.text();
  Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700));
  if (!file || !writeEntry(file, key, bytes))
    return Failure{"cannot write " + path + ": " + std::strerror(errno)};
  return path;
}

/// A file of this process only. It is never closed: the path must stay good.
Result<std::string> storeInMemory(const Hash128 &key, std::span<const uint8_t> bytes) {
  Descriptor file(memfd_create("heddle-kernel", MFD_CLOEXEC));
  if (!file || !writeEntry(file, key, bytes))
    return Failure{std::string("cannot make a file in memory: ") + std::strerror(errno)};
  std::string path = pathOfDescriptor(file);
  if (path.empty())
    return storeInScratch(key, bytes);
  (void)file.release();
  return path;
}

struct Entry {
  std::string path;
  uint64_t bytes;
  timespec used;
};

bool isOlder(const Entry &a, const Entry &b) {
  return std::pair(a.used.tv_sec, a.used.tv_nsec) < std::pair(b.used.tv_sec, b.used.tv_nsec);
}

template <typename Action> void forEachName(const std::string &directory, Action action) {
  DIR *stream = opendir(directory.c_str());
  if (!stream)
    return;
  while (dirent *item = readdir(stream))
    if (item->d_name[0] != '.')
      action(std::string(item->d_name));
  closedir(stream);
}

std::vector<Entry> listEntries(const std::string &root) {
  std::vector<Entry> entries;
  forEachName(root, [&](const std::string &folder) {
    if (folder.size() != 2 || !lookAtFolder(root + "/" + folder).problem.empty())
      return; // the books, what is unfinished, what is not ours
    forEachName(root + "/" + folder, [&](const std::string &name) {
      std::string path = root + "/" + folder + "/" + name;
      struct stat status;
      if (lstat(path.c_str(), &status) == 0)
        entries.push_back({path, uint64_t(status.st_size), status.st_mtim});
    });
  });
  return entries;
}

uint64_t sumOf(const std::vector<Entry> &entries) {
  uint64_t total = 0;
  for (const Entry &entry : entries)
    total += entry.bytes;
  return total;
}

/// Removes the oldest entries until `goal` bytes are left; returns what is left.
uint64_t evict(const std::string &root, uint64_t goal) {
  std::vector<Entry> entries = listEntries(root);
  std::sort(entries.begin(), entries.end(), isOlder);
  uint64_t total = sumOf(entries);
  for (const Entry &entry : entries) {
    if (total <= goal)
      break;
    if (unlink(entry.path.c_str()) == 0)
      total -= entry.bytes;
  }
  return total;
}

/// Adds `added` bytes to the books and evicts if they pass the bound.
void keepBooks(const std::string &root, uint64_t added, uint64_t maxBytes) {
  std::string path = root + "/size";
  Descriptor books(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!books || flock(books, LOCK_EX) != 0)
    return;
  uint64_t total = 0;
  if (pread(books, &total, sizeof(total), 0) == ssize_t(sizeof(total)))
    total += added;
  else
    total = sumOf(listEntries(root));
  if (total > maxBytes)
    total = evict(root, maxBytes - maxBytes / 8);
  if (pwrite(books, &total, sizeof(total), 0) != ssize_t(sizeof(total)))
    unlink(path.c_str()); // the next store starts the books anew by walking the directory
}

} // namespace

ObjectCache::Config ObjectCache::configFromEnvironment() {
  Config config{defaultDirectory(), DefaultMaxBytes};
  if (environment("CUDA_CACHE_DISABLE") == "1")
    config.directory.clear();
  if (std::string bound = environment("CUDA_CACHE_MAXSIZE"); !bound.empty())
    config.maxBytes = std::strtoull(bound.c_str(), nullptr, 10);
  return config;
}

bool ObjectCache::mayUse(const std::string &folder) const {
  FolderState state = lookAtFolder(folder);
  if (state.problem.empty())
    return state.exists;
  if (!refused_.exchange(true))
    tellf("heddle: the cache in %s is not used: %s\n", folder.c_str(), state.problem.c_str());
  return false;
}

std::optional<std::string> ObjectCache::lookup(const Hash128 &key) const {
  const std::string &root = config_.directory;
  if (root.empty() || !mayUse(root) || !mayUse(directoryOf(root, key.text())))
    return std::nullopt;
  std::string path = pathOf(root, key);
  Descriptor file(openEntry(path));
  if (!file || !isWhole(file, key))
    return std::nullopt;
  futimens(file, nullptr); // now; a cache that is read-only keeps its old time
  return path;
}

std::optional<std::string> ObjectCache::storeOnDisk(const Hash128 &key,
                                                    std::span<const uint8_t> bytes) const {
  const std::string &root = config_.directory;
  uint64_t stored = bytes.size() + EntryTrailerBytes;
  if (root.empty() || stored > config_.maxBytes)
    return std::nullopt;
  std::string folder = directoryOf(root, key.text());
  if (!makeDirectories(root) || !mayUse(root) || !makeDirectories(folder) || !mayUse(folder))
    return std::nullopt;
  sweepUnfinished(root);
  std::string path = pathOf(root, key);
  if (!writeByRename(root, path, key, bytes))
    return std::nullopt;
  keepBooks(root, stored, config_.maxBytes);
  return path;
}

Result<std::string> ObjectCache::store(const Hash128 &key, std::span<const uint8_t> bytes) const {
  FileSizeGuard guard;
  if (auto path = storeOnDisk(key, bytes))
    return *path;
  return storeInMemory(key, bytes);
}

void ObjectCache::keep(const Hash128 &key, std::span<const uint8_t> bytes) const {
  FileSizeGuard guard;
  (void)storeOnDisk(key, bytes);
}

std::vector<std::string> ObjectCache::entries() const {
  std::vector<std::string> paths;
  if (!config_.directory.empty() && mayUse(config_.directory))
    for (Entry &entry : listEntries(config_.directory))
      paths.push_back(std::move(entry.path));
  return paths;
}

const ObjectCache &objectCache() {
  static const ObjectCache &cache = *new ObjectCache(ObjectCache::configFromEnvironment());
  return cache;
}

Hash128 kernelKey(const uint64_t (&imageHash)[2], std::string_view kernel,
                  const std::array<uint32_t, 3> &blockDim, uint32_t width, std::string_view cpu,
                  bool threadwise, std::span<const uint32_t> objects, Mode mode, uint32_t checks) {
  auto setting = [](const char *name) {
    const char *value = getenv(name);
    return std::string_view(value ? value : "");
  };
  std::string_view numbers(reinterpret_cast<const char *>(objects.data()), objects.size_bytes());
  return hashOf({bytesOf(imageHash), kernel, bytesOf(blockDim), bytesOf(width), bytesOf(threadwise),
                 numbers, bytesOf(mode), bytesOf(checks), cpuIdentity(), cpu, compilerVersion(),
                 setting("HEDDLE_DISABLE"), setting("HEDDLE_COSTS"), setting("HEDDLE_BACK_END")});
}

} // namespace heddle
