// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In which state space an address lies: __isGlobal and its relatives for pointers that differ from lane to lane, with
// and without barriers; __cvta_*: a shared address as 32 bits and back.
#include "support.h"

__constant__ int first[5], second[3];
__device__ int between[4], array[40];
__managed__ int managed[4];

struct Parameters {
  int values[6];
};

__device__ unsigned spaceOf(const void *p) {
  return (__isShared(p) ? 1 : 0) | (__isLocal(p) ? 2 : 0) | (__isGlobal(p) ? 4 : 0) | (__isConstant(p) ? 8 : 0);
}

template <bool Waits>
__global__ void spaces(unsigned *out, int *allocated, const int *choice, const __grid_constant__ Parameters parameters) {
  __shared__ int fixed[33];
  extern __shared__ int dynamic[];
  int t = threadInBlock(), local[3] = {choice[t], 1, 2};
  fixed[t % 33] = dynamic[t % 8] = t;
  if (Waits)
    __syncthreads();
  const int *p = nullptr;
  switch (choice[t] % 9) {
  case 0: p = &fixed[t % 33]; break;
  case 1: p = &dynamic[t % 8]; break;
  case 2: p = &local[t % 3]; break;
  case 3: p = &allocated[t]; break;
  case 4: p = &array[t % 40]; break;
  case 5: p = &managed[t % 4]; break;
  case 6: p = &first[t % 5]; break;
  case 7: p = &second[t % 3]; break;
  case 8: p = &between[t % 4]; break;
  }
  if (Waits)
    __syncthreads();
  local[t % 3] += *p;
  unsigned number = unsigned(__cvta_generic_to_shared(&fixed[t % 33]));
  int *again = static_cast<int *>(__cvta_shared_to_generic(number));
  unsigned ends = spaceOf(&fixed[32]) | spaceOf(&dynamic[7]) << 4;
  bool isParameter = __isGridConstant(&parameters.values[t % 6]);
  out[t] = spaceOf(p) | ends << 4 | (again == &fixed[t % 33]) << 12 | isParameter << 13 | (local[2] > 1 << 30) << 14;
}

template <bool Waits> static void test(dim3 shape) {
  int n = shape.x * shape.y * shape.z;
  Random random(n);
  std::vector<int> choice(n);
  for (int &c : choice)
    c = random.below(9);
  Buffer<int> deviceChoice(choice), allocated(n);
  Buffer<unsigned> out(n);
  spaces<Waits><<<1, shape, 32>>>(out, allocated, deviceChoice, Parameters());
  checkLaunch();
  std::vector<unsigned> got = out.get();
  const unsigned want[] = {1, 1, 2, 4, 4, 4, 8, 8, 4};
  for (int t = 0; t < n; t++)
    expect(Waits ? "waits" : "straight", t, got[t], want[choice[t]] | 0x11 << 4 | 3 << 12);
}

int main() {
  for (dim3 shape : {dim3(1), dim3(32), dim3(45), dim3(9, 7), dim3(256)}) {
    test<false>(shape);
    test<true>(shape);
  }
  return finish();
}
