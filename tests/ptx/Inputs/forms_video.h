// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Video instructions (PTX ISA, "Scalar Video Instructions", "SIMD Video Instructions").
#pragma once

#include "form.h"

class VideoForms {
public:
  explicit VideoForms(std::vector<Form> &forms) : forms_(forms) {}

  void addAll() {
    for (int signs = 0; signs < 8; ++signs) {
      scalars(signs & 1, signs & 2, signs & 4);
      for (int elements : {2, 4})
        simd(elements, signs & 1, signs & 2, signs & 4);
    }
    shifts();
    sets();
    products();
  }

private:
  using Eval = std::function<i64(i64, i64)>;
  struct Operation {
    const char *name;
    i64 (*apply)(i64, i64);
  };
  static constexpr Operation operations[] = {{"vadd", [](i64 a, i64 b) { return a + b; }},
                                             {"vsub", [](i64 a, i64 b) { return a - b; }},
                                             {"vabsdiff", [](i64 a, i64 b) { return a < b ? b - a : a - b; }},
                                             {"vmin", [](i64 a, i64 b) { return a < b ? a : b; }},
                                             {"vmax", [](i64 a, i64 b) { return a < b ? b : a; }}};

  static std::string type(bool isSigned) { return isSigned ? ".s32" : ".u32"; }
  static i64 part(u64 word, int first, int bits, bool isSigned) {
    const u64 v = word >> first & ((u64(1) << bits) - 1);
    return isSigned && v >> (bits - 1) ? i64(v) - (i64(1) << bits) : i64(v);
  }
  static i64 clamped(i64 v, int bits, bool isSigned) {
    const i64 least = isSigned ? -(i64(1) << (bits - 1)) : 0, most = (i64(1) << (bits - isSigned)) - 1;
    return v < least ? least : v > most ? most : v;
  }
  void add(const std::string &text, size_t arity, std::function<u64(const u64 *)> eval) {
    forms_.push_back({text, Kind::I32, std::vector<Kind>(arity, Kind::I32), [eval](const u64 *v) { return u64(u32(eval(v))); }});
  }

  void scalars(bool d, bool a, bool b) {
    const std::string types = type(d) + type(a) + type(b);
    for (const Operation &op : operations) {
      const std::string name = op.name + types;
      auto whole = [=](const u64 *v) { return op.apply(part(v[0], 0, 32, a), part(v[1], 0, 32, b)); };
      add(name + " $0, $1, $2;", 2, [=](const u64 *v) { return u64(whole(v)); });
      add(name + ".sat $0, $1, $2;", 2, [=](const u64 *v) { return u64(clamped(whole(v), 32, d)); });
      add(name + ".sat.add $0, $1.b3, $2.h1, $3;", 3,
          [=](const u64 *v) { return u64(clamped(op.apply(part(v[0], 24, 8, a), part(v[1], 16, 16, b)), 32, d)) + v[2]; });
      add(name + ".max $0, $1.h0, $2.b1, $3;", 3, [=](const u64 *v) {
        const u64 x = u32(op.apply(part(v[0], 0, 16, a), part(v[1], 8, 8, b)));
        return d ? (i32(x) < i32(v[2]) ? v[2] : x) : (x < v[2] ? v[2] : x);
      });
      add(name + " $0.b2, $1.b0, $2.b1, $3;", 3,
          [=](const u64 *v) { return (u64(op.apply(part(v[0], 0, 8, a), part(v[1], 8, 8, b))) & 255) << 16 | (v[2] & ~u64(0xff0000)); });
    }
  }

  void simd(int elements, bool d, bool a, bool b) {
    const int bits = 32 / elements;
    const Operation average = {"vavrg", [](i64 a, i64 b) { return a + b; }};
    std::vector<Operation> all(std::begin(operations), std::end(operations));
    all.push_back(average);
    for (const Operation &op : all) {
      const bool isAverage = &op == &all.back();
      auto of = [=](const u64 *v, int i) {
        const i64 r = op.apply(part(v[0], bits * i, bits, a), part(v[1], bits * i, bits, b));
        return isAverage ? (r + (r >= 0)) >> 1 : r; // halves away from zero
      };
      const std::string name = op.name + std::to_string(elements) + type(d) + type(a) + type(b);
      for (bool saturates : {false, true})
        add(name + (saturates ? ".sat" : "") + " $0, $1, $2, $3;", 3, [=](const u64 *v) {
          u64 r = 0;
          for (int i = 0; i < elements; ++i)
            r |= u64(saturates ? clamped(of(v, i), bits, d) : of(v, i)) << (bits * i) & ((u64(1) << bits) - 1) << (bits * i);
          return r;
        });
      add(name + ".add $0, $1, $2, $3;", 3, [=](const u64 *v) {
        u64 r = v[2];
        for (int i = 0; i < elements; ++i)
          r += u64(of(v, i));
        return r;
      });
    }
  }

  void shifts() {
    for (bool isSigned : {false, true})
      for (bool wraps : {false, true}) {
        const std::string types = type(isSigned) + type(isSigned) + ".u32", mode = wraps ? ".wrap" : ".clamp";
        auto by = [=](u64 n) { return wraps ? n & 31 : n > 32 ? 32 : n; };
        add("vshl" + types + mode + " $0, $1, $2;", 2, [=](const u64 *v) { return v[0] << by(v[1]); });
        add("vshr" + types + mode + " $0, $1, $2;", 2, [=](const u64 *v) { return u64(part(v[0], 0, 32, isSigned) >> by(v[1])); });
      }
  }

  void sets() {
    const struct {
      const char *name;
      bool (*holds)(i64, i64);
    } tests[] = {{"eq", [](i64 a, i64 b) { return a == b; }}, {"ne", [](i64 a, i64 b) { return a != b; }},
                 {"lt", [](i64 a, i64 b) { return a < b; }},  {"le", [](i64 a, i64 b) { return a <= b; }},
                 {"gt", [](i64 a, i64 b) { return a > b; }},  {"ge", [](i64 a, i64 b) { return a >= b; }}};
    for (const auto &test : tests)
      for (int signs = 0; signs < 4; ++signs) {
        const bool a = signs & 1, b = signs & 2;
        add("vset" + type(a) + type(b) + "." + test.name + " $0, $1, $2;", 2,
            [=](const u64 *v) { return u64(test.holds(part(v[0], 0, 32, a), part(v[1], 0, 32, b))); });
        for (int elements : {2, 4})
          add("vset" + std::to_string(elements) + type(a) + type(b) + "." + test.name + " $0, $1, $2, $3;", 3, [=](const u64 *v) {
            const int bits = 32 / elements;
            u64 r = 0;
            for (int i = 0; i < elements; ++i)
              r |= u64(test.holds(part(v[0], bits * i, bits, a), part(v[1], bits * i, bits, b))) << (bits * i);
            return r;
          });
      }
  }

  void products() {
    for (int signs = 0; signs < 4; ++signs)
      for (int shift : {0, 7, 15}) {
        const bool a = signs & 1, b = signs & 2;
        const std::string scale = shift ? ".shr" + std::to_string(shift) : "";
        add("vmad" + type(a || b) + type(a) + type(b) + scale + " $0, $1.h1, $2.b2, $3;", 3, [=](const u64 *v) {
          const i64 sum = part(v[0], 16, 16, a) * part(v[1], 16, 8, b) + part(v[2], 0, 32, a || b);
          return u64(sum >> shift);
        });
      }
  }

  std::vector<Form> &forms_;
};
