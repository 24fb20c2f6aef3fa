// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/settings.h"

#include "base/command_options.h"

#include "base/messages/messages.h"
#include "check/records.h"

#include <cstdlib>

#include <unistd.h>

namespace heddle::check {

namespace {

CheckOptions read() {
  const char *list = std::getenv("HEDDLE_CHECK");
  if (!list || !*list)
    return {};
  std::vector<std::string> rest;
  auto options = parseCheckOptions(splitLines(std::getenv("HEDDLE_CHECK_OPTIONS")), rest);
  auto checks = parseChecks(list);
  if (!options || !checks) {
    tellf("heddle: HEDDLE_CHECK: %s\n", (!checks ? checks.error() : options.error()).c_str());
    return {};
  }
  // A program that the checked one has started.
  const char *parent = std::getenv("HEDDLE_CHECK_PARENT");
  if (!options->withChildren && parent && std::to_string(getppid()) != parent)
    return {};
  options->checks = *checks;
  if (options->findsCancellation && (*checks & CheckFloat))
    options->checks |= CheckCancellation;
  return *options;
}

} // namespace

const CheckOptions &settings() {
  static const CheckOptions &options = *new CheckOptions(read()); // findings come behind main, too
  return options;
}

} // namespace heddle::check
