// RUN: %heddle cc %s -o %t
// RUN: %widths(64) %t
// RUN: env HEDDLE_GUARD=0 %t
// RUN: %cpu(x86-64-v3) %t
// RUN: %cpu(x86-64) %t
// RUN: %all env HEDDLE_DISABLE=noalias-arguments %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of one kernel with arrays that lie apart, then in one allocation, then one over the other, and in all other
// orders: code that counts on the first is wrong for the last. Blocks sort their keys, each within its own part of the
// output; a block that sorts them where they lie has read all of them before it writes the first.
#include "support.h"

constexpr int Threads = 64, Rounds = 4, Warps = Threads / 32, Tile = Threads * Rounds, Blocks = 3, N = Blocks * Tile;

__device__ unsigned variable[N];

/// By each key's rank among the tile's keys with the same digit.
template <int Order> __device__ static void sortTile(const unsigned *keys, const int *starts, unsigned *out) {
  __shared__ int counters[Warps][Threads];
  int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
  for (int i = 0; i < Warps; ++i)
    counters[i][thread] = 0;
  __syncthreads();
  keys += blockIdx.x * Tile + warp * 32 * Rounds + lane;
  unsigned key[Rounds];
  int rank[Rounds];
  for (int i = 0; i < Rounds; ++i)
    key[i] = keys[i * 32];
  for (int i = 0; i < Rounds; ++i) {
    int digit = key[i] >> Order & (Threads - 1);
    unsigned peers = __match_any_sync(~0u, digit);
    rank[i] = counters[warp][digit] + __popc(peers & ((1u << lane) - 1));
    __syncwarp();
    if (peers >> lane == 1)
      counters[warp][digit] = rank[i] + 1;
    __syncwarp();
  }
  __syncthreads();
  int place = starts[blockIdx.x * Threads + thread];
  for (int i = 0; i < Warps; ++i) {
    int count = counters[i][thread];
    counters[i][thread] = place;
    place += count;
  }
  __syncthreads();
  for (int i = 0; i < Rounds; ++i)
    out[counters[warp][key[i] >> Order & (Threads - 1)] + rank[i]] = key[i];
}

/// `Order` only makes kernels of it that are compiled apart from each other.
template <int Order> __global__ void sortTiles(const unsigned *keys, const int *starts, unsigned *out, int *unused) {
  if (unused)
    *unused = 1;
  sortTile<Order>(keys, starts, out);
}

/// The same from a variable of the module, which the kernel finds by itself.
template <int Order> __global__ void sortVariable(const int *starts, unsigned *out) {
  sortTile<Order>(variable, starts, out);
}

/// Each thread adds what lies before it, and what lies behind, if the arrays are one.
template <int Order> __global__ void addTwice(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + Order;
  if (i >= n)
    return;
  out[i] = in[i] + 1;
  out[i] += in[i];
}

struct Keys {
  std::vector<unsigned> keys, sorted;
  std::vector<int> starts;
  explicit Keys(int order) : keys(N), sorted(N), starts(Blocks * Threads) {
    Random random(order + 5);
    for (unsigned &key : keys)
      key = random.bits();
    for (int b = 0; b < Blocks; ++b)
      for (int d = 0, at = b * Tile; d < Threads; ++d) {
        starts[b * Threads + d] = at;
        for (int i = b * Tile; i < (b + 1) * Tile; ++i)
          if (int(keys[i] >> order & (Threads - 1)) == d)
            sorted[at++] = keys[i];
      }
  }
};

enum class Way { Apart, InPlace, OneAllocation, Starts, Managed, Pinned, Registered, AndNull, Variable, ToVariable };

template <int Order> void sortBy(Way way, const char *name) {
  Keys all(Order);
  Buffer<unsigned> both(2 * N), first(N), second(N);
  Buffer<int> deviceStarts(all.starts), flag(1);
  unsigned *in = first.data, *out = second.data, *managed = nullptr, *pinned = nullptr, *inModule = nullptr;
  int *starts = deviceStarts.data, *unused = flag.data;
  std::vector<unsigned> ours(N), mine(2 * N + Blocks * Threads);
  switch (way) {
  case Way::Apart:
    break;
  case Way::InPlace:
    out = in;
    break;
  case Way::OneAllocation:
    in = both.data, out = both.data + N;
    break;
  case Way::Starts: // with the keys
    CUDA_OK(cudaMalloc(&managed, sizeof(int) * (N + Blocks * Threads)));
    in = managed, starts = reinterpret_cast<int *>(managed + N);
    break;
  case Way::Managed:
    CUDA_OK(cudaMallocManaged(&managed, sizeof(unsigned) * N));
    in = out = managed;
    break;
  case Way::Pinned:
    CUDA_OK(cudaMallocHost(&pinned, sizeof(unsigned) * N));
    in = out = pinned;
    break;
  case Way::Registered:
    CUDA_OK(cudaHostRegister(ours.data(), sizeof(unsigned) * N, cudaHostRegisterMapped));
    CUDA_OK(cudaHostGetDevicePointer(&in, ours.data(), 0));
    out = in;
    break;
  case Way::AndNull:
    unused = nullptr;
    out = in;
    break;
  case Way::Variable:
  case Way::ToVariable:
    CUDA_OK(cudaGetSymbolAddress(reinterpret_cast<void **>(&inModule), variable));
    in = inModule;
    if (way == Way::ToVariable)
      out = inModule;
    break;
  }
  CUDA_OK(cudaMemcpy(in, all.keys.data(), sizeof(unsigned) * N, cudaMemcpyDefault));
  CUDA_OK(cudaMemcpy(starts, all.starts.data(), sizeof(int) * all.starts.size(), cudaMemcpyDefault));
  if (inModule)
    sortVariable<Order><<<Blocks, Threads>>>(starts, out);
  else
    sortTiles<Order><<<Blocks, Threads>>>(in, starts, out, unused);
  checkLaunch();
  std::vector<unsigned> result(N);
  CUDA_OK(cudaMemcpy(result.data(), out, sizeof(unsigned) * N, cudaMemcpyDefault));
  expectAll(std::string(name) + " " + std::to_string(Order), result, all.sorted);
  if (way == Way::Registered)
    CUDA_OK(cudaHostUnregister(ours.data()));
  CUDA_OK(cudaFree(managed));
  CUDA_OK(cudaFreeHost(pinned));
}

template <int Order> void addBy(bool isOne, const char *name) {
  constexpr int n = 1000;
  std::vector<int> before(n), after(n);
  for (int i = 0; i < n; ++i)
    before[i] = i * i;
  after = before;
  for (int i = Order; i < n; ++i)
    after[i] = isOne ? 2 * (before[i] + 1) : 2 * before[i] + 1;
  Buffer<int> in(before), out(before);
  addTwice<Order><<<(n + 127) / 128, 128>>>(isOne ? out.data : in.data, out.data, n);
  checkLaunch();
  expectAll(name, out.get(), after);
}

int main() {
  sortBy<0>(Way::Apart, "apart");
  sortBy<0>(Way::InPlace, "then in place");
  sortBy<0>(Way::OneAllocation, "then in one allocation");
  sortBy<0>(Way::Starts, "then with its starts");
  sortBy<0>(Way::AndNull, "then without a flag");
  sortBy<0>(Way::Apart, "then apart");
  sortBy<1>(Way::InPlace, "in place");
  sortBy<1>(Way::Apart, "then apart");
  sortBy<1>(Way::InPlace, "then in place");
  sortBy<2>(Way::Starts, "with its starts");
  sortBy<2>(Way::AndNull, "then without a flag");
  sortBy<2>(Way::Apart, "then apart");
  sortBy<2>(Way::Registered, "then registered");
  sortBy<3>(Way::Managed, "managed");
  sortBy<3>(Way::Apart, "then apart");
  sortBy<3>(Way::Pinned, "then pinned");
  sortBy<3>(Way::Managed, "then managed");
  sortBy<4>(Way::Variable, "from a variable");
  sortBy<4>(Way::ToVariable, "then where it lies");
  sortBy<4>(Way::Variable, "then from it");
  sortBy<5>(Way::ToVariable, "where it lies");
  sortBy<5>(Way::Variable, "then from it");
  addBy<0>(false, "two arrays");
  addBy<0>(true, "then one");
  addBy<0>(false, "then two");
  addBy<1>(true, "one array");
  addBy<1>(false, "then two");
  return finish();
}
