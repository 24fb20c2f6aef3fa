// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: %at(8) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers in loops with a trip count from memory, in uniform branches, in nested loops, several in a row, in
// device functions, after divergent code, with values live across; the last iteration left by break.
#include "support.h"

// Each step every thread reads its neighbour's value of the step before.
__global__ void steps(int *data, const int *count, int *out) {
  __shared__ int now[256];
  int t = threadInBlock(), n = blockDim.x * blockDim.y * blockDim.z, mine = data[blockIdx.x * n + t], history = 0;
  for (int s = 0; s < count[blockIdx.x]; s++) {
    now[t] = mine;
    __syncthreads();
    int next = now[(t + 1) % n];
    if (next & 1)
      next = next * 3 + s;
    else
      for (int k = 0; k < (t & 3); k++)
        next += k;
    history = history * 5 + next;
    __syncthreads();
    mine = next & 0xffff;
  }
  out[blockIdx.x * n + t] = mine + history;
}

static void stepsReference(std::vector<int> &data, int n, int count) {
  std::vector<int> history(n);
  for (int s = 0; s < count; s++) {
    std::vector<int> old = data;
    for (int t = 0; t < n; t++) {
      int next = old[(t + 1) % n];
      if (next & 1)
        next = next * 3 + s;
      else
        for (int k = 0; k < (t & 3); k++)
          next += k;
      history[t] = int(unsigned(history[t]) * 5 + next);
      data[t] = next & 0xffff;
    }
  }
  for (int t = 0; t < n; t++)
    data[t] = int(unsigned(data[t]) + unsigned(history[t]));
}

__device__ __noinline__ int exchange(int *buffer, int value, int with) {
  int t = threadInBlock();
  __syncthreads();
  buffer[t] = value;
  __syncthreads();
  return buffer[with];
}

__global__ void uniform(const int *flags, int *out) {
  __shared__ int buffer[256];
  int t = threadInBlock(), n = blockDim.x * blockDim.y * blockDim.z, v = t;
  int flag = flags[blockIdx.x];
  if (flag & 1) { // the whole block agrees
    v = exchange(buffer, v * 2, (t + 3) % n);
    if (flag & 2) {
      v += exchange(buffer, v + t, n - 1 - t);
      __syncthreads();
    } else {
      v = t & 1 ? -v : v;
    }
  } else {
    for (int i = 0;; i++) {
      v += exchange(buffer, v, (t + i) % n);
      if (i == flag)
        break;
      for (int j = 0; j < i % 3; j++)
        v ^= exchange(buffer, v, (t + j + 1) % n);
    }
  }
  switch (flag) {
  case 3:
    v += exchange(buffer, v, 0);
  case 4:
    v += exchange(buffer, v, n - 1);
    break;
  default:
    v++;
  }
  out[blockIdx.x * n + t] = v;
}

static std::vector<int> exchangeAll(const std::vector<int> &v, int (*with)(int, int, int), int k) {
  std::vector<int> r(v.size());
  for (int t = 0; t < int(v.size()); t++)
    r[t] = v[with(t, int(v.size()), k)];
  return r;
}
static std::vector<int> uniformReference(int n, int flag) {
  auto ahead = [](int t, int n, int k) { return (t + k) % n; };
  auto mirror = [](int t, int n, int) { return n - 1 - t; };
  auto fixed = [](int, int n, int k) { return k ? n - 1 : 0; };
  std::vector<int> v(n), w, e;
  for (int t = 0; t < n; t++)
    v[t] = t;
  if (flag & 1) {
    for (int &x : v)
      x *= 2;
    v = exchangeAll(v, ahead, 3);
    if (flag & 2) {
      w = v;
      for (int t = 0; t < n; t++)
        w[t] += t;
      e = exchangeAll(w, mirror, 0);
      for (int t = 0; t < n; t++)
        v[t] += e[t];
    } else {
      for (int t = 1; t < n; t += 2)
        v[t] = -v[t];
    }
  } else {
    for (int i = 0;; i++) {
      e = exchangeAll(v, ahead, i);
      for (int t = 0; t < n; t++)
        v[t] += e[t];
      if (i == flag)
        break;
      for (int j = 0; j < i % 3; j++) {
        e = exchangeAll(v, ahead, j + 1);
        for (int t = 0; t < n; t++)
          v[t] ^= e[t];
      }
    }
  }
  if (flag != 3 && flag != 4) {
    for (int &x : v)
      x++;
    return v;
  }
  for (int k = flag == 3 ? 0 : 1; k < 2; k++) {
    e = exchangeAll(v, fixed, k);
    for (int t = 0; t < n; t++)
      v[t] += e[t];
  }
  return v;
}

int main() {
  const std::vector<int> counts = {5, 0, 1, 12, 2}, flags = {0, 1, 2, 3, 4, 5, 6};
  Random random(41);
  Buffer<int> deviceCounts(counts), deviceFlags(flags);
  for (dim3 shape : {dim3(256), dim3(32), dim3(77), dim3(5, 7, 2), dim3(1)}) {
    int n = shape.x * shape.y * shape.z;
    std::vector<int> data(n * counts.size()), want;
    for (int &v : data)
      v = random.below(10000);
    for (size_t b = 0; b < counts.size(); b++) {
      std::vector<int> part(data.begin() + b * n, data.begin() + (b + 1) * n);
      stepsReference(part, n, counts[b]);
      want.insert(want.end(), part.begin(), part.end());
    }
    Buffer<int> deviceData(data), out(data.size());
    steps<<<unsigned(counts.size()), shape>>>(deviceData, deviceCounts, out);
    checkLaunch();
    expectAll("steps", out.get(), want);

    Buffer<int> outUniform(n * flags.size());
    uniform<<<unsigned(flags.size()), shape>>>(deviceFlags, outUniform);
    checkLaunch();
    want.clear();
    for (int flag : flags) {
      std::vector<int> part = uniformReference(n, flag);
      want.insert(want.end(), part.begin(), part.end());
    }
    expectAll("uniform", outUniform.get(), want);
  }
  return finish();
}
