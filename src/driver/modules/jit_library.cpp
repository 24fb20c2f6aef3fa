// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/modules/jit_library.h"

#include "driver/aside.h"
#include "driver/modules/loader.h"
#include "driver/rooms.h"

#include "base/messages/missing_library.h"
#include "check/check.h"
#include "jit/jit.h"

#include <atomic>
#include <bit>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include <dlfcn.h>
#include <unistd.h>

namespace heddle::driver {

struct CompilerLibrary {
  CompilerLibrary(); ///< opens it
  decltype(&heddleJitCompileWith) compile = nullptr;
  decltype(&heddleJitLink) link = nullptr;
  decltype(&heddleJitReadPtx) readPtx = nullptr;
  decltype(&heddleJitReadPtxKernel) readPtxKernel = nullptr;
  decltype(&heddleJitEmitGpu) emitGpu = nullptr;
  decltype(&heddleJitSymbolize) symbolize = nullptr;
  decltype(&heddleJitSymbolizeHost) symbolizeHost = nullptr;
  decltype(&heddleJitFree) free = nullptr;
  std::string error;
};

/// The threads in the library. When the program ends it must be left before its statics, and
/// LLVM's, are destroyed; who comes later is turned away. The destructors of statics that were made
/// before this library was loaded, or after its last use began, stand around closeCompiler, which is
/// registered anew after uses. But LLVM makes some while it compiles for the first time: so the thread
/// that ends the program empties the library before any destructor runs (endForOthers), and may then
/// use it itself until it is closed.
class CompilerVisitors {
public:
  bool come(bool isLast) {
    std::lock_guard guard(mutex_);
    const bool isAllowed = !isClosed_ && (!isEnding_ || isLast);
    count_ += isAllowed;
    return isAllowed;
  }
  void endForOthers() {
    std::unique_lock guard(mutex_);
    isEnding_ = true;
    left_.wait(guard, [&] { return count_ == 0; });
  }
  void leave() {
    std::lock_guard guard(mutex_);
    if (--count_ == 0)
      left_.notify_all();
  }
  void close() {
    std::unique_lock guard(mutex_);
    isClosed_ = true;
    left_.wait(guard, [&] { return count_ == 0; });
  }
  bool isClosed() {
    std::lock_guard guard(mutex_);
    return isClosed_ || isEnding_;
  }

private:
  std::mutex mutex_;
  std::condition_variable left_;
  int count_ = 0;
  bool isEnding_ = false, isClosed_ = false;
};

namespace {

thread_local bool isInLibrary = false;

CompilerVisitors &visitors() { return rooms().compilerVisitors.get(); }

class Visit {
public:
  Visit() : isAllowed_(visitors().come(endsProgram())) { isInLibrary = isAllowed_; }
  ~Visit() {
    isInLibrary = false;
    if (isAllowed_)
      visitors().leave();
  }
  Visit(const Visit &) = delete;
  Visit &operator=(const Visit &) = delete;
  explicit operator bool() const { return isAllowed_; }

private:
  bool isAllowed_;
};

void closeCompiler() {
  if (device::isForkedCopy() || isInLibrary)
    return; // the threads are elsewhere; or the compiler itself ends the program
  device::finishReports();
  visitors().close();
}

/// After the uses of the library in which statics may have been made.
void registerAnew() {
  if (std::has_single_bit(++rooms().compilerUses))
    atexit(closeCompiler);
}

constexpr const char *FileName = "libheddle_jit.so";

/// The folder of libheddle_driver.so.
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

void *openCompiler(std::string &error) {
  std::string path = compilerPath();
  void *handle = openLibrary(path.empty() ? FileName : path.c_str());
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

} // namespace

CompilerLibrary::CompilerLibrary() {
  void *handle = openCompiler(error);
  if (!handle) {
    rooms().isCompilerMissing = true;
    error = "a kernel must be compiled, but the compiler cannot be loaded: " + error;
    return;
  }
  // Registered after LLVM's own destructors, so run before them.
  atexit(closeCompiler);
  bool all = resolve(handle, "heddleJitCompileWith", compile, error) &&
             resolve(handle, "heddleJitLink", link, error) &&
             resolve(handle, "heddleJitReadPtx", readPtx, error) &&
             resolve(handle, "heddleJitReadPtxKernel", readPtxKernel, error) &&
             resolve(handle, "heddleJitEmitGpu", emitGpu, error) &&
             resolve(handle, "heddleJitSymbolize", symbolize, error) &&
             resolve(handle, "heddleJitSymbolizeHost", symbolizeHost, error) &&
             resolve(handle, "heddleJitFree", free, error);
  rooms().isCompilerMissing = !all;
}

namespace {

const CompilerLibrary &library() { return rooms().compiler.get(); }

/// Calls `function` of the library, on a thread on which it fits.
template <typename F> Result<HeddleJitResult> visit(F &&function) {
  Result<HeddleJitResult> result = Failure{"the system has no thread left for the compiler"};
  runAside([&] {
    LoaderUse use;
    Visit visit;
    if (!visit) {
      result = Failure{"the program ends"};
    } else if (!library().error.empty()) {
      result = Failure{library().error};
    } else {
      result = function(library());
      registerAnew();
    }
  });
  return result;
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

bool isCompilerMissing() { return rooms().isCompilerMissing; }
void endCompilingForOthers() {
  if (device::isForkedCopy() || isInLibrary)
    return;
  check::prepareEnd();
  setEndsProgram();
  device::finishReports();
  visitors().endForOthers();
}

bool isCompilerClosed() { return visitors().isClosed(); }

Result<std::vector<uint8_t>> jitCompile(const HeddleCompileRequest &request,
                                        bool &isLibraryMissing) {
  auto result = visit([&](const CompilerLibrary &library) { return library.compile(&request); });
  if (!result)
    return Failure{result.error()};
  isLibraryMissing = result->isLibraryMissing;
  return take(*result);
}

Result<std::vector<uint8_t>> jitLink(std::span<const std::span<const uint8_t>> images) {
  std::vector<const uint8_t *> data;
  std::vector<size_t> sizes;
  for (std::span<const uint8_t> image : images) {
    data.push_back(image.data());
    sizes.push_back(image.size());
  }
  auto result = visit([&](const CompilerLibrary &library) {
    return library.link(data.data(), sizes.data(), data.size());
  });
  if (!result)
    return Failure{result.error()};
  return take(*result);
}

namespace {

/// An image that `read(library, refusal)` makes of PTX.
template <typename F> Result<std::vector<uint8_t>> readPtxWith(CUresult &error, F &&read) {
  HeddlePtxRefusal refusal = HeddlePtxAccepted;
  error = CUDA_ERROR_JIT_COMPILER_NOT_FOUND;
  auto result = visit([&](const CompilerLibrary &library) { return read(library, &refusal); });
  if (!result)
    return Failure{result.error()};
  error = refusal == HeddlePtxVersion   ? CUDA_ERROR_UNSUPPORTED_PTX_VERSION
          : refusal == HeddlePtxInvalid ? CUDA_ERROR_INVALID_PTX
                                        : CUDA_SUCCESS;
  return take(*result);
}

} // namespace

Result<std::vector<uint8_t>> jitReadPtx(const HeddlePtxText &text, bool isRelocatable,
                                        CUresult &error) {
  return readPtxWith(error, [&](const CompilerLibrary &library, HeddlePtxRefusal *refusal) {
    return library.readPtx(&text, isRelocatable, refusal);
  });
}

Result<std::vector<uint8_t>> jitReadPtxKernel(std::span<const uint8_t> index, const char *kernel,
                                              CUresult &error) {
  return readPtxWith(error, [&](const CompilerLibrary &library, HeddlePtxRefusal *refusal) {
    return library.readPtxKernel(index.data(), index.size(), kernel, refusal);
  });
}

Result<std::vector<uint8_t>> jitEmitGpu(const HeddleGpuRequest &request) {
  auto result = visit([&](const CompilerLibrary &library) { return library.emitGpu(&request); });
  if (!result)
    return Failure{result.error()};
  return take(*result);
}

bool jitSymbolize(const char *objectPath, uint64_t offset, device::SourcePosition &position) {
  Visit visit; // on the thread that reports, which has a stack of its own
  if (!visit || !library().error.empty())
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

std::vector<std::string> jitSymbolizeHost(const char *path, uint64_t offset) {
  auto result =
      visit([&](const CompilerLibrary &library) { return library.symbolizeHost(path, offset); });
  auto bytes = result ? take(*result) : Result<std::vector<uint8_t>>(Failure{""});
  std::vector<std::string> words;
  if (!bytes)
    return words;
  for (size_t at = 0; at < bytes->size(); at += words.back().size() + 1)
    words.push_back(reinterpret_cast<const char *>(bytes->data() + at));
  return words;
}

} // namespace heddle::driver

extern "C" __attribute__((visibility("default"))) void heddle_before_exit() {
  heddle::driver::endCompilingForOthers();
}
