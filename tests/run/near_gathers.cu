// RUN: %heddle cc %s -o %t
// RUN: %widths(16,64) %t
// RUN: %cpu(x86-64-v3) %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes that creep through memory (jit/memory/near_gathers.cpp): quotients of all sizes, ratios up and down, back from
// the end, channels, borders, warps of which lanes are idle, elements of all sizes, arrays that end with a page.
#include "support.h"

constexpr int Width = 333, Height = 5, Count = Width * Height * 3;

struct Half {
  static __host__ __device__ int from(int x, int y, int) { return y / 2 * (Width / 2 + 1) + x / 2; }
};
struct Quotient {
  static __host__ __device__ int from(int x, int y, int s) { return y * Width + x / s; }
};
struct Ratio {
  static __host__ __device__ int from(int x, int y, int s) {
    int at = int(x * (s * 0.35f) - 0.5f);
    return y * Width + (at < 0 ? 0 : at >= Width ? Width - 1 : at);
  }
};
struct Back {
  static __host__ __device__ int from(int x, int y, int s) { return y * Width + (Width - 1 - x) / s; }
};
struct Channels {
  static __host__ __device__ int from(int x, int y, int s) { return (y * Width + x / 3 / s) * 3 + x % 3; }
};
struct Border {
  static __host__ __device__ int from(int x, int y, int s) {
    int left = x - s;
    return y * Width + (left > 0 ? left : 0);
  }
};
/// The last elements.
struct End {
  static __host__ __device__ int from(int x, int y, int s) { return Count - 1 - y * Width - x / s; }
};

template <class Place, class T> __global__ void creep(const T *in, T *out, int s, int skipped) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x < Width && x % 7 != skipped)
    out[y * Width + x] = in[Place::from(x, y, s)];
}

template <class Place, class T> void check(const char *name) {
  // Arrays end with their memory's page, but for what an element's size leaves.
  size_t bytes = (Count * sizeof(T) + 4095) / 4096 * 4096, first = bytes / sizeof(T) - Count;
  T *in, *out;
  CUDA_OK(cudaMalloc(&in, bytes));
  CUDA_OK(cudaMalloc(&out, Width * Height * sizeof(T)));
  std::vector<T> values(Count), found(Width * Height);
  for (int i = 0; i < Count; i++)
    values[i] = T((i * 2654435761u) >> 20);
  CUDA_OK(cudaMemcpy(in + first, values.data(), Count * sizeof(T), cudaMemcpyHostToDevice));
  for (int s : {1, 2, 3, 5, 100})
    for (int skipped : {7, 0, 3}) {
      CUDA_OK(cudaMemset(out, 0, Width * Height * sizeof(T)));
      creep<Place><<<dim3(3, Height), 128>>>(in + first, out, s, skipped);
      CUDA_OK(cudaMemcpy(found.data(), out, found.size() * sizeof(T), cudaMemcpyDeviceToHost));
      int wrong = 0;
      for (int i = 0; i < Width * Height; i++) {
        int x = i % Width, y = i / Width;
        wrong += found[i] != (x % 7 != skipped ? values[Place::from(x, y, s)] : T());
      }
      if (wrong)
        std::printf("%s of %zu bytes, %d, without %d: %d wrong\n", name, sizeof(T), s, skipped, wrong), std::exit(1);
    }
  CUDA_OK(cudaFree(in));
  CUDA_OK(cudaFree(out));
}

template <class T> void checkAll() {
  check<Half, T>("half");
  check<Quotient, T>("quotient");
  check<Ratio, T>("ratio");
  check<Back, T>("back");
  check<Channels, T>("channels");
  check<Border, T>("border");
  check<End, T>("end");
}

int main() {
  checkAll<unsigned char>();
  checkAll<float>();
  check<Quotient, double>("quotient");
  check<Channels, short>("channels");
  check<Ratio, short>("ratio");
  std::puts("ok");
}
