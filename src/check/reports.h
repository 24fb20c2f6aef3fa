// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Findings as people and machines read them. The checked program and `heddle check` both write them.
#pragma once

#include "check/finding.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::check {

/// As a person reads it, with lines that begin with "========= ".
std::string textOf(const Finding &, bool colored = false);
/// "========= ERROR SUMMARY: 2 errors".
std::string summaryText(uint64_t errors, bool colored = false);

std::string jsonOf(const std::vector<Finding> &);
/// SARIF 2.1.0 (OASIS), which code hosts read.
std::string sarifOf(const std::vector<Finding> &);
/// The elements are those of compute-sanitizer's --xml.
std::string xmlOf(const std::vector<Finding> &);

/// A line of a source file, without blanks at its ends; empty if it cannot be read.
std::string sourceLine(const std::string &file, uint32_t line);
/// The innermost frame that has a line; null if none has.
const Frame *placeOf(const std::vector<Frame> &);
/// "(1,2,3)".
std::string tupleText(const std::array<uint32_t, 3> &);
/// "1 byte", "2 bytes".
std::string counted(uint64_t number, const char *what);

} // namespace heddle::check
