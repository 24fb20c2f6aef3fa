// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rtc/toolkit.h"

#include <cstdlib>
#include <filesystem>

#include <dlfcn.h>

namespace heddle::rtc {

namespace {

namespace fs = std::filesystem;

/// <prefix>/lib/heddle; in the build tree the libraries lie one folder above.
fs::path rootFolder() {
  if (const char *home = std::getenv("HEDDLE_HOME"))
    return home;
  Dl_info info;
  if (!dladdr(reinterpret_cast<void *>(&findToolkit), &info) || !info.dli_fname)
    return "";
  std::error_code error;
  fs::path folder = fs::canonical(info.dli_fname, error).parent_path();
  return fs::exists(folder / "heddle/include", error) ? folder / "heddle" : folder.parent_path();
}

fs::path resourceFolder() {
  const char *clang = std::getenv("HEDDLE_CLANG");
  std::error_code error;
  fs::path program = fs::canonical(clang ? clang : HEDDLE_CONFIGURED_CLANG, error);
  return program.parent_path().parent_path() / "lib/clang/22";
}

} // namespace

Result<cuda::Toolkit> findToolkit() {
  cuda::Toolkit toolkit = {rootFolder(), resourceFolder()};
  std::error_code error;
  if (!fs::exists(toolkit.root + "/include/cuda_runtime.h", error))
    return Failure{"the CUDA headers are missing: there is no folder " + toolkit.root + "/include"};
  if (!fs::exists(toolkit.resources + "/include", error))
    return Failure{"clang 22's headers are missing: there is no folder " + toolkit.resources +
                   "/include; install the package clang-22, or set HEDDLE_CLANG to its path"};
  return toolkit;
}

Result<const JitLibrary *> openJit() {
  Dl_info info;
  const bool isKnown = dladdr(reinterpret_cast<void *>(&openJit), &info) && info.dli_fname;
  return JitLibrary::open(isKnown ? fs::path(info.dli_fname).parent_path().string() : "");
}

std::string pluginOf(const cuda::Toolkit &toolkit) {
  return toolkit.root + "/lib64/libheddle_clang_plugin.so";
}

} // namespace heddle::rtc
