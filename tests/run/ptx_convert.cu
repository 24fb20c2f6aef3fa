// RUN: %nvcc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions of inline PTX: against a plain reference that rounds exact numbers, in all modes and formats.
// NVCC: -arch=sm_90
#include "ptx.h"

#include <cfenv>

using i32 = int32_t;
using i64 = int64_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;

template <class To, class From> __host__ __device__ To bitsOf(From from) {
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}

/// A format of few bits, and what is too large in it.
struct Format {
  int exponent, digits, bias;
  u32 largest, over, nan;
  int bits() const { return 1 + exponent + digits; }
};
static const Format Half = {5, 10, 15, 0x7bff, 0x7c00, 0x7fff}, Brain = {8, 7, 127, 0x7f7f, 0x7f80, 0x7fff},
                    E4M3 = {4, 3, 7, 0x7e, 0x7e, 0x7f}, E5M2 = {5, 2, 15, 0x7b, 0x7b, 0x7f};

static double valueOf(const Format &f, u32 code) {
  int exponent = int(code >> f.digits) & ((1 << f.exponent) - 1);
  u32 fraction = code & ((1u << f.digits) - 1);
  double size = exponent ? std::ldexp(double(fraction + (1u << f.digits)), exponent - f.bias - f.digits)
                         : std::ldexp(double(fraction), 1 - f.bias - f.digits);
  return code >> (f.bits() - 1) & 1 ? -size : size;
}

/// By search: the neighbours of x in the format, and the one that the mode chooses ("rn", "rz", "rm", "rp").
static u32 roundTo(const Format &f, double x, const std::string &mode, bool saturates) {
  if (std::isnan(x))
    return f.nan;
  u32 sign = std::signbit(x) ? 1u << (f.bits() - 1) : 0;
  double size = std::fabs(x);
  u32 low = 0, high = f.largest + 1; // low's number <= size < high's
  while (high - low > 1)
    (valueOf(f, (low + high) / 2) <= size ? low : high) = (low + high) / 2;
  bool up = mode == "rp" ? !sign : mode == "rm" ? sign != 0 : false;
  if (std::isinf(x))
    return sign | (saturates ? f.largest : f.over);
  double below = valueOf(f, low), above = valueOf(f, low + 1);
  if (mode == "rn")
    up = size - below > above - size || (size - below == above - size && (low & 1));
  u32 code = size == below ? low : low + up;
  return sign | (code > f.largest ? (saturates ? f.largest : f.over) : code);
}

static float randomFloat(Random &random) {
  static const u32 special[] = {0, 0x80000000, 1, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x47000000};
  switch (random.below(6)) {
  case 0:
    return bitsOf<float>(special[random.below(8)]);
  case 1:
    return bitsOf<float>(random.bits());
  case 2: // ties
    return bitsOf<float>((random.bits() & 0x81fff000u) + 0x3b000000);
  case 3:
    return float(random.between(-1e-6, 1e-6));
  default:
    return float(random.between(-600, 600));
  }
}

template <class Body, class In, class Out, class Reference>
void check(const char *name, const std::vector<In> &inputs, Reference reference) {
  std::vector<Out> want;
  for (const In &x : inputs)
    want.push_back(reference(x));
  mapExpect<Body, In, Out>(name, inputs, want, OneShape);
}

/// One conversion of `In` to `Out` by `text`; `reference` computes it from x.
#define CVT(In, fromConstraint, Out, toConstraint, inputs, text, ...)                              \
  TEST_NAMESPACE {                                                                                 \
    struct Body {                                                                                  \
      __host__ __device__ Out operator()(In x) const {                                             \
        Out r = 0;                                                                                 \
        (void)x;                                                                                   \
        EITHER(asm(text : "=" toConstraint(r) : fromConstraint(x)), );                             \
        return r;                                                                                  \
      }                                                                                            \
    };                                                                                             \
    static Out host(In x) { return Out(__VA_ARGS__); }                                             \
    static const Tests added([] { check<Body, In, Out>(text, inputs(), host); });                  \
  }

static double inMode(double x, int mode) {
  fesetround(mode);
  volatile double v = x;
  double r = std::nearbyint(v);
  fesetround(FE_TONEAREST);
  return r;
}
template <class Whole> Whole toWhole(double x, int mode, Whole ofNan) {
  if (std::isnan(x))
    return ofNan;
  double whole = inMode(x, mode);
  double most = std::ldexp(1.0, std::numeric_limits<Whole>::digits);
  double least = std::numeric_limits<Whole>::is_signed ? -most : 0;
  return whole >= most ? std::numeric_limits<Whole>::max() : whole <= least ? std::numeric_limits<Whole>::min() : Whole(whole);
}
template <class To, class From> To withMode(From x, int mode) {
  fesetround(mode);
  volatile From v = x;
  volatile To r = To(v);
  fesetround(FE_TONEAREST);
  return r;
}

static std::vector<float> floats() {
  Random random(4);
  std::vector<float> floats(700);
  for (float &f : floats)
    f = randomFloat(random);
  return floats;
}
static std::vector<double> doubles() {
  Random random(14);
  std::vector<double> doubles(700);
  for (double &d : doubles)
    d = random.below(2) ? randomFloat(random) * 3e7 : randomFloat(random) + random.between(-1e-9, 1e-9);
  return doubles;
}

CVT(float, "f", u32, "r", floats, "cvt.rzi.s32.f32 %0, %1;", toWhole<i32>(x, FE_TOWARDZERO, 0))
CVT(float, "f", u32, "r", floats, "cvt.rni.u32.f32 %0, %1;", toWhole<u32>(x, FE_TONEAREST, 0))
CVT(float, "f", u32, "r", floats, "cvt.rmi.s32.f32 %0, %1;", toWhole<i32>(x, FE_DOWNWARD, 0))
CVT(float, "f", u32, "r", floats, "cvt.rpi.s32.f32 %0, %1;", toWhole<i32>(x, FE_UPWARD, 0))
CVT(float, "f", u32, "r", floats, "cvt.rni.s8.f32 %0, %1;", i32(toWhole<int8_t>(x, FE_TONEAREST, 0)))
CVT(float, "f", u32, "r", floats, "cvt.rni.sat.u8.f32 %0, %1;", toWhole<uint8_t>(x, FE_TONEAREST, 0))
CVT(float, "f", u16, "h", floats, "cvt.rzi.s16.f32 %0, %1;", toWhole<int16_t>(x, FE_TOWARDZERO, 0))
CVT(float, "f", u64, "l", floats, "cvt.rzi.s64.f32 %0, %1;", toWhole<i64>(x, FE_TOWARDZERO, INT64_MIN))
CVT(double, "d", u64, "l", doubles, "cvt.rpi.u64.f64 %0, %1;", toWhole<u64>(x, FE_UPWARD, 1ull << 63))
CVT(double, "d", u32, "r", doubles, "cvt.rni.s32.f64 %0, %1;", toWhole<i32>(x, FE_TONEAREST, INT32_MIN))
CVT(float, "f", float, "f", floats, "cvt.rni.f32.f32 %0, %1;", float(inMode(x, FE_TONEAREST)))
CVT(float, "f", float, "f", floats, "cvt.rmi.f32.f32 %0, %1;", std::floor(x))
CVT(float, "f", float, "f", floats, "cvt.sat.f32.f32 %0, %1;", x > 0 ? (x < 1 ? x : 1) : 0)
CVT(float, "f", double, "d", floats, "cvt.f64.f32 %0, %1;", x)
CVT(double, "d", float, "f", doubles, "cvt.rn.f32.f64 %0, %1;", float(x))
CVT(double, "d", float, "f", doubles, "cvt.rz.f32.f64 %0, %1;", withMode<float>(x, FE_TOWARDZERO))
CVT(double, "d", float, "f", doubles, "cvt.rp.f32.f64 %0, %1;", withMode<float>(x, FE_UPWARD))
CVT(float, "f", u16, "h", floats, "cvt.rn.f16.f32 %0, %1;", roundTo(Half, x, "rn", false))
CVT(float, "f", u16, "h", floats, "cvt.rz.f16.f32 %0, %1;", roundTo(Half, x, "rz", false))
CVT(float, "f", u16, "h", floats, "cvt.rn.bf16.f32 %0, %1;", roundTo(Brain, x, "rn", false))
CVT(float, "f", u16, "h", floats, "cvt.rn.relu.bf16.f32 %0, %1;", roundTo(Brain, x <= 0 ? 0 : x, "rn", false))
CVT(double, "d", u16, "h", doubles, "cvt.rn.f16.f64 %0, %1;",
    std::isnan(x) ? (bitsOf<u64>(x) >> 48 & 0x8000) | 0x7e00 | (bitsOf<u64>(x) >> 42 & 0x1ff) : roundTo(Half, x, "rn", false))
CVT(float, "f", u32, "r", floats, "cvt.rna.tf32.f32 %0, %1;",
    (bitsOf<u32>(x) + (std::isnan(x) ? 0 : 0x1000)) & ~0x1fffu)

static std::vector<u32> words() {
  Random random(6);
  std::vector<u32> words(500);
  for (u32 &w : words)
    w = randomWord(random);
  return words;
}
static std::vector<u64> longs() {
  Random random(16);
  std::vector<u64> longs(500);
  for (u64 &l : longs)
    l = randomLong(random);
  return longs;
}

CVT(u32, "r", float, "f", words, "cvt.rn.f32.s32 %0, %1;", float(i32(x)))
CVT(u32, "r", float, "f", words, "cvt.rz.f32.u32 %0, %1;", withMode<float>(x, FE_TOWARDZERO))
CVT(u32, "r", double, "d", words, "cvt.rn.f64.u32 %0, %1;", double(x))
CVT(u64, "l", float, "f", longs, "cvt.rm.f32.s64 %0, %1;", withMode<float>(i64(x), FE_DOWNWARD))
CVT(u64, "l", double, "d", longs, "cvt.rp.f64.u64 %0, %1;", withMode<double>(x, FE_UPWARD))
CVT(u32, "r", u16, "h", words, "cvt.rn.f16.s32 %0, %1;", roundTo(Half, i32(x), "rn", false))
CVT(u32, "r", u32, "r", words, "cvt.u32.u8 %0, %1;", uint8_t(x))
CVT(u32, "r", u32, "r", words, "cvt.s32.s8 %0, %1;", i32(int8_t(x)))
CVT(u32, "r", u32, "r", words, "cvt.s32.s16 %0, %1;", i32(int16_t(x)))
CVT(u32, "r", u64, "l", words, "cvt.s64.s32 %0, %1;", i64(i32(x)))
CVT(u32, "r", u64, "l", words, "cvt.u64.u32 %0, %1;", x)
CVT(u64, "l", u32, "r", longs, "cvt.u32.u64 %0, %1;", x)
CVT(u32, "r", u32, "r", words, "cvt.sat.u8.s32 %0, %1;", i32(x) < 0 ? 0 : x > 255 ? 255 : x)
CVT(u32, "r", u32, "r", words, "cvt.sat.s16.s32 %0, %1;", i32(x) < -32768 ? -32768 : i32(x) > 32767 ? 32767 : i32(x))
CVT(u32, "r", u32, "r", words, "cvt.sat.s32.u32 %0, %1;", x > 0x7fffffff ? 0x7fffffff : x)
CVT(u32, "r", u32, "r", words, "cvt.pack.sat.u8.s32.b32 %0, %1, 77, %1;",
    x << 16 | (i32(x) < 0 ? 0u : x > 255 ? 255u : x) << 8 | 77)
CVT(u32, "r", u32, "r", words, "cvt.pack.sat.s16.s32 %0, %1, -9;",
    u32(i32(x) < -32768 ? -32768 : i32(x) > 32767 ? 32767 : i32(x)) << 16 | 0xfff7)

/// Two floats as a pair of a small format, and pairs back.
struct Two {
  float high, low;
};
#define PAIR(Out, constraint, text, format, saturates)                                             \
  TEST_NAMESPACE {                                                                                 \
    struct Body {                                                                                  \
      __host__ __device__ Out operator()(const Two &x) const {                                     \
        Out r = 0;                                                                                 \
        (void)x;                                                                                   \
        EITHER(asm(text : "=" constraint(r) : "f"(x.high), "f"(x.low)), );                         \
        return r;                                                                                  \
      }                                                                                            \
    };                                                                                             \
    static Out host(const Two &x) {                                                                \
      return Out(roundTo(format, x.high, "rn", saturates) << (8 * sizeof(Out) / 2) |               \
                 roundTo(format, x.low, "rn", saturates));                                         \
    }                                                                                              \
    static const Tests added([] { check<Body, Two, Out>(text, twos(), host); });                   \
  }

static std::vector<Two> twos() {
  Random random(7);
  std::vector<Two> twos(700);
  for (Two &t : twos)
    t = {randomFloat(random), randomFloat(random)};
  return twos;
}
static std::vector<u16> codes() {
  std::vector<u16> codes(65536 / 16);
  for (size_t i = 0; i < codes.size(); ++i)
    codes[i] = u16(i * 16 + i % 16);
  return codes;
}
/// The half of a code of fewer bits.
static u32 decode(const Format &f, u32 code, bool hasInfinity) {
  u32 size = code & 127;
  if (hasInfinity && size == 0x7c)
    return (code & 128) << 8 | 0x7c00;
  return size > f.largest ? 0x7fff : roundTo(Half, valueOf(f, code), "rn", false);
}

PAIR(u32, "r", "cvt.rn.f16x2.f32 %0, %1, %2;", Half, false)
PAIR(u32, "r", "cvt.rn.bf16x2.f32 %0, %1, %2;", Brain, false)
PAIR(u16, "h", "cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;", E4M3, true)
PAIR(u16, "h", "cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;", E5M2, true)
CVT(u16, "h", u32, "r", codes, "cvt.rn.f16x2.e4m3x2 %0, %1;", decode(E4M3, x >> 8, false) << 16 | decode(E4M3, x & 255, false))
CVT(u16, "h", u32, "r", codes, "cvt.rn.f16x2.e5m2x2 %0, %1;", decode(E5M2, x >> 8, true) << 16 | decode(E5M2, x & 255, true))
CVT(u16, "h", float, "f", codes, "cvt.f32.f16 %0, %1;",
    (x & 0x7fff) > 0x7c00 ? NAN : (x & 0x7fff) == 0x7c00 ? (x >> 15 ? -INFINITY : INFINITY) : float(valueOf(Half, x)))
CVT(u16, "h", u32, "r", codes, "cvt.rni.s32.f16 %0, %1;",
    (x & 0x7fff) > 0x7c00 ? 0 : (x & 0x7fff) == 0x7c00 ? (x >> 15 ? INT32_MIN : INT32_MAX) : toWhole<i32>(valueOf(Half, x), FE_TONEAREST, 0))

int main() {
  runTests();
  return finish();
}
