// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/cpu_library.h"

#include <cstdio>

#include <dlfcn.h>

namespace heddle::library {

void *CpuLibrary::open() {
  std::call_once(once, [this] {
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
