// RUN: %nvcc -std=c++17 %s -o %t
// RUN: %widths %t
// RUN: %all %nvcc -std=c++20 %s -o %t && %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// <cuda/std/optional>, <cuda/std/expected> and <cuda/std/variant> in kernels, as their parameters, and in host code.
#include "../support.h"

#include <cuda/std/expected>
#include <cuda/std/optional>
#include <cuda/std/variant>

#include <memory>
#include <numeric>

namespace cs = cuda::std;

// Trivial where what they hold is.
static_assert(std::is_trivially_copyable_v<cs::optional<int>> && std::is_trivially_copyable_v<cs::expected<int, char>>);
static_assert(std::is_trivially_copyable_v<cs::variant<int, float>> && sizeof(cs::optional<int>) == 8);
static_assert(!std::is_trivially_copyable_v<cs::optional<std::string>>);
static_assert(!std::is_copy_constructible_v<cs::optional<std::unique_ptr<int>>>);
static_assert(std::is_move_constructible_v<cs::variant<int, std::unique_ptr<int>>>);
static_assert(!std::is_copy_assignable_v<cs::expected<std::unique_ptr<int>, int>>);

/// The root of a square.
__host__ __device__ constexpr cs::optional<int> rootOf(int n) {
  for (int i = 0; i * i <= n; ++i)
    if (i * i == n)
      return i;
  return cs::nullopt;
}
static_assert(rootOf(49) == 7 && !rootOf(50) && rootOf(50).value_or(-1) == -1 && rootOf(2) < 0 && rootOf(4) != 3);
static_assert(rootOf(81).and_then(rootOf) == 3 && !rootOf(49).and_then(rootOf));
static_assert(*rootOf(16).transform([](int i) { return i + 0.5; }) == 4.5);

struct Roots {
  __host__ __device__ int operator()(int n) const {
    cs::optional<int> root = rootOf(n), other;
    int result = root ? *root : -1;
    other = root;
    if (!other)
      other.emplace(n);
    swap(root, other);
    result += 100 * root.value();
    other.reset();
    root = rootOf(n + 1).or_else([&] { return cs::make_optional(5); });
    cs::optional<long> wide = root;
    return result + 7 * int(*wide) + (other == cs::nullopt) + (root > other) * 3;
  }
};

__global__ void takes(cs::optional<int> has, cs::optional<float> lacks, cs::variant<int, double> which, double *out) {
  out[threadIdx.x] = has.value_or(1) + lacks.value_or(0.5f) +
                     cs::visit([](auto v) { return v * 2.0; }, which) + threadIdx.x;
}

// Expected ones.
enum class Problem { Negative, Odd };

__host__ __device__ constexpr cs::expected<int, Problem> halfOf(int n) {
  if (n < 0)
    return cs::unexpected(Problem::Negative);
  if (n % 2)
    return cs::unexpected(Problem::Odd);
  return n / 2;
}
__host__ __device__ constexpr cs::expected<void, Problem> check(int n) {
  if (n > 100)
    return cs::unexpected(Problem::Odd);
  return {};
}
static_assert(halfOf(8) == 4 && !halfOf(7) && halfOf(7).error() == Problem::Odd &&
              halfOf(-2) == cs::unexpected(Problem::Negative));
static_assert(halfOf(8).and_then(halfOf) == 2 && halfOf(6).and_then(halfOf).error() == Problem::Odd);
static_assert(halfOf(8).transform([](int i) { return i * 3; }).value() == 12 && check(3).has_value() && !check(300));

struct Halves {
  __host__ __device__ int operator()(int n) const {
    auto twice = halfOf(n - 20).and_then(halfOf);
    cs::expected<int, Problem> kept = twice;
    kept = halfOf(n);
    if (kept)
      *kept += 1;
    else
      kept = cs::unexpected(Problem::Negative);
    int checked = check(n).and_then([&] { return halfOf(n); }).or_else([](Problem p) {
      return cs::expected<int, Problem>(int(p) - 10);
    }).value();
    auto renamed = twice.transform_error([](Problem p) { return int(p) + 40; });
    return twice.value_or(-7) + 100 * kept.value_or(3) + checked * 10000 + (renamed ? 1 : renamed.error()) +
           check(n).transform([] { return 2; }).value_or(9);
  }
};

// Variants.
struct Circle {
  float radius;
};
struct Box {
  float width, height;
};
using Shape = cs::variant<cs::monostate, Circle, Box, int>;

struct Area {
  __host__ __device__ float operator()(cs::monostate) const { return -1; }
  __host__ __device__ float operator()(const Circle &c) const { return 3 * c.radius * c.radius; }
  __host__ __device__ float operator()(const Box &b) const { return b.width * b.height; }
  __host__ __device__ float operator()(int i) const { return float(i); }
};

struct Shapes {
  __host__ __device__ float operator()(int i) const {
    Shape shape, other;
    switch (i % 4) {
    case 1:
      shape = Circle{float(i)};
      break;
    case 2:
      shape.emplace<Box>(Box{float(i), 2});
      break;
    case 3:
      shape = i;
      break;
    }
    other = shape;
    float area = cs::visit(Area(), other);
    if (auto *circle = cs::get_if<Circle>(&shape))
      circle->radius += 1;
    if (cs::holds_alternative<Box>(shape))
      cs::get<2>(shape).height = 5;
    area += 1000 * cs::visit(Area(), shape) + float(shape.index());
    cs::variant<int, float> a = i, b = 2.5f;
    b.swap(a);
    return area + cs::visit([](auto x, auto y) { return float(x) * 2 + float(y); }, a, b) +
           cs::visit<float>([](auto x) { return x; }, b) + (a == b ? 5.f : 0.f) + (a < b ? 7.f : 0.f);
  }
};
static_assert(cs::get<1>(cs::variant<int, char>('c')) == 'c' && cs::variant<int, long>(3).index() == 0);
static_assert(cs::variant_size_v<Shape> == 4 && std::is_same_v<cs::variant_alternative_t<2, Shape>, Box>);

/// Counts the objects that are there.
struct Counted {
  static int alive;
  std::string text;
  Counted(std::string t) : text(std::move(t)) { ++alive; }
  Counted(const Counted &other) : text(other.text) { ++alive; }
  Counted(Counted &&other) noexcept : text(std::move(other.text)) { ++alive; }
  Counted &operator=(const Counted &) = default;
  Counted &operator=(Counted &&) = default;
  ~Counted() { --alive; }
};
int Counted::alive = 0;

template <class Exception, class F> bool throws(F f) {
  try {
    f();
  } catch (const Exception &) {
    return true;
  }
  return false;
}

void testHost() {
  {
    cs::optional<Counted> a(cs::in_place, "a"), b;
    b = a;
    a = std::move(b);
    b = cs::nullopt;
    cs::variant<int, Counted> v = Counted("v"), w = v;
    w = 3;
    v = w;
    w.emplace<1>("again");
    cs::expected<Counted, std::string> e(cs::unexpect, "none"), f = Counted("f");
    e = f;
    f = cs::unexpected(std::string("gone"));
    expect("alive", 0, Counted::alive, 3);
    expectTrue("values", a->text == "a" && cs::get<1>(w).text == "again" && e->text == "f" && f.error() == "gone");
    expectTrue("of no value", throws<cs::bad_optional_access>([&] { b.value(); }));
    expectTrue("of an error", throws<cs::bad_expected_access<std::string>>([&] { f.value(); }));
    expectTrue("of another", throws<cs::bad_variant_access>([&] { cs::get<1>(v); }));
  }
  expect("destroyed", 0, Counted::alive, 0);
}

int main() {
  testHost();
  std::vector<int> in(160);
  std::iota(in.begin(), in.end(), -10);
  mapOnDevice<Roots>("roots", std::vector<int>(in.begin() + 10, in.end()));
  mapOnDevice<Halves>("halves", in);
  mapOnDevice<Shapes>("shapes", std::vector<int>(in.begin() + 10, in.end()));
  Buffer<double> out(40);
  takes<<<1, 40>>>(4, {}, 1.25, out);
  checkLaunch();
  std::vector<double> want;
  for (int i = 0; i < 40; ++i)
    want.push_back(4 + 0.5 + 2.5 + i);
  expectAll("parameters", out.get(), want);
  expect("a circle", 0, Shapes()(5), 75.f + 1000 * 108 + 1 + (2.5f * 2 + 5) + 5 + 0 + 0);
  return finish();
}
