// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floating-point numbers. Sources: PTX ISA, "Floating-Point Instructions", "Half Precision ...", "cvt". Approximations are
// checked against their documented bounds, where the ISA gives some and neither operand nor result is subnormal.
#pragma once

#include "form.h"

class FloatForms {
public:
  explicit FloatForms(std::vector<Form> &forms) : forms_(forms) {}

  void addAll() {
    for (Kind k : {Kind::Half, Kind::Brain, Kind::Halves, Kind::Brains, Kind::Single, Kind::Double}) {
      sums(k);
      extremes(k);
      if (!isPair(k))
        comparisons(k);
    }
    for (Kind k : {Kind::Single, Kind::Double}) {
      quotients(k);
      tests(k);
    }
    approximations();
    integers();
    floats();
  }

private:
  using Operation = std::function<u64(const Format &, const u64 *, Round)>;

  static std::string nameOf(Kind k) {
    static const char *const names[] = {"pred", "", "", "", "f16", "bf16", "f16x2", "bf16x2", "f32", "f64", ""};
    return names[int(k)];
  }
  static std::string operands(size_t count) {
    std::string text = " $0";
    for (size_t i = 1; i <= count; ++i)
      text += ", $" + std::to_string(i);
    return text + ";";
  }
  void add(const std::string &text, Kind out, std::vector<Kind> in, std::function<u64(const u64 *)> eval) {
    forms_.push_back({text, out, std::move(in), [out, eval](const u64 *v) { return eval(v) & maskOf(out); }});
  }

  struct Style {
    Round round = Round::Nearest;
    bool flushes = false, saturates = false, rectifies = false;
  };

  /// Of each element.
  void addOperation(const std::string &name, Kind k, int arity, Style s, Operation f) {
    const Format &format = formatOf(k);
    auto element = [=, &format](const u64 *v) {
      u64 in[3];
      for (int i = 0; i < arity; ++i)
        in[i] = s.flushes ? flushed(format, v[i]) : v[i];
      u64 r = f(format, in, s.round);
      if (s.flushes)
        r = flushed(format, r);
      if (s.saturates)
        r = saturated(format, r);
      if (s.rectifies && !format.isNan(r) && (r & format.sign()))
        r = 0;
      return r;
    };
    add(name + "." + nameOf(k) + operands(size_t(arity)), k, std::vector<Kind>(size_t(arity), k), [=](const u64 *v) {
      if (!isPair(k))
        return element(v);
      u64 low[3], high[3];
      for (int i = 0; i < arity; ++i)
        low[i] = v[i] & 0xffff, high[i] = v[i] >> 16;
      return element(low) | element(high) << 16;
    });
  }

  /// Each rounding and modifier that the type has.
  void addStyles(const std::string &op, Kind k, int arity, Operation f, bool hasPlain) {
    const bool isSmall = bitsOf(k) == 16 || isPair(k), isBrain = k == Kind::Brain || k == Kind::Brains;
    const struct {
      const char *name;
      Round round;
    } roundings[] = {{".rn", Round::Nearest}, {".rz", Round::Zero}, {".rm", Round::Down}, {".rp", Round::Up}};
    for (const auto &r : roundings) {
      if (isSmall && r.round != Round::Nearest)
        continue;
      addOperation(op + r.name, k, arity, {r.round}, f);
      if (k == Kind::Double || isBrain)
        continue;
      addOperation(op + r.name + ".ftz", k, arity, {r.round, true}, f);
      addOperation(op + r.name + ".sat", k, arity, {r.round, false, true}, f);
      addOperation(op + r.name + ".ftz.sat", k, arity, {r.round, true, true}, f);
    }
    if (hasPlain)
      addOperation(op, k, arity, {}, f);
    if (isSmall && arity == 3)
      addOperation(op + ".rn.relu", k, arity, {Round::Nearest, false, false, true}, f);
  }

  void sums(Kind k) {
    const bool hasPlain = true;
    addStyles("add", k, 2, [](const Format &f, const u64 *v, Round r) { return fused(f, v[0], one(f), v[1], r); }, hasPlain);
    addStyles("sub", k, 2, [](const Format &f, const u64 *v, Round r) { return fused(f, v[0], one(f), f.isNan(v[1]) ? v[1] : v[1] ^ f.sign(), r); }, hasPlain);
    addStyles("mul", k, 2, [](const Format &f, const u64 *v, Round r) { return fused(f, v[0], v[1], (v[0] ^ v[1]) & f.sign(), r); }, hasPlain);
    addStyles("fma", k, 3, [](const Format &f, const u64 *v, Round r) { return fused(f, v[0], v[1], v[2], r); }, false);
  }

  void extremes(Kind k) {
    for (bool isMax : {false, true})
      for (bool keepsNan : {false, true})
        for (bool bySize : {false, true}) {
          if ((keepsNan || bySize) && k == Kind::Double)
            continue;
          const std::string name = std::string(isMax ? "max" : "min") + (keepsNan ? ".NaN" : "") + (bySize ? ".xorsign.abs" : "");
          auto f = [=](const Format &f, const u64 *v, Round) {
            const u64 sign = (v[0] ^ v[1]) & f.sign();
            const u64 a = bySize ? v[0] & ~f.sign() : v[0], b = bySize ? v[1] & ~f.sign() : v[1];
            const bool nanA = f.isNan(a), nanB = f.isNan(b);
            if ((nanA && nanB) || (keepsNan && (nanA || nanB)))
              return f.nan();
            const u64 r = nanA ? b : nanB ? a : (order(f, a) < order(f, b)) == isMax ? b : a;
            return bySize ? r | sign : r;
          };
          addOperation(name, k, 2, {}, f);
          if (k == Kind::Single || k == Kind::Half || k == Kind::Halves)
            addOperation(std::string(isMax ? "max" : "min") + ".ftz" + (keepsNan ? ".NaN" : "") + (bySize ? ".xorsign.abs" : ""), k, 2, {Round::Nearest, true}, f);
        }
    auto abs = [](const Format &f, const u64 *v, Round) { return v[0] & ~f.sign(); };
    auto neg = [](const Format &f, const u64 *v, Round) { return v[0] ^ f.sign(); };
    addOperation("abs", k, 1, {}, abs);
    addOperation("neg", k, 1, {}, neg);
    if (k == Kind::Single || k == Kind::Half || k == Kind::Halves) {
      addOperation("abs.ftz", k, 1, {Round::Nearest, true}, abs);
      addOperation("neg.ftz", k, 1, {Round::Nearest, true}, neg);
    }
  }

  /// Numbers to compare: -0 is +0.
  static i64 value(const Format &f, u64 v) { return v & ~f.sign() ? order(f, v) : 0; }

  void comparisons(Kind k) {
    const struct {
      const char *name;
      bool (*holds)(i64, i64);
      bool ofNan;
    } tests[] = {{"eq", [](i64 a, i64 b) { return a == b; }, false},  {"ne", [](i64 a, i64 b) { return a != b; }, false},
                 {"lt", [](i64 a, i64 b) { return a < b; }, false},   {"le", [](i64 a, i64 b) { return a <= b; }, false},
                 {"gt", [](i64 a, i64 b) { return a > b; }, false},   {"ge", [](i64 a, i64 b) { return a >= b; }, false},
                 {"equ", [](i64 a, i64 b) { return a == b; }, true},  {"neu", [](i64 a, i64 b) { return a != b; }, true},
                 {"ltu", [](i64 a, i64 b) { return a < b; }, true},   {"leu", [](i64 a, i64 b) { return a <= b; }, true},
                 {"gtu", [](i64 a, i64 b) { return a > b; }, true},   {"geu", [](i64 a, i64 b) { return a >= b; }, true},
                 {"num", [](i64, i64) { return true; }, false},       {"nan", [](i64, i64) { return false; }, true}};
    const Format &f = formatOf(k);
    for (const auto &test : tests)
      for (bool flushes : {false, true}) {
        if (flushes && k != Kind::Single && k != Kind::Half)
          continue;
        auto holds = [=, &f](const u64 *v) {
          if (f.isNan(v[0]) || f.isNan(v[1]))
            return test.ofNan;
          return test.holds(value(f, flushes ? flushed(f, v[0]) : v[0]), value(f, flushes ? flushed(f, v[1]) : v[1]));
        };
        const std::string ftz = flushes ? ".ftz" : "";
        add(std::string("setp.") + test.name + ftz + "." + nameOf(k) + " $0, $1, $2;", Kind::Pred, {k, k}, [=](const u64 *v) { return u64(holds(v)); });
        if (k == Kind::Single || k == Kind::Double) {
          add(std::string("set.") + test.name + ftz + ".u32." + nameOf(k) + " $0, $1, $2;", Kind::I32, {k, k}, [=](const u64 *v) { return holds(v) ? ~u64(0) : 0; });
          add(std::string("set.") + test.name + ftz + ".f32." + nameOf(k) + " $0, $1, $2;", Kind::Single, {k, k}, [=](const u64 *v) { return holds(v) ? one(Single) : 0; });
        }
      }
  }

  void tests(Kind k) {
    const Format &f = formatOf(k);
    add("copysign." + nameOf(k) + " $0, $1, $2;", k, {k, k}, [&f](const u64 *v) { return (v[0] & f.sign()) | (v[1] & ~f.sign()); });
    add("selp." + nameOf(k) + " $0, $1, $2, $3;", k, {k, k, Kind::Pred}, [](const u64 *v) { return v[2] ? v[0] : v[1]; });
    add("mov." + nameOf(k) + " $0, $1;", k, {k}, [](const u64 *v) { return v[0]; });
    const struct {
      const char *name;
      bool (*holds)(const Format &, u64 size);
    } all[] = {{"finite", [](const Format &f, u64 v) { return v < f.infinity(); }},
               {"infinite", [](const Format &f, u64 v) { return v == f.infinity(); }},
               {"number", [](const Format &f, u64 v) { return v <= f.infinity(); }},
               {"notanumber", [](const Format &f, u64 v) { return v > f.infinity(); }},
               {"normal", [](const Format &f, u64 v) { return v < f.infinity() && (v == 0 || !f.isSmall(v)); }},
               {"subnormal", [](const Format &f, u64 v) { return v != 0 && f.isSmall(v); }}};
    for (const auto &test : all)
      add(std::string("testp.") + test.name + "." + nameOf(k) + " $0, $1;", Kind::Pred, {k}, [&f, test](const u64 *v) { return u64(test.holds(f, v[0] & ~f.sign())); });
  }

  template <class T, class F> static u64 inHost(Round round, F f) {
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    fesetround(modes[int(round)]);
    volatile T result = f();
    fesetround(FE_TONEAREST);
    const T value = result;
    u64 bits = 0;
    memcpy(&bits, &value, sizeof value);
    return bits;
  }
  template <class T> static T number(u64 bits) {
    T value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  template <class T> void quotients(Kind k) {
    auto division = [](const Format &, const u64 *v, Round r) {
      volatile T a = number<T>(v[0]), b = number<T>(v[1]);
      return inHost<T>(r, [&] { return a / b; });
    };
    auto reciprocal = [](const Format &, const u64 *v, Round r) {
      volatile T a = number<T>(v[0]);
      return inHost<T>(r, [&] { return T(1) / a; });
    };
    auto root = [](const Format &, const u64 *v, Round r) {
      volatile T a = number<T>(v[0]);
      return inHost<T>(r, [&] { return std::sqrt(a); });
    };
    const char *const names[] = {".rn", ".rz", ".rm", ".rp"};
    for (int r = 0; r < 4; ++r)
      for (bool flushes : {false, true}) {
        if (flushes && k == Kind::Double)
          continue;
        const std::string style = std::string(names[r]) + (flushes ? ".ftz" : "");
        addOperation("div" + style, k, 2, {Round(r), flushes}, division);
        addOperation("rcp" + style, k, 1, {Round(r), flushes}, reciprocal);
        addOperation("sqrt" + style, k, 1, {Round(r), flushes}, root);
      }
  }
  void quotients(Kind k) { k == Kind::Single ? quotients<float>(k) : quotients<double>(k); }

  /// Within `relative` of the exact value, or `absolute`.
  void approximate(const std::string &op, std::vector<Kind> in, double relative, double absolute, double (*exact)(const double *), double largest) {
    Form form{op + ".f32" + operands(in.size()), Kind::Single, in, nullptr};
    form.isRight = [=](u64 got, const u64 *v) {
      double x[2] = {};
      for (size_t i = 0; i < in.size(); ++i) {
        x[i] = double(number<float>(v[i]));
        if (!(std::fabs(x[i]) <= largest) || Single.isSmall(v[i]))
          return true; // PTX ISA has a table, or leaves it open
      }
      const double want = exact(x), r = double(number<float>(got));
      if (!(std::fabs(want) < 1e38) || std::fabs(want) < 1.2e-38)
        return true;
      return std::fabs(r - want) <= std::fabs(want) * relative + absolute;
    };
    form.eval = [=](const u64 *v) {
      double x[2] = {};
      for (size_t i = 0; i < in.size(); ++i)
        x[i] = double(number<float>(v[i]));
      return u64(bitCast<u32>(float(exact(x))));
    };
    forms_.push_back(form);
  }

  void approximations() {
    const std::vector<Kind> one = {Kind::Single}, two = {Kind::Single, Kind::Single};
    const double ulp = std::ldexp(1, -23);
    for (const char *ftz : {"", ".ftz"}) {
      const std::string style = std::string(".approx") + ftz;
      approximate("div" + style, two, 2 * ulp, 0, [](const double *x) { return x[0] / x[1]; }, 1e37);
      approximate(std::string("div.full") + ftz, two, 2 * ulp, 0, [](const double *x) { return x[0] / x[1]; }, 1e37);
      approximate("rcp" + style, one, ulp, 0, [](const double *x) { return 1 / x[0]; }, 1e37);
      approximate("sqrt" + style, one, ulp, 0, [](const double *x) { return std::sqrt(x[0] < 0 ? std::nan("") : x[0]); }, 1e38);
      approximate("rsqrt" + style, one, std::exp2(-22.9), 0, [](const double *x) { return 1 / std::sqrt(x[0]); }, 1e38);
      approximate("sin" + style, one, 0, std::exp2(-20.5), [](const double *x) { return std::sin(x[0]); }, 3.14159);
      approximate("cos" + style, one, 0, std::exp2(-20.5), [](const double *x) { return std::cos(x[0]); }, 3.14159);
      approximate("lg2" + style, one, 2 * ulp, std::ldexp(1, -22), [](const double *x) { return std::log2(x[0]); }, 1e38);
      approximate("ex2" + style, one, 3 * ulp, 0, [](const double *x) { return std::exp2(x[0]); }, 120);
    }
    approximate("tanh.approx", one, std::exp2(-10.987), 0, [](const double *x) { return std::tanh(x[0]); }, 1e30);
  }

  

  /// Whole numbers: from and to integers.
  void integers() {
    const struct {
      const char *name;
      Kind kind;
      bool isSigned;
    } types[] = {{"u16", Kind::I16, false}, {"s16", Kind::I16, true}, {"u32", Kind::I32, false},
                 {"s32", Kind::I32, true},  {"u64", Kind::I64, false}, {"s64", Kind::I64, true}};
    const char *const roundings[] = {".rn", ".rz", ".rm", ".rp"}, *const whole[] = {".rni", ".rzi", ".rmi", ".rpi"};
    auto read = [](const auto &t, u64 v) -> i128 {
      const int bits = bitsOf(t.kind);
      return t.isSigned && v >> (bits - 1) & 1 ? i128(v) - (i128(1) << bits) : i128(v);
    };
    for (const auto &t : types) {
      for (const auto &to : types)
        for (bool saturates : {false, true}) {
          const bool fits = bitsOf(to.kind) - to.isSigned >= bitsOf(t.kind) - t.isSigned && (to.isSigned || !t.isSigned);
          if (saturates && fits) // which ptxas refuses
            continue;
          add(std::string("cvt") + (saturates ? ".sat." : ".") + to.name + "." + t.name + " $0, $1;", to.kind, {t.kind}, [=](const u64 *v) {
            i128 x = read(t, v[0]);
            const int bits = bitsOf(to.kind);
            const i128 least = to.isSigned ? -(i128(1) << (bits - 1)) : 0, most = (i128(1) << (bits - to.isSigned)) - 1;
            return u64(!saturates ? x : x < least ? least : x > most ? most : x);
          });
        }
      for (Kind k : {Kind::Half, Kind::Single, Kind::Double})
        for (int r = 0; r < 4; ++r) {
          if (k == Kind::Half && r)
            continue;
          const Format &f = formatOf(k);
          add(std::string("cvt") + roundings[r] + "." + nameOf(k) + "." + t.name + " $0, $1;", k, {t.kind}, [=, &f](const u64 *v) {
            const i128 x = read(t, v[0]);
            return x ? encode(f, Wide(x), Round(r)) : 0;
          });
        }
      for (Kind k : {Kind::Half, Kind::Single, Kind::Double})
        for (int r = 0; r < 4; ++r)
          for (bool flushes : {false, true}) {
            if (flushes && k != Kind::Single)
              continue;
            const Format &f = formatOf(k);
            const int bits = bitsOf(t.kind);
            Form form{std::string("cvt") + whole[r] + (flushes ? ".ftz." : ".") + t.name + "." + nameOf(k) + " $0, $1;", t.kind, {k}, nullptr};
            form.eval = [=, &f](const u64 *v) -> u64 {
              const u64 a = flushes ? flushed(f, v[0]) : v[0];
              const i128 least = t.isSigned ? -(i128(1) << (bits - 1)) : 0, most = (i128(1) << (bits - t.isSigned)) - 1;
              if (f.isNan(a)) // (PTX ISA, cvt, "Floating Point Notes")
                return k == Kind::Double || bits == 64 ? u64(1) << (bits - 1) : 0;
              const bool isNegative = a & f.sign();
              i128 x = isNegative ? least : most;
              if (!f.isInfinite(a)) {
                const Wide number = decode(f, a), size = isNegative ? -number : number;
                if (size < powerOfTwo(70)) {
                  i128 down = i128(size);
                  const Wide rest = size - Wide(down);
                  const bool isUp = r == 0 ? rest > Wide(0.5) || (rest == Wide(0.5) && (down & 1)) : r == 1 ? false : rest > 0 && (r == 3) != isNegative;
                  down += isUp;
                  x = isNegative ? -down : down;
                }
              }
              return u64(x < least ? least : x > most ? most : x) & maskOf(t.kind);
            };
            forms_.push_back(form);
          }
    }
  }

  /// From one format to another, and to whole numbers of the same.
  void floats() {
    const char *const roundings[] = {".rn", ".rz", ".rm", ".rp"}, *const whole[] = {".rni", ".rzi", ".rmi", ".rpi"};
    auto convert = [](const Format &to, const Format &from, u64 v, Round r) {
      const u64 sign = v & from.sign() ? to.sign() : 0;
      if (from.isNan(v))
        return to.nan();
      if (from.isInfinite(v))
        return sign | to.infinity();
      return v & ~from.sign() ? encode(to, decode(from, v), r) : sign;
    };
    const struct {
      Kind to, from;
      int roundings; ///< how many
    } pairs[] = {{Kind::Single, Kind::Double, 4}, {Kind::Half, Kind::Single, 2}, {Kind::Brain, Kind::Single, 2}, {Kind::Half, Kind::Double, 1}};
    for (const auto &p : pairs)
      for (int r = 0; r < p.roundings; ++r)
        for (int style = 0; style < 3; ++style) { // plain, .ftz, .sat
          if (p.from == Kind::Double && p.to == Kind::Half && style)
            continue;
          if ((p.to == Kind::Brain && style) || (p.to == Kind::Half && r && style))
            continue;
          const Format &to = formatOf(p.to), &from = formatOf(p.from);
          const char *const styles[] = {".", ".ftz.", ".sat."};
          add(std::string("cvt") + roundings[r] + styles[style] + nameOf(p.to) + "." + nameOf(p.from) + " $0, $1;", p.to, {p.from}, [=, &to, &from](const u64 *v) {
            const u64 a = style == 1 && p.from == Kind::Single ? flushed(from, v[0]) : v[0];
            u64 result = convert(to, from, a, Round(r));
            if (style == 1 && p.to == Kind::Single)
              result = flushed(to, result);
            return style == 2 ? saturated(to, result) : result;
          });
        }
    for (auto [to, from] : {std::pair(Kind::Double, Kind::Single), {Kind::Single, Kind::Half}, {Kind::Double, Kind::Half}, {Kind::Single, Kind::Brain}})
      add("cvt." + nameOf(to) + "." + nameOf(from) + " $0, $1;", to, {from},
          [=, t = to, f = from](const u64 *v) { return convert(formatOf(t), formatOf(f), v[0], Round::Nearest); });
    for (Kind k : {Kind::Half, Kind::Single, Kind::Double})
      for (int r = 0; r < 4; ++r) {
        const Format &f = formatOf(k);
        add(std::string("cvt") + whole[r] + "." + nameOf(k) + "." + nameOf(k) + " $0, $1;", k, {k}, [=, &f](const u64 *v) {
          if (f.isNan(v[0]) || f.isInfinite(v[0]))
            return v[0];
          const Wide x = decode(f, v[0]), size = x < 0 ? -x : x;
          if (size >= powerOfTwo(f.digits))
            return v[0];
          const u64 down = u64(size);
          const Wide rest = size - Wide(down);
          const bool isNegative = v[0] & f.sign();
          const bool isUp = r == 0 ? rest > Wide(0.5) || (rest == Wide(0.5) && (down & 1)) : r == 1 ? false : rest > 0 && (r == 3) != isNegative;
          const u64 result = down + isUp;
          return (v[0] & f.sign()) | (result ? encode(f, Wide(result)) : 0);
        });
      }
    for (Kind k : {Kind::Halves, Kind::Brains})
      for (bool rectifies : {false, true}) {
        const Format &to = formatOf(k);
        add(std::string("cvt.rn.") + (rectifies ? "relu." : "") + nameOf(k) + ".f32 $0, $1, $2;", k, {Kind::Single, Kind::Single}, [=, &to](const u64 *v) {
          auto part = [&](u64 x) {
            const u64 r = convert(to, Single, x, Round::Nearest);
            return rectifies && !to.isNan(r) && (r & to.sign()) ? 0 : r;
          };
          return part(v[1]) | part(v[0]) << 16;
        });
      }
  }

  std::vector<Form> &forms_;
};
