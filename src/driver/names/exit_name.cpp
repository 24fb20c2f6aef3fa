// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `exit` in front of the C library's, in the libraries that programs link: no other thread may
// be in the compiler when destructors of statics run (modules/jit_library.cpp). When main returns,
// the main thread's state tells. `_exit`, likewise: a profile is still written (program_end.cpp).
#include <cstdlib>

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

extern "C" void heddle_before_exit();
extern "C" void heddle_before_end();

namespace {

[[noreturn]] void endAtOnce(int status) {
  heddle_before_end();
  for (;;)
    syscall(SYS_exit_group, status);
}

} // namespace

extern "C" __attribute__((visibility("default"), weak, noreturn)) void exit(int status) noexcept {
  using Exit = void (*)(int);
  heddle_before_exit();
  if (auto next = reinterpret_cast<Exit>(dlsym(RTLD_NEXT, "exit")))
    next(status);
  endAtOnce(status);
}

extern "C" __attribute__((visibility("default"), weak, noreturn)) void _exit(int status) {
  endAtOnce(status);
}
extern "C" __attribute__((visibility("default"), weak, noreturn)) void _Exit(int status) noexcept {
  endAtOnce(status);
}
