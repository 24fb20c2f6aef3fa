// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

void setTo(int device);
int *allocate();
cudaStream_t startAdding(int *value);
void fail();

int main() {
  int device = -1, value = 0;
  setTo(1);
  cudaGetDevice(&device);
  std::printf("device %d as the library set it\n", device);
  setTo(0);

  int *memory = allocate();
  cudaMemcpy(&value, memory, sizeof(int), cudaMemcpyDefault);
  std::printf("copied by default: %d\n", value);

  cudaStream_t stream = startAdding(memory);
  cudaMemcpyAsync(&value, memory, sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  std::printf("after the library's stream: %d\n", value);

  fail();
  std::printf("error of the library: %s\n", cudaGetErrorString(cudaGetLastError()));
  return 0;
}
