// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linked with --wrap=__cudaRegisterFatBinary, this makes a program run its kernels through PTX: each device image becomes
// the PTX that `heddle cc -ptx` would write of it, and the runtime gets a fat binary with that text (bench/ptx.py).
#include "jit/jit.h"

#include "base/image/image_bundle.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>

namespace {

struct Wrapper {
  uint32_t magic, version;
  const void *code;
  void *more;
};

[[noreturn]] void fail(const char *what, const char *why) {
  std::fprintf(stderr, "through PTX: %s: %s\n", what, why);
  std::exit(1);
}

template <class F> F *find(const char *name) {
  static void *library = dlopen(JIT_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  void *function = library ? dlsym(library, name) : nullptr;
  if (!function)
    fail(name, dlerror());
  return reinterpret_cast<F *>(function);
}

/// The first image of a bundle, or the image.
const uint8_t *imageOf(const void *code, size_t &size) {
  auto *bytes = static_cast<const uint8_t *>(code);
  if (!std::memcmp(bytes, heddle::BundleMagic, sizeof heddle::BundleMagic)) {
    auto *entry =
        reinterpret_cast<const heddle::BundleEntry *>(bytes + sizeof(heddle::BundleHeader));
    size = entry->bytes;
    return bytes + entry->offset;
  }
  if (std::memcmp(bytes, heddle::ImageMagic, sizeof heddle::ImageMagic))
    fail("a fat binary", "no image of ours");
  size = reinterpret_cast<const heddle::ImageHeader *>(bytes)->totalBytes;
  return bytes;
}

template <class T> void put(std::string &bytes, size_t at, T value) {
  std::memcpy(&bytes[at], &value, sizeof value);
}

/// One entry of PTX (src/driver/modules/ptx.cpp).
std::string fatBinaryOf(const std::string &ptx) {
  std::string bytes(16 + 64, '\0');
  put<uint32_t>(bytes, 0, 0xBA55ED50);
  put<uint16_t>(bytes, 4, 1);
  put<uint16_t>(bytes, 6, 16);
  put<uint64_t>(bytes, 8, 64 + ptx.size());
  put<uint16_t>(bytes, 16, 1);
  put<uint32_t>(bytes, 16 + 4, 64);
  put<uint64_t>(bytes, 16 + 8, ptx.size());
  put<uint32_t>(bytes, 16 + 28, 80);
  return bytes + ptx;
}

} // namespace

extern "C" void **__real___cudaRegisterFatBinary(void *wrapper);

extern "C" void **__wrap___cudaRegisterFatBinary(void *wrapper) {
  size_t size = 0;
  const uint8_t *image = imageOf(static_cast<Wrapper *>(wrapper)->code, size);
  HeddleJitResult result =
      find<decltype(heddleJitEmitPtx)>("heddleJitEmitPtx")(image, size, "sm_90", false);
  if (result.error)
    fail("an image", result.error);
  std::string text(reinterpret_cast<const char *>(result.data), result.size);
  text.resize((text.size() / 8 + 1) * 8); // ends with zeros
  auto *made = new std::string(fatBinaryOf(text));
  find<decltype(heddleJitFree)>("heddleJitFree")(&result);
  return __real___cudaRegisterFatBinary(new Wrapper{0x466243b1, 1, made->data(), nullptr});
}
