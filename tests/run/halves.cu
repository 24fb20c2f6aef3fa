// RUN: %heddle run %s
// RUN: %nvcc -std=c++20 -rdc=true %s -o %t && %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What nvcc takes because it translates a source twice: functions and members that are the device's where __CUDA_ARCH__
// is set and the host's elsewhere, called from anywhere; functions for both sides that call the host's, as long as no
// kernel reaches them; host classes whose members clang takes for the device's, too.
#include "support.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// --- Functions ---

namespace chosen {
#ifdef __CUDA_ARCH__
#define CHOSEN __device__
constexpr int Side = 1;
#else
#define CHOSEN
constexpr int Side = 2;
#endif
CHOSEN inline int plain(int a) { return a * 10 + Side; }
template <class T> static CHOSEN T byTemplate(T a) { return T(a * 10 + Side); }
inline CHOSEN double byDefault(double a = 4) { return a * 10 + Side; }
struct Point {
  int x;
  CHOSEN Point(int x) : x(x * 10 + Side) {}
  CHOSEN Point(const Point &p) : x(p.x + 100) {}
  CHOSEN ~Point() { x = 0; }
  CHOSEN Point operator+(const Point &p) const {
    Point sum = *this;
    sum.x += p.x;
    return sum;
  }
  CHOSEN operator int() const { return x; }
  CHOSEN int operator()(int a) { return x + a; }
  template <class T> CHOSEN T member(T a) const { return T(x + a); }
  static CHOSEN int fixed() { return Side; }
};
CHOSEN inline Point operator*(const Point &p, int k) {
  Point product = p;
  product.x *= k;
  return product;
}
} // namespace chosen

__host__ __device__ int both(int a) {
  chosen::Point p(a), q(p);
  return chosen::plain(a) + chosen::byTemplate(a) + int(chosen::byDefault()) + int(p + q) +
         p(1) + q.member(2) + chosen::Point::fixed() + int(p * 2);
}

int onHost(int a) {
  chosen::Point p(a), q(p);
  auto inLambda = [&](int b) { return chosen::plain(b) + p.member(b) - p.member(a); };
  return inLambda(a) + chosen::byTemplate(a) + int(chosen::byDefault()) + int(p + q) + p(1) +
         q.member(2) + chosen::Point::fixed() + int(p * 2);
}

__global__ void onDevice(int a, int *out) {
  chosen::Point p(a), q(p);
  out[0] = both(a);
  out[1] = chosen::plain(a) + chosen::byTemplate(a) + int(chosen::byDefault()) + int(p + q) +
           p(1) + q.member(2) + chosen::Point::fixed() + int(p * 2);
}

/// What all three give with the functions of that side.
int expected(int a, int side) {
  int x = a * 10 + side, copied = x + 100;
  return x + x + 40 + side + 2 * copied + (x + 1) + (copied + 2) + side + copied * 2;
}

// --- The kernel that a host function's call chooses ---

template <class T> __global__ void sizes(int *out) { *out = int(sizeof(T)); }
#ifdef __CUDA_ARCH__
__device__ inline char pick(char c) { return c; }
__device__ inline double pick(double d) { return d; }
#else
inline char pick(char c) { return c; }
inline double pick(double d) { return d; }
#endif
template <class T> void launchFor(T value, int *out) {
  auto picked = pick(value);
  sizes<decltype(picked)><<<1, 1>>>(out);
}

// --- Functions for both sides that call the host's ---

int *hostsCounter() {
  static int counter;
  return &counter;
}
__host__ __device__ int counted(int a) { return a + ++*hostsCounter(); }
template <class T> __host__ __device__ T countedByTemplate(T a) { return a + ++*hostsCounter(); }
template __host__ __device__ long countedByTemplate(long);
struct Counts {
  std::vector<int> values;
  __host__ __device__ Counts() { add(3); }
  __host__ __device__ virtual ~Counts() {}
  __host__ __device__ virtual void add(int v) { values.push_back(v); }
};

// --- Host classes ---

template <class T> struct Named {
  std::string name;
  std::vector<T> list{1, 2, 3};
  std::map<std::string, T> map;
  std::optional<std::string> maybe;
  std::unique_ptr<T> owned;
  std::function<T(T)> function;
  Named(std::string n) : name(std::move(n)) {}
  Named(Named &&) = default;
  Named &operator=(Named &&) = default;
  virtual ~Named() = default;
  virtual T value() const { return T(name.size()); }
};
template struct Named<float>;
extern template struct Named<double>;
template struct Named<double>;
struct Text {
  std::string text;
  ~Text() { ++*hostsCounter(); }
};
template <int N> struct Base {
  virtual ~Base() = default;
  virtual int degree() const = 0;
};
template <int N> struct Derived : Base<N> {
  std::vector<Text> texts;
  Derived(int n) : texts(n) {}
  int degree() const override { return int(texts.size()) * N; }
};
template struct Base<2>;
template struct Derived<2>;
struct Tagged : Derived<3>, private Text {
  using Derived<3>::Derived;
};
#if __cplusplus >= 202002L
template <class T> struct Tree {
  T value;
  std::unique_ptr<Tree> left, right;
  constexpr virtual ~Tree() = default;
};
template struct Tree<std::string>;
inline void adjust() {}
template <int N> constexpr void release() { adjust(); }
struct Released {
  constexpr Released() { release<4>(); }
  constexpr ~Released() { release<8>(); }
};
template <class V> struct Holder {
  virtual ~Holder() = default;
  Released name;
};
template struct Holder<float>;
#endif

int main() {
  int *out;
  cudaMallocManaged(&out, 4 * sizeof(int));
  onDevice<<<1, 1>>>(3, out);
  cudaDeviceSynchronize();
  expect("for both sides, in a kernel", 3, out[0], expected(3, 1));
  expect("in a kernel", 3, out[1], expected(3, 1));
  expect("for both sides, on the host", 3, both(3), expected(3, 2));
  expect("on the host", 3, onHost(3), expected(3, 2));

  launchFor('c', out);
  launchFor(2.5, out + 1);
  CUDA_OK(cudaDeviceSynchronize());
  expect("kernel by char", 0, out[0], 1);
  expect("kernel by double", 0, out[1], 8);

  expect("function for both sides", 0, counted(1), 2);
  expect("template for both sides", 0, countedByTemplate(1L), 3l);
  Counts counts;
  counts.add(4);
  expectAll("class for both sides", counts.values, {3, 4});

  Named<float> named("four"), moved(std::move(named));
  expect("moved", 0, moved.value(), 4.f);
  expect("instantiated", 0, Named<double>("six").value(), 3.);
  {
    std::unique_ptr<Base<3>> base = std::make_unique<Tagged>(4);
    expect("derived", 0, base->degree(), 12);
  }
  expect("destructors", 0, *hostsCounter(), 2 + 4 + 1);
#if __cplusplus >= 202002L
  Tree<std::string> tree;
  tree.left = std::make_unique<Tree<std::string>>();
  Holder<float> holder;
#endif
  return finish();
}
