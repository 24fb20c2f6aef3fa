// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `exit` in front of the C library's, in the libraries that programs link: no other thread may
// be in the compiler when destructors of statics run (modules/jit_library.cpp). When main returns,
// the main thread's state tells.
#include <cstdlib>

#include <dlfcn.h>

extern "C" void heddle_before_exit();

extern "C" __attribute__((visibility("default"), weak, noreturn)) void exit(int status) noexcept {
  using Exit = void (*)(int);
  heddle_before_exit();
  if (auto next = reinterpret_cast<Exit>(dlsym(RTLD_NEXT, "exit")))
    next(status);
  _Exit(status);
}
