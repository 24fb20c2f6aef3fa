// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An installation's own default for HEDDLE_DEVICE: the file heddle.device beside the driver's library. `auto` is the CPU
// where no GPU is; the variable comes before the file.
//
// RUN: rm -rf %t && mkdir %t
// RUN: cp %build/lib/libheddle_driver.so %build/lib/libcudart.so.12 %t
// RUN: %heddle cc %s -o %t/name
// RUN: echo k20 > %t/heddle.device
// RUN: env LD_LIBRARY_PATH=%t %t/name | FileCheck %s --check-prefix=K20
// RUN: env LD_LIBRARY_PATH=%t HEDDLE_DEVICE=c2050 %t/name | FileCheck %s --check-prefix=C2050
// RUN: echo auto > %t/heddle.device
// RUN: env LD_LIBRARY_PATH=%t HEDDLE_GPU_DRIVER=%t/none %t/name | FileCheck %s --check-prefix=CPU
// RUN: env LD_LIBRARY_PATH=%t HEDDLE_GPU_DRIVER=%build/lib/heddle/libgpu_stand_in.so %t/name | FileCheck %s --check-prefix=GPU
// K20: K20
// C2050: C2050
// CPU-NOT: H200
// CPU: capability 9.0
// GPU: H200
#include <cstdio>

int main() {
  cudaDeviceProp properties;
  if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess)
    return 1;
  std::printf("%s, capability %d.%d\n", properties.name, properties.major, properties.minor);
}
