// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens and closes plug-ins; the last stays open until the program ends.
#include <cstdio>
#include <dlfcn.h>

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    void *plugin = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
    auto value = plugin ? reinterpret_cast<int (*)()>(dlsym(plugin, "value")) : nullptr;
    if (!value)
      return std::puts(dlerror()), 1;
    std::printf("value %d\n", value());
    std::fflush(stdout);
    if (i + 1 < argc)
      dlclose(plugin);
  }
  return 0;
}
