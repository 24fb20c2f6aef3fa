// RUN: %nvcc -std=c++17 %s -o %t
// RUN: %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What nvcc takes of templates and the C++ of their time does not: bodies under __CUDA_ARCH__ that name what does not
// exist, as long as nothing instantiates them; and `typename A::B<C>` without `template`.
#include "support.h"

#include <memory>
#include <type_traits>

template <typename Allocator> struct Rebound {
  using Allocators = typename std::allocator_traits<Allocator>::rebind_alloc<int>;
  using Other = typename Allocator::rebind<int>::other;
  typename std::allocator_traits<Allocator>::rebind_traits<char>::value_type value = 7;
};

template <typename T> struct Outer {
  template <typename U> struct Inner {
    __host__ __device__ static int size() { return sizeof(T) * sizeof(U); }
  };
};

template <typename T> __host__ __device__ int bytes() {
  using Type = typename Outer<T>::Inner<double>;
  return Type::size();
}

#ifdef __CUDA_ARCH__
template <typename T> struct Unread {
  __device__ static int resolve(int x) {
    borrowed = lowest<limbs>(x);
    return borrowed;
  }
  __device__ static int sound(T x) { return int(x) + 1; }
  __device__ int behind(int x) const;
};
template <typename T> __device__ int Unread<T>::behind(int x) const { return smallest(notThere, x); }
#else
template <typename T> struct Unread {
  __device__ static int sound(T) { return 0; }
};
#endif

__global__ void kernel(int *out) {
  out[0] = Unread<float>::sound(41.5f);
  out[1] = bytes<short>();
}

int main() {
  static_assert(std::is_same_v<Rebound<std::allocator<float>>::Allocators, std::allocator<int>>);
  int *out = nullptr;
  CUDA_OK(cudaMallocManaged(&out, 2 * sizeof(int)));
  kernel<<<1, 1>>>(out);
  CUDA_OK(cudaDeviceSynchronize());
  return !(out[0] == 42 && out[1] == 16 && bytes<char>() == 8);
}
