// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Damaged input for tests: good texts with words lost, moved, doubled, taken from each other, or
// numbers that are too large, and bytes that were changed.
#pragma once

#include <algorithm>
#include <cctype>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::test {

using Random = std::mt19937_64;

inline size_t below(Random &random, size_t bound) { return bound ? random() % bound : 0; }

/// Words, numbers and single characters.
inline std::vector<std::string_view> wordsOf(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    size_t end = 0;
    while (end < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_'))
      ++end;
    words.push_back(text.substr(0, end ? end : 1));
    text.remove_prefix(words.back().size());
  }
  return words;
}

class Damage {
public:
  /// The texts must outlive it, and the words that may stand in the place of theirs.
  explicit Damage(const std::vector<std::string_view> &texts,
                  const std::vector<std::string_view> &more = {})
      : others_(more) {
    others_.insert(others_.end(), std::begin(Extremes), std::end(Extremes));
    for (std::string_view text : texts) {
      texts_.push_back(wordsOf(text));
      all_.insert(all_.end(), texts_.back().begin(), texts_.back().end());
    }
  }

  std::string text(Random &random) const {
    std::vector<std::string_view> words = texts_[below(random, texts_.size())];
    const bool keepsForm = below(random, 2); // a good text often stays one
    for (size_t changes = 1 + below(random, 4); changes; --changes)
      keepsForm ? exchange(words, random) : change(words, random);
    std::string text;
    for (std::string_view word : words)
      text += word;
    if (!keepsForm && below(random, 8) == 0)
      flip(text, random);
    return text;
  }

  /// Changes a few bytes.
  static void flip(std::string &bytes, Random &random) {
    for (size_t flips = 1 + below(random, 3); flips && !bytes.empty(); --flips)
      bytes[below(random, bytes.size())] = static_cast<char>(random());
  }

private:
  static constexpr std::string_view Extremes[] = {
      "0",          "-1",         "255",        "65535",      "65536",
      "2147483647", "4294967295", "4294967296", "9223372036854775807", "18446744073709551615",
      "18446744073709551616", "0x7fffffffffffffff", "0f7F800000", "0dFFF0000000000000", "1e400"};

  /// Numbers are of one kind; names of another, or of one for each letter that they begin with.
  static int kindOf(std::string_view word, bool byLetter) {
    const auto first = static_cast<unsigned char>(word[0]);
    return std::isdigit(first) ? '0' : std::isalpha(first) && !byLetter ? 'a' : first;
  }

  /// Puts another word of its kind in the place of a name or number.
  void exchange(std::vector<std::string_view> &words, Random &random) const {
    const bool byLetter = below(random, 4);
    for (unsigned tries = 0; tries < 50 && !words.empty(); ++tries) {
      const size_t at = below(random, words.size());
      const std::string_view other = below(random, 2)   ? words[below(random, words.size())]
                                     : below(random, 2) ? all_[below(random, all_.size())]
                                                        : others_[below(random, others_.size())];
      if (std::isalnum(static_cast<unsigned char>(words[at][0])) && words[at] != other &&
          kindOf(words[at], byLetter) == kindOf(other, byLetter)) {
        words[at] = other;
        return;
      }
    }
  }

  void change(std::vector<std::string_view> &words, Random &random) const {
    if (words.empty())
      return;
    const size_t at = below(random, words.size()), other = below(random, words.size());
    switch (below(random, 7)) {
    case 0:
      words.erase(words.begin() + at);
      break;
    case 1:
      words.insert(words.begin() + at, words[other]);
      break;
    case 2:
      std::swap(words[at], words[other]);
      break;
    case 3:
      words.resize(at + 1);
      break;
    case 4: { // a piece of another text
      const size_t from = below(random, all_.size()), count = 1 + below(random, 20);
      words.insert(words.begin() + at, all_.begin() + from,
                   all_.begin() + std::min(from + count, all_.size()));
      break;
    }
    case 5:
      words[at] = others_[below(random, others_.size())];
      break;
    default:
      words[at] = all_[below(random, all_.size())];
      break;
    }
  }

  std::vector<std::vector<std::string_view>> texts_;
  std::vector<std::string_view> all_, others_;
};

} // namespace heddle::test
