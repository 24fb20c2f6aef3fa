// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builtin vector types: size and alignment as CUDA lays them down, loads and stores of whole vectors and of
// members, contiguous, strided and scattered, in global and shared memory.
#include "support.h"

static_assert(sizeof(char3) == 3 && alignof(char3) == 1 && sizeof(char4) == 4 && alignof(char4) == 4);
static_assert(sizeof(short2) == 4 && alignof(short2) == 4 && sizeof(short3) == 6 && alignof(short3) == 2);
static_assert(sizeof(short4) == 8 && alignof(short4) == 8 && sizeof(uchar2) == 2 && alignof(uchar2) == 2);
static_assert(sizeof(int2) == 8 && alignof(int2) == 8 && sizeof(int3) == 12 && alignof(int3) == 4);
static_assert(sizeof(float4) == 16 && alignof(float4) == 16 && sizeof(float3) == 12 && alignof(float3) == 4);
static_assert(sizeof(double2) == 16 && alignof(double2) == 16 && sizeof(double3) == 24 && alignof(double3) == 8);
static_assert(sizeof(longlong2) == 16 && alignof(longlong2) == 16 && sizeof(dim3) == 12);

template <class V> __global__ void copyAll(const V *in, V *out, const int *index, int n) {
  __shared__ V tile[128];
  int i = threadInGrid(), t = threadInBlock();
  if (i < n)
    tile[t] = in[i];
  __syncthreads();
  int count = n - int(blockIdx.x) * int(blockDim.x) < int(blockDim.x) ? n - int(blockIdx.x) * int(blockDim.x) : int(blockDim.x);
  if (i < n) {
    V v = tile[(t * 7 + 3) % count]; // strided
    V w = in[index[i]];              // scattered
    auto x = v.x;
    v.x = w.y, v.y = x;
    out[i] = v;
    out[n + index[i]] = w;
  }
}

template <class V, class T> void check(const std::string &name) {
  const int n = 300, block = 100, lanes = sizeof(V) / sizeof(T);
  Random random(30);
  std::vector<T> in(n * lanes), want(2 * n * lanes);
  for (T &v : in)
    v = T(random.below(100));
  std::vector<int> index(n);
  for (int i = 0; i < n; i++)
    index[i] = i;
  for (int i = n - 1; i > 0; i--)
    std::swap(index[i], index[random.below(i + 1)]);
  for (int i = 0; i < n; i++) {
    int from = i / block * block + (i % block * 7 + 3) % block;
    for (int k = 0; k < lanes; k++) {
      want[i * lanes + k] = in[from * lanes + k];
      want[(n + index[i]) * lanes + k] = in[index[i] * lanes + k];
    }
    want[i * lanes] = in[index[i] * lanes + 1];
    want[i * lanes + 1] = in[from * lanes];
  }
  Buffer<T> deviceIn(in), out(want.size());
  Buffer<int> deviceIndex(index);
  copyAll<V><<<3, block>>>(reinterpret_cast<V *>(deviceIn.data), reinterpret_cast<V *>(out.data), deviceIndex.data, n);
  checkLaunch();
  expectAll(name, out.get(), want);
}

struct Make {
  __device__ float operator()(float x) const {
    float4 a = make_float4(x, 1, 2, 3);
    float2 b = make_float2(a.y, a.x);
    int3 c = make_int3(int(b.x), 5, 6);
    uchar4 d = make_uchar4(1, 2, 3, 250);
    d.w += 10; // wraps
    double2 e{double(x), 2.0};
    return b.y + c.x + c.z + d.w + float(e.x) + dim3(3).y;
  }
};

int main() {
  check<char2, signed char>("char2");
  check<uchar4, unsigned char>("uchar4");
  check<char3, signed char>("char3");
  check<short4, short>("short4");
  check<ushort3, unsigned short>("ushort3");
  check<int2, int>("int2");
  check<int3, int>("int3");
  check<uint4, unsigned>("uint4");
  check<float2, float>("float2");
  check<float3, float>("float3");
  check<float4, float>("float4");
  check<double2, double>("double2");
  check<double3, double>("double3");
  check<longlong2, long long>("longlong2");
  std::vector<float> in, want;
  for (int i = 0; i < 50; i++)
    in.push_back(float(i)), want.push_back(float(i + 1 + 6 + 4 + i + 1));
  mapExpect<Make>("make", in, want);
  return finish();
}
