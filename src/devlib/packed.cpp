// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The packed functions (__vadd2, __vcmpgtu4, ...): two halves or four bytes of a word at a time
// (CUDA math API, "SIMD Intrinsics"). One pattern: take the parts out of both words, combine, put
// together. The parts stay scalars, since the warp compiler's vectors run across threads.
#include "devlib.h"

using namespace heddle::devlib;

namespace {

/// Part i of `word`, extended to 32 bits as Part's sign says.
template <class Part> inline int part(int word, int i) {
  return (Part)((u32)word >> (8 * (int)sizeof(Part) * i));
}

template <class Part, class Combine> inline int each(int a, int b, Combine combine) {
  const int width = 8 * (int)sizeof(Part);
  const u32 mask = (1u << width) - 1;
  u32 result = 0;
  for (int i = 0; i < 32 / width; i++)
    result |= ((u32)combine(part<Part>(a, i), part<Part>(b, i)) & mask) << (width * i);
  return (int)result;
}

template <class Part, class Combine> inline int total(int a, int b, Combine combine) {
  int result = 0;
  for (int i = 0; i < 4 / (int)sizeof(Part); i++)
    result += combine(part<Part>(a, i), part<Part>(b, i));
  return result;
}

inline int clamp(int x, int least, int most) { return x < least ? least : x > most ? most : x; }
template <class Part> inline int clampTo(int x) {
  constexpr bool isSigned = (Part)-1 < 0;
  constexpr int width = 8 * (int)sizeof(Part);
  return isSigned ? clamp(x, -(1 << (width - 1)), (1 << (width - 1)) - 1)
                  : clamp(x, 0, (1 << width) - 1);
}
inline int distance(int x, int y) { return x > y ? x - y : y - x; }

} // namespace

#define HEDDLE_EACH(name, Part, expression)                                                        \
  HEDDLE_OP int __nv_##name(int a, int b) {                                                        \
    return each<Part>(a, b, [](int x, int y) { return expression; });                              \
  }
#define HEDDLE_EACH_1(name, Part, expression)                                                      \
  HEDDLE_OP int __nv_##name(int a) {                                                               \
    return each<Part>(a, 0, [](int x, int) { return expression; });                                \
  }
#define HEDDLE_TOTAL(name, Part)                                                                   \
  HEDDLE_OP int __nv_##name(int a, int b) {                                                        \
    return total<Part>(a, b, [](int x, int y) { return distance(x, y); });                         \
  }
// vcmpXX gives all ones, vsetXX gives one.
#define HEDDLE_COMPARE(name, n, Part, op)                                                          \
  HEDDLE_EACH(vcmp##name##n, Part, x op y ? -1 : 0)                                                \
  HEDDLE_EACH(vset##name##n, Part, x op y ? 1 : 0)

#define HEDDLE_PACKED(n, Signed, Unsigned)                                                         \
  HEDDLE_EACH_1(vabs##n, Signed, x < 0 ? -x : x)                                                   \
  HEDDLE_EACH_1(vabsss##n, Signed, clampTo<Signed>(x < 0 ? -x : x))                                \
  HEDDLE_EACH_1(vneg##n, Signed, -x)                                                               \
  HEDDLE_EACH_1(vnegss##n, Signed, clampTo<Signed>(-x))                                            \
  HEDDLE_EACH(vabsdiffs##n, Signed, distance(x, y))                                                \
  HEDDLE_EACH(vabsdiffu##n, Unsigned, distance(x, y))                                              \
  HEDDLE_EACH(vadd##n, Unsigned, x + y)                                                            \
  HEDDLE_EACH(vaddss##n, Signed, clampTo<Signed>(x + y))                                           \
  HEDDLE_EACH(vaddus##n, Unsigned, clampTo<Unsigned>(x + y))                                       \
  HEDDLE_EACH(vsub##n, Unsigned, x - y)                                                            \
  HEDDLE_EACH(vsubss##n, Signed, clampTo<Signed>(x - y))                                           \
  HEDDLE_EACH(vsubus##n, Unsigned, clampTo<Unsigned>(x - y))                                       \
  HEDDLE_EACH(vavgs##n, Signed, (x + y + (x + y >= 0)) >> 1)                                       \
  HEDDLE_EACH(vavgu##n, Unsigned, (x + y + 1) >> 1)                                                \
  HEDDLE_EACH(vhaddu##n, Unsigned, (x + y) >> 1)                                                   \
  HEDDLE_EACH(vmaxs##n, Signed, x > y ? x : y)                                                     \
  HEDDLE_EACH(vmaxu##n, Unsigned, x > y ? x : y)                                                   \
  HEDDLE_EACH(vmins##n, Signed, x < y ? x : y)                                                     \
  HEDDLE_EACH(vminu##n, Unsigned, x < y ? x : y)                                                   \
  HEDDLE_TOTAL(vsads##n, Signed)                                                                   \
  HEDDLE_TOTAL(vsadu##n, Unsigned)                                                                 \
  HEDDLE_COMPARE(eq, n, Unsigned, ==)                                                              \
  HEDDLE_COMPARE(ne, n, Unsigned, !=)                                                              \
  HEDDLE_COMPARE(ges, n, Signed, >=)                                                               \
  HEDDLE_COMPARE(geu, n, Unsigned, >=)                                                             \
  HEDDLE_COMPARE(gts, n, Signed, >)                                                                \
  HEDDLE_COMPARE(gtu, n, Unsigned, >)                                                              \
  HEDDLE_COMPARE(les, n, Signed, <=)                                                               \
  HEDDLE_COMPARE(leu, n, Unsigned, <=)                                                             \
  HEDDLE_COMPARE(lts, n, Signed, <)                                                                \
  HEDDLE_COMPARE(ltu, n, Unsigned, <)

HEDDLE_PACKED(2, short, u16)
HEDDLE_PACKED(4, signed char, u8)
