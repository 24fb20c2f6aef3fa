// RUN: %nvcc -std=c++17 %s -o %t
// RUN: %widths %t
// RUN: %all %nvcc -std=c++20 %s -o %t && %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// <cuda/cmath>, <cuda/bit>, <cuda/numeric>, <cuda/utility> and what <cuda/std/bit>, <cuda/std/utility>,
// <cuda/std/numbers> and <cuda/std/concepts> add, in constants, kernels and host code.
#include "../support.h"

#include <cuda/bit>
#include <cuda/cmath>
#include <cuda/memory>
#include <cuda/numeric>
#include <cuda/std/bit>
#include <cuda/std/concepts>
#include <cuda/std/numbers>
#include <cuda/std/utility>
#include <cuda/stream_ref>
#include <cuda/utility>

#include <limits>
#include <memory>

namespace cs = cuda::std;
using u8 = unsigned char;
using u32 = uint32_t;
using u64 = uint64_t;
constexpr int Most = std::numeric_limits<int>::max(), Least = std::numeric_limits<int>::min();

enum Size : u8 { Nine = 9 };
static_assert(cuda::ceil_div(7, 3) == 3 && cuda::ceil_div(6u, 3) == 2 && cuda::ceil_div(~0u, 2u) == 0x80000000u);
static_assert(cuda::ceil_div(Nine, 4) == 3 && cuda::ceil_div(Most, 1) == Most && cuda::ceil_div(0, 5) == 0);
static_assert(std::is_same_v<decltype(cuda::ceil_div(short(3), 2ll)), long long>);
static_assert(cuda::round_up(7, 3u) == 9 && cuda::round_up(9, 3) == 9 && cuda::round_down(7, 3u) == 6);
static_assert(cuda::ilog2(20) == 4 && cuda::ceil_ilog2(20) == 5 && cuda::ilog2(1ull << 63) == 63 &&
              cuda::ceil_ilog2(32) == 5);
static_assert(cuda::ilog10(2000) == 3 && cuda::ceil_ilog10(2000) == 4 && cuda::ceil_ilog10(100) == 2 &&
              cuda::ilog10(~0ull) == 19);
static_assert(cuda::ipow(0, 0) == 1 && cuda::ipow(4, 7) == 16384 && cuda::ipow(-1, 3) == -1 && cuda::ipow(23, -1) == 0);
static_assert(cuda::ipow(u8(7), 3) == u8(343) && cuda::ipow(-2, -2) == 0 && cuda::ipow(1, -1) == 1 &&
              cuda::ipow(uint16_t(65535), 2) == 1);
static_assert(cuda::isqrt(99) == 9 && cuda::isqrt(100) == 10 && cuda::isqrt(~0ull) == 0xffffffffull &&
              cuda::isqrt(Most) == 46340);
static_assert(cuda::is_power_of_two(64) && !cuda::is_power_of_two(65) && !cuda::is_power_of_two(0));
static_assert(cuda::next_power_of_two(65u) == 128 && cuda::prev_power_of_two(65u) == 64 &&
              cuda::next_power_of_two(0) == 1);
static_assert(cuda::neg(127u) == 4294967169u && cuda::neg(Least) == Least && cuda::uabs(Least) == 0x80000000u &&
              cuda::uabs(-5) == 5);
static_assert(cuda::mul_hi(0xABCD1234u, 1u << 16) == 0xABCD && cuda::mul_hi(-1, 5) == -1 &&
              cuda::mul_hi(~0ull, ~0ull) == ~0ull - 1);

static_assert(cuda::bitmask(2, 4) == 0b111100 && cuda::bitmask<u64>(1, 3) == 0b1110 && cuda::bitmask(0, 32) == ~0u);
static_assert(cuda::bitmask(32, 0) == 0 && cuda::bitfield_extract(0b1011000u, 3, 4) == 0b1011);
static_assert(cuda::bitfield_insert(1u, 0xFFFFu, 3, 4) == 0b1111001 && cuda::bitfield_insert(~0ull, 0ull, 0, 64) == 0);
static_assert(cuda::bit_reverse(0x0000FFF1u) == 0x8FFF0000u && cuda::bit_reverse(u8(0b1011)) == u8(0b11010000));
static_assert(cuda::bit_ffs(0u) == 0 && cuda::bit_ffs(0b10101000u) == 4 && cuda::bit_ffs(1ull << 63) == 64);
static_assert(cs::byteswap(0x12345678u) == 0x78563412 && cs::byteswap(short(0x1234)) == 0x3412 &&
              cs::bit_cast<u32>(1.0f) == 0x3f800000);
static_assert(cs::popcount(0xF0u) == 4 && cs::countl_zero(1u) == 31 && cs::bit_ceil(5u) == 8 && cs::has_single_bit(8u));

static_assert(cuda::add_overflow(1, Most).overflow && cuda::add_overflow(1, Most).value == Least);
static_assert(!cuda::add_overflow<long long>(1, Most) && cuda::mul_overflow(-1, Least) && cuda::sub_overflow(3u, 4u));
static_assert(cuda::div_overflow(Least, -1) && cuda::div_overflow<long long>(Least, -1).value == -(long long)Least);
static_assert(cuda::div_overflow(-7, 2u).overflow && cuda::div_overflow<int>(-7, 2u).value == -3);
static_assert(cuda::overflow_cast<unsigned>(Least) && !cuda::overflow_cast<u8>(255) && cuda::overflow_cast<u8>(256));
static_assert(cuda::saturating_add_overflow(1, Most).value == Most && cuda::saturating_sub_overflow(3u, 4u).value == 0);
static_assert(cuda::saturating_mul_overflow(Least, 3).value == Least &&
              cuda::saturating_overflow_cast<u8>(-3).value == 0);

static_assert(cs::cmp_less(-1, 1u) && !cs::cmp_equal(-1, ~0u) && cs::cmp_greater(5ull, -3) && cs::in_range<u8>(255) &&
              !cs::in_range<u8>(-1));
static_assert(cs::to_underlying(Nine) == 9 && cuda::in_range(5, 1, 10) && !cuda::in_range(11, 1, 10));
static_assert(cs::numbers::pi > 3.14159 && cs::numbers::sqrt2_v<float> == 1.41421356f);
static_assert(cs::integral<int> && !cs::integral<float> && cs::floating_point<double> && cs::same_as<int, int>);
static_assert(cs::convertible_to<int, double> && cs::invocable<int (*)(int), int> && cs::regular<std::string>);
static_assert(cs::totally_ordered<int> && !cs::copyable<std::unique_ptr<int>> &&
              cs::equality_comparable_with<int, long>);

template <class T> __host__ __device__ unsigned divisions(T a, T by) {
  cuda::fast_mod_div<T> fast(by);
  auto [quotient, rest] = cuda::div(a, fast);
  return (a / fast == a / by) + 2 * (a % fast == a % by) + 4 * (quotient == a / by && rest == a % by) +
         8 * (T(fast) == by);
}

struct All {
  __host__ __device__ int operator()(u64 bits) const {
    u32 x = u32(bits), y = u32(bits >> 32) | 1;
    int result = int(divisions<u32>(x, y) + divisions<int>(int(x >> 1), int(y >> 1) | 1) * 16);
    result += int(divisions<u64>(bits, y) * 256 + divisions<u64>(bits * 7, bits | 1) * 4096);
    result += int(divisions<uint16_t>(uint16_t(x), uint16_t(y)) * 65536);
    u32 root = cuda::isqrt(x);
    result ^= int(root * root <= x && u64(root + 1) * (root + 1) > x) << 21;
    result ^= int(cuda::mul_hi(bits, bits * 3) ^ cuda::bit_reverse(x) ^ cuda::bitfield_extract(y, x & 7, 9));
    cuda::static_for<5>([&](auto i) { result += decltype(i)::value * int(x & 1); });
    cuda::static_for<-5, 7, 3>([&](auto i, int by) { result ^= i() * by; }, int(y & 3));
    unsigned sum;
    result += cuda::add_overflow(sum, x, y) + cuda::saturating_add_overflow(x, y).value % 1001;
    auto both = cuda::sincos(0.0f);
    alignas(64) char room[128];
    char *at = room + (x & 31);
    result += int(both.cos) + int(cuda::align_up(at, 32) - room) + int(cuda::align_down(at, 16) - room);
    return result + cuda::is_aligned(at, 16) + cuda::ptr_in_range(at, room, room + 9) +
           cuda::ranges_overlap(room, room + 8, at, at + 4) + int(sum >> 3);
  }
};

__global__ void spaces(int *out) {
  __shared__ int shared;
  int local = 0;
  using cuda::device::address_space;
  out[0] = cuda::device::is_object_from(shared, address_space::shared) +
           2 * cuda::device::is_object_from(local, address_space::local) +
           4 * cuda::device::is_address_from(out, address_space::global) +
           8 * cuda::device::is_address_from(out, address_space::shared);
}

__device__ int deviceNumber = 41;
__global__ void increment(int *number) { ++*number; }

int main() {
  Random random(7);
  std::vector<u64> in = {0, 1, ~0ull, 0xffffffffull, 1ull << 63, 1ull << 32};
  for (int i = 0; i < 200; ++i)
    in.push_back(random.next() >> random.below(64));
  for (u64 bits : in)
    expect("divisions", (long long)(bits),
           divisions<u64>(bits * 5, bits | 1) + divisions<u32>(u32(bits), u32(bits >> 32) | 1), 30u);
  mapOnDevice<All>("all", in);
  Buffer<int> out(1);
  spaces<<<1, 1>>>(out);
  checkLaunch();
  expect("spaces", 0, out.get()[0], 7);
  increment<<<1, 1>>>(cuda::get_device_address(deviceNumber));
  cuda::stream_ref stream{cudaStream_t(nullptr)};
  stream.sync();
  expectTrue("stream", stream.is_done() && stream == cuda::stream_ref());
  int number = 0;
  CUDA_OK(cudaMemcpyFromSymbol(&number, deviceNumber, sizeof number));
  expect("device address", 0, number, 42);
  bool thrown = false;
  try {
    (void)cuda::narrow<u8>(300);
  } catch (const cuda::narrowing_error &) {
    thrown = true;
  }
  expectTrue("narrow", thrown && cuda::narrow<u8>(200) == 200 && cuda::narrow_cast<u8>(300) == 44);
  return finish();
}
