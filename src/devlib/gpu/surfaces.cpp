// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Surfaces as a GPU's instructions (PTX ISA, "Surface Instructions"): their memory has no address there, so
// what code does at the address that __heddle_surface_at gives becomes calls of these
// (jit/load/gpu_surfaces.cpp). `how` is the boundary's mode, and above its 8 bits the geometry: 1, 2 and 3
// dimensions, 5 and 6 with layers. It and `bytes` are constants at nearly all calls.
#include "devlib/devlib.h"

using namespace heddle::devlib;

#define INLINE extern "C" __attribute__((nothrow, always_inline))
#define PLACE u64 object, i32 x, i32 y, i32 slice, u32 how
#define COORDINATES [o] "l"(object), [x] "r"(x), [y] "r"(y), [z] "r"(slice)

// DO(geometry, at, mode, ...) of the geometry and the mode that `how` says.
#define EACH_MODE(DO, geometry, at, ...)                                                           \
  switch (how & 0xff) {                                                                            \
  case 0:                                                                                          \
    DO(geometry, at, "zero" __VA_OPT__(, ) __VA_ARGS__);                                           \
    break;                                                                                         \
  case 1:                                                                                          \
    DO(geometry, at, "clamp" __VA_OPT__(, ) __VA_ARGS__);                                          \
    break;                                                                                         \
  default:                                                                                         \
    DO(geometry, at, "trap" __VA_OPT__(, ) __VA_ARGS__);                                           \
  }
#define EACH_FORM(DO, ...)                                                                         \
  switch (how >> 8) {                                                                              \
  case 1:                                                                                          \
    EACH_MODE(DO, "1d", "{%[x]}" __VA_OPT__(, ) __VA_ARGS__)                                       \
    break;                                                                                         \
  case 2:                                                                                          \
    EACH_MODE(DO, "2d", "{%[x], %[y]}" __VA_OPT__(, ) __VA_ARGS__)                                 \
    break;                                                                                         \
  case 3:                                                                                          \
    EACH_MODE(DO, "3d", "{%[x], %[y], %[z], %[z]}" __VA_OPT__(, ) __VA_ARGS__)                     \
    break;                                                                                         \
  case 5:                                                                                          \
    EACH_MODE(DO, "a1d", "{%[z], %[x]}" __VA_OPT__(, ) __VA_ARGS__)                                \
    break;                                                                                         \
  default:                                                                                         \
    EACH_MODE(DO, "a2d", "{%[z], %[x], %[y], %[y]}" __VA_OPT__(, ) __VA_ARGS__)                    \
  }

namespace {

struct alignas(4) Words {
  u32 w[4];
};

#define LOAD(geometry, at, mode, shape, into, ...)                                                 \
  asm volatile("suld.b." geometry shape "." mode " {" into "}, [%[o], " at "];"                    \
               : __VA_ARGS__                                                                       \
               : COORDINATES                                                                       \
               : "memory")
inline u16 loadNarrow(PLACE, u32 bytes) {
  u16 value;
  if (bytes == 1)
    EACH_FORM(LOAD, ".b8", "%[a]", [a] "=h"(value))
  else
    EACH_FORM(LOAD, ".b16", "%[a]", [a] "=h"(value))
  return value;
}
inline Words loadWords(PLACE, u32 words) {
  Words v = {};
  if (words == 1)
    EACH_FORM(LOAD, ".b32", "%[a]", [a] "=r"(v.w[0]))
  else if (words == 2)
    EACH_FORM(LOAD, ".v2.b32", "%[a], %[b]", [a] "=r"(v.w[0]), [b] "=r"(v.w[1]))
  else
    EACH_FORM(LOAD, ".v4.b32", "%[a], %[b], %[c], %[d]", [a] "=r"(v.w[0]), [b] "=r"(v.w[1]),
              [c] "=r"(v.w[2]), [d] "=r"(v.w[3]))
  return v;
}

inline u32 wordAt(const u8 *from, u32 i) {
  u32 word;
  __builtin_memcpy(&word, from + 4 * i, sizeof word);
  return word;
}

} // namespace

/// The element at byte x of a row.
INLINE void __heddle_surface_load_gpu(PLACE, u32 bytes, u8 *to) {
  if (bytes <= 2) {
    const u16 value = loadNarrow(object, x, y, slice, how, bytes);
    __builtin_memcpy(to, &value, 2);
    return;
  }
  const Words v = loadWords(object, x, y, slice, how, bytes / 4);
  for (u32 i = 0; i < 4; ++i)
    __builtin_memcpy(to + 4 * i, &v.w[i], 4);
}

INLINE void __heddle_surface_store_gpu(PLACE, u32 bytes, const u8 *from) {
  const u16 low = (u16)(bytes == 1 ? from[0] : from[0] | from[1] << 8);
  const u32 a = wordAt(from, 0), b = wordAt(from, 1), c = wordAt(from, 2), d = wordAt(from, 3);
#define PUT1(geometry, at, mode)                                                                   \
  asm volatile(                                                                                    \
      "sust.b." geometry ".b8." mode " [%[o], " at "], {%[a]};" ::COORDINATES, [a] "h"(low)        \
      : "memory")
#define PUT2(geometry, at, mode)                                                                   \
  asm volatile(                                                                                    \
      "sust.b." geometry ".b16." mode " [%[o], " at "], {%[a]};" ::COORDINATES, [a] "h"(low)       \
      : "memory")
#define PUT4(geometry, at, mode)                                                                   \
  asm volatile(                                                                                    \
      "sust.b." geometry ".b32." mode " [%[o], " at "], {%[a]};" ::COORDINATES, [a] "r"(a)         \
      : "memory")
#define PUT8(geometry, at, mode)                                                                   \
  asm volatile("sust.b." geometry ".v2.b32." mode " [%[o], " at "], {%[a], %[b]};" ::COORDINATES,  \
               [a] "r"(a), [b] "r"(b)                                                              \
               : "memory")
#define PUT16(geometry, at, mode)                                                                  \
  asm volatile("sust.b." geometry ".v4.b32." mode " [%[o], " at                                    \
               "], {%[a], %[b], %[c], %[d]};" ::COORDINATES,                                       \
               [a] "r"(a), [b] "r"(b), [c] "r"(c), [d] "r"(d)                                      \
               : "memory")
  switch (bytes) {
  case 1:
    EACH_FORM(PUT1)
    break;
  case 2:
    EACH_FORM(PUT2)
    break;
  case 4:
    EACH_FORM(PUT4)
    break;
  case 8:
    EACH_FORM(PUT8)
    break;
  default:
    EACH_FORM(PUT16)
  }
}

/// sust.p: x counts elements, whose format the surface has.
INLINE void __heddle_surface_put_gpu(PLACE, u32 a, u32 b, u32 c, u32 d){
#define PUT(geometry, at, mode)                                                                    \
  asm volatile("sust.p." geometry ".v4.b32." mode " [%[o], " at                                    \
               "], {%[a], %[b], %[c], %[d]};" ::COORDINATES,                                       \
               [a] "r"(a), [b] "r"(b), [c] "r"(c), [d] "r"(d)                                      \
               : "memory")
    EACH_FORM(PUT)} /// x is a number of elements for these, which have one "byte".
HEDDLE_PURE u32 __heddle_surface_element_bytes(u64) {
  return 1;
}
/// The instruction knows the format itself.
HEDDLE_PURE bool __heddle_surface_is_signed(u64) { return true; }

/// `operation`: 0 adds, 1 min, 2 max, 3 and, 4 or; `type`: 0 u32, 1 s32, 2 u64, 3 s64, 4 the surface's format.
INLINE void __heddle_surface_reduce_gpu(PLACE, u32 operation, u32 type, u64 value) {
#define AS(form, name, ctype, letter, T)                                                           \
  {                                                                                                \
    auto v = (T)value;                                                                             \
    switch (how >> 8) {                                                                            \
    case 1:                                                                                        \
      AS_MODE(form, name, ctype, letter, "1d", "{%[x]}")                                           \
      break;                                                                                       \
    case 2:                                                                                        \
      AS_MODE(form, name, ctype, letter, "2d", "{%[x], %[y]}")                                     \
      break;                                                                                       \
    case 3:                                                                                        \
      AS_MODE(form, name, ctype, letter, "3d", "{%[x], %[y], %[z], %[z]}")                         \
      break;                                                                                       \
    case 5:                                                                                        \
      AS_MODE(form, name, ctype, letter, "a1d", "{%[z], %[x]}")                                    \
      break;                                                                                       \
    default:                                                                                       \
      AS_MODE(form, name, ctype, letter, "a2d", "{%[z], %[x], %[y], %[y]}")                        \
    }                                                                                              \
    return;                                                                                        \
  }
#define AS_MODE(form, name, ctype, letter, geometry, at)                                           \
  switch (how & 0xff) {                                                                            \
  case 0:                                                                                          \
    AS_ONE(form, name, ctype, letter, geometry, at, "zero");                                       \
    break;                                                                                         \
  case 1:                                                                                          \
    AS_ONE(form, name, ctype, letter, geometry, at, "clamp");                                      \
    break;                                                                                         \
  default:                                                                                         \
    AS_ONE(form, name, ctype, letter, geometry, at, "trap");                                       \
  }
#define AS_ONE(form, name, ctype, letter, geometry, at, mode)                                      \
  asm volatile("sured." form "." name "." geometry "." ctype "." mode " [%[o], " at                \
               "], %[v];" ::COORDINATES,                                                           \
               [v] letter(v)                                                                       \
               : "memory")
#define OPERATION(number, name, u, s, ul, sl)                                                      \
  case number:                                                                                     \
    if (type == 0)                                                                                 \
      AS("b", name, u, "r", u32)                                                                   \
    if (type == 1)                                                                                 \
      AS("b", name, s, "r", u32)                                                                   \
    if (type == 2)                                                                                 \
      AS("b", name, ul, "l", u64)                                                                  \
    if (type == 3)                                                                                 \
      AS("b", name, sl, "l", u64)                                                                  \
    AS("p", name, "b32", "r", u32)
  switch (operation) {
    OPERATION(0, "add", "u32", "s32", "u64", "u64")
    OPERATION(1, "min", "u32", "s32", "u64", "s64")
    OPERATION(2, "max", "u32", "s32", "u64", "s64")
    OPERATION(3, "and", "b32", "b32", "b64", "b64")
    OPERATION(4, "or", "b32", "b32", "b64", "b64")
  }
}
