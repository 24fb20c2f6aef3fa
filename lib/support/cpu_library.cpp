// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/cpu_library.h"

#include <cstdio>

#include <dlfcn.h>
#include <sys/prctl.h>

namespace heddle::library {

namespace {

/// Threads have the name of the one that creates them. Those that a CPU library begins when it is loaded
/// are none of the program's, as checks see it (base/own_threads.h).
class OwnThreads {
public:
  OwnThreads() {
    prctl(PR_GET_NAME, before_);
    prctl(PR_SET_NAME, "heddle-thread");
  }
  ~OwnThreads() { prctl(PR_SET_NAME, before_); }
  OwnThreads(const OwnThreads &) = delete;
  OwnThreads &operator=(const OwnThreads &) = delete;

private:
  char before_[16] = {};
};

} // namespace

void *CpuLibrary::open() {
  std::call_once(once, [this] {
    OwnThreads named;
    handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      std::fprintf(stderr, "heddle: %s cannot be loaded: install the package %s (%s)\n", file,
                   package, dlerror());
  });
  return handle;
}

void *CpuLibrary::find(const char *name) {
  void *library = open();
  if (!library)
    return nullptr;
  void *function = dlsym(library, name);
  if (!function)
    std::fprintf(stderr, "heddle: %s has no %s: install a newer package %s\n", file, name, package);
  return function;
}

} // namespace heddle::library
