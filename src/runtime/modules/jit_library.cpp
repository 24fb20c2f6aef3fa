// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/modules/jit_library.h"

#include "base/missing_library.h"
#include "jit/jit.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <unistd.h>

namespace heddle::runtime {

namespace {

struct Library {
  decltype(&heddleJitCompileForLaunch) compile = nullptr;
  decltype(&heddleJitLink) link = nullptr;
  decltype(&heddleJitSymbolize) symbolize = nullptr;
  decltype(&heddleJitFree) free = nullptr;
  std::string error;
};

std::atomic<bool> compilerMissing{false};

constexpr const char *FileName = "libheddle_jit.so";

/// The folder of libcudart.so.12.
std::string ownFolder() {
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&ownFolder), &info) || !info.dli_fname)
    return "";
  char real[PATH_MAX];
  std::string path = realpath(info.dli_fname, real) ? real : info.dli_fname;
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

/// The path in the first of the folders that has such a file; empty: none has.
std::string firstReadable(std::initializer_list<std::string> folders, const char *name) {
  for (const std::string &folder : folders)
    if (std::string path = folder + "/" + name; !folder.empty() && access(path.c_str(), R_OK) == 0)
      return path;
  return "";
}

void *openLibrary(std::string &error) {
  std::string path = compilerPath();
  void *handle = dlopen(path.empty() ? FileName : path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    error = explainLoadError(dlerror());
  return handle;
}

template <typename F>
bool resolve(void *handle, const char *name, F &function, std::string &error) {
  function = reinterpret_cast<F>(dlsym(handle, name));
  if (!function)
    error = std::string(FileName) + " has no " + name;
  return function;
}

Library open() {
  Library library;
  void *handle = openLibrary(library.error);
  if (!handle) {
    compilerMissing = true;
    library.error =
        "a kernel must be compiled, but the compiler cannot be loaded: " + library.error;
    return library;
  }
  // Registered after LLVM's own destructors, so run before them.
  atexit(device::finishReports);
  bool all = resolve(handle, "heddleJitCompileForLaunch", library.compile, library.error) &&
             resolve(handle, "heddleJitLink", library.link, library.error) &&
             resolve(handle, "heddleJitSymbolize", library.symbolize, library.error) &&
             resolve(handle, "heddleJitFree", library.free, library.error);
  compilerMissing = !all;
  return library;
}

const Library &library() {
  static const Library *opened = new Library(open());
  return *opened;
}

Result<std::vector<uint8_t>> take(HeddleJitResult result) {
  if (result.error) {
    Failure failure{result.error};
    library().free(&result);
    return failure;
  }
  std::vector<uint8_t> bytes(result.data, result.data + result.size);
  library().free(&result);
  return bytes;
}

} // namespace

std::string compilerPath() {
  if (const char *path = getenv("HEDDLE_JIT_LIBRARY"); path && *path)
    return path;
  std::string own = ownFolder();
  return firstReadable({own, own + "/../lib", own + "/../../lib"}, FileName);
}

std::string formProgram() {
  std::string own = ownFolder();
  return firstReadable({own + "/../bin", own + "/heddle/bin"}, "heddle-form");
}

bool isCompilerMissing() { return compilerMissing; }

Result<std::vector<uint8_t>> jitCompile(const HeddleCompileRequest &request,
                                        bool &isLibraryMissing) {
  if (!library().error.empty())
    return Failure{library().error};
  HeddleJitResult result = library().compile(&request);
  isLibraryMissing = result.isLibraryMissing;
  return take(result);
}

Result<std::vector<uint8_t>> jitLink(std::span<const std::span<const uint8_t>> images) {
  if (!library().error.empty())
    return Failure{library().error};
  std::vector<const uint8_t *> data;
  std::vector<size_t> sizes;
  for (std::span<const uint8_t> image : images) {
    data.push_back(image.data());
    sizes.push_back(image.size());
  }
  return take(library().link(data.data(), sizes.data(), data.size()));
}

bool jitSymbolize(const char *objectPath, uint64_t offset, device::SourcePosition &position) {
  if (!library().error.empty())
    return false;
  HeddleJitResult result = library().symbolize(objectPath, offset, &position.line);
  bool good = !result.error && result.data;
  if (good) {
    auto *function = reinterpret_cast<const char *>(result.data);
    snprintf(position.function, sizeof(position.function), "%s", function);
    snprintf(position.file, sizeof(position.file), "%s", function + strlen(function) + 1);
  }
  library().free(&result);
  return good;
}

} // namespace heddle::runtime
