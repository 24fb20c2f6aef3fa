// RUN: %nvcc %s -o %t
// RUN: env HEDDLE_DEVICE=cpu,k20 HEDDLE_MACHINE=%t %t %build/lib/heddle/bin/nvidia-smi > %t.out && FileCheck %s < %t.out
// RUN: awk '/^[|+]/ && length($0) != 91 { print "bad line:", $0; bad = 1 } END { exit bad }' %t.out
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvidia-smi shows the processes that have a context, and what they use.
// CHECK: process [[PROCESS:[0-9]+]]
// CHECK-NEXT: gpu_name, pid, process_name, used_gpu_memory [MiB]
// CHECK-NEXT: Tesla K20c, [[PROCESS]], {{.*}}smi_processes{{.*}}, 100 MiB
// CHECK-NEXT: Tesla K20c, 100, 4699
// CHECK: GPU 00000000:02:00.0
// CHECK-NEXT: FB Memory Usage
// CHECK: Used : 100 MiB
// CHECK: Process ID : [[PROCESS]]
// CHECK-NEXT: Type : C
// CHECK-NEXT: Name : {{.*}}smi_processes
// CHECK-NEXT: Used GPU Memory : 100 MiB
// CHECK: | 1 Tesla K20c
// CHECK-NEXT: 100MiB / 4799MiB
// CHECK: | 1 N/A N/A [[PROCESS]] C {{.*}} 100MiB |
// CHECK: after a reset
// CHECK-NEXT: pid
// CHECK-NEXT: end
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unistd.h>

static void run(const std::string &command) {
  std::fflush(stdout);
  if (std::system(command.c_str()) != 0)
    std::printf("%s failed\n", command.c_str());
}

int main(int, char **argv) {
  const std::string smi = argv[1];
  void *p;
  if (cudaSetDevice(1) != cudaSuccess || cudaMalloc(&p, 100 << 20) != cudaSuccess)
    return 1;
  std::printf("process %d\n", getpid());
  run(smi + " --query-compute-apps=gpu_name,pid,name,used_memory --format=csv");
  run(smi + " -i 1 --query-gpu=name,memory.used,memory.free --format=csv,noheader,nounits");
  run(smi + " -i 1 -q -d MEMORY,PIDS");
  run(smi);
  cudaDeviceReset();
  std::puts("after a reset");
  run(smi + " --query-compute-apps=pid --format=csv");
  std::puts("end");
}
