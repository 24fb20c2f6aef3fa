// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers and bits. Sources: PTX ISA, "Integer Arithmetic Instructions", "Logic and Shift Instructions", "Extended-Precision
// Integer Arithmetic Instructions", "Comparison and Selection Instructions".
#pragma once

#include "form.h"

struct IntType {
  const char *name;
  Kind kind;
  bool isSigned;
  int bits() const { return bitsOf(kind); }
  i128 read(u64 v) const {
    v &= maskOf(kind);
    return isSigned && (v >> (bits() - 1) & 1) ? i128(v) - (i128(1) << bits()) : i128(v);
  }
  i128 least() const { return isSigned ? -(i128(1) << (bits() - 1)) : 0; }
  i128 most() const { return isSigned ? (i128(1) << (bits() - 1)) - 1 : (i128(1) << bits()) - 1; }
};
static const IntType IntTypes[] = {{"u16", Kind::I16, false}, {"s16", Kind::I16, true}, {"u32", Kind::I32, false},
                                   {"s32", Kind::I32, true},  {"u64", Kind::I64, false}, {"s64", Kind::I64, true}};
static const IntType BitTypes[] = {{"b16", Kind::I16, false}, {"b32", Kind::I32, false}, {"b64", Kind::I64, false}};

inline i128 clamped(i128 v, i128 least, i128 most) { return v < least ? least : v > most ? most : v; }
/// Shifts by the number's bits or more.
inline u64 left(u64 v, u64 n, int bits) { return n >= u64(bits) ? 0 : v << n; }
/// A position or length of bfe and bfi: a byte, but of 64 bits, where the PTX ISA leaves open what is above 255, a word.
inline u64 placeOf(int bits, u64 v) { return bits == 64 ? v : v & 255; }
inline u64 lowBits(u64 n) { return n >= 64 ? ~u64(0) : (u64(1) << n) - 1; }

class IntegerForms {
public:
  explicit IntegerForms(std::vector<Form> &forms) : forms_(forms) {}

  void addAll() {
    for (const IntType &t : IntTypes)
      arithmetic(t);
    words();
    for (const IntType &t : BitTypes)
      logic(t);
    bitFields();
    carries();
    comparisons();
    dots();
    pairs();
  }

private:
  void add(const std::string &text, Kind out, std::vector<Kind> in, std::function<u64(const u64 *)> eval) {
    forms_.push_back({text, out, std::move(in), [out, eval](const u64 *v) { return eval(v) & maskOf(out); }});
  }
  void arithmetic(const IntType &t) {
    const std::string n = t.name;
    const Kind k = t.kind;
    const Kind wide = t.bits() == 16 ? Kind::I32 : Kind::I64;
    auto two = [&](const std::string &op, std::function<i128(i128, i128)> f) {
      add(op + "." + n + " $0, $1, $2;", k, {k, k}, [t, f](const u64 *v) { return u64(f(t.read(v[0]), t.read(v[1]))); });
    };
    two("add", [](i128 a, i128 b) { return a + b; });
    two("sub", [](i128 a, i128 b) { return a - b; });
    two("mul.lo", [](i128 a, i128 b) { return i128(u128(a) * u128(b)); });
    two("mul.hi", [t](i128 a, i128 b) { return i128(u128(a) * u128(b)) >> t.bits(); });
    two("min", [](i128 a, i128 b) { return a < b ? a : b; });
    two("max", [](i128 a, i128 b) { return a < b ? b : a; });
    // By an odd number, so that it is neither 0 nor, of the least number, -1.
    const std::string other = t.bits() == 16 ? "%h" : t.bits() == 32 ? "%t" : "%l";
    const std::string odd = "and.b" + std::to_string(t.bits()) + " " + other + ", $2, 0x7f; or.b" + std::to_string(t.bits()) + " " + other + ", " + other + ", 1; ";
    add(odd + "div." + n + " $0, $1, " + other + ";", k, {k, k}, [t](const u64 *v) { return u64(t.read(v[0]) / i128((v[1] & 0x7f) | 1)); });
    add(odd + "rem." + n + " $0, $1, " + other + ";", k, {k, k}, [t](const u64 *v) { return u64(t.read(v[0]) % i128((v[1] & 0x7f) | 1)); });
    add("sad." + n + " $0, $1, $2, $3;", k, {k, k, k}, [t](const u64 *v) {
      const i128 d = t.read(v[0]) - t.read(v[1]);
      return u64((d < 0 ? -d : d) + i128(v[2]));
    });
    add("mad.lo." + n + " $0, $1, $2, $3;", k, {k, k, k}, [](const u64 *v) { return v[0] * v[1] + v[2]; });
    add("mad.hi." + n + " $0, $1, $2, $3;", k, {k, k, k},
        [t](const u64 *v) { return u64(i128(u128(t.read(v[0])) * u128(t.read(v[1]))) >> t.bits()) + v[2]; });
    if (t.bits() < 64) {
      add("mul.wide." + n + " $0, $1, $2;", wide, {k, k}, [t](const u64 *v) { return u64(t.read(v[0]) * t.read(v[1])); });
      add("mad.wide." + n + " $0, $1, $2, $3;", wide, {k, k, wide}, [t](const u64 *v) { return u64(t.read(v[0]) * t.read(v[1])) + v[2]; });
    }
    if (t.isSigned) {
      add("abs." + n + " $0, $1;", k, {k}, [t](const u64 *v) { return u64(t.read(v[0]) < 0 ? -t.read(v[0]) : t.read(v[0])); });
      add("neg." + n + " $0, $1;", k, {k}, [](const u64 *v) { return -v[0]; });
    }
    if (t.bits() > 16) {
      auto place = [t](u64 v) {
        v = (t.isSigned && t.read(v) < 0 ? ~v : v) & maskOf(t.kind);
        return v ? 63 - __builtin_clzll(v) : -1;
      };
      add("bfind." + n + " $0, $1;", Kind::I32, {k}, [place](const u64 *v) { return u64(i64(place(v[0]))); });
      add("bfind.shiftamt." + n + " $0, $1;", Kind::I32, {k},
          [t, place](const u64 *v) { return u64(i64(place(v[0]) < 0 ? -1 : t.bits() - 1 - place(v[0]))); });
      add("bfe." + n + " $0, $1, $2, $3;", k, {k, Kind::Amount, Kind::Amount}, [t](const u64 *v) -> u64 {
        const u64 pos = placeOf(t.bits(), v[1]), len = placeOf(t.bits(), v[2]);
        if (!len)
          return 0;
        const i128 a = t.read(v[0]) >> (pos > 127 ? 127 : pos); // with the sign above
        if (len >= u64(t.bits()))
          return u64(a);
        const u64 field = u64(a) & lowBits(len);
        return t.isSigned && field >> (len - 1) & 1 ? field | ~lowBits(len) : field;
      });
    }
    add("shr." + n + " $0, $1, $2;", k, {k, Kind::Amount}, [t](const u64 *v) { return u64(t.read(v[0]) >> (v[1] > 127 ? 127 : v[1])); });
  }

  void words() {
    const Kind w = Kind::I32;
    for (const IntType &t : {IntTypes[2], IntTypes[3]}) {
      const std::string n = t.name;
      auto low24 = [t](u64 v) -> i128 { return t.isSigned ? i128(i32(u32(v) << 8) >> 8) : i128(v & 0xffffff); };
      for (int shift : {0, 16}) {
        const std::string part = shift ? "hi." : "lo.";
        add("mul24." + part + n + " $0, $1, $2;", w, {w, w}, [=](const u64 *v) { return u64(low24(v[0]) * low24(v[1]) >> shift); });
        add("mad24." + part + n + " $0, $1, $2, $3;", w, {w, w, w}, [=](const u64 *v) { return u64(low24(v[0]) * low24(v[1]) >> shift) + v[2]; });
      }
    }
    const IntType s = IntTypes[3];
    auto clampedWord = [s](i128 v) { return u64(clamped(v, s.least(), s.most())); };
    add("add.sat.s32 $0, $1, $2;", w, {w, w}, [=](const u64 *v) { return clampedWord(s.read(v[0]) + s.read(v[1])); });
    add("sub.sat.s32 $0, $1, $2;", w, {w, w}, [=](const u64 *v) { return clampedWord(s.read(v[0]) - s.read(v[1])); });
    add("mad.hi.sat.s32 $0, $1, $2, $3;", w, {w, w, w}, [=](const u64 *v) { return clampedWord((s.read(v[0]) * s.read(v[1]) >> 32) + s.read(v[2])); });
    add("min.relu.s32 $0, $1, $2;", w, {w, w}, [=](const u64 *v) { return u64(clamped(std::min(s.read(v[0]), s.read(v[1])), 0, s.most())); });
    add("max.relu.s32 $0, $1, $2;", w, {w, w}, [=](const u64 *v) { return u64(clamped(std::max(s.read(v[0]), s.read(v[1])), 0, s.most())); });
  }

  void logic(const IntType &t) {
    const std::string n = t.name;
    const Kind k = t.kind;
    add("and." + n + " $0, $1, $2;", k, {k, k}, [](const u64 *v) { return v[0] & v[1]; });
    add("or." + n + " $0, $1, $2;", k, {k, k}, [](const u64 *v) { return v[0] | v[1]; });
    add("xor." + n + " $0, $1, $2;", k, {k, k}, [](const u64 *v) { return v[0] ^ v[1]; });
    add("not." + n + " $0, $1;", k, {k}, [](const u64 *v) { return ~v[0]; });
    add("cnot." + n + " $0, $1;", k, {k}, [](const u64 *v) { return u64(v[0] == 0); });
    add("shl." + n + " $0, $1, $2;", k, {k, Kind::Amount}, [t](const u64 *v) { return left(v[0], v[1], t.bits()); });
    add("shr." + n + " $0, $1, $2;", k, {k, Kind::Amount}, [](const u64 *v) { return v[1] > 63 ? 0 : v[0] >> v[1]; });
    add("mov." + n + " $0, $1;", k, {k}, [](const u64 *v) { return v[0]; });
    add("selp." + n + " $0, $1, $2, $3;", k, {k, k, Kind::Pred}, [](const u64 *v) { return v[2] ? v[0] : v[1]; });
    add("slct." + n + ".s32 $0, $1, $2, $3;", k, {k, k, Kind::I32}, [](const u64 *v) { return i32(v[2]) >= 0 ? v[0] : v[1]; });
    add("slct." + n + ".f32 $0, $1, $2, $3;", k, {k, k, Kind::Single}, [](const u64 *v) { return bitCast<float>(u32(v[2])) >= 0 ? v[0] : v[1]; });
    if (t.bits() == 16)
      return;
    add("popc." + n + " $0, $1;", Kind::I32, {k}, [](const u64 *v) { return u64(__builtin_popcountll(v[0])); });
    add("clz." + n + " $0, $1;", Kind::I32, {k}, [t](const u64 *v) { return u64(v[0] ? __builtin_clzll(v[0]) - (64 - t.bits()) : t.bits()); });
    add("brev." + n + " $0, $1;", k, {k}, [t](const u64 *v) { return __builtin_bitreverse64(v[0]) >> (64 - t.bits()); });
    add("bfi." + n + " $0, $1, $2, $3, $4;", k, {k, k, Kind::Amount, Kind::Amount}, [t](const u64 *v) {
      const u64 pos = placeOf(t.bits(), v[2]), len = placeOf(t.bits(), v[3]), mask = left(lowBits(len), pos, 64);
      return (left(v[0], pos, 64) & mask) | (v[1] & ~mask);
    });
  }

  void bitFields() {
    const Kind w = Kind::I32, a = Kind::Amount;
    for (unsigned table : {0x00u, 0x1bu, 0x3cu, 0x80u, 0x96u, 0xcau, 0xe8u, 0xfeu, 0xffu})
      add("lop3.b32 $0, $1, $2, $3, " + std::to_string(table) + ";", w, {w, w, w}, [table](const u64 *v) {
        u64 r = 0;
        for (int i = 0; i < 32; ++i)
          r |= u64(table >> (4 * (v[0] >> i & 1) + 2 * (v[1] >> i & 1) + (v[2] >> i & 1)) & 1) << i;
        return r;
      });
    for (bool isLeft : {false, true})
      for (bool wraps : {false, true})
        add(std::string("shf.") + (isLeft ? "l." : "r.") + (wraps ? "wrap" : "clamp") + ".b32 $0, $1, $2, $3;", w, {w, w, a}, [=](const u64 *v) {
          const u64 all = v[1] << 32 | v[0], n = wraps ? v[2] & 31 : v[2] > 32 ? 32 : v[2];
          return isLeft ? (all << n) >> 32 : all >> n;
        });
    for (bool wraps : {false, true}) {
      const std::string mode = wraps ? ".wrap" : ".clamp";
      add("bmsk" + mode + ".b32 $0, $1, $2;", w, {a, a}, [=](const u64 *v) {
        const u64 pos = wraps ? v[0] & 31 : v[0], len = wraps ? v[1] & 31 : v[1];
        return left(u32(lowBits(len)), pos, 32);
      });
      for (bool isSigned : {false, true})
        add("szext" + mode + (isSigned ? ".s32" : ".u32") + " $0, $1, $2;", w, {w, a}, [=](const u64 *v) {
          const u64 n = wraps ? v[1] & 31 : v[1] > 32 ? 32 : v[1], low = v[0] & lowBits(n);
          return isSigned && n && low >> (n - 1) & 1 ? low | ~lowBits(n) : low;
        });
    }
    auto byte = [](u64 all, u64 i) { return all >> (8 * i) & 255; };
    add("prmt.b32 $0, $1, $2, $3;", w, {w, w, w}, [byte](const u64 *v) {
      u64 r = 0;
      for (int i = 0; i < 4; ++i) {
        const u64 s = v[2] >> (4 * i), b = byte(v[1] << 32 | v[0], s & 7);
        r |= (s & 8 ? (b & 128 ? 255 : 0) : b) << (8 * i);
      }
      return r;
    });
    const struct {
      const char *name;
      u64 (*index)(u64 c, u64 i);
    } modes[] = {{"f4e", [](u64 c, u64 i) { return c + i; }},
                 {"b4e", [](u64 c, u64 i) { return (c - i) & 7; }},
                 {"rc8", [](u64 c, u64) { return c; }},
                 {"ecl", [](u64 c, u64 i) { return c > i ? c : i; }},
                 {"ecr", [](u64 c, u64 i) { return c < i ? c : i; }},
                 {"rc16", [](u64 c, u64 i) { return 2 * (c & 1) + (i & 1); }}};
    for (const auto &mode : modes)
      add(std::string("prmt.b32.") + mode.name + " $0, $1, $2, $3;", w, {w, w, w}, [byte, mode](const u64 *v) {
        u64 r = 0;
        for (u64 i = 0; i < 4; ++i)
          r |= byte(v[1] << 32 | v[0], mode.index(v[2] & 3, i)) << (8 * i);
        return r;
      });
    add("and.b32 %t, $2, 31; and.b32 %u, $3, 7; sub.s32 %u, %u, 3; fns.b32 $0, $1, %t, %u;", w, {w, w, w}, [](const u64 *v) -> u64 {
      const int base = int(v[1] & 31), n = int(v[2] & 7) - 3;
      if (n == 0)
        return v[0] >> base & 1 ? base : ~u64(0);
      for (int at = base, left = n < 0 ? -n : n; at >= 0 && at < 32; at += n < 0 ? -1 : 1)
        if ((v[0] >> at & 1) && --left == 0)
          return at;
      return ~u64(0);
    });
  }

  void carries() {
    const Kind w = Kind::I32, l = Kind::I64;
    for (Kind k : {w, l}) {
      const std::string n = k == w ? "u32" : "u64", t = k == w ? "%t" : "%l";
      const u64 mask = maskOf(k);
      add("add.cc." + n + " " + t + ", $1, $2; addc." + n + " $0, $3, " + t + ";", k, {k, k, k},
          [=](const u64 *v) { return v[2] + (v[0] + v[1]) + (((v[0] + v[1]) & mask) < v[0]); });
      add("sub.cc." + n + " " + t + ", $1, $2; subc." + n + " $0, $3, " + t + ";", k, {k, k, k},
          [=](const u64 *v) { return v[2] - (v[0] - v[1]) - (v[0] < v[1]); });
      add("mad.lo.cc." + n + " " + t + ", $1, $2, $3; madc.hi." + n + " $0, $1, $2, " + t + ";", k, {k, k, k}, [=](const u64 *v) {
        const u128 product = u128(v[0]) * v[1];
        const u64 low = u64(product) & mask, sum = (low + v[2]) & mask;
        return u64(product >> bitsOf(k)) + sum + (sum < low);
      });
    }
  }

  void comparisons() {
    const struct {
      const char *names[2]; ///< signed, and the other name of unsigned ones
      bool (*holds)(i128, i128);
    } tests[] = {{{"eq", "eq"}, [](i128 a, i128 b) { return a == b; }}, {{"ne", "ne"}, [](i128 a, i128 b) { return a != b; }},
                 {{"lt", "lo"}, [](i128 a, i128 b) { return a < b; }},  {{"le", "ls"}, [](i128 a, i128 b) { return a <= b; }},
                 {{"gt", "hi"}, [](i128 a, i128 b) { return a > b; }},  {{"ge", "hs"}, [](i128 a, i128 b) { return a >= b; }}};
    for (const IntType &t : IntTypes)
      for (const auto &test : tests) {
        const std::string name = std::string(test.names[!t.isSigned]) + "." + t.name;
        add("setp." + name + " $0, $1, $2;", Kind::Pred, {t.kind, t.kind}, [=](const u64 *v) { return u64(test.holds(t.read(v[0]), t.read(v[1]))); });
        add("set." + std::string(test.names[!t.isSigned]) + ".u32." + t.name + " $0, $1, $2;", Kind::I32, {t.kind, t.kind},
            [=](const u64 *v) { return test.holds(t.read(v[0]), t.read(v[1])) ? ~u64(0) : 0; });
      }
    const Kind w = Kind::I32, p = Kind::Pred;
    add("setp.lt.and.s32 $0, $1, $2, $3;", p, {w, w, p}, [](const u64 *v) { return u64(i32(v[0]) < i32(v[1])) & v[2]; });
    add("setp.gt.or.u32 $0, $1, $2, !$3;", p, {w, w, p}, [](const u64 *v) { return u64(u32(v[0]) > u32(v[1])) | !v[2]; });
    add("setp.ne.xor.b32 %p|$0, $1, $2, $3;", p, {w, w, p}, [](const u64 *v) { return u64(v[0] == v[1]) ^ v[2]; });
    add("and.pred $0, $1, !$2;", p, {p, p}, [](const u64 *v) { return v[0] & !v[1]; });
    add("xor.pred %p, $1, $2; not.pred $0, %p;", p, {p, p}, [](const u64 *v) { return u64(v[0] == v[1]); });
  }

  void dots() {
    const Kind w = Kind::I32;
    for (int signs = 0; signs < 4; ++signs) {
      const bool a = signs & 1, b = signs & 2;
      const std::string types = std::string(a ? ".s32" : ".u32") + (b ? ".s32" : ".u32") + " $0, $1, $2, $3;";
      auto item = [](u64 v, int bits, int i, bool isSigned) -> i64 {
        const u64 x = v >> (bits * i) & lowBits(bits);
        return isSigned && x >> (bits - 1) ? i64(x) - (i64(1) << bits) : i64(x);
      };
      add("dp4a" + types, w, {w, w, w}, [=](const u64 *v) {
        i64 sum = i64(v[2]);
        for (int i = 0; i < 4; ++i)
          sum += item(v[0], 8, i, a) * item(v[1], 8, i, b);
        return u64(sum);
      });
      for (int first : {0, 2})
        add((first ? "dp2a.hi" : "dp2a.lo") + types, w, {w, w, w}, [=](const u64 *v) {
          i64 sum = i64(v[2]);
          for (int i = 0; i < 2; ++i)
            sum += item(v[0], 16, i, a) * item(v[1], 8, first + i, b);
          return u64(sum);
        });
    }
  }

  void pairs() {
    const Kind w = Kind::I32;
    auto each = [](const u64 *v, auto f) { return u64(u16(f(v[0] & 0xffff, v[1] & 0xffff))) | u64(u16(f(v[0] >> 16, v[1] >> 16))) << 16; };
    add("add.u16x2 $0, $1, $2;", w, {w, w}, [=](const u64 *v) { return each(v, [](u64 a, u64 b) { return a + b; }); });
    add("min.s16x2 $0, $1, $2;", w, {w, w}, [=](const u64 *v) { return each(v, [](u64 a, u64 b) { return i16(a) < i16(b) ? a : b; }); });
    add("max.u16x2 $0, $1, $2;", w, {w, w}, [=](const u64 *v) { return each(v, [](u64 a, u64 b) { return a < b ? b : a; }); });
    add("max.relu.s16x2 $0, $1, $2;", w, {w, w}, [=](const u64 *v) {
      return each(v, [](u64 a, u64 b) { return u64(std::max<int>(0, std::max(i16(a), i16(b)))); });
    });
    add("mov.b32 {%h, %g}, $1; mov.b32 $0, {%g, %h};", w, {w}, [](const u64 *v) { return v[0] >> 16 | v[0] << 16; });
    add("mov.b64 $0, {$1, $2};", Kind::I64, {w, w}, [](const u64 *v) { return v[0] | v[1] << 32; });
    add("mov.b64 {%t, $0}, $1;", w, {Kind::I64}, [](const u64 *v) { return v[0] >> 32; });
    for (bool isSigned : {false, true})
      add(std::string("cvt.pack.sat.") + (isSigned ? "s8" : "u8") + ".s32.b32 $0, $1, $2, $3;", w, {w, w, w}, [=](const u64 *v) {
        auto part = [&](u64 x) { return u64(clamped(i32(x), isSigned ? -128 : 0, isSigned ? 127 : 255)) & 255; };
        return part(v[1]) | part(v[0]) << 8 | v[2] << 16;
      });
    add("cvt.pack.sat.s16.s32 $0, $1, $2;", w, {w, w}, [](const u64 *v) {
      auto part = [&](u64 x) { return u64(clamped(i32(x), -32768, 32767)) & 0xffff; };
      return part(v[1]) | part(v[0]) << 16;
    });
  }

  std::vector<Form> &forms_;
};
