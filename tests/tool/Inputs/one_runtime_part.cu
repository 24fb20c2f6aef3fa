// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__global__ void addOne(int *value) { ++*value; }

__device__ int inLibrary = 12;

void setTo(int device) { cudaSetDevice(device); }

int *allocate() {
  void *address = nullptr;
  cudaGetSymbolAddress(&address, inLibrary);
  return static_cast<int *>(address);
}

cudaStream_t startAdding(int *value) {
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  addOne<<<1, 1, 0, stream>>>(value);
  return stream;
}

void fail() { cudaMemset(nullptr, 0, 4); }
