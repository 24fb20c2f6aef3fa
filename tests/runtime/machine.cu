// RUN: %nvcc %s -o %t
// RUN: env HEDDLE_DEVICE=k20,k10,cpu %t | FileCheck %s --check-prefix=ALL
// ALL: 0: Tesla K20c, 0000:01:00.0, group 0 of 1, peers 1 2
// ALL-NEXT: 1: Tesla K10.G1.8GB, 0000:02:00.0, group 1 of 2, peers 0 2
// ALL-NEXT: 2: Tesla K10.G1.8GB, 0000:03:00.0, group 1 of 2, peers 0 1
// ALL-NEXT: 3: {{.*}}, 0000:04:00.0, group 2 of 1, peers
// ALL-NEXT: sum 28
// RUN: env HEDDLE_DEVICE=k10/k10 %t | FileCheck %s --check-prefix=HUBS
// HUBS: 0: {{.*}}:01:00.0, {{.*}} peers 1{{$}}
// HUBS-NEXT: 1: {{.*}}:02:00.0, {{.*}} peers 0{{$}}
// HUBS-NEXT: 2: {{.*}}:41:00.0, {{.*}} peers 3{{$}}
// HUBS-NEXT: 3: {{.*}}:42:00.0, {{.*}} peers 2{{$}}
// RUN: env HEDDLE_DEVICE=k20,h200,k10 CUDA_DEVICE_ORDER=FASTEST_FIRST %t | FileCheck %s --check-prefix=FAST
// FAST: 0: NVIDIA H200, 0000:02:00.0
// FAST-NEXT: 1: Tesla K20c, 0000:01:00.0
// FAST-NEXT: 2: Tesla K10.G1.8GB, 0000:03:00.0
// RUN: env HEDDLE_DEVICE=k20,h200,k10 CUDA_DEVICE_ORDER=PCI_BUS_ID %t | FileCheck %s --check-prefix=BUS
// BUS: 0: Tesla K20c, 0000:01:00.0
// BUS-NEXT: 1: NVIDIA H200, 0000:02:00.0
// RUN: env HEDDLE_DEVICE=k20,h200,k10 %t uuid 2 > %t.uuid
// RUN: sh -c 'env HEDDLE_DEVICE=k20,h200,k10 CUDA_VISIBLE_DEVICES=$(cat %t.uuid) %t' | FileCheck %s --check-prefix=UUID
// RUN: sh -c 'env HEDDLE_DEVICE=k20,h200,k10 CUDA_VISIBLE_DEVICES=$(cut -c1-12 %t.uuid),1 %t' | FileCheck %s --check-prefix=UUID
// UUID: 0: Tesla K10.G1.8GB, 0000:03:00.0
// RUN: env HEDDLE_DEVICE=k20 CUDA_VISIBLE_DEVICES=GPU-0123456789 not %t | FileCheck %s --check-prefix=NONE
// NONE: no CUDA-capable device is detected
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices that differ, on boards and behind hubs; which of them are visible, and in which order. Each finds itself by
// its place on the bus, and a kernel runs on each.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    cudaError_t error = call;                                                                                          \
    if (error != cudaSuccess) {                                                                                        \
      std::printf("%s: %s\n", #call, cudaGetErrorString(error));                                                       \
      std::exit(1);                                                                                                    \
    }                                                                                                                  \
  } while (0)

__global__ void sum(int *to) { atomicAdd(to, threadIdx.x); }

static void printUuid(int device) {
  cudaDeviceProp p;
  CHECK(cudaGetDeviceProperties(&p, device));
  std::printf("GPU-");
  for (int i = 0; i < 16; ++i)
    std::printf("%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", static_cast<unsigned char>(p.uuid.bytes[i]));
  std::printf("\n");
}

static void print(int device, int count) {
  cudaDeviceProp p;
  char id[32];
  int same = -1, group = 0;
  CHECK(cudaGetDeviceProperties(&p, device));
  CHECK(cudaDeviceGetPCIBusId(id, sizeof id, device));
  CHECK(cudaDeviceGetByPCIBusId(&same, id));
  if (same != device)
    std::printf("device %d is %d by its bus\n", device, same);
  for (int other = 0; other < count; ++other) {
    cudaDeviceProp q;
    CHECK(cudaGetDeviceProperties(&q, other));
    group += p.multiGpuBoardGroupID == q.multiGpuBoardGroupID;
  }
  std::printf("%d: %s, %s, group %d of %d, peers", device, p.name, id, p.multiGpuBoardGroupID, group);
  for (int other = 0; other < count; ++other) {
    int can = 0;
    CHECK(cudaDeviceCanAccessPeer(&can, device, other));
    if (can)
      std::printf(" %d", other);
  }
  std::printf("\n");
}

static int runOn(int device) {
  int *to, result = 0;
  CHECK(cudaSetDevice(device));
  CHECK(cudaMalloc(&to, sizeof *to));
  CHECK(cudaMemset(to, 0, sizeof *to));
  sum<<<1, 8>>>(to);
  CHECK(cudaMemcpy(&result, to, sizeof result, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(to));
  return result;
}

int main(int argc, char **argv) {
  int count = 0, result = 0;
  CHECK(cudaGetDeviceCount(&count));
  if (argc == 3 && !std::strcmp(argv[1], "uuid")) {
    printUuid(std::atoi(argv[2]));
    return 0;
  }
  for (int i = 0; i < count; ++i)
    print(i, count);
  for (int i = 0; i < count; ++i)
    result = runOn(i);
  std::printf("sum %d\n", result);
}
