// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/messages/diagnostic_numbers.h"

#include <algorithm>
#include <charconv>

namespace heddle {

namespace {

struct Row {
  unsigned number;
  std::string_view warning;
};

constexpr Row Table[] = {
#define NUMBER(number, warning) {number, warning},
#include "base/messages/diagnostic_numbers.def"
};

void addFlags(std::vector<std::string> &flags, Severity severity, unsigned number) {
  for (std::string_view each : warningsOfNumber(number)) {
    const std::string warning(each);
    if (severity == Severity::Error)
      flags.push_back("-Werror=" + warning);
    else
      flags.push_back((severity == Severity::Suppressed ? "-Wno-" : "-W") + warning);
    if (severity == Severity::Warning)
      flags.push_back("-Wno-error=" + warning);
  }
}

} // namespace

std::vector<std::string_view> warningsOfNumber(unsigned number) {
  std::vector<std::string_view> warnings;
  for (const Row &row : Table)
    if (row.number == number)
      warnings.push_back(row.warning);
  return warnings;
}

bool addDiagnosticFlags(std::vector<std::string> &flags, Severity severity,
                        std::string_view numbers) {
  for (;;) {
    const size_t comma = numbers.find(',');
    const std::string_view one = numbers.substr(0, comma);
    unsigned number = 0;
    auto [end, error] = std::from_chars(one.data(), one.data() + one.size(), number);
    if (error != std::errc() || end != one.data() + one.size())
      return false;
    addFlags(flags, severity, number);
    if (comma == numbers.npos)
      return true;
    numbers.remove_prefix(comma + 1);
  }
}

unsigned numberOfWarning(std::string_view warning) {
  const Row *row = std::find_if(std::begin(Table), std::end(Table),
                                [&](const Row &one) { return one.warning == warning; });
  return row == std::end(Table) ? 0 : row->number;
}

} // namespace heddle
