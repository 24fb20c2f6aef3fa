// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The disk cache for compiled kernels and whatever else is made from source. It needs no LLVM, so
// that a program whose kernels are cached starts without it.
//
// It obeys CUDA's variables (CUDA guide, "CUDA Environment Variables"): CUDA_CACHE_PATH,
// CUDA_CACHE_MAXSIZE in bytes, CUDA_CACHE_DISABLE=1. The default place is $XDG_CACHE_HOME/heddle or
// ~/.cache/heddle, the default bound 1 GiB.
//
// A directory that belongs to somebody else, that others may write to, or that is a symbolic link
// is not used; the first use says so in one line on stderr.
#pragma once

#include "base/hash.h"
#include "base/mode.h"
#include "base/result.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

class ObjectCache {
public:
  struct Config {
    std::string directory; ///< "": no cache
    uint64_t maxBytes;
  };

  /// What the environment asks for.
  static Config configFromEnvironment();

  explicit ObjectCache(Config config) : config_(std::move(config)) {}

  /// The path of an entry that is as it was stored, and then counts as just used; nothing if there
  /// is none.
  std::optional<std::string> lookup(const Hash128 &key) const;

  /// Puts an entry into the cache, evicting the least recently used ones if it is full, and returns
  /// its path. The file may be longer than `bytes` by a trailer (ELF files and images do not mind).
  /// Where the cache is off or cannot be written, the path is that of an anonymous file which lasts
  /// as long as this process. Fails only when there is not even memory for that.
  Result<std::string> store(const Hash128 &key, std::span<const uint8_t> bytes) const;

  /// The same for what nobody opens by its path: where there is no cache, it is not kept.
  void keep(const Hash128 &key, std::span<const uint8_t> bytes) const;

  const Config &config() const { return config_; }
  /// A lookup or store has found that the directory must not be used, and said so.
  bool isRefused() const { return refused_; }

  /// The paths of all entries.
  std::vector<std::string> entries() const;

private:
  bool mayUse(const std::string &folder) const;
  /// The path in the directory, or nothing.
  std::optional<std::string> storeOnDisk(const Hash128 &, std::span<const uint8_t>) const;

  Config config_;
  mutable std::atomic<bool> refused_{false};
};

/// The process's cache.
const ObjectCache &objectCache();

/// The cache key of one kernel compiled for one block shape on this machine, with this build.
/// `imageHash` is ImageHeader::hash; `cpu` is the one that the code is for, "" for this
/// machine's; `threadwise` as in HeddleCompileRequest, and so are `objects` and `checks`.
Hash128 kernelKey(const uint64_t (&imageHash)[2], std::string_view kernel,
                  const std::array<uint32_t, 3> &blockDim, uint32_t width, std::string_view cpu,
                  bool threadwise = false, std::span<const uint32_t> objects = {},
                  Mode mode = Mode::Plain, uint32_t checks = 0);

} // namespace heddle
