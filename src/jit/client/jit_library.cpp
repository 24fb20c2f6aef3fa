// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/client/jit_library.h"

#include "base/messages/missing_library.h"

#include <mutex>

#include <dlfcn.h>

namespace heddle {

namespace {

template <typename Function> bool load(void *library, Function &function, const char *name) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

const uint8_t *bytes(const std::string &text) {
  return reinterpret_cast<const uint8_t *>(text.data());
}

} // namespace

Result<const JitLibrary *> JitLibrary::open(const std::string &folder) {
  static JitLibrary &jit = *new JitLibrary;
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  if (jit.free_)
    return &jit;
  const std::string path = (folder.empty() ? "" : folder + "/") + "libheddle_jit.so";
  void *library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!library)
    return Failure{std::string("cannot load the compiler: ") + explainLoadError(dlerror())};
  bool complete =
      load(library, jit.pack_, "heddleJitPack") && load(library, jit.link_, "heddleJitLink") &&
      load(library, jit.emitPtx_, "heddleJitEmitPtx") &&
      load(library, jit.readPtx_, "heddleJitReadPtx") &&
      load(library, jit.unpackPtx_, "heddleJitUnpackPtx") &&
      load(library, jit.compile_, "heddleJitCompileWith") &&
      load(library, jit.survive_, "heddleJitSurvive") &&
      load(library, jit.version_, "heddleJitVersion") && load(library, jit.free_, "heddleJitFree");
  if (!complete)
    return Failure{path + " is of another version"};
  return &jit;
}

Result<std::string> JitLibrary::take(HeddleJitResult result) const {
  Result<std::string> text =
      result.error ? Result<std::string>(Failure{result.error})
                   : std::string(reinterpret_cast<const char *>(result.data), result.size);
  free_(&result);
  return text;
}

Result<std::string> JitLibrary::pack(const std::string &bitcode, uint32_t imageFlags, uint32_t sm,
                                     uint32_t compileOptions, uint32_t maxRegisters) const {
  return take(pack_(bytes(bitcode), bitcode.size(), imageFlags, sm, compileOptions, maxRegisters));
}

Result<std::string> JitLibrary::link(const std::vector<std::string> &images) const {
  std::vector<const uint8_t *> data;
  std::vector<size_t> sizes;
  for (const std::string &image : images) {
    data.push_back(bytes(image));
    sizes.push_back(image.size());
  }
  return take(link_(data.data(), sizes.data(), images.size()));
}

Result<std::string> JitLibrary::emitPtx(const std::string &image, const std::string &target,
                                        bool hasLines) const {
  return take(emitPtx_(bytes(image), image.size(), target.c_str(), hasLines));
}

static HeddlePtxText given(const PtxText &text) {
  HeddlePtxText given = {};
  given.bytes = text.bytes.data();
  given.size = text.bytes.size();
  given.packing = text.isLz4() ? HeddlePtxLz4 : text.isZstd() ? HeddlePtxZstd : HeddlePtxPlain;
  given.unpackedSize = text.unpackedSize;
  return given;
}

Result<std::string> JitLibrary::readPtx(const PtxText &text, bool isRelocatable) const {
  const HeddlePtxText whole = given(text);
  HeddlePtxRefusal refusal;
  return take(readPtx_(&whole, isRelocatable, &refusal));
}

Result<std::string> JitLibrary::unpackPtx(const PtxText &text) const {
  const HeddlePtxText whole = given(text);
  return take(unpackPtx_(&whole));
}

Result<std::string> JitLibrary::compile(const std::string &image, const std::string &kernel) const {
  HeddleCompileRequest request = {};
  request.image = bytes(image);
  request.imageSize = image.size();
  request.kernel = kernel.c_str();
  request.blockDim[0] = 256;
  request.blockDim[1] = request.blockDim[2] = 1;
  return take(compile_(&request));
}

std::string JitLibrary::survive(const std::function<void()> &action) const {
  auto call = [](void *given) { (*static_cast<const std::function<void()> *>(given))(); };
  Result<std::string> result = take(survive_(call, const_cast<std::function<void()> *>(&action)));
  return result ? "" : result.error();
}

} // namespace heddle
