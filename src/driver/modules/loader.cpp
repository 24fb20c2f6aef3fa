// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/modules/loader.h"

#include "driver/aside.h"

#include <atomic>

#include <dlfcn.h>

namespace heddle::driver {

static std::atomic<int> inside{0};

LoaderUse::LoaderUse() : counts_(isForDevice()) { inside += counts_; }
LoaderUse::~LoaderUse() { inside -= counts_; }
bool isLoaderWanted() { return inside.load() != 0; }

void *openLibrary(const char *path) {
  LoaderUse use;
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

} // namespace heddle::driver
