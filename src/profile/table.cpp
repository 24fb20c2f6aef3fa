// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profile/table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace heddle::profile {

namespace {

struct UnitFacts {
  TimeUnit unit;
  const char *name;
  double nanoseconds;
};
constexpr UnitFacts Units[] = {{TimeUnit::Seconds, "s", 1e9},
                               {TimeUnit::Milliseconds, "ms", 1e6},
                               {TimeUnit::Microseconds, "us", 1e3},
                               {TimeUnit::Nanoseconds, "ns", 1}};

const UnitFacts &factsOf(TimeUnit unit) {
  for (const UnitFacts &facts : Units)
    if (facts.unit == unit)
      return facts;
  return Units[3];
}

/// With so many digits in all, as long as there are any behind the point.
std::string withDigits(double value, int digits) {
  int before = std::abs(value) < 10 ? 1 : static_cast<int>(std::log10(std::abs(value))) + 1;
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", std::max(0, digits - before), value);
  return text;
}

bool isNumber(const std::string &cell) {
  return !cell.empty() && cell.find_first_not_of("0123456789.+-eE") == cell.npos &&
         cell.find_first_of("0123456789") != cell.npos;
}

} // namespace

std::string Table::text() const {
  std::vector<size_t> widths(rows_[0].size());
  for (const auto &row : rows_)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const auto &row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) {
      bool isLast = i + 1 == widths.size();
      text += i ? "  " : "";
      text += isLast ? row[i] : std::string(widths[i] - row[i].size(), ' ') + row[i];
    }
    text += "\n";
  }
  return text;
}

std::string Table::csv(const std::vector<std::string> &units) const {
  std::string text;
  auto addRow = [&](const std::vector<std::string> &row, bool isQuoted) {
    for (size_t i = 0; i < row.size(); ++i) {
      text += i ? "," : "";
      text += isQuoted && !row[i].empty() && !isNumber(row[i]) ? quoted(row[i]) : row[i];
    }
    text += "\n";
  };
  for (size_t i = 0; i < rows_.size(); ++i) {
    addRow(rows_[i], true);
    if (i == 0 && !units.empty())
      addRow(units, false);
  }
  return text;
}

std::string timeText(double nanoseconds, TimeUnit unit) {
  if (unit != TimeUnit::Auto)
    return timeNumber(nanoseconds, unit) + unitName(unit);
  const UnitFacts *facts = &Units[3];
  for (const UnitFacts &one : Units)
    if (nanoseconds >= one.nanoseconds) {
      facts = &one;
      break;
    }
  int digits = facts->unit == TimeUnit::Seconds ? 6 : facts->unit == TimeUnit::Nanoseconds ? 1 : 5;
  return withDigits(nanoseconds / facts->nanoseconds, digits) + facts->name;
}

TimeUnit unitFor(double mostNanoseconds, TimeUnit asked) {
  if (asked != TimeUnit::Auto)
    return asked;
  for (const UnitFacts &facts : Units)
    if (mostNanoseconds >= facts.nanoseconds)
      return facts.unit;
  return TimeUnit::Nanoseconds;
}

std::string unitName(TimeUnit unit) { return factsOf(unit).name; }

std::string timeNumber(double nanoseconds, TimeUnit unit) {
  char text[64];
  std::snprintf(text, sizeof text, unit == TimeUnit::Nanoseconds ? "%.0f" : "%.6f",
                nanoseconds / factsOf(unit).nanoseconds);
  return text;
}

std::string bytesText(double bytes) {
  constexpr const char *Names[] = {"B", "KB", "MB", "GB", "TB"};
  size_t i = 0;
  for (; bytes >= 1024 && i + 1 < std::size(Names); ++i)
    bytes /= 1024;
  return withDigits(bytes, i ? 5 : 1) + Names[i];
}

std::string numberText(double value) {
  if (value == std::floor(value) && std::abs(value) < 1e15)
    return withDigits(value, 1);
  return withDigits(value, 7);
}

std::string print(const char *format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"')
      result += '"';
    result += c;
  }
  return result + "\"";
}

} // namespace heddle::profile
