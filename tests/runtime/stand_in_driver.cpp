// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program runs with a driver in between (Inputs/stand_in_driver.cpp), which sees all calls: by the linker, by dlsym
// and by cuGetProcAddress.
// UNSUPPORTED: sanitizer
// RUN: rm -rf %t && mkdir %t
// RUN: clang --driver-mode=g++ -std=c++20 -shared -fPIC -I%S/../../src -I%S/../../include %S/Inputs/stand_in_driver.cpp -Wl,-soname,libcuda.so.1 -Wl,--version-script=%S/../../src/driver/exports.map -o %t/libcuda.so.1
// RUN: g++ -std=c++11 -I%build/lib/heddle/include %s -L%build/lib -lcuda -ldl -o %t/program
// RUN: env LD_LIBRARY_PATH=%t STAND_IN_FOR=%build/lib/libcuda.so.1 STAND_IN_LOG=%t/log %t/program
// RUN: FileCheck %s --input-file=%t/log --match-full-lines
// CHECK: cuGetErrorName 1
// CHECK-NEXT: cuDriverGetVersion 3
// CHECK-NEXT: cuGetProcAddress_v2 1
// CHECK-NEXT: cuStreamQuery_ptsz 1
// CHECK-NOT: {{.}}
#include <cudaTypedefs.h>

#include <cstdio>
#include <cstring>
#include <dlfcn.h>

int main() {
  int version = 0, wrong = 0;
  wrong += cuDriverGetVersion(&version) || version != 13000;
  void *function = nullptr;
  wrong += cuGetProcAddress("cuDriverGetVersion", &function, CUDA_VERSION, 0, nullptr);
  version = 0;
  wrong += reinterpret_cast<PFN_cuDriverGetVersion>(function)(&version) || version != 13000;
  wrong += reinterpret_cast<PFN_cuDriverGetVersion>(dlsym(RTLD_DEFAULT, "cuDriverGetVersion"))(nullptr) !=
           CUDA_ERROR_INVALID_VALUE;
  reinterpret_cast<PFN_cuStreamQuery>(dlsym(RTLD_DEFAULT, "cuStreamQuery_ptsz"))(nullptr);
  const char *name = nullptr;
  wrong += cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &name) || std::strcmp(name, "CUDA_ERROR_INVALID_VALUE");
  return wrong;
}
