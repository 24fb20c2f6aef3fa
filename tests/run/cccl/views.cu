// RUN: %nvcc -std=c++17 %s -o %t
// RUN: %widths %t
// RUN: %all %nvcc -std=c++20 %s -o %t && %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// <cuda/std/span>, <cuda/std/mdspan>, <cuda/std/string_view> and <cuda/std/inplace_vector> in kernels and host code.
#include "../support.h"

#include <cuda/mdspan>
#include <cuda/std/array>
#include <cuda/std/cstring>
#include <cuda/std/inplace_vector>
#include <cuda/std/mdspan>
#include <cuda/std/span>
#include <cuda/std/string_view>
#include <cuda/std/tuple>

#include <numeric>

namespace cs = cuda::std;

// Spans: their sizes, their parts, what they are made of.
static_assert(sizeof(cs::span<int>) == 16 && sizeof(cs::span<int, 4>) == 8);
static_assert(std::is_trivially_copyable_v<cs::span<int>>);
static_assert(std::is_convertible_v<cs::span<int>, cs::span<const int>>);
static_assert(!std::is_convertible_v<cs::span<const int>, cs::span<int>>);
static_assert(!std::is_convertible_v<cs::span<int>, cs::span<int, 3>>);
static_assert(std::is_convertible_v<cs::span<int, 3>, cs::span<int>>);
static_assert(!std::is_constructible_v<cs::span<int>, std::vector<int>>, "of an rvalue");
static_assert(std::is_constructible_v<cs::span<const int>, std::vector<int>>);
constexpr int Numbers[] = {1, 2, 3, 4, 5};
constexpr cs::span NumbersSeen(Numbers);
static_assert(NumbersSeen.extent == 5 && NumbersSeen.last<2>()[1] == 5 && NumbersSeen.size_bytes() == 20);
static_assert(NumbersSeen.subspan<1>().size() == 4 && NumbersSeen.subspan<1, 2>().extent == 2);
static_assert(NumbersSeen.subspan(2).size() == 3 && NumbersSeen.first(2).back() == 2);

__host__ __device__ int sumOf(cs::span<const int> values) {
  int sum = 0;
  for (int value : values)
    sum += value;
  return sum;
}

__global__ void sums(cs::span<const int> in, cs::span<int> out) {
  unsigned i = threadInGrid();
  if (i >= out.size())
    return;
  cs::array<int, 3> few = {int(i), 2, 3};
  int own[2] = {7, int(i)};
  auto [seven, same] = cs::tuple(own[0], i);
  auto [first, second, third] = few;
  if (seven + first != 7 + int(same) || cs::to_array(own)[1] != first || second + third != 5)
    return;
  out[i] = sumOf(in.subspan(i, 4)) + 100 * sumOf(few) + sumOf(own) + int(cs::as_bytes(cs::span(own)).size()) +
           *in.last<2>().rbegin();
}

void testSpans() {
  std::vector<int> numbers(64);
  std::iota(numbers.begin(), numbers.end(), 3);
  Buffer<int> in(numbers), out(60);
  sums<<<2, 33>>>(cs::span<const int>(in.data, in.count), {out.data, out.count});
  checkLaunch();
  std::vector<int> got = out.get(), want;
  for (int i = 0; i < 60; ++i)
    want.push_back(4 * (i + 3) + 6 + 100 * (i + 5) + 7 + i + 8 + 66);
  expectAll("sums", got, want);
  expect("sumOf(vector)", 0, sumOf(numbers), std::accumulate(numbers.begin(), numbers.end(), 0));
  cs::span part(numbers.begin() + 2, numbers.end());
  expect("of iterators", 0, int(part.size()) + part.front(), 62 + 5);
}

// Multidimensional ones.
static_assert(sizeof(cs::extents<int, 3, 4>) == 1 && sizeof(cs::extents<int, 3, cs::dynamic_extent>) == 4);
static_assert(std::is_same_v<cs::dextents<int, 2>, cs::extents<int, cs::dynamic_extent, cs::dynamic_extent>>);
constexpr cs::extents<int, 3, cs::dynamic_extent, 5> Sizes(4);
static_assert(Sizes.extent(0) == 3 && Sizes.extent(1) == 4 && Sizes.extent(2) == 5 && Sizes.rank_dynamic() == 1);
constexpr cs::layout_right::mapping ByRows(Sizes);
constexpr cs::layout_left::mapping ByColumns(Sizes);
static_assert(ByRows(2, 3, 4) == 59 && ByRows.stride(0) == 20 && ByRows.stride(2) == 1);
static_assert(ByColumns(1, 2, 3) == 1 + 2 * 3 + 3 * 12 && ByColumns.stride(2) == 12);
constexpr cs::layout_stride::mapping Strided(cs::extents<int, 3, 4>(), cs::array<int, 2>{1, 10});
static_assert(Strided(2, 3) == 32 && Strided.required_span_size() == 33 && !Strided.is_exhaustive());
static_assert(cs::layout_stride::mapping<cs::extents<int, 3, 4>>(
                  cs::layout_left::mapping<cs::extents<int, 3, 4>>()).stride(1) == 3);

using Matrix = cs::mdspan<const float, cs::dextents<int, 2>>;
using Columns = cs::mdspan<float, cs::dextents<int, 2>, cs::layout_left>;

/// A product of matrices, of which the result lies by columns.
__global__ void product(Matrix a, Matrix b, Columns c) {
  int row = int(blockIdx.y * blockDim.y + threadIdx.y), column = int(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= c.extent(0) || column >= c.extent(1))
    return;
  float sum = 0;
  for (int k = 0; k < a.extent(1); ++k)
    sum += a(row, k) * b(k, column);
  c(row, column) = sum;
}

__global__ void tiles(int *out) {
  __shared__ int cells[4 * 8];
  cs::mdspan<int, cs::extents<int, 4, 8>> tile(cells);
  cs::mdspan<int, cs::extents<int, 8, 4>, cs::layout_stride> turned(
      cells, {cs::extents<int, 8, 4>(), cs::array<int, 2>{1, 8}});
  int x = int(threadIdx.x) % 8, y = int(threadIdx.x) / 8;
  tile(y, x) = 10 * y + x;
  __syncthreads();
  out[threadIdx.x] = turned(int(threadIdx.x) / 4, int(threadIdx.x) % 4) + 1000 * int(tile.size());
}

__global__ void scale(cuda::device_mdspan<float, cs::dims<2>> m, cuda::restrict_mdspan<const float, cs::dims<1>> by) {
  for (size_t i = threadIdx.x; i < m.extent(0); i += blockDim.x)
    for (size_t j = 0; j < m.extent(1); ++j)
      m(i, j) *= by(j);
}
static_assert(cuda::is_device_accessible_v<cuda::device_mdspan<int, cs::dims<1>>> &&
              !cuda::is_host_accessible_v<cuda::device_mdspan<int, cs::dims<1>>>);
static_assert(cuda::is_restrict_mdspan_v<cuda::restrict_mdspan<int, cs::dims<1>>>);
static_assert(std::is_convertible_v<cs::mdspan<int, cs::dims<1>>, cuda::host_mdspan<int, cs::dims<1>>> &&
              !std::is_convertible_v<cuda::device_mdspan<int, cs::dims<1>>, cuda::host_mdspan<int, cs::dims<1>>> &&
              std::is_convertible_v<cuda::managed_mdspan<int, cs::dims<1>>, cuda::device_mdspan<int, cs::dims<1>>>);

void testPlaces() {
  Buffer<float> numbers(std::vector<float>(35, 2)), factors(std::vector<float>{1, 2, 3, 4, 5, 6, 7});
  scale<<<1, 4>>>(cs::mdspan(numbers.data, 5, 7), cs::mdspan(factors.data, 7));
  checkLaunch();
  std::vector<float> want;
  for (int i = 0; i < 35; ++i)
    want.push_back(2.0f * float(i % 7 + 1));
  expectAll("places", numbers.get(), want);
}

void testMdspans() {
  constexpr int M = 13, N = 17, K = 9;
  std::vector<float> a(M * K), b(K * N), want(M * N);
  Random random(3);
  for (float &x : a)
    x = float(random.below(9) - 4);
  for (float &x : b)
    x = float(random.below(9) - 4);
  for (int i = 0; i < M; ++i)
    for (int j = 0; j < N; ++j)
      for (int k = 0; k < K; ++k)
        want[j * M + i] += a[i * K + k] * b[k * N + j];
  Buffer<float> da(a), db(b), dc(M * N);
  product<<<dim3(3, 2), dim3(8, 8)>>>(Matrix(da.data, M, K), Matrix(db.data, K, N), Columns(dc.data, M, N));
  checkLaunch();
  expectAll("product", dc.get(), want);
  Buffer<int> out(32);
  tiles<<<1, 32>>>(out);
  checkLaunch();
  std::vector<int> turned;
  for (int i = 0; i < 32; ++i)
    turned.push_back(10 * (i % 4) + i / 4 + 32000);
  expectAll("tiles", out.get(), turned);
  cs::mdspan guided(a.data(), M, K);
  expect("of the host", 0, guided[cs::array<int, 2>{2, 3}], a[2 * K + 3]);
  static_assert(guided.rank() == 2 && std::is_same_v<decltype(guided)::layout_type, cs::layout_right>);
}

// Strings.
constexpr cs::string_view Words = "warp and weft";
static_assert(Words.size() == 13 && Words.find("and") == 5 && Words.rfind('e') == 10 && Words.substr(9) == "weft");
static_assert(Words.find_first_of("xyzn") == 6 && Words.find_last_not_of("tf") == 10 && Words.find('z') == Words.npos);
static_assert(Words.starts_with("warp") && Words.ends_with('t') && Words.contains("weft") && Words < "weft");
static_assert(Words.compare("warp") > 0 && cs::string_view("a") != cs::string_view("b") && cs::string_view().empty());

struct CountWords {
  __host__ __device__ int operator()(int i) const {
    const char *texts[] = {"one", "one two", "  three  spaces ", "", "a b c d e"};
    cs::string_view rest = texts[i % 5];
    int words = 0;
    for (;;) {
      size_t start = rest.find_first_not_of(" ");
      if (start == cs::string_view::npos)
        return 100 * words + i % 3;
      rest.remove_prefix(start);
      size_t end = rest.find(' ');
      rest.remove_prefix(end == cs::string_view::npos ? rest.size() : end);
      ++words;
    }
  }
};

struct Bytes {
  __host__ __device__ int operator()(int i) const {
    char text[32] = "warp", copy[32];
    cs::strcat(text, i % 2 ? " and" : "");
    cs::memset(copy, 'x', sizeof copy);
    cs::memmove(copy + 3, text, cs::strlen(text) + 1);
    cs::memmove(copy + 1, copy + 3, cs::strlen(copy) - 2);
    int result = int(cs::strlen(copy)) + 100 * cs::strcmp(copy + 1, text) + 1000 * (cs::strchr(text, 'a') - text);
    cs::memcpy(copy, text, 4);
    return result + 7 * cs::memcmp(copy, "warq", 4) + cs::strncmp(text, "wart", 3) +
           (cs::memchr(text, 'z', 9) == nullptr);
  }
};
static_assert(cs::strlen("weft") == 4 && cs::strcmp("a", "b") < 0);

// Vectors in place.
struct Vectors {
  __host__ __device__ int operator()(int i) const {
    cs::inplace_vector<int, 12> v = {3, 1, 4};
    v.push_back(i);
    v.insert(v.begin() + 1, 2, 9);
    v.erase(v.begin());
    v.resize(8, 6);
    auto copy = v;
    copy.pop_back();
    int sum = copy < v ? 1000 : 0;
    for (int x : v)
      sum = 3 * sum + x;
    for (size_t k = v.size(); v.try_push_back(int(k)); ++k)
      ;
    return sum + int(v.size()) * 7 + v.back() + (v == copy);
  }
};
static_assert(std::is_trivially_copyable_v<cs::inplace_vector<int, 4>>);

int main() {
  testSpans();
  testMdspans();
  testPlaces();
  std::vector<int> in(200);
  std::iota(in.begin(), in.end(), 0);
  mapOnDevice<CountWords>("words", in);
  mapOnDevice<Bytes>("bytes", in);
  expect("bytes", 0, Bytes()(0) + Bytes()(1), 5 + 9 + 2000 - 14 + 2);
  mapOnDevice<Vectors>("vectors", in);
  std::vector<int> counts = {CountWords()(0), CountWords()(1), CountWords()(2), CountWords()(3), CountWords()(4)};
  expectAll("counts", counts, {100, 201, 202, 0, 501});
  cs::inplace_vector<std::string, 4> texts = {"a", "b"};
  texts.insert(texts.begin(), std::string(40, 'x'));
  auto moved = std::move(texts);
  expectTrue("strings", moved.size() == 3 && moved[0].size() == 40 && moved[2] == "b");
  bool thrown = false;
  try {
    moved.resize(5);
  } catch (const std::bad_alloc &) {
    thrown = true;
  }
  expectTrue("no room", thrown);
  return finish();
}
