// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images are found by their magic numbers: linkers put them where they like, and all of an image is
// checked by its sums.
#include "tool/compile/device_code.h"
#include "jit/client/jit_library.h"
#include "tool/tools/toolchain.h"

#include <algorithm>
#include <cstring>

namespace heddle::tool {

namespace {

const uint8_t *bytesOf(std::string_view text) {
  return reinterpret_cast<const uint8_t *>(text.data());
}

class Search {
public:
  explicit Search(std::string_view file) : file_(file) {}

  std::vector<FoundImage> run() {
    for (size_t at = 0; at + sizeof(BundleMagic) <= file_.size();)
      at += visit(file_.substr(at));
    return std::move(found_);
  }

private:
  /// How many bytes are done with.
  size_t visit(std::string_view rest) {
    const bool isBundle = std::memcmp(rest.data(), BundleMagic, sizeof BundleMagic) == 0;
    const bool isImage = std::memcmp(rest.data(), ImageMagic, sizeof ImageMagic) == 0;
    if (!isBundle && !isImage)
      return 1;
    std::string copy(rest.substr(0, deviceCodeBytes(rest.data(), rest.size()))); // which is aligned
    if (copy.empty())
      return 1;
    if (isImage)
      add(copy, nullptr);
    else
      addBundle(copy);
    return copy.size();
  }

  void addBundle(std::string_view bundle) {
    BundleHeader header;
    std::memcpy(&header, bundle.data(), sizeof header);
    for (size_t i = 0; i != header.count; ++i) {
      BundleEntry entry;
      std::memcpy(&entry, bundle.data() + sizeof header + i * sizeof entry, sizeof entry);
      if (entry.offset <= bundle.size() && entry.bytes <= bundle.size() - entry.offset)
        add(std::string(bundle.substr(entry.offset, entry.bytes)), &entry);
    }
  }

  void add(const std::string &bytes, const BundleEntry *name) {
    if (!ImageView::create({bytesOf(bytes), bytes.size()}))
      return;
    auto same = std::find_if(found_.begin(), found_.end(),
                             [&](const FoundImage &image) { return image.bytes == bytes; });
    if (same == found_.end())
      same = found_.insert(found_.end(), FoundImage{bytes, {}});
    if (name)
      same->names.push_back(*name);
  }

  std::string_view file_;
  std::vector<FoundImage> found_;
};

} // namespace

ImageView FoundImage::view() const {
  return *ImageView::create({bytesOf(bytes), bytes.size()}); // it was checked
}

std::vector<FoundImage> imagesIn(std::string_view file) { return Search(file).run(); }

std::vector<PtxText> ptxIn(const std::string &file) {
  if (isPtx(file.c_str()) && file.find(".version") != file.npos)
    return {{std::string_view(file).substr(0, file.find('\0'))}};
  std::vector<PtxText> texts;
  for (const std::vector<PtxText> &some : fatBinariesIn(file))
    texts.insert(texts.end(), some.begin(), some.end());
  return texts;
}

Result<std::vector<FoundImage>> deviceCodeIn(const std::string &file) {
  std::vector<FoundImage> found = imagesIn(file);
  const std::vector<PtxText> texts = ptxIn(file);
  if (texts.empty())
    return found;
  Result<const JitLibrary *> jit = JitLibrary::open(ownFolders().libs);
  if (!jit)
    return Failure{jit.error()};
  for (const PtxText &text : texts) {
    Result<std::string> plain = (*jit)->unpackPtx(text);
    if (!plain)
      return Failure{plain.error()};
    const PtxText unpacked = {*plain};
    Result<std::string> image = (*jit)->readPtx(unpacked, /*isRelocatable=*/false);
    if (!image) // that may lack other modules
      image = (*jit)->readPtx(unpacked, /*isRelocatable=*/true);
    if (!image)
      return Failure{image.error()};
    found.push_back({*image, {}});
    BundleEntry name = {};
    name.code = text.capability ? text.capability : found.back().number();
    found.back().names.push_back(name);
    found.back().ptx = std::move(*plain);
  }
  return found;
}

} // namespace heddle::tool
