// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/coverage.h"

#include "base/messages/line_log.h"

#include <cstdlib>
#include <mutex>
#include <unordered_set>

namespace heddle {

namespace {

const char *fileName() {
  const char *name = std::getenv("HEDDLE_COVERAGE");
  return name && *name ? name : nullptr;
}

} // namespace

bool logsCoverage() { return fileName() != nullptr; }

void logCovered(const std::string &line) {
  const char *name = fileName();
  if (!name)
    return;
  static std::mutex mutex;
  static auto &lines = *new std::unordered_set<std::string>; // threads may outlive the process's end
  std::lock_guard lock(mutex);
  if (lines.insert(line).second)
    appendLine(name, line);
}

} // namespace heddle
