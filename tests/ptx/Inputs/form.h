// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A form of an instruction: its text, what it reads and writes, and what the host says that it gives.
#pragma once

#include "numbers.h"

#include <functional>
#include <random>
#include <string>
#include <vector>

/// What a register holds, which decides what values are tried.
enum class Kind { Pred, I16, I32, I64, Half, Brain, Halves, Brains, Single, Double, Amount };

inline int bitsOf(Kind kind) {
  switch (kind) {
  case Kind::Pred:
    return 1;
  case Kind::I16:
  case Kind::Half:
  case Kind::Brain:
    return 16;
  case Kind::I64:
  case Kind::Double:
    return 64;
  default:
    return 32;
  }
}
inline u64 maskOf(Kind kind) { return bitsOf(kind) == 64 ? ~u64(0) : (u64(1) << bitsOf(kind)) - 1; }
inline const Format &formatOf(Kind kind) {
  return kind == Kind::Half || kind == Kind::Halves     ? Half
         : kind == Kind::Brain || kind == Kind::Brains ? Brain
         : kind == Kind::Double                        ? Double
                                                        : Single;
}
inline bool isFloat(Kind kind) { return kind >= Kind::Half && kind <= Kind::Double; }
inline bool isPair(Kind kind) { return kind == Kind::Halves || kind == Kind::Brains; }

struct Form {
  std::string text; ///< "add.s32 $0, $1, $2;": $0 is written; %t, %u, %v and %p, %q may be used in between
  Kind out;
  std::vector<Kind> in;
  std::function<u64(const u64 *)> eval;
  std::function<bool(u64 got, const u64 *in)> isRight = nullptr; ///< for approximations, in place of eval

  /// The opcode as a word of the text.
  std::string opcode() const { return text.substr(0, text.find_first_of(". ")); }
};

/// The same number, or NaNs both: a NaN that arithmetic makes has any payload.
inline bool agree(Kind kind, u64 got, u64 want) {
  if (got == want)
    return true;
  if (!isFloat(kind))
    return false;
  const Format &f = formatOf(kind);
  if (isPair(kind))
    return agree(kind == Kind::Halves ? Kind::Half : Kind::Brain, got & 0xffff, want & 0xffff) &&
           agree(kind == Kind::Halves ? Kind::Half : Kind::Brain, got >> 16, want >> 16);
  return f.isNan(got) && f.isNan(want);
}

/// Zeros, ones, infinities, NaNs, subnormals and extremes.
inline std::vector<u64> specials(Kind kind) {
  const int bits = bitsOf(kind);
  if (kind == Kind::Pred)
    return {0, 1};
  if (kind == Kind::Amount)
    return {0, 1, 5, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 255, 256, 0x80000000, 0xffffffff};
  std::vector<u64> all;
  if (!isFloat(kind)) {
    all = {0, 1, 2, 3, 0x55, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xffffffff};
    if (bits == 64)
      all.insert(all.end(), {u64(1) << 32, ~u64(0) >> 1, u64(1) << 63, 0x123456789abcdef0});
    for (size_t i = 0, n = all.size(); i < n; ++i)
      all.push_back(~all[i]);
  } else {
    const Format &f = formatOf(kind);
    const u64 least = u64(1) << f.digits, half = one(f) - least;
    for (u64 v : {u64(0), u64(1), least - 1, least, least + 1, half, one(f), one(f) + 1, one(f) + least, one(f) + 5 * least / 2,
                  f.infinity() - 1, f.infinity(), f.nan(), f.infinity() | 1, one(f) + f.digits * least}) {
      all.push_back(v);
      all.push_back(v | f.sign());
    }
    if (isPair(kind))
      for (size_t i = 0, n = all.size(); i < n; ++i)
        all[i] |= all[(7 * i + 3) % n] << 16;
  }
  for (u64 &v : all)
    v &= maskOf(kind);
  return all;
}

class Values {
public:
  explicit Values(u64 seed) : random_(seed) {}
  u64 bits() { return random_(); }
  u64 below(u64 n) { return random_() % n; }

  u64 draw(Kind kind) {
    if (kind == Kind::Amount && below(2))
      return below(70);
    const std::vector<u64> &known = specials_[int(kind)].empty() ? specials_[int(kind)] = specials(kind) : specials_[int(kind)];
    if (below(2))
      return known[below(known.size())];
    if (!isFloat(kind) || below(4) == 0)
      return (random_() >> (kind == Kind::I64 ? below(64) : 0)) & maskOf(kind);
    u64 v = moderate(formatOf(kind)); // of a size that sums and products stay finite with
    return isPair(kind) ? v | moderate(formatOf(kind)) << 16 : v;
  }

private:
  u64 moderate(const Format &f) {
    const u64 exponent = u64(f.bias()) - 6 + below(12);
    return (random_() & f.sign()) | exponent << f.digits | (random_() & ((u64(1) << f.digits) - 1));
  }

  std::mt19937_64 random_;
  std::vector<u64> specials_[11];
};
