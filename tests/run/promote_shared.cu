// RUN: %heddle cc %s -o %t
// RUN: %widths(1024) %t
// RUN: %all env HEDDLE_WIDTH=1024 HEDDLE_DISABLE=eliminate-dead-lanes %t
// RUN: %cpu(x86-64-v3) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory at places that are known when a block's shape is: strides, permutations, several lanes at one place,
// masks known at run time, elements of several sizes in one array, loops and branches around. Blocks of odd sizes.
#include "support.h"

constexpr int Most = 1024;
__device__ __host__ static int mix(int x) { return (x * 2654435761u) >> 7; }

/// Each thread's number after all; every kernel here has this form.
using Kernel = void (*)(const int *in, int *out, int n);

/// Strides that grow, from both sides, with a divergent branch.
__global__ void strides(const int *in, int *out, int n) {
  __shared__ int cells[Most];
  int t = threadIdx.x, size = blockDim.x;
  cells[t] = in[blockIdx.x * size + t];
  __syncthreads();
  for (int d = 1; d < size; d *= 2) {
    if (t % (2 * d) == 0 && t + d < size)
      cells[t] = mix(cells[t] + 3 * cells[t + d]);
    __syncthreads();
  }
  out[blockIdx.x * size + t] = cells[t];
}

/// The same by neighbouring threads, in dynamic shared memory.
__global__ void packed(const int *in, int *out, int n) {
  extern __shared__ int dynamic[];
  int t = threadIdx.x, size = blockDim.x;
  dynamic[t] = in[blockIdx.x * size + t];
  __syncthreads();
  for (int d = 1; d < size; d *= 2) {
    int left = 2 * d * t;
    if (left + d < size)
      dynamic[left] = mix(dynamic[left] * 5 + dynamic[left + d]);
    __syncthreads();
  }
  out[blockIdx.x * size + t] = dynamic[t];
}

/// Reversed, rotated, and every third place.
__global__ void permutations(const int *in, int *out, int n) {
  __shared__ int one[Most], two[Most], three[3 * Most];
  int t = threadIdx.x, size = blockDim.x;
  one[t] = in[blockIdx.x * size + t];
  __syncthreads();
  two[size - 1 - t] = one[t] * 7;
  three[3 * t] = one[(t + 5) % size];
  three[3 * t + 1] = one[t];
  three[3 * t + 2] = t;
  __syncthreads();
  int sum = two[t] - one[size - 1 - t] + two[(t + size / 2) % size];
  for (int k = 0; k < 3; ++k)
    sum = mix(sum) ^ three[(size * k + t) % (3 * size)];
  out[blockIdx.x * size + t] = sum;
}

/// Lanes that meet at one place: all write the same. Elements of one, two, four and eight bytes in one memory.
__global__ void sizes(const int *in, int *out, int n) {
  __shared__ union {
    unsigned char bytes[8 * Most];
    unsigned short halves[4 * Most];
    int words[2 * Most];
    long long longs[Most];
    float floats[2 * Most];
  } cells;
  int t = threadIdx.x, size = blockDim.x, mine = in[blockIdx.x * size + t];
  cells.longs[t] = (long long)mine * 1000003;
  __syncthreads();
  int sum = cells.words[2 * t] ^ cells.words[2 * (size - 1 - t) + 1];
  __syncthreads();
  cells.halves[4 * t + 1] = mine;
  if (t % 4 == 1)
    cells.bytes[t] = t;
  __syncthreads();
  sum += cells.bytes[t] + 3 * cells.halves[t] + cells.bytes[8 * t + 2];
  __syncthreads();
  cells.words[t / 4] = t / 4 * 11;
  __syncthreads();
  sum = mix(sum) + cells.words[t / 4];
  __syncthreads();
  cells.floats[t] = sum % 1000;
  __syncthreads();
  out[blockIdx.x * size + t] = sum + int(2 * cells.floats[(t + 1) % size]);
}

/// Lanes that take part as their data says; a loop as long as data says; a branch of the whole block.
__global__ void byData(const int *in, int *out, int n) {
  __shared__ int cells[Most];
  int t = threadIdx.x, size = blockDim.x, mine = in[blockIdx.x * size + t];
  cells[t] = 0;
  __syncthreads();
  if (mine & 1)
    cells[size - 1 - t] = mine;
  __syncthreads();
  int rounds = in[blockIdx.x * size] & 7;
  for (int k = 0; k < rounds; ++k) {
    int left = t > 0 && (cells[t] & 2) ? cells[t - 1] : k;
    __syncthreads();
    cells[t] = mix(cells[t] + left);
    __syncthreads();
  }
  if (blockIdx.x % 2 == 1) {
    int half = t < size / 2 ? cells[t + size / 2] : 0;
    __syncthreads();
    if (t < size / 2)
      cells[2 * t] = half;
    __syncthreads();
    if (t >= n)
      return;
    mine += cells[size / 2];
  }
  out[blockIdx.x * size + t] = mine + cells[t];
}

/// Exchanges of a bitonic sort: both lanes read the other's, under masks that the data chooses.
__global__ void exchanges(const int *in, int *out, int n) {
  __shared__ int cells[Most];
  int t = threadIdx.x, size = blockDim.x;
  cells[t] = in[blockIdx.x * size + t];
  __syncthreads();
  for (int k = 2; k <= 16; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      int other = t ^ j;
      if (other > t && other < size) {
        bool up = (t & k) == 0;
        if ((cells[t] > cells[other]) == up) {
          int keep = cells[t];
          cells[t] = cells[other];
          cells[other] = keep;
        }
      }
      __syncthreads();
    }
  out[blockIdx.x * size + t] = cells[t];
}

/// Two keys a thread: exchanges at all distances, then writes of which hardly a lane takes part, a value that a branch
/// leaves behind, and one place that several lanes may write.
__global__ void pairs(const int *in, int *out, int n) {
  __shared__ int keys[2 * Most], last;
  int t = threadIdx.x, size = blockDim.x, swaps = 0;
  keys[t] = in[blockIdx.x * size + t];
  keys[t + size] = keys[t] * 5;
  if (t == 0)
    last = -1;
  __syncthreads();
  for (int k = 2; k <= 64; k *= 2)
    for (int d = k / 2; d > 0; d /= 2) {
      int low = 2 * t - (t & (d - 1)), high = low + d;
      if (high < 2 * size && (keys[low] > keys[high]) == ((low & k) == 0)) {
        int keep = keys[low];
        keys[low] = keys[high];
        keys[high] = keep;
        swaps = swaps * 3 + d;
      }
      __syncthreads();
    }
  if (keys[t] % 37 == 0) {
    keys[2 * size - 1 - t] = t;
    swaps ^= 1 << 20;
  }
  __syncthreads();
  if (keys[t] % 41 == 0)
    last = size;
  __syncthreads();
  out[blockIdx.x * size + t] = keys[t] + 3 * keys[t + size] + swaps + last;
}

/// What a block of one thread after the other gives: threads run to each barrier in turn.
struct Host {
  int size;
  std::vector<int> strides(const int *in) const {
    std::vector<int> cells(in, in + size);
    for (int d = 1; d < size; d *= 2)
      for (int t = 0; t < size; t += 2 * d)
        if (t + d < size)
          cells[t] = mix(cells[t] + 3 * cells[t + d]);
    return cells;
  }
  std::vector<int> packed(const int *in) const {
    std::vector<int> cells(in, in + size);
    for (int d = 1; d < size; d *= 2)
      for (int left = 0; left + d < size; left += 2 * d)
        cells[left] = mix(cells[left] * 5 + cells[left + d]);
    return cells;
  }
  std::vector<int> permutations(const int *in) const {
    std::vector<int> two(size), three(3 * size), out(size);
    for (int t = 0; t < size; ++t) {
      two[size - 1 - t] = in[t] * 7;
      three[3 * t] = in[(t + 5) % size];
      three[3 * t + 1] = in[t];
      three[3 * t + 2] = t;
    }
    for (int t = 0; t < size; ++t) {
      out[t] = two[t] - in[size - 1 - t] + two[(t + size / 2) % size];
      for (int k = 0; k < 3; ++k)
        out[t] = mix(out[t]) ^ three[(size * k + t) % (3 * size)];
    }
    return out;
  }
  std::vector<int> sizes(const int *in) const {
    std::vector<unsigned char> memory(8 * size);
    auto put = [&](size_t place, auto value) { std::memcpy(&memory[place], &value, sizeof value); };
    auto get = [&](size_t place, auto value) {
      std::memcpy(&value, &memory[place], sizeof value);
      return value;
    };
    std::vector<int> out(size), next(size);
    for (int t = 0; t < size; ++t)
      put(8 * t, (long long)in[t] * 1000003);
    for (int t = 0; t < size; ++t)
      out[t] = get(8 * t, 0) ^ get(4 * (2 * (size - 1 - t) + 1), 0);
    for (int t = 0; t < size; ++t)
      put(2 * (4 * t + 1), (unsigned short)in[t]);
    for (int t = 1; t < size; t += 4)
      memory[t] = t;
    for (int t = 0; t < size; ++t)
      out[t] = mix(out[t] + memory[t] + 3 * get(2 * t, (unsigned short)0) + memory[8 * t + 2]) + t / 4 * 11;
    for (int t = 0; t < size; ++t)
      next[t] = out[t] + int(2 * float(out[(t + 1) % size] % 1000));
    return next;
  }
  std::vector<int> byData(const int *in, int block, int n) const {
    std::vector<int> cells(size), out(size);
    for (int t = 0; t < size; ++t)
      if (in[t] & 1)
        cells[size - 1 - t] = in[t];
    for (int k = 0; k < (in[0] & 7); ++k) {
      std::vector<int> before = cells;
      for (int t = 0; t < size; ++t)
        cells[t] = mix(before[t] + (t > 0 && (before[t] & 2) ? before[t - 1] : k));
    }
    int extra = 0;
    if (block % 2 == 1) {
      std::vector<int> before = cells;
      for (int t = 0; t < size / 2; ++t)
        cells[2 * t] = before[t + size / 2];
      extra = cells[size / 2];
    }
    for (int t = 0; t < size; ++t)
      out[t] = block % 2 == 1 && t >= n ? -1 : in[t] + extra + cells[t];
    return out;
  }
  std::vector<int> exchanges(const int *in) const {
    std::vector<int> cells(in, in + size);
    for (int k = 2; k <= 16; k *= 2)
      for (int j = k / 2; j > 0; j /= 2)
        for (int t = 0; t < size; ++t)
          if (int other = t ^ j; other > t && other < size && (cells[t] > cells[other]) == ((t & k) == 0))
            std::swap(cells[t], cells[other]);
    return cells;
  }
  std::vector<int> pairs(const int *in) const {
    std::vector<int> keys(2 * size), swaps(size), out(size);
    for (int t = 0; t < size; ++t) {
      keys[t] = in[t];
      keys[t + size] = in[t] * 5;
    }
    for (int k = 2; k <= 64; k *= 2)
      for (int d = k / 2; d > 0; d /= 2)
        for (int t = 0; t < size; ++t) {
          int low = 2 * t - (t & (d - 1)), high = low + d;
          if (high < 2 * size && (keys[low] > keys[high]) == ((low & k) == 0)) {
            std::swap(keys[low], keys[high]);
            swaps[t] = swaps[t] * 3 + d;
          }
        }
    std::vector<int> before = keys;
    int last = -1;
    for (int t = 0; t < size; ++t)
      if (before[t] % 37 == 0) {
        keys[2 * size - 1 - t] = t;
        swaps[t] ^= 1 << 20;
      }
    for (int t = 0; t < size; ++t)
      if (keys[t] % 41 == 0)
        last = size;
    for (int t = 0; t < size; ++t)
      out[t] = keys[t] + 3 * keys[t + size] + swaps[t] + last;
    return out;
  }
};

int main() {
  Random random(17);
  const int blocks = 5;
  for (int size : {1, 7, 33, 64, 129, 256, 1000}) {
    std::vector<int> in(blocks * size);
    for (int &value : in)
      value = random.bits() >> 8;
    Buffer<int> source(in), results(in.size());
    Host host{size};
    int n = size / 3;
    auto check = [&](const char *name, Kernel kernel, auto expected) {
      CUDA_OK(cudaMemset(results, 0xff, in.size() * sizeof(int)));
      kernel<<<blocks, size, size * sizeof(int)>>>(source, results, n);
      CUDA_OK(cudaDeviceSynchronize());
      std::vector<int> got = results.get();
      for (int b = 0; b < blocks; ++b) {
        std::vector<int> want = expected(&in[b * size], b);
        for (int t = 0; t < size; ++t)
          expect(std::string(name) + " of " + std::to_string(size), b * size + t, got[b * size + t], want[t]);
      }
    };
    check("strides", strides, [&](const int *x, int) { return host.strides(x); });
    check("packed", packed, [&](const int *x, int) { return host.packed(x); });
    check("permutations", permutations, [&](const int *x, int) { return host.permutations(x); });
    check("sizes", sizes, [&](const int *x, int) { return host.sizes(x); });
    if (size <= 256) // wider ones take seconds to compile
      check("exchanges", exchanges, [&](const int *x, int) { return host.exchanges(x); });
    if (size <= 256)
      check("pairs", pairs, [&](const int *x, int) { return host.pairs(x); });
    check("byData", byData, [&](const int *x, int b) { return host.byData(x, b, n); });
  }
  return finish();
}
