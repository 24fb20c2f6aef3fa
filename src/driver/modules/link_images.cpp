// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/modules/link_images.h"

#include "driver/modules/jit_library.h"

#include "base/cache/object_cache.h"
#include "base/cache/version.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::driver {

Result<std::vector<uint8_t>> readFile(const std::string &path) {
  int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) {
    if (file >= 0)
      close(file);
    return Failure{"cannot read " + path};
  }
  std::vector<uint8_t> bytes(static_cast<size_t>(status.st_size));
  size_t at = 0;
  while (at < bytes.size()) {
    ssize_t got = read(file, bytes.data() + at, bytes.size() - at);
    if (got <= 0)
      break;
    at += static_cast<size_t>(got);
  }
  close(file);
  if (at < bytes.size())
    return Failure{"cannot read " + path};
  return bytes;
}

Result<std::vector<uint8_t>> linkImages(const std::vector<ImageView> &images) {
  Hash128 key = hashOf({"linked", compilerVersion()});
  std::vector<std::span<const uint8_t>> bytes;
  for (const ImageView &image : images) {
    bytes.push_back(image.bytes());
    auto *text = reinterpret_cast<const char *>(image.bytes().data());
    key = hashOf({bytesOf(key), std::string_view(text, image.bytes().size())});
  }
  if (auto path = objectCache().lookup(key))
    if (auto cached = readFile(*path))
      return cached;
  auto linked = jitLink(bytes);
  if (linked) // a cache that cannot be written only costs time
    objectCache().keep(key, *linked);
  return linked;
}

} // namespace heddle::driver
