// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic of CUDA's vectors, of the samples' headers (helper_string.h), by elements.
#pragma once

#include <cmath>
#include <cuda_runtime.h>

typedef unsigned int uint;
typedef unsigned short ushort;

#define HEDDLE_SAMPLES inline __host__ __device__

#ifndef __CUDACC__
inline float fminf(float a, float b) { return a < b ? a : b; }
inline float fmaxf(float a, float b) { return a > b ? a : b; }
inline int max(int a, int b) { return a > b ? a : b; }
inline int min(int a, int b) { return a < b ? a : b; }
inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
#endif

// --- Makers ---

#define HEDDLE_SAMPLES_MAKE(t, s)                                                                                      \
  HEDDLE_SAMPLES t##2 make_##t##2(s a) { return make_##t##2(a, a); }                                                   \
  HEDDLE_SAMPLES t##3 make_##t##3(s a) { return make_##t##3(a, a, a); }                                                \
  HEDDLE_SAMPLES t##4 make_##t##4(s a) { return make_##t##4(a, a, a, a); }                                             \
  HEDDLE_SAMPLES t##2 make_##t##2(t##3 a) { return make_##t##2(a.x, a.y); }                                            \
  HEDDLE_SAMPLES t##3 make_##t##3(t##2 a) { return make_##t##3(a.x, a.y, s(0)); }                                      \
  HEDDLE_SAMPLES t##3 make_##t##3(t##2 a, s z) { return make_##t##3(a.x, a.y, z); }                                    \
  HEDDLE_SAMPLES t##3 make_##t##3(t##4 a) { return make_##t##3(a.x, a.y, a.z); }                                       \
  HEDDLE_SAMPLES t##4 make_##t##4(t##3 a) { return make_##t##4(a.x, a.y, a.z, s(0)); }                                 \
  HEDDLE_SAMPLES t##4 make_##t##4(t##3 a, s w) { return make_##t##4(a.x, a.y, a.z, w); }
HEDDLE_SAMPLES_MAKE(float, float)
HEDDLE_SAMPLES_MAKE(int, int)
HEDDLE_SAMPLES_MAKE(uint, uint)
#undef HEDDLE_SAMPLES_MAKE

#define HEDDLE_SAMPLES_CAST(to, from, s)                                                                               \
  HEDDLE_SAMPLES to##2 make_##to##2(from##2 a) { return make_##to##2(s(a.x), s(a.y)); }                                \
  HEDDLE_SAMPLES to##3 make_##to##3(from##3 a) { return make_##to##3(s(a.x), s(a.y), s(a.z)); }                        \
  HEDDLE_SAMPLES to##4 make_##to##4(from##4 a) { return make_##to##4(s(a.x), s(a.y), s(a.z), s(a.w)); }
HEDDLE_SAMPLES_CAST(float, int, float)
HEDDLE_SAMPLES_CAST(float, uint, float)
HEDDLE_SAMPLES_CAST(int, float, int)
HEDDLE_SAMPLES_CAST(int, uint, int)
HEDDLE_SAMPLES_CAST(uint, int, uint)
#undef HEDDLE_SAMPLES_CAST

// --- Operators ---

#define HEDDLE_SAMPLES_OP(t, s, op)                                                                                    \
  HEDDLE_SAMPLES t##2 operator op(t##2 a, t##2 b) { return make_##t##2(a.x op b.x, a.y op b.y); }                      \
  HEDDLE_SAMPLES t##3 operator op(t##3 a, t##3 b) { return make_##t##3(a.x op b.x, a.y op b.y, a.z op b.z); }          \
  HEDDLE_SAMPLES t##4 operator op(t##4 a, t##4 b) {                                                                    \
    return make_##t##4(a.x op b.x, a.y op b.y, a.z op b.z, a.w op b.w);                                                \
  }                                                                                                                    \
  HEDDLE_SAMPLES_SCALAR(t, 2, s, op) HEDDLE_SAMPLES_SCALAR(t, 3, s, op) HEDDLE_SAMPLES_SCALAR(t, 4, s, op)
#define HEDDLE_SAMPLES_SCALAR(t, n, s, op)                                                                             \
  HEDDLE_SAMPLES t##n operator op(t##n a, s b) { return a op make_##t##n(b); }                                         \
  HEDDLE_SAMPLES t##n operator op(s a, t##n b) { return make_##t##n(a) op b; }                                         \
  HEDDLE_SAMPLES void operator op##=(t##n &a, t##n b) { a = a op b; }                                                  \
  HEDDLE_SAMPLES void operator op##=(t##n &a, s b) { a = a op b; }
HEDDLE_SAMPLES_OP(float, float, +)
HEDDLE_SAMPLES_OP(float, float, -)
HEDDLE_SAMPLES_OP(float, float, *)
HEDDLE_SAMPLES_OP(float, float, /)
HEDDLE_SAMPLES_OP(int, int, +)
HEDDLE_SAMPLES_OP(int, int, -)
HEDDLE_SAMPLES_OP(int, int, *)
HEDDLE_SAMPLES_OP(uint, uint, +)
HEDDLE_SAMPLES_OP(uint, uint, -)
HEDDLE_SAMPLES_OP(uint, uint, *)
#undef HEDDLE_SAMPLES_OP
#undef HEDDLE_SAMPLES_SCALAR

// --- Functions of each element, of one, two and three vectors ---

#define HEDDLE_SAMPLES_MAP1(name, f, t)                                                                                \
  HEDDLE_SAMPLES t##2 name(t##2 a) { return make_##t##2(f(a.x), f(a.y)); }                                             \
  HEDDLE_SAMPLES t##3 name(t##3 a) { return make_##t##3(f(a.x), f(a.y), f(a.z)); }                                     \
  HEDDLE_SAMPLES t##4 name(t##4 a) { return make_##t##4(f(a.x), f(a.y), f(a.z), f(a.w)); }
#define HEDDLE_SAMPLES_MAP2(name, f, t)                                                                                \
  HEDDLE_SAMPLES t##2 name(t##2 a, t##2 b) { return make_##t##2(f(a.x, b.x), f(a.y, b.y)); }                           \
  HEDDLE_SAMPLES t##3 name(t##3 a, t##3 b) { return make_##t##3(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z)); }              \
  HEDDLE_SAMPLES t##4 name(t##4 a, t##4 b) {                                                                           \
    return make_##t##4(f(a.x, b.x), f(a.y, b.y), f(a.z, b.z), f(a.w, b.w));                                            \
  }
HEDDLE_SAMPLES float fracf(float v) { return v - floorf(v); }
HEDDLE_SAMPLES float lerp(float a, float b, float t) { return a + t * (b - a); }
HEDDLE_SAMPLES float clamp(float f, float a, float b) { return fmaxf(a, fminf(f, b)); }
HEDDLE_SAMPLES int clamp(int f, int a, int b) { return max(a, min(f, b)); }
HEDDLE_SAMPLES uint clamp(uint f, uint a, uint b) { return f < a ? a : f < b ? f : b; }
HEDDLE_SAMPLES float smoothstep(float a, float b, float x) {
  float y = clamp((x - a) / (b - a), 0.0f, 1.0f);
  return y * y * (3.0f - 2.0f * y);
}
#define HEDDLE_SAMPLES_NEGATE(a) -(a)
HEDDLE_SAMPLES_MAP1(operator-, HEDDLE_SAMPLES_NEGATE, float)
HEDDLE_SAMPLES_MAP1(operator-, HEDDLE_SAMPLES_NEGATE, int)
HEDDLE_SAMPLES_MAP1(floorf, floorf, float)
HEDDLE_SAMPLES_MAP1(fracf, fracf, float)
HEDDLE_SAMPLES_MAP1(fabs, fabsf, float)
HEDDLE_SAMPLES_MAP1(abs, ::abs, int)
HEDDLE_SAMPLES_MAP2(fminf, fminf, float)
HEDDLE_SAMPLES_MAP2(fmaxf, fmaxf, float)
HEDDLE_SAMPLES_MAP2(fmodf, fmodf, float)
HEDDLE_SAMPLES_MAP2(min, ::min, int)
HEDDLE_SAMPLES_MAP2(max, ::max, int)
#undef HEDDLE_SAMPLES_MAP1
#undef HEDDLE_SAMPLES_MAP2
#undef HEDDLE_SAMPLES_NEGATE

#define HEDDLE_SAMPLES_CLAMP(t, n, s)                                                                                  \
  HEDDLE_SAMPLES t##n clamp(t##n v, s a, s b) { return clamp(v, make_##t##n(a), make_##t##n(b)); }
#define HEDDLE_SAMPLES_CLAMPS(t, s)                                                                                    \
  HEDDLE_SAMPLES t##2 clamp(t##2 v, t##2 a, t##2 b) { return make_##t##2(clamp(v.x, a.x, b.x), clamp(v.y, a.y, b.y)); } \
  HEDDLE_SAMPLES t##3 clamp(t##3 v, t##3 a, t##3 b) {                                                                  \
    return make_##t##3(clamp(v.x, a.x, b.x), clamp(v.y, a.y, b.y), clamp(v.z, a.z, b.z));                              \
  }                                                                                                                    \
  HEDDLE_SAMPLES t##4 clamp(t##4 v, t##4 a, t##4 b) {                                                                  \
    return make_##t##4(clamp(v.x, a.x, b.x), clamp(v.y, a.y, b.y), clamp(v.z, a.z, b.z), clamp(v.w, a.w, b.w));        \
  }                                                                                                                    \
  HEDDLE_SAMPLES_CLAMP(t, 2, s) HEDDLE_SAMPLES_CLAMP(t, 3, s) HEDDLE_SAMPLES_CLAMP(t, 4, s)
HEDDLE_SAMPLES_CLAMPS(float, float)
HEDDLE_SAMPLES_CLAMPS(int, int)
HEDDLE_SAMPLES_CLAMPS(uint, uint)
#undef HEDDLE_SAMPLES_CLAMPS
#undef HEDDLE_SAMPLES_CLAMP

// --- Geometry ---

#define HEDDLE_SAMPLES_DOT(t, s)                                                                                       \
  HEDDLE_SAMPLES s dot(t##2 a, t##2 b) { return a.x * b.x + a.y * b.y; }                                               \
  HEDDLE_SAMPLES s dot(t##3 a, t##3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }                                   \
  HEDDLE_SAMPLES s dot(t##4 a, t##4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
HEDDLE_SAMPLES_DOT(float, float)
HEDDLE_SAMPLES_DOT(int, int)
HEDDLE_SAMPLES_DOT(uint, uint)
#undef HEDDLE_SAMPLES_DOT

#define HEDDLE_SAMPLES_GEOMETRY(v)                                                                                     \
  HEDDLE_SAMPLES v lerp(v a, v b, float t) { return a + t * (b - a); }                                                 \
  HEDDLE_SAMPLES float length(v a) { return sqrtf(dot(a, a)); }                                                        \
  HEDDLE_SAMPLES v normalize(v a) { return a * rsqrtf(dot(a, a)); }
HEDDLE_SAMPLES_GEOMETRY(float2)
HEDDLE_SAMPLES_GEOMETRY(float3)
HEDDLE_SAMPLES_GEOMETRY(float4)
#undef HEDDLE_SAMPLES_GEOMETRY

HEDDLE_SAMPLES float3 cross(float3 a, float3 b) {
  return make_float3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
HEDDLE_SAMPLES float3 reflect(float3 i, float3 n) { return i - 2.0f * n * dot(n, i); }
#undef HEDDLE_SAMPLES
