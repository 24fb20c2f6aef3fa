// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file in which checked processes note their findings for `heddle check` (HEDDLE_CHECK_RECORDS),
// which is also that of --save: a record for each, and for what is known later of how often it happened. A record is
// written by one call, so that those of several processes do not mix, and one that a process has not
// finished is only missing.
#pragma once

#include "check/finding.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::check {

/// `number`: of the finding within its process.
std::string recordOf(uint32_t process, uint64_t number, const Finding &);
/// The process has told it.
std::string toldRecordOf(uint32_t process, uint64_t number);
std::string countRecordOf(uint32_t process, uint64_t number, uint64_t threads, uint64_t times);

/// All that a file holds, in the order of the records; the same of several processes once. A later
/// record of a finding replaces the first one.
struct Records {
  std::vector<Finding> findings;
  std::vector<Finding> untold; ///< those of them that no process has told
};
Records parseRecords(const std::string &bytes);

} // namespace heddle::check
