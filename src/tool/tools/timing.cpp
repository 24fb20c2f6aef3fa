// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/tools/timing.h"
#include "tool/tools/files.h"

#include <cstdio>
#include <mutex>

namespace heddle::tool {

namespace {

struct Table {
  std::mutex mutex;
  std::string rows;
};

Table &table() {
  static Table table;
  return table;
}

} // namespace

Timer::Timer(std::string source)
    : source_(std::move(source)), last_(std::chrono::steady_clock::now()) {}

void Timer::step(const char *phase, const std::string &input, const std::string &output) {
  auto now = std::chrono::steady_clock::now();
  char time[32];
  std::snprintf(time, sizeof(time), "%.4f",
                std::chrono::duration<double, std::milli>(now - last_).count());
  last_ = now;
  std::lock_guard lock(table().mutex);
  table().rows += source_ + " , " + phase + " , " + input + " , " + output + " ,  , heddle , " +
                  time + " , ms\n";
}

std::optional<Failure> writeTimings(const std::string &path) {
  std::string text;
  if (Result<std::string> old = readFile(path))
    text = *old;
  if (text.empty())
    text = "source file name , phase name , phase input files , phase output file , arch , tool, "
           "metric , unit\n";
  std::lock_guard lock(table().mutex);
  return writeFile(path, text + table().rows);
}

} // namespace heddle::tool
