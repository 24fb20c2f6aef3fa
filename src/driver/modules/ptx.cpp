// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/modules/ptx.h"

#include "driver/modules/jit_library.h"
#include "driver/modules/link_images.h"

#include "base/cache/object_cache.h"
#include "base/cache/version.h"
#include "base/image/resources.h"
#include "jit/jit.h"

namespace heddle::driver {

namespace {

/// What `read()` gives, or gave before and the cache on disk has.
template <typename F> Result<std::vector<uint8_t>> cached(const Hash128 &key, F &&read) {
  if (auto path = objectCache().lookup(key))
    if (auto known = readFile(*path))
      return known;
  Result<std::vector<uint8_t>> image = read();
  if (image) // a cache that cannot be written only costs time
    objectCache().keep(key, *image);
  return image;
}

Result<std::vector<uint8_t>> imageOf(const PtxText &text, bool isRelocatable,
                                     const JitChoices &choices, CUresult &error) {
  const HeddlePtxText given = {text.bytes.data(),
                               text.bytes.size(),
                               text.isLz4()    ? HeddlePtxLz4
                               : text.isZstd() ? HeddlePtxZstd
                                               : HeddlePtxPlain,
                               text.unpackedSize,
                               choices.maxRegisters,
                               choices.isDebug,
                               choices.maxThreads,
                               choices.minBlocks,
                               choices.overrides};
  std::string how = std::string(isRelocatable ? "r" : "") + (choices.isDebug ? "d" : "") +
                    (choices.overrides ? "o" : "");
  for (size_t number : {size_t(choices.maxRegisters), size_t(choices.maxThreads),
                        size_t(choices.minBlocks), size_t(given.packing), text.unpackedSize})
    how += std::to_string(number) + ",";
  return cached(hashOf({"ptx", compilerVersion(), how, text.bytes}),
                [&] { return jitReadPtx(given, isRelocatable, error); });
}

} // namespace

CUresult readPtx(std::span<const PtxText> texts, bool isRelocatable, Loading &loading,
                 std::vector<uint8_t> &image) {
  const unsigned capability = capabilityOf(currentContext()), target = loading.choices.target;
  if (target > capability)
    return refuse(loading, "the target is a later device", CUDA_ERROR_NO_BINARY_FOR_GPU);
  const PtxText *text = chooseText(texts, target ? target : capability);
  if (!text)
    return refuse(loading, "the PTX is for other devices only", CUDA_ERROR_NO_BINARY_FOR_GPU);
  CUresult error = CUDA_SUCCESS;
  auto read = imageOf(*text, isRelocatable, loading.choices, error);
  if (!read)
    return refuse(loading, read.error(), error);
  image = std::move(*read);
  if (loading.choices.isVerbose)
    if (auto view = ImageView::create(std::span<const uint8_t>(image)))
      loading.info +=
          resourceReport(*view, {{target ? target : capability}}, loading.choices.maxRegisters);
  return CUDA_SUCCESS;
}

Result<std::vector<uint8_t>> readPtxKernel(const ImageView &index, const char *kernel,
                                           CUresult &error) {
  const auto &hash = index.header().hash;
  const std::string_view key(reinterpret_cast<const char *>(hash), sizeof hash);
  return cached(hashOf({"ptx kernel", compilerVersion(), key, kernel}),
                [&] { return jitReadPtxKernel(index.bytes(), kernel, error); });
}

} // namespace heddle::driver
