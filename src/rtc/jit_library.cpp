// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rtc/jit_library.h"

#include "base/messages/missing_library.h"

#include "llvm/Support/thread.h"

#include <mutex>
#include <optional>

#include <dlfcn.h>

namespace heddle::rtc {

namespace {

const uint8_t *bytesOf(const std::string &text) {
  return reinterpret_cast<const uint8_t *>(text.data());
}

std::string pathBesideThis(const char *name) {
  Dl_info info;
  std::string path;
  if (dladdr(reinterpret_cast<void *>(&pathBesideThis), &info) && info.dli_fname)
    path = info.dli_fname;
  const size_t slash = path.rfind('/');
  return (slash == path.npos ? "" : path.substr(0, slash + 1)) + name;
}

template <typename F> bool load(void *library, F &function, const char *name) {
  function = reinterpret_cast<F>(dlsym(library, name));
  return function != nullptr;
}

} // namespace

Result<const JitLibrary *> JitLibrary::open() {
  static JitLibrary &jit = *new JitLibrary;
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  if (jit.free_)
    return &jit;
  const std::string path = pathBesideThis("libheddle_jit.so");
  void *library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!library)
    return Failure{"cannot load the compiler: " + explainLoadError(dlerror())};
  const bool isComplete =
      load(library, jit.pack_, "heddleJitPack") && load(library, jit.link_, "heddleJitLink") &&
      load(library, jit.readPtx_, "heddleJitReadPtx") &&
      load(library, jit.emitPtx_, "heddleJitEmitPtx") &&
      load(library, jit.survive_, "heddleJitSurvive") && load(library, jit.free_, "heddleJitFree");
  if (!isComplete)
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
  return take(
      pack_(bytesOf(bitcode), bitcode.size(), imageFlags, sm, compileOptions, maxRegisters));
}

Result<std::string> JitLibrary::link(const std::vector<std::string> &images) const {
  std::vector<const uint8_t *> data;
  std::vector<size_t> sizes;
  for (const std::string &image : images) {
    data.push_back(bytesOf(image));
    sizes.push_back(image.size());
  }
  return take(link_(data.data(), sizes.data(), images.size()));
}

Result<std::string> JitLibrary::readPtx(std::string_view text) const {
  HeddlePtxText given = {};
  given.bytes = text.data();
  given.size = text.size();
  HeddlePtxRefusal refusal;
  return take(readPtx_(&given, /*isRelocatable=*/true, &refusal));
}

Result<std::string> JitLibrary::emitPtx(const std::string &image, const std::string &target,
                                        bool hasLines) const {
  return take(emitPtx_(bytesOf(image), image.size(), target.c_str(), hasLines));
}

std::string JitLibrary::runGuarded(const std::function<void()> &action) const {
  constexpr unsigned Stack = 8 << 20;
  std::string fatal;
  llvm::thread thread(std::optional<unsigned>(Stack), [&] {
    auto call = [](void *given) { (*static_cast<const std::function<void()> *>(given))(); };
    Result<std::string> result = take(survive_(call, const_cast<std::function<void()> *>(&action)));
    if (!result)
      fatal = result.error();
  });
  thread.join();
  return fatal;
}

} // namespace heddle::rtc
