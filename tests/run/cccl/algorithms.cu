// RUN: %nvcc -std=c++17 %s -o %t
// RUN: %widths %t
// RUN: %all %nvcc -std=c++20 %s -o %t && %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// <cuda/std/algorithm>, <cuda/std/numeric>, <cuda/std/memory> and <cuda/iterator> against the standard library's, each
// thread on numbers of its own.
#include "../support.h"

#include <cuda/functional>
#include <cuda/iterator>
#include <cuda/std/algorithm>
#include <cuda/std/functional>
#include <cuda/std/memory>
#include <cuda/std/numeric>

#include <algorithm>
#include <list>
#include <memory>
#include <numeric>

namespace cs = cuda::std;

constexpr int Count = 17;
struct Numbers {
  int values[Count];
};

/// A number that all elements and their order go into.
template <class It> __host__ __device__ int digest(It first, It last) {
  unsigned result = 17;
  for (; first != last; ++first)
    result = result * 31 + unsigned(*first);
  return int(result);
}

struct IsEven {
  __host__ __device__ bool operator()(int i) const { return i % 2 == 0; }
};
struct Descending {
  __host__ __device__ bool operator()(int a, int b) const { return a > b; }
};

// Each body is compiled for both libraries: `lib` is the namespace.
#define BODY(NAME, ...)                                                                                                \
  struct NAME {                                                                                                        \
    __host__ __device__ int operator()(Numbers n) const {                                                              \
      namespace lib = cuda::std;                                                                                       \
      __VA_ARGS__                                                                                                      \
    }                                                                                                                  \
    static int standard(Numbers n) {                                                                                   \
      namespace lib = std;                                                                                             \
      __VA_ARGS__                                                                                                      \
    }                                                                                                                  \
  };
#define USUAL int *v = n.values, *end = v + Count, out[2 * Count] = {}; (void)end, (void)out;

BODY(Finds, USUAL int r = int(lib::find(v, end, 3) - v) + 100 * int(lib::count_if(v, end, IsEven()));
     r = r * 3 + int(lib::adjacent_find(v, end) - v) + int(lib::find_if_not(v, end, IsEven()) - v);
     r = r * 3 + int(lib::search(v, end, v + 5, v + 7) - v) + int(lib::find_end(v, end, v + 1, v + 2) - v);
     r = r * 3 + int(lib::search_n(v, end, 2, v[3]) - v) + lib::count(v, end, 4) + lib::all_of(v, v + 2, IsEven());
     r = r * 3 + int(lib::find_first_of(v, end, v + 9, v + 11) - v) + int(lib::mismatch(v, v + 8, v + 8).first - v);
     r = r * 3 + lib::equal(v, v + 8, v + 8) + lib::any_of(v, end, IsEven()) + lib::is_permutation(v, v + 4, v + 4);
     return r + lib::lexicographical_compare(v, v + 8, v + 8, end) + *lib::max_element(v, end) * 7 +
            lib::clamp(v[0], 2, 4);)

BODY(Changes, USUAL
  int *to = lib::copy_if(v, end, out, IsEven());
  to = lib::transform(v, end, to, [](int i) { return 3 * i; });
  int r = digest(out, to);
  r = r * 5 + digest(v, lib::remove_if(v, end, [](int i) { return i == 3; }));
  lib::replace(v, end, 2, 40);
  lib::rotate(v, v + 5, end);
  r = r * 5 + digest(v, end);
  lib::reverse(v + 2, end);
  r = r * 5 + digest(v, lib::unique(v, end)) + int(lib::rotate(v, v + 3, v + 9) - v);
  lib::rotate_copy(v, v + 4, end, out);
  lib::move_backward(v, v + 4, v + 6);
  lib::swap_ranges(v, v + 3, v + 10);
  r = r * 5 + digest(out, out + Count) + int(lib::stable_partition(v, end, IsEven()) - v);
  lib::fill_n(out, 4, 9);
  lib::generate_n(out + 4, 3, [&] { return r += 3; });
  lib::copy_n(v, 3, out + 9);
  lib::for_each(v, end, [&](int &i) { i += 1; });
  to = lib::unique_copy(v, end, out + 12);
  return digest(v, end) + digest(out, to);)

BODY(Orders, USUAL
  lib::sort(v, v + 9);
  lib::sort(v + 9, end, cs::less<>());
  int r = lib::is_sorted(v, end) + 2 * lib::includes(v, v + 9, v + 9, end);
  r = r * 3 + digest(out, lib::merge(v, v + 9, v + 9, end, out));
  r = r * 3 + digest(out, lib::set_union(v, v + 9, v + 9, end, out));
  r = r * 3 + digest(out, lib::set_intersection(v, v + 9, v + 9, end, out));
  r = r * 3 + digest(out, lib::set_difference(v, v + 9, v + 9, end, out));
  r = r * 3 + digest(out, lib::set_symmetric_difference(v, v + 9, v + 9, end, out));
  r = r * 3 + int(lib::lower_bound(v, v + 9, 4) - v) + int(lib::upper_bound(v, v + 9, 4) - v);
  r = r * 3 + int(lib::equal_range(v, v + 9, 2).second - v) + lib::binary_search(v, v + 9, 5);
  r += lib::next_permutation(v + 3, v + 7) + 2 * lib::prev_permutation(v, v + 4, Descending());
  r = r * 3 + digest(v, end);
  lib::make_heap(v, end);
  r += lib::is_heap(v, end);
  lib::pop_heap(v, end);
  r += end[-1];
  v[Count - 1] = 77;
  lib::push_heap(v, end);
  r += v[0];
  lib::sort_heap(v, end);
  r = r * 3 + digest(v, end);
  lib::rotate(v, v + 6, end);
  lib::partial_sort(v, v + 5, end, Descending());
  r = r * 3 + digest(v, v + 5);
  lib::nth_element(v, v + 8, end);
  r = r * 3 + v[8];
  lib::stable_sort(v, end, [](int a, int b) { return a % 3 < b % 3; });
  lib::sort(v, end, Descending());
  return r * 3 + digest(out, lib::partial_sort_copy(v, end, out, out + 6));)

BODY(Sums, USUAL
  int r = lib::accumulate(v, end, 5) + lib::inner_product(v, v + 8, v + 8, 1);
  r = r * 3 + lib::accumulate(v, end, 1, [](int a, int b) { return a * 3 + b; }) + lib::reduce(v, end);
  r = r * 3 + lib::transform_reduce(v, end, 2, cs::plus<>(), [](int i) { return i * i; });
  r = r * 3 + digest(out, lib::partial_sum(v, end, out));
  r = r * 3 + digest(out, lib::exclusive_scan(v, end, out, 4));
  r = r * 3 + digest(out, lib::inclusive_scan(v, end, out, cs::plus<>(), 9));
  r = r * 3 + digest(out, lib::transform_exclusive_scan(v, end, out, 3, cs::plus<>(), [](int i) { return 2 * i; }));
  r = r * 3 + digest(out, lib::transform_inclusive_scan(v, end, out, cs::plus<>(), [](int i) { return 2 * i; }));
  r = r * 3 + digest(out, lib::adjacent_difference(v, end, out)) + lib::gcd(v[0] * 6, 27) + lib::lcm(v[1] + 1, 4);
  lib::iota(v, end, v[3]);
  lib::exclusive_scan(v, end, v, 0);
  return r * 3 + digest(v, end);)

/// What the standard library of C++17 has not.
__host__ __device__ int others(int i) {
  alignas(int) unsigned char room[4 * sizeof(int)];
  int *cells = reinterpret_cast<int *>(room);
  cs::uninitialized_fill_n(cells, 4, i);
  cs::construct_at(cells + 2, 9);
  cs::destroy(cells, cells + 4);
  cs::shift_left(cells, cells + 4, 1);
  auto squares =
      cuda::make_transform_iterator(cuda::make_counting_iterator(i), [] __host__ __device__(int k) { return k * k; });
  int sum = cs::accumulate(squares, squares + 5, 0);
  auto every = cuda::make_strided_iterator(squares, 2);
  auto backwards = cuda::make_permutation_iterator(
      squares,
      cuda::make_transform_iterator(cuda::make_counting_iterator(0), [] __host__ __device__(int k) { return 4 - k; }));
  int copied[5];
  cs::copy(backwards, backwards + 5,
           cuda::make_transform_output_iterator(copied, [] __host__ __device__(int k) { return k + 1; }));
  cs::copy(squares, squares + 5, cuda::make_discard_iterator());
  sum = sum * 3 + every[2] + *(every + 1) + digest(copied, copied + 5) +
        *cs::find(squares, squares + 9, (i + 3) * (i + 3));
  sum += cs::count(cuda::make_constant_iterator(4), cuda::make_constant_iterator(4) + 6, 4) + digest(cells, cells + 3);
  auto half = cuda::proclaim_return_type<int>([=] __host__ __device__(int k) { return k / 2.0; });
  auto add = cs::bind_front([] __host__ __device__(int a, int b, int c) { return a + 10 * b + 100 * c; }, i, 2);
  return sum + half(7) + add(3) + cuda::maximum<>()(i, 30) + cuda::minimum<int>()(i, 30) + cs::identity()(i) +
         cs::midpoint(i, 8) + int(cuda::maximum<>()(0.5f, NAN) * 2) + cs::add_sat<signed char>(100, 27) +
         cs::sub_sat(3u, 4u) + cuda::always_true()(i, 2);
}
struct Others {
  __host__ __device__ int operator()(int i) const { return others(i); }
};

// In constants.
constexpr int sortedPlace() {
  int v[] = {5, 2, 8, 1, 9, 3};
  cs::sort(v, v + 6);
  int w[6] = {};
  cs::copy(v, v + 6, w);
  cs::rotate(w, w + 2, w + 6);
  return w[0] * 10 + w[5] + cs::accumulate(v, v + 6, 0) * 100;
}
static_assert(sortedPlace() == 2832 && cs::gcd(48, -36) == 12 && cs::lcm(4, 6u) == 12 && cs::midpoint(1, 4) == 2);

template <class Body> void test(const char *what, const std::vector<Numbers> &in) {
  std::vector<int> want;
  for (const Numbers &n : in)
    want.push_back(Body::standard(n));
  for (size_t i = 0; i < in.size(); ++i)
    expect(std::string("host ") + what, (long long)(i), Body()(in[i]), want[i]);
  mapExpect<Body>(what, in, want, {dim3(64)});
}

int main() {
  Random random(11);
  std::vector<Numbers> in(100);
  for (size_t i = 0; i < in.size(); ++i)
    for (int &value : in[i].values)
      value = random.below(i % 2 ? 4 : 9);
  test<Finds>("finds", in);
  test<Changes>("changes", in);
  test<Orders>("orders", in);
  test<Sums>("sums", in);
  std::vector<int> indices(80);
  std::iota(indices.begin(), indices.end(), 0);
  mapOnDevice<Others>("others", indices);
  std::list<int> list = {4, 1, 3}, other(3);
  cs::reverse(list.begin(), list.end());
  cs::copy(list.begin(), list.end(), other.begin());
  expectTrue("a list",
             list == other && cs::rotate(list.begin(), std::next(list.begin()), list.end()) == std::prev(list.end()));
  return finish();
}
