// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle-clang: clang_main.cpp in libheddle_compiler.so, where NVRTC finds the same clang. The
// library is opened by its place beside this program; the dynamic linker could not find it on a
// system without /proc.
#include <dlfcn.h>

#include <cstdio>
#include <cstring>
#include <string>

namespace {

void *openCompiler(const char *program) {
  const std::string name = "libheddle_compiler.so";
  const char *slash = std::strrchr(program, '/');
  void *library = nullptr;
  if (slash)
    library = dlopen((std::string(program, slash + 1) + "../lib64/" + name).c_str(), RTLD_LAZY);
  return library ? library : dlopen(name.c_str(), RTLD_LAZY);
}

} // namespace

int main(int argc, char **argv) {
  void *library = openCompiler(argv[0]);
  void *function = library ? dlsym(library, "heddleClangMain") : nullptr;
  if (!function) {
    std::fprintf(stderr, "heddle-clang: %s\n", dlerror());
    return 1;
  }
  return reinterpret_cast<int (*)(int, char **)>(function)(argc, argv);
}
