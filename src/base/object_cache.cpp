// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An entry is one file, <directory>/<2 digits>/<30 digits>, named by its key. It ends in a 16-byte
// trailer: a magic number and the number of bytes before it. An entry without a right trailer (the
// machine went down while it was written) is no entry.
//
// Several processes. An entry appears by rename, so nobody sees half of one, and two processes that
// store the same key store the same bytes. Nothing is locked on the way to a hit. <directory>/size,
// under its lock, keeps the books: it holds the sum of all entries, so the directory is only walked
// when the sum passes the bound. Eviction then takes the entries whose time of last use (the file's
// mtime, which lookup sets) is oldest, down to 7/8 of the bound. A process that has an evicted
// entry open keeps it: that is how unlink works. One that found it but has not opened it yet gets
// an error from dlopen and compiles again.
#include "base/object_cache.h"

#include "base/cpu.h"
#include "base/version.h"

#include <algorithm>
#include <atomic>
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
constexpr char TrailerMagic[8] = {'H', 'E', 'D', 'D', 'L', 'E', 'O', 'K'};

struct Trailer {
  char magic[8];
  uint64_t size;
};

class Descriptor {
public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0)
      close(value_);
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  explicit operator bool() const { return value_ >= 0; }
  operator int() const { return value_; }
  int release() { return std::exchange(value_, -1); }

private:
  int value_;
};

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::string defaultDirectory() {
  if (std::string path = environment("CUDA_CACHE_PATH"); !path.empty())
    return path;
  if (std::string path = environment("XDG_CACHE_HOME"); !path.empty())
    return path + "/heddle";
  if (std::string path = environment("HOME"); !path.empty())
    return path + "/.cache/heddle";
  return "";
}

/// mkdir -p.
bool makeDirectories(const std::string &path) {
  for (size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    if (mkdir(path.substr(0, slash).c_str(), 0700) != 0 && errno != EEXIST)
      return false;
    if (slash == std::string::npos)
      return true;
  }
}

std::string directoryOf(const std::string &root, const std::string &name) {
  return root + "/" + name.substr(0, 2);
}

std::string pathOf(const std::string &root, const Hash128 &key) {
  std::string name = key.text();
  return directoryOf(root, name) + "/" + name.substr(2);
}

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

bool writeEntry(int file, std::span<const uint8_t> bytes) {
  Trailer trailer;
  std::memcpy(trailer.magic, TrailerMagic, sizeof(TrailerMagic));
  trailer.size = bytes.size();
  return writeAll(file, bytes.data(), bytes.size()) && writeAll(file, &trailer, sizeof(trailer));
}

bool isWhole(int file) {
  struct stat status;
  Trailer trailer;
  if (fstat(file, &status) != 0 || status.st_size < off_t(sizeof(trailer)))
    return false;
  off_t at = status.st_size - off_t(sizeof(trailer));
  return pread(file, &trailer, sizeof(trailer), at) == ssize_t(sizeof(trailer)) &&
         std::memcmp(trailer.magic, TrailerMagic, sizeof(TrailerMagic)) == 0 &&
         trailer.size == uint64_t(at);
}

/// A file of this process only. It is never closed: the path must stay good.
Result<std::string> storeInMemory(std::span<const uint8_t> bytes) {
  Descriptor file(memfd_create("heddle-kernel", MFD_CLOEXEC));
  if (!file || !writeEntry(file, bytes))
    return Failure{std::string("cannot make a file in memory: ") + std::strerror(errno)};
  return "/proc/self/fd/" + std::to_string(file.release());
}

/// Writes beside `path` and renames. False if the disk would not have it.
bool writeByRename(const std::string &path, std::span<const uint8_t> bytes) {
  static std::atomic<unsigned> serial = 0;
  std::string temporary = path + "." + std::to_string(getpid()) + "." + std::to_string(serial++);
  Descriptor file(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700));
  if (!file)
    return false;
  if (writeEntry(file, bytes) && rename(temporary.c_str(), path.c_str()) == 0)
    return true;
  unlink(temporary.c_str());
  return false;
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
    if (folder.size() != 2)
      return; // the lock and the books
    forEachName(root + "/" + folder, [&](const std::string &name) {
      std::string path = root + "/" + folder + "/" + name;
      struct stat status;
      if (stat(path.c_str(), &status) == 0)
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
  Descriptor books(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
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

std::optional<std::string> ObjectCache::lookup(const Hash128 &key) const {
  if (config_.directory.empty())
    return std::nullopt;
  std::string path = pathOf(config_.directory, key);
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file || !isWhole(file))
    return std::nullopt;
  futimens(file, nullptr); // now; a cache that is read-only keeps its old time
  return path;
}

Result<std::string> ObjectCache::store(const Hash128 &key, std::span<const uint8_t> bytes) const {
  uint64_t stored = bytes.size() + sizeof(Trailer);
  if (config_.directory.empty() || stored > config_.maxBytes)
    return storeInMemory(bytes);
  if (!makeDirectories(directoryOf(config_.directory, key.text())))
    return storeInMemory(bytes);
  std::string path = pathOf(config_.directory, key);
  if (!writeByRename(path, bytes))
    return storeInMemory(bytes);
  keepBooks(config_.directory, stored, config_.maxBytes);
  return path;
}

const ObjectCache &objectCache() {
  static const ObjectCache cache(ObjectCache::configFromEnvironment());
  return cache;
}

Hash128 kernelKey(const uint64_t (&imageHash)[2], std::string_view kernel,
                  const std::array<uint32_t, 3> &blockDim, uint32_t width, std::string_view cpu,
                  bool threadwise, std::span<const uint32_t> objects) {
  const char *disabled = getenv("HEDDLE_DISABLE"); // passes left out
  std::string_view numbers(reinterpret_cast<const char *>(objects.data()), objects.size_bytes());
  return hashOf({bytesOf(imageHash), kernel, bytesOf(blockDim), bytesOf(width), bytesOf(threadwise),
                 numbers, cpuIdentity(), cpu, compilerVersion(), disabled ? disabled : ""});
}

} // namespace heddle
