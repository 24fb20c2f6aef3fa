// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// NVCC: --extended-lambda
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvstd::function in device and in host code: functions, objects, lambdas with state, copies, moves, empty ones.
#include "support.h"

#include <nvfunctional>

using Function = nvstd::function<int(int)>;

__host__ __device__ int twice(int x) { return 2 * x; }
struct Adder {
  int amount;
  __host__ __device__ int operator()(int x) const { return x + amount; }
};

/// What the four kinds give one after the other.
__host__ __device__ int throughAll(int i) {
  Function functions[4];
  int empty = 0;
  for (const Function &f : functions)
    empty += f == nullptr;
  int state = i, large[20] = {i, 2 * i, 3 * i};
  functions[0] = twice;
  functions[1] = Adder{i % 7};
  functions[2] = [&state](int x) { return state += x; };
  functions[3] = [large](int x) { return large[x & 3]; };
  Function copied = functions[i % 4], moved = static_cast<Function &&>(functions[3]);
  int (*none)(int) = nullptr;
  empty += 10 * !functions[3] + 100 * !Function(none);
  functions[3] = moved;
  int result = copied(i);
  for (int k = 0; k < 4; k++)
    result = functions[(i + k) % 4](result) & 0xffff;
  functions[1] = nullptr;
  swap(functions[0], functions[1]);
  return result + 65536 * (empty + !functions[0]) + functions[1](state);
}

struct ThroughAll {
  __host__ __device__ int operator()(int i) const { return throughAll(i); }
};

int main() {
  std::vector<int> in;
  for (int i = 0; i < 300; i++)
    in.push_back(i);
  mapOnDevice<ThroughAll>("nvstd::function", in);
  return finish();
}
