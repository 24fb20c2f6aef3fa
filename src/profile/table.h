// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of text, and numbers with units, in the form that nvprof gives them.
#pragma once

#include "base/profile_options.h"

namespace heddle::profile {

/// Rows of cells under a head. All columns but the last stand at the right.
class Table {
public:
  explicit Table(std::vector<std::string> head) : rows_{std::move(head)} {}
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text() const;
  /// Words in quotation marks, numbers without, a line each. `units` stand below the head, if there are any.
  std::string csv(const std::vector<std::string> &units) const;

private:
  std::vector<std::vector<std::string>> rows_;
};

using TimeUnit = ProfileOptions::Unit;

/// "1.3120us", "3.7051ms", "1.11524s": five digits. With a unit other than Auto, in that.
std::string timeText(double nanoseconds, TimeUnit = TimeUnit::Auto);
/// Of csv: a unit for numbers of which the largest is this, its name, and a number in it.
TimeUnit unitFor(double mostNanoseconds, TimeUnit asked);
std::string unitName(TimeUnit);
std::string timeNumber(double nanoseconds, TimeUnit);
/// "400.00KB", 1024-based. "2.8096GB/s" likewise.
std::string bytesText(double bytes);
/// Five digits.
std::string numberText(double);
/// A number as printf shows it.
std::string print(const char *format, double value);
/// In quotation marks, for csv.
std::string quoted(const std::string &);

} // namespace heddle::profile
