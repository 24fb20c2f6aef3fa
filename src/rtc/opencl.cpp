// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenCL C for libheddle-opencl.so (frontend/opencl/compiler.h): clang, the built-in functions, and the
// JIT's `pack`.
#include "base/image/module_image.h"
#include "frontend/opencl/compile.h"
#include "frontend/opencl/link.h"
#include "rtc/toolkit.h"

#include "llvm/Support/thread.h"

#include <optional>

namespace heddle::rtc {

namespace {

/// Images are of the newest GPU that LLVM's back end and ours know alike; those of older boards take
/// them too.
constexpr uint32_t Architecture = 50;

/// Runs `action` on a thread with a large stack, as clang's recursion needs it. Gives the words of a
/// fatal error, or "".
template <typename F> std::string runGuarded(const JitLibrary &jit, F &&action) {
  std::string fatal;
  llvm::thread thread(std::optional<unsigned>(8u << 20), [&] { fatal = jit.survive(action); });
  thread.join();
  return fatal;
}

template <typename Answer, typename F> void answer(Answer &result, F &&body) {
  Result<cuda::Toolkit> toolkit = findToolkit();
  Result<const JitLibrary *> jit = openJit();
  if (!toolkit || !jit) {
    result.log = "error: " + (toolkit ? jit.error() : toolkit.error()) + "\n";
    return;
  }
  std::string fatal = runGuarded(**jit, [&] { body(*toolkit); });
  if (fatal.empty())
    return;
  result.isGood = false;
  result.log += "error: " + fatal + "\n";
}

void compile(const opencl::CompileRequest &request, opencl::Compiled &result) {
  answer(result, [&](const cuda::Toolkit &toolkit) {
    result = opencl::compileSource(request, toolkit.resources);
  });
}

/// Makes an image of what was linked.
void pack(opencl::Linked &result, bool isDebug, uint32_t compileOptions) {
  if (!result.isGood)
    return;
  Result<std::string> image =
      (*openJit())->pack(result.code, isDebug ? ImageDebug : 0, Architecture, compileOptions, 0);
  result.isGood = static_cast<bool>(image);
  if (image)
    result.code = std::move(*image);
  else
    result.log += "error: " + image.error() + "\n";
}

void link(const opencl::LinkRequest &request, opencl::Linked &result) {
  answer(result, [&](const cuda::Toolkit &toolkit) {
    result = opencl::linkModules(request, toolkit.root + "/opencl.a");
  });
  if (!request.isLibrary)
    pack(result, request.isDebug, request.compileOptions);
}

void specialize(const opencl::SpecializeRequest &request, opencl::Linked &result) {
  answer(result, [&](const cuda::Toolkit &) { result = opencl::specializeKernel(request); });
  pack(result, request.isDebug, request.compileOptions);
}

} // namespace

} // namespace heddle::rtc

extern "C" __attribute__((visibility("default"))) const heddle::opencl::CompilerTable *
heddleOpenclTable() {
  static constexpr heddle::opencl::CompilerTable Table = {heddle::rtc::compile, heddle::rtc::link,
                                                          heddle::rtc::specialize};
  return &Table;
}
