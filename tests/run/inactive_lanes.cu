// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes that are switched off neither trap nor touch memory: loads and stores through null and wild pointers,
// divisions by zero, atomics, calls through function pointers, and local arrays indexed out of range, all
// guarded by a condition that is false for those lanes.
#include "support.h"

typedef int (*Function)(int);
__device__ int twice(int x) { return 2 * x; }
__device__ int square(int x) { return x * x; }

struct Work {
  int *load, *store, *add;
  int numerator, divisor, function, index, active;
};

__global__ void guarded(const Work *work, int *out, int n) {
  int i = threadInGrid();
  int local[4] = {1, 2, 3, 4};
  Function functions[2] = {twice, square};
  if (i >= n)
    return;
  Work w = work[i];
  int r = 5;
  if (w.active & 1)
    r += *w.load;
  if (w.active & 2)
    *w.store = i;
  if (w.active & 4)
    r += w.numerator / w.divisor + w.numerator % w.divisor;
  if (w.active & 8)
    atomicAdd(w.add, i + 1);
  if (w.active & 16)
    r += functions[w.function](i);
  if (w.active & 32) {
    local[w.index] += r;
    r += local[w.index] + local[3 - w.index];
  }
  // The same once more in a loop that ends at once for inactive lanes.
  for (int k = 0; w.active & 1 && k < 3; k++)
    r += w.load[0] * k;
  out[i] = r;
}

int main() {
  Random random(6);
  const int n = 1021;
  std::vector<int> loads(n), stores(n, -1), adds(n, 7), want(n), wantStores = stores, wantAdds = adds;
  std::vector<Work> work(n);
  for (int &v : loads)
    v = random.below(1000);
  Buffer<int> deviceLoads(loads), deviceStores(stores), deviceAdds(adds);
  int *wild[3] = {nullptr, reinterpret_cast<int *>(0x7ff8'dead'beef'0001ull), reinterpret_cast<int *>(4)};
  for (int i = 0; i < n; i++) {
    Work &w = work[i];
    w.active = random.below(64);
    w.load = w.active & 1 ? deviceLoads + i : wild[random.below(3)];
    w.store = w.active & 2 ? deviceStores + i : wild[random.below(3)];
    w.add = w.active & 8 ? deviceAdds + i : wild[random.below(3)];
    w.numerator = random.below(2) ? random.below(1000) : INT32_MIN;
    w.divisor = w.active & 4 ? 1 + random.below(9) : (random.below(2) ? 0 : -1);
    w.function = w.active & 16 ? random.below(2) : -1000000;
    w.index = w.active & 32 ? random.below(4) : -(1 << 28);
    int local[4] = {1, 2, 3, 4}, r = 5;
    if (w.active & 1)
      r += loads[i];
    if (w.active & 2)
      wantStores[i] = i;
    if (w.active & 4)
      r += w.numerator / w.divisor + w.numerator % w.divisor;
    if (w.active & 8)
      wantAdds[i] += i + 1;
    if (w.active & 16)
      r += w.function ? i * i : 2 * i;
    if (w.active & 32) {
      local[w.index] += r;
      r += local[w.index] + local[3 - w.index];
    }
    if (w.active & 1)
      r += loads[i] * 3;
    want[i] = r;
  }
  Buffer<Work> deviceWork(work);
  for (int block : {128, 33}) {
    Buffer<int> out(n);
    deviceStores.put(stores);
    deviceAdds.put(adds);
    guarded<<<(n + block - 1) / block, block>>>(deviceWork, out, n);
    checkLaunch();
    expectAll("result", out.get(), want);
    expectAll("stores", deviceStores.get(), wantStores);
    expectAll("atomics", deviceAdds.get(), wantAdds);
  }
  return finish();
}
