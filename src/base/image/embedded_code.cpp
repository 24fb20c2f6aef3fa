// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whatever the sections of a file are called, an image and a bundle of some begin with their magic, and
// have a checksum.
#include "base/image/embedded_code.h"

namespace heddle {

std::optional<std::vector<EmbeddedCode>> findEmbeddedCode(std::string_view file,
                                                          uint32_t capability) {
  if (!file.starts_with("\177ELF") && !file.starts_with("!<arch>\n"))
    return std::nullopt;
  constexpr std::string_view Image(ImageMagic, sizeof(ImageMagic)),
      Bundle(BundleMagic, sizeof(BundleMagic));
  std::vector<EmbeddedCode> all;
  for (size_t at = 0; (at = file.find("HEDDLE", at)) != file.npos; ++at) {
    const std::string_view rest = file.substr(at);
    if (!rest.starts_with(Image) && !rest.starts_with(Bundle))
      continue;
    std::vector<uint8_t> bytes(rest.begin(), rest.end()); // at an address for headers
    auto chosen = chooseImage(bytes.data(), bytes.size(), capability);
    if (!chosen || !(chosen->image.header().flags & ImageRelocatable))
      continue;
    at += deviceCodeBytes(bytes.data(), bytes.size()) - 1;
    all.push_back({std::move(bytes), chosen->image});
  }
  return all;
}

} // namespace heddle
