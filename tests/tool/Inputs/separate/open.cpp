// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens and closes each library that it is given, three times.
#include <cstdio>
#include <dlfcn.h>

int main(int count, char **libraries) {
  int wrong = 0;
  for (int i = 0; i < 3 * (count - 1); i++) {
    void *library = dlopen(libraries[1 + i % (count - 1)], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      std::printf("%s\n", dlerror());
      return 1;
    }
    wrong += reinterpret_cast<int (*)()>(dlsym(library, "runKernels"))();
    dlclose(library);
  }
  return wrong;
}
