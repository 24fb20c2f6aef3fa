// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/forward.h"

#include <cstdio>
#include <string_view>

#include <cuda_runtime_api.h>
#include <dlfcn.h>

namespace heddle::library {

namespace {

enum Told { LibraryIsMissing = 1, FunctionIsMissing = 2 };

/// The driver's (driver/gpu/cuda_libraries.cpp): it knows the devices, and where the machine's
/// libraries are.
struct Driver {
  void *library = dlopen("libheddle_driver.so", RTLD_NOW | RTLD_NOLOAD);
  template <typename F> F *find(const char *name) {
    return reinterpret_cast<F *>(library ? dlsym(library, name) : dlsym(RTLD_DEFAULT, name));
  }
  bool (*isOnGpu)(int device, bool *always) = find<bool(int, bool *)>("heddle_is_on_gpu");
  void *(*open)(const char *files) = find<void *(const char *)>("heddle_machine_library");
};
const Driver &driver() {
  static const Driver driver;
  return driver;
}

/// Whether the current device is a GPU; `always`: no call will have another answer.
bool isOnGpu(bool &always) {
  always = true;
  if (!driver().isOnGpu)
    return false;
  int device = 0;
  const bool known = driver().isOnGpu(0, &always);
  if (always || cudaGetDevice(&device) != cudaSuccess)
    return known;
  return driver().isOnGpu(device, &always);
}

/// Functions that give a text have no status to return; ours say the same.
bool givesText(std::string_view name) {
  return name.ends_with("String") || name.ends_with("Name") || name.ends_with("GetLastError");
}

/// Functions that give what compiled device code reads: it has our layout (curand_discrete.h).
bool servesDeviceCode(std::string_view name) {
  return name.starts_with("curand") && name.ends_with("Distribution");
}

Code refuse(const ForwardedFunction &function, Told why, const char *text) {
  ForwardedLibrary &library = *function.library;
  if (givesText(function.name))
    return function.own;
  if (!(library.said.fetch_or(why) & why))
    std::fprintf(stderr, "heddle: %s: %s: %s\n", function.name, library.files, text);
  return reinterpret_cast<Code>(library.refuse);
}

Code machines(const ForwardedFunction &function) {
  void *library = driver().open ? driver().open(function.library->files) : nullptr;
  if (!library)
    return refuse(function, LibraryIsMissing,
                  "this machine has no such library for its GPU; ours computes on the CPU");
  Code found = reinterpret_cast<Code>(dlsym(library, function.name));
  return found ? found
               : refuse(function, FunctionIsMissing,
                        "the library of this machine's GPU does not have the function");
}

} // namespace

extern "C" __attribute__((visibility("hidden"), used)) Code
heddle_forward_choose(const ForwardedFunction *function) {
  bool always = true;
  const Code target =
      isOnGpu(always) && !servesDeviceCode(function->name) ? machines(*function) : function->own;
  if (always)
    function->place->store(target, std::memory_order_relaxed);
  return target;
}

} // namespace heddle::library

// The first call of a function: the arguments stay in their registers for the target.
#if defined(__x86_64__)
asm(R"(
.text
.globl heddle_forward_first
.hidden heddle_forward_first
.type heddle_forward_first, @function
heddle_forward_first:
  push %rbp
  mov %rsp, %rbp
  sub $192, %rsp
  mov %rdi, (%rsp)
  mov %rsi, 8(%rsp)
  mov %rdx, 16(%rsp)
  mov %rcx, 24(%rsp)
  mov %r8, 32(%rsp)
  mov %r9, 40(%rsp)
  mov %rax, 48(%rsp)
  movups %xmm0, 64(%rsp)
  movups %xmm1, 80(%rsp)
  movups %xmm2, 96(%rsp)
  movups %xmm3, 112(%rsp)
  movups %xmm4, 128(%rsp)
  movups %xmm5, 144(%rsp)
  movups %xmm6, 160(%rsp)
  movups %xmm7, 176(%rsp)
  mov %r11, %rdi
  call heddle_forward_choose
  mov %rax, %r11
  mov (%rsp), %rdi
  mov 8(%rsp), %rsi
  mov 16(%rsp), %rdx
  mov 24(%rsp), %rcx
  mov 32(%rsp), %r8
  mov 40(%rsp), %r9
  mov 48(%rsp), %rax
  movups 64(%rsp), %xmm0
  movups 80(%rsp), %xmm1
  movups 96(%rsp), %xmm2
  movups 112(%rsp), %xmm3
  movups 128(%rsp), %xmm4
  movups 144(%rsp), %xmm5
  movups 160(%rsp), %xmm6
  movups 176(%rsp), %xmm7
  leave
  jmp *%r11
.size heddle_forward_first, .-heddle_forward_first
)");
#elif defined(__aarch64__)
asm(R"(
.text
.globl heddle_forward_first
.hidden heddle_forward_first
.type heddle_forward_first, @function
heddle_forward_first:
  stp x29, x30, [sp, #-16]!
  mov x29, sp
  sub sp, sp, #208
  stp x0, x1, [sp]
  stp x2, x3, [sp, #16]
  stp x4, x5, [sp, #32]
  stp x6, x7, [sp, #48]
  str x8, [sp, #64]
  stp q0, q1, [sp, #80]
  stp q2, q3, [sp, #112]
  stp q4, q5, [sp, #144]
  stp q6, q7, [sp, #176]
  mov x0, x16
  bl heddle_forward_choose
  mov x16, x0
  ldp x0, x1, [sp]
  ldp x2, x3, [sp, #16]
  ldp x4, x5, [sp, #32]
  ldp x6, x7, [sp, #48]
  ldr x8, [sp, #64]
  ldp q0, q1, [sp, #80]
  ldp q2, q3, [sp, #112]
  ldp q4, q5, [sp, #144]
  ldp q6, q7, [sp, #176]
  mov sp, x29
  ldp x29, x30, [sp], #16
  br x16
.size heddle_forward_first, .-heddle_forward_first
)");
#endif
