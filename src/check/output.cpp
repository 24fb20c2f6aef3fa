// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/output.h"

#include "base/messages/output.h"

#include "base/messages/messages.h"
#include "check/records.h"
#include "check/settings.h"

#include <cstdlib>

#include <fcntl.h>
#include <unistd.h>

namespace heddle::check {

namespace {

const char *recordsFile() {
  static const char *const path = std::getenv("HEDDLE_CHECK_RECORDS");
  return path && *path ? path : nullptr;
}

std::vector<Suppression> readSuppressions() {
  const std::string &path = settings().suppressionsFile;
  if (path.empty())
    return {};
  auto text = readWhole(path);
  auto parsed = text ? parseSuppressions(*text) : Failure{text.error()};
  if (parsed)
    return *parsed;
  tellf("heddle: %s: %s\n", path.c_str(), parsed.error().c_str());
  return {};
}

} // namespace

bool isPartOfACheck() { return recordsFile(); }

void noteRecord(const std::string &record) {
  if (!recordsFile())
    return;
  static const int file = open(recordsFile(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file >= 0 && write(file, record.data(), record.size()) < 0)
    tellf("heddle: cannot write to %s\n", recordsFile());
}

/// Anew, if the file is this process's alone; `heddle check` begins others.
static const Output *beginOutput() {
  const std::string &name = settings().logFile;
  std::string file = expandLogName(name, getpid());
  if (file != expandLogName(name, 0))
    beginFile(file);
  return new Output(file);
}

void tellText(const std::string &text) {
  static const Output &output = *beginOutput();
  output.write(text);
}

bool isColored() {
  static const bool colored = wantsColor(settings());
  return colored;
}

const std::vector<Suppression> &suppressions() {
  static const std::vector<Suppression> &all = *new std::vector(readSuppressions());
  return all;
}

} // namespace heddle::check
