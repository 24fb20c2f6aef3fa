// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What thin libraries (thin_nvrtc.cpp, thin_nvjitlink.cpp) share. Each release is a file of its own with
// its version's symbols; all meet in libheddle_compiler.so, which is loaded when a function is called.
#pragma once

#include "rtc/tables.h"

#include <cstdio>
#include <string>

#include <dlfcn.h>

namespace heddle::rtc {

/// The table that `function` of libheddle_compiler.so beside this library gives; null, and a line
/// says why, if it cannot be loaded.
template <typename Table> const Table *loadTable(const char *function) {
  Dl_info info;
  std::string path;
  if (dladdr(reinterpret_cast<void *>(&loadTable<Table>), &info) && info.dli_fname)
    path = info.dli_fname;
  const size_t slash = path.rfind('/');
  path = (slash == path.npos ? "" : path.substr(0, slash + 1)) + "libheddle_compiler.so";
  void *library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (void *found = library ? dlsym(library, function) : nullptr)
    return reinterpret_cast<const Table *(*)()>(found)();
  std::fprintf(stderr, "heddle: the compiler cannot be loaded: %s\n", dlerror());
  return nullptr;
}

} // namespace heddle::rtc
