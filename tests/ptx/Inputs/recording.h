// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an H200 gives, as a hash of each form's or program's results (h200_forms.txt, h200_programs.txt), and where ours
// differ on purpose. The GPU decides what the PTX ISA leaves open; where the ISA says what a result is, ours is that.
#pragma once

#include "form.h"

#include <fstream>
#include <iterator>
#include <regex>

struct Deviation {
  const char *forms; ///< a pattern of a form's whole text, with an @ in front if it is guarded
  bool isSeldom;     ///< differs in some programs only
  const char *why;
};

/// What ptxas of CUDA 13.0 makes of these is not what the PTX ISA says. It expands all of them to several instructions.
static const Deviation Deviations[] = {
    {"@?set\\.(num|nan)\\.f32\\.f64 .*", false, "true is the integer 1 there, in place of 1.0"},
    {"@?div\\.rp\\.ftz\\.f32 .*", false, "a quotient below the least normal number that is rounded up to it becomes 0"},
    {"@?v(add|sub|absdiff)\\.u32\\.(u32\\.[us]32|s32\\.u32)\\.sat \\$0, \\$1, \\$2;", true, "sums and differences wrap around as words"},
    {"@?v(add|sub|absdiff|min|max)\\.u32\\.[us]32\\.[us]32\\.max .*", true, "a first result that is negative, or above c's sign, is compared as another number"},
    {"@?vmad\\.u32\\.u32\\.u32\\.shr(7|15) .*", false, "the sum wraps around as a word and is shifted with its sign"},
    {"@set\\.\\w+(\\.ftz)?\\.(f32\\.\\w+|u32\\.[us]16) .*", true, "a part of the expansion is not guarded"},
    {"@testp\\..*", true, "a part of the expansion is not guarded"},
    {"@v(add|sub)4\\.\\S*\\.add .*", true, "a part of the expansion is not guarded"},
    {"@?vsub2\\.u32\\.u32\\.u32 .*", true, "a borrow of the lower half reaches the upper one, in one program"},
};

inline const Deviation *deviationOf(const std::string &text) {
  static const std::vector<std::regex> patterns = [] {
    std::vector<std::regex> all;
    for (const Deviation &deviation : Deviations)
      all.emplace_back(deviation.forms);
    return all;
  }();
  for (size_t i = 0; i < patterns.size(); ++i)
    if (std::regex_match(text, patterns[i]))
      return &Deviations[i];
  return nullptr;
}

/// FNV-1a of results whose NaNs, in what is a float, are all the same one.
class Hash {
public:
  void add(Kind kind, u64 value) {
    for (int i = 0; i < 64; i += 8)
      hash_ = (hash_ ^ (canonical(kind, value) >> i & 255)) * 0x100000001b3;
  }
  /// 16 digits.
  std::string text() const {
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(hash_));
    return digits;
  }

private:
  static u64 canonical(Kind kind, u64 value) {
    if (isPair(kind)) {
      const Kind half = kind == Kind::Halves ? Kind::Half : Kind::Brain;
      return canonical(half, value & 0xffff) | canonical(half, value >> 16) << 16;
    }
    return isFloat(kind) && formatOf(kind).isNan(value) ? formatOf(kind).nan() : value;
  }
  u64 hash_ = 0xcbf29ce484222325;
};

/// All of a file of words of 64 bits.
inline std::vector<u64> wordsOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::vector<u64> words(bytes.size() / 8);
  memcpy(words.data(), bytes.data(), words.size() * 8);
  return words;
}

inline std::vector<std::string> linesOf(const std::string &path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    lines.push_back(line);
  return lines;
}
