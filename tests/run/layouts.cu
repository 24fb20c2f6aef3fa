// RUN: %heddle run %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes, alignments and offsets are the same on both sides: of the standard library's types, of structures of each
// three of a list of types, of bit-fields, bases, unions and alignments. (`long double` is two types, under nvcc too.)
#include "support.h"

#include <array>
#include <atomic>
#include <chrono>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

struct Empty {};
struct Virtual {
  virtual void f();
  char c;
};
enum Small : unsigned char { One };
struct Bits {
  char a : 3;
  int b : 7;
  long c : 40;
  bool d : 1;
};
struct Aligned {
  char c;
  alignas(std::max_align_t) char room[24];
};
struct __attribute__((aligned)) Most {
  char c;
};
struct Packed {
  char c;
  double d;
} __attribute__((packed));
union Any {
  char c[11];
  short s;
};

template <class A, class B, class C> struct Three {
  A a;
  B b;
  C c;
};
template <class A, class B> struct Derived : A {
  B b;
  char last;
};
template <class A, class B> struct Shares {
  [[no_unique_address]] A a;
  B b;
  alignas(A) alignas(B) char last;
};

/// FNV-1a of numbers.
struct Sum {
  unsigned long long value = 1469598103934665603ull;
  __host__ __device__ constexpr void add(unsigned long long x) { value = (value ^ x) * 1099511628211ull; }
  template <class T> __host__ __device__ constexpr void addType() {
    add(sizeof(T));
    add(alignof(T));
  }
};

template <class A, class B, class C> __host__ __device__ constexpr void addThree(Sum &sum) {
  using T = Three<A, B, C>;
  sum.addType<T>();
  if constexpr (std::is_standard_layout_v<T>) {
    sum.add(offsetof(T, b));
    sum.add(offsetof(T, c));
  }
}

template <class A, class B, class... All> __host__ __device__ constexpr void addPair(Sum &sum) {
  (addThree<A, B, All>(sum), ...);
  sum.addType<Shares<A, B>>();
  sum.addType<std::pair<A, B>>();
  sum.addType<std::tuple<A, char, B>>();
  sum.addType<std::variant<A, B>>();
  if constexpr (std::is_class_v<A>)
    sum.addType<Derived<A, B>>();
}

template <class A, class... All> __host__ __device__ constexpr void addOne(Sum &sum) {
  (addPair<A, All, All...>(sum), ...);
}

template <class... All> __host__ __device__ constexpr unsigned long long sumOf() {
  Sum sum;
  (addOne<All, All...>(sum), ...);
  return sum.value;
}

#define LAYOUTS                                                                                    \
  {sizeof(std::max_align_t),                                                                       \
   alignof(std::max_align_t),                                                                      \
   sizeof(std::aligned_storage_t<20>),                                                             \
   alignof(std::aligned_storage_t<20>),                                                            \
   alignof(std::aligned_storage_t<3>),                                                             \
   sizeof(std::aligned_union_t<1, char, double>),                                                  \
   sizeof(wchar_t),                                                                                \
   sizeof(std::byte),                                                                              \
   sizeof(std::int_fast16_t),                                                                      \
   sizeof(std::intmax_t),                                                                          \
   sizeof(std::complex<float>),                                                                    \
   alignof(std::complex<double>),                                                                  \
   sizeof(std::array<char, 5>),                                                                    \
   sizeof(std::optional<short>),                                                                   \
   sizeof(std::string),                                                                            \
   sizeof(std::function<int(int)>),                                                                \
   sizeof(std::shared_ptr<int>),                                                                   \
   sizeof(std::unique_ptr<int>),                                                                   \
   sizeof(std::vector<bool>),                                                                      \
   sizeof(std::atomic<int>),                                                                       \
   alignof(std::atomic<long long>),                                                                \
   sizeof(std::chrono::nanoseconds),                                                               \
   alignof(__int128),                                                                              \
   sizeof(std::nullptr_t),                                                                         \
   sizeof(int Virtual::*),                                                                         \
   sizeof(void (Virtual::*)()),                                                                    \
   sizeof(Aligned),                                                                                \
   offsetof(Aligned, room),                                                                        \
   alignof(Most),                                                                                  \
   __BIGGEST_ALIGNMENT__,                                                                          \
   __STDCPP_DEFAULT_NEW_ALIGNMENT__,                                                               \
   sumOf<char, short, int, long, float, double, void *, bool>(),                                   \
   sumOf<wchar_t, __int128, Empty, Bits, Aligned, Most, Packed, Any, Small>(),                     \
   sumOf<Virtual, std::max_align_t, Empty, int, std::string, std::complex<double>>(),              \
   sumOf<float3, float4, double2, uchar3, longlong4, dim3, char>(),                                \
   sumOf<int Virtual::*, void (Virtual::*)(), void (*)(), char>()}

constexpr unsigned long long OfHost[] = LAYOUTS;
constexpr size_t Count = sizeof(OfHost) / sizeof(*OfHost);

__global__ void layouts(unsigned long long *out) {
  constexpr unsigned long long ofDevice[] = LAYOUTS;
  for (size_t i = 0; i < Count; i++)
    out[i] = ofDevice[i];
}

// Arguments behind such members, and members behind them, come across.
struct Callable {
  int tag;
  alignas(std::max_align_t) unsigned char store[32];
  int after;
};

__global__ void arguments(Callable f, char c, Aligned a, int last, Callable *in, int *out) {
  int values[] = {f.tag, f.after, f.store[7], c, a.room[3], last, in[1].after, in[1].store[9]};
  for (int i = 0; i < 8; i++)
    out[i] = values[i];
}

int main() {
  Buffer<unsigned long long> out(Count);
  layouts<<<1, 1>>>(out);
  checkLaunch();
  expectAll("layouts", out.get(), std::vector<unsigned long long>(OfHost, OfHost + Count));

  Callable *in;
  CUDA_OK(cudaMallocManaged(&in, 2 * sizeof *in));
  Callable f = {1, {}, 2};
  f.store[7] = 3;
  Aligned a = {};
  a.room[3] = 5;
  in[1].after = 7;
  in[1].store[9] = 8;
  Buffer<int> values(8);
  arguments<<<1, 1>>>(f, 4, a, 6, in, values);
  checkLaunch();
  expectAll("arguments", values.get(), {1, 2, 3, 4, 5, 6, 7, 8});
  return finish();
}
