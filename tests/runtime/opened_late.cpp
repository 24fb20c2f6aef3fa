// RUN: clang -x c %s -o %t -ldl
// RUN: env LD_LIBRARY_PATH=%build/lib %t libcuda.so.1 cuInit
// RUN: env LD_LIBRARY_PATH=%build/lib %t libcudart.so.12 cudaFree
// RUN: env LD_LIBRARY_PATH=%build/lib %t libcudart.so.13 cudaFree
// RUN: env LD_LIBRARY_PATH=%build/lib %t libnvrtc.so.12 nvrtcGetNumSupportedArchs
// RUN: env LD_LIBRARY_PATH=%build/lib %t libnvidia-ml.so.1 nvmlInit_v2
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program in C, as Python is, that opens and uses the C++ library first: its words of a thread then have no fixed place,
// and the loader refuses a library that was linked as if they had. The library is opened, and a function called with 0.
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **arguments) {
  (void)count;
  void *standard = dlopen("libstdc++.so.6", RTLD_NOW), *words = standard ? dlsym(standard, "__cxa_get_globals") : 0;
  if (!words)
    return puts(dlerror());
  ((void *(*)(void))words)();
  void *library = dlopen(arguments[1], RTLD_NOW);
  void *function = library ? dlsym(library, arguments[2]) : 0;
  if (!function)
    return puts(dlerror());
  ((int (*)(void *))function)(0);
  return 0;
}
