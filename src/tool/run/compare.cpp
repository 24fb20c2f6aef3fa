// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory has no types. Without --type bytes that differ are looked at as eight-byte words: a word is
// the same if it points to the same place in both runs, if its halves are floats that are near each other
// (or have the same bits), or if it is a double that is near. Small integers are no floats of a usual
// size, so one that is off by one differs.
#include "tool/run/compare.h"

#include <cmath>
#include <cstdio>
#include <cstring>

namespace heddle::tool {

namespace {

template <class T> T at(const std::vector<uint8_t> &bytes, size_t index) {
  T value;
  std::memcpy(&value, &bytes[index * sizeof(T)], sizeof value);
  return value;
}

bool isNear(double a, double b, const Tolerance &t) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b);
  return a == b || std::fabs(a - b) <= t.absolute + t.relative * std::fabs(b);
}

double fromHalf(uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const double fraction = bits & 1023, sign = bits >> 15 ? -1 : 1;
  if (exponent == 31)
    return fraction != 0 ? std::nan("") : sign * INFINITY;
  return sign * (exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24));
}

/// Small integers would be subnormal numbers, and -1, -2, ... NaNs that no operation gives.
bool mayBeFloat(float f) {
  uint32_t bits;
  std::memcpy(&bits, &f, sizeof bits);
  return std::isnan(f) ? (bits << 1) == 0xff800000 || (bits << 1) == 0xfffffffe
                       : std::fpclassify(f) != FP_SUBNORMAL;
}
bool mayBeDouble(double d) {
  uint64_t bits;
  std::memcpy(&bits, &d, sizeof bits);
  return std::isnan(d) ? (bits << 1) == 0xfff0000000000000 : std::fpclassify(d) != FP_SUBNORMAL;
}

/// Where a word points, as memory and offset; none: it is no pointer.
std::optional<std::pair<size_t, uint64_t>> pointee(const SavedLaunch &launch, uint64_t word) {
  for (size_t i = 0; i < launch.memory.size(); ++i)
    if (word - launch.memory[i].address <= launch.memory[i].content.size())
      return std::pair(i, word - launch.memory[i].address);
  return std::nullopt;
}

template <class... Arguments> std::string text(const char *format, Arguments... arguments) {
  char line[128];
  std::snprintf(line, sizeof line, format, arguments...);
  return line;
}

/// Two runs' bytes of one piece of memory.
class Pair {
public:
  Pair(const SavedLaunch &a, const SavedLaunch &b, size_t memory, const Tolerance &t)
      : a_(a), b_(b), x_(a.memory[memory].content), y_(b.memory[memory].content), memory_(memory),
        t_(t) {}

  std::optional<Difference> look() const {
    if (x_ == y_)
      return std::nullopt;
    const auto isNearNumber = [this](double a, double b) { return isNear(a, b, t_); };
    switch (t_.type) {
    case ValueType::Auto:
      return lookAtWords();
    case ValueType::Float:
      return each<float>("float", isNearNumber, floatText);
    case ValueType::Double:
      return each<double>("double", isNearNumber, doubleText);
    case ValueType::Half:
      return each<uint16_t>(
          "half", [this](uint16_t a, uint16_t b) { return isNear(fromHalf(a), fromHalf(b), t_); },
          [](uint16_t v) { return text("%.5g", fromHalf(v)); });
    case ValueType::Int:
      return each<int32_t>("int", std::equal_to<>(), [](int32_t v) { return text("%d", v); });
    case ValueType::Long:
      return each<int64_t>("long", std::equal_to<>(),
                           [](int64_t v) { return text("%lld", static_cast<long long>(v)); });
    case ValueType::Byte:
      return each<uint8_t>("byte", std::equal_to<>(), [](uint8_t v) { return text("0x%02x", v); });
    }
    return std::nullopt;
  }

private:
  static std::string floatText(float v) { return text("%.9g (%a)", double(v), double(v)); }
  static std::string doubleText(double v) { return text("%.17g (%a)", v, v); }

  template <class T, class Same, class Text>
  std::optional<Difference> each(const char *type, Same same, Text toText) const {
    Difference d{memory_, 0, 0, x_.size() / sizeof(T), "", "", type};
    for (size_t i = 0; i < d.of; ++i) {
      const T a = at<T>(x_, i), b = at<T>(y_, i);
      if (std::memcmp(&a, &b, sizeof a) == 0 || same(a, b))
        continue;
      if (d.values++ == 0) {
        d.index = i;
        d.first = toText(a);
        d.second = toText(b);
      }
    }
    return d.values ? std::optional(d) : std::nullopt;
  }

  bool isSameFloat(uint32_t a, uint32_t b) const {
    float f, g;
    std::memcpy(&f, &a, sizeof f);
    std::memcpy(&g, &b, sizeof g);
    return a == b || (mayBeFloat(f) && mayBeFloat(g) && isNear(double(f), double(g), t_));
  }

  bool isSameWord(uint64_t a, uint64_t b) const {
    double d, e;
    std::memcpy(&d, &a, sizeof d);
    std::memcpy(&e, &b, sizeof e);
    if (isSameFloat(uint32_t(a), uint32_t(b)) && isSameFloat(uint32_t(a >> 32), uint32_t(b >> 32)))
      return true;
    if (mayBeDouble(d) && mayBeDouble(e) && isNear(d, e, t_))
      return true;
    const auto to = pointee(a_, a);
    return to && to == pointee(b_, b);
  }

  /// The values of the word of eight bytes, where the two have most likely this type.
  void tellWord(size_t word, Difference &d) const {
    for (size_t half = 2 * word; half < 2 * word + 2 && (half + 1) * 4 <= x_.size(); ++half) {
      const uint32_t a = at<uint32_t>(x_, half), b = at<uint32_t>(y_, half);
      if (isSameFloat(a, b))
        continue;
      const float f = at<float>(x_, half), g = at<float>(y_, half);
      const bool isFloat = mayBeFloat(f) && mayBeFloat(g);
      d.index = half;
      d.type = isFloat ? "float" : "int";
      d.first = isFloat ? floatText(f) : text("%d", int32_t(a));
      d.second = isFloat ? floatText(g) : text("%d", int32_t(b));
      return;
    }
  }

  std::optional<Difference> lookAtWords() const {
    Difference d{memory_, 0, 0, x_.size() / 4, "", "", ""};
    const size_t words = x_.size() / 8;
    for (size_t i = 0; i < words; ++i) {
      const uint64_t a = at<uint64_t>(x_, i), b = at<uint64_t>(y_, i);
      if (a == b || isSameWord(a, b))
        continue;
      if (d.values == 0)
        tellWord(i, d);
      d.values += !isSameFloat(uint32_t(a), uint32_t(b));
      d.values += !isSameFloat(uint32_t(a >> 32), uint32_t(b >> 32));
    }
    if (d.values || x_.size() % 8 == 0)
      return d.values ? std::optional(d) : std::nullopt;
    Tolerance rest = t_; // fewer than eight bytes at the end
    rest.type = x_.size() % 4 == 0 ? ValueType::Float : ValueType::Byte;
    SavedLaunch a, b;
    a.memory.push_back({SavedKind::Device, 0, "", {x_.begin() + words * 8, x_.end()}});
    b.memory.push_back({SavedKind::Device, 0, "", {y_.begin() + words * 8, y_.end()}});
    auto found = Pair(a, b, 0, rest).look();
    if (found) {
      found->memory = memory_;
      found->index += words * 8 / (x_.size() % 4 == 0 ? 4 : 1);
      found->of = x_.size() / (x_.size() % 4 == 0 ? 4 : 1);
    }
    return found;
  }

  const SavedLaunch &a_, &b_;
  const std::vector<uint8_t> &x_, &y_;
  size_t memory_;
  const Tolerance &t_;
};

} // namespace

std::optional<ValueType> valueType(std::string_view name) {
  constexpr std::pair<std::string_view, ValueType> Names[] = {
      {"auto", ValueType::Auto}, {"float", ValueType::Float}, {"double", ValueType::Double},
      {"half", ValueType::Half}, {"int", ValueType::Int},     {"long", ValueType::Long},
      {"byte", ValueType::Byte}};
  for (auto [known, type] : Names)
    if (name == known)
      return type;
  return std::nullopt;
}

std::optional<Difference> firstDifference(const SavedLaunch &a, const SavedLaunch &b,
                                          const Tolerance &tolerance) {
  for (size_t i = 0; i < a.memory.size() && i < b.memory.size(); ++i)
    if (auto found = Pair(a, b, i, tolerance).look())
      return found;
  return std::nullopt;
}

/// A parameter that differs, from 1; 0: none does.
static size_t otherParameter(const SavedLaunch &a, const SavedLaunch &b) {
  for (size_t i = 0; i < a.places.size() && i < b.places.size(); ++i) {
    const SavedParam place = a.places[i];
    if (a.params.size() != b.params.size() || place.offset != b.places[i].offset ||
        place.size != b.places[i].size)
      return i + 1;
    const auto part = [&](const SavedLaunch &l) { return l.params.data() + place.offset; };
    for (uint32_t at = 0; at < place.size; at += 8) {
      uint64_t x = 0, y = 0;
      const size_t bytes = std::min<size_t>(8, place.size - at);
      std::memcpy(&x, part(a) + at, bytes);
      std::memcpy(&y, part(b) + at, bytes);
      const auto to = pointee(a, x);
      if (x != y && !(to && to == pointee(b, y)))
        return i + 1;
    }
  }
  return 0;
}

std::string unlikeness(const SavedLaunch &a, const SavedLaunch &b) {
  if (a.kernel != b.kernel)
    return "one launches " + a.shown + ", the other " + b.shown;
  if (!std::equal(a.grid, a.grid + 3, b.grid) || !std::equal(a.block, a.block + 3, b.block) ||
      a.sharedBytes != b.sharedBytes)
    return "the launches of " + a.shown + " have other shapes";
  for (size_t i = 0; i < std::min(a.memory.size(), b.memory.size()); ++i)
    if (a.memory[i].content.size() != b.memory[i].content.size() ||
        a.memory[i].name != b.memory[i].name)
      return memoryName(a, i) + " of one is " + memoryName(b, i) + " of the other";
  if (a.memory.size() != b.memory.size())
    return "one reaches " + std::to_string(a.memory.size()) + " pieces of memory, the other " +
           std::to_string(b.memory.size());
  if (const size_t other = otherParameter(a, b))
    return "parameter " + std::to_string(other) + " of the launches is not the same";
  return "";
}

std::string memoryName(const SavedLaunch &launch, size_t memory) {
  const SavedMemory &m = launch.memory[memory];
  const std::string size = std::to_string(m.content.size()) + " bytes";
  if (m.kind == SavedKind::Variable)
    return "variable " + m.name + " (" + size + ")";
  for (size_t i = 0; i < launch.places.size(); ++i)
    for (uint32_t at = 0; at + 8 <= launch.places[i].size; at += 8) {
      uint64_t word;
      std::memcpy(&word, &launch.params[launch.places[i].offset + at], sizeof word);
      if (word - m.address < m.content.size())
        return "parameter " + std::to_string(i + 1) + " (" + size + ")";
    }
  return "memory that other memory points to (" + size + ")";
}

} // namespace heddle::tool
