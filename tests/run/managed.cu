// RUN: %heddle run %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// __managed__ variables and cudaMallocManaged: one address on host and device, initialisers, pointers to each other.
#include "support.h"

__managed__ int total = 40;
__managed__ float values[5] = {1, 2, 3};
__managed__ int *link = nullptr;
__device__ __managed__ double scale = 0.5;

struct Node {
  Node *next;
  int value;
};

__global__ void use(Node *list) {
  int i = threadInGrid();
  if (i < 5)
    values[i] += float(i * scale);
  atomicAdd(&total, 2);
  if (i == 0) {
    *link += 5;
    for (Node *p = list; p; p = p->next)
      p->value *= 10;
  }
}

int main() {
  expect("initial", 0, total, 40);
  values[4] = 100;
  scale = 2;
  int *number;
  CUDA_OK(cudaMallocManaged(&number, sizeof *number));
  *number = 1;
  link = number;
  Node *list = nullptr;
  for (int i = 0; i < 4; i++) {
    Node *node;
    CUDA_OK(cudaMallocManaged(&node, sizeof *node));
    node->next = list, node->value = i;
    list = node;
  }
  use<<<2, 33>>>(list);
  checkLaunch();
  expect("total", 0, total, 40 + 2 * 66);
  const float want[5] = {1, 4, 7, 6, 108};
  for (int i = 0; i < 5; i++)
    expect("values", i, values[i], want[i]);
  expect("through a pointer", 0, *number, 6);
  int at = 3;
  for (Node *p = list; p; p = p->next, at--)
    expect("list", at, p->value, at * 10);
  cudaPointerAttributes attributes;
  CUDA_OK(cudaPointerGetAttributes(&attributes, number));
  expectTrue("attributes", attributes.type == cudaMemoryTypeManaged && attributes.hostPointer == number);

  // By a device's number, and by a location.
  auto lastPrefetch = [&] {
    int location = -3;
    CUDA_OK(cudaMemRangeGetAttribute(&location, sizeof location, cudaMemRangeAttributeLastPrefetchLocation, number,
                                     sizeof *number));
    return location;
  };
  CUDA_OK(cudaMemPrefetchAsync(number, sizeof *number, 0));
  CUDA_OK(cudaDeviceSynchronize());
  expect("prefetched to the device", 0, lastPrefetch(), 0);
  cudaMemLocation host{cudaMemLocationTypeHost, 0};
  CUDA_OK(cudaMemAdvise(number, sizeof *number, cudaMemAdviseSetReadMostly, host));
  CUDA_OK(cudaMemPrefetchAsync(number, sizeof *number, host, 0));
  CUDA_OK(cudaDeviceSynchronize());
  expect("prefetched to the host", 0, lastPrefetch(), cudaCpuDeviceId);
  CUDA_OK(cudaFree(number));

  // Variables are memory that copies and queries know.
  CUDA_OK(cudaPointerGetAttributes(&attributes, &values[2]));
  expectTrue("attributes of a variable", attributes.type == cudaMemoryTypeManaged &&
                                             attributes.devicePointer == &values[2] &&
                                             attributes.hostPointer == &values[2]);
  Buffer<float> copy(5);
  CUDA_OK(cudaMemcpy(copy, values, sizeof values, cudaMemcpyDeviceToDevice));
  CUDA_OK(cudaMemset(values + 1, 0, 3 * sizeof(float)));
  CUDA_OK(cudaMemcpy(values, copy + 4, sizeof(float), cudaMemcpyDeviceToDevice));
  CUDA_OK(cudaDeviceSynchronize());
  for (int i = 0; i < 5; i++) {
    expect("copied", i, copy.get()[i], want[i]);
    expect("set", i, values[i], i == 0 || i == 4 ? want[4] : 0);
  }
  expectError("over the end", cudaMemset(values, 0, sizeof values + 1), cudaErrorInvalidValue);
  expectError("is no allocation", cudaFree(values), cudaErrorInvalidValue);
  (void)cudaGetLastError();
  return finish();
}
