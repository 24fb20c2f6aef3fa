// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/suppressions.h"
#include "check/reports.h"

#include <fnmatch.h>

namespace heddle::check {

namespace {

bool matches(const std::string &pattern, const std::string &name) {
  return !name.empty() && fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

std::string lastPart(const std::string &path) { return path.substr(path.rfind('/') + 1); }

bool matches(const std::string &pattern, const Frame &frame) {
  std::string line = ":" + std::to_string(frame.line);
  for (const std::string &file : {frame.file, lastPart(frame.file)})
    if (matches(pattern, file) || matches(pattern, file + line))
      return true;
  return matches(pattern, frame.function);
}

bool matches(const std::string &pattern, const Finding &finding) {
  if (pattern == "*" || matches(pattern, finding.kernel))
    return true;
  for (const Frame &frame : finding.frames)
    if (matches(pattern, frame))
      return true;
  return false;
}

} // namespace

Result<std::vector<Suppression>> parseSuppressions(const std::string &text) {
  constexpr const char *Blanks = " \t\r";
  std::vector<Suppression> all;
  size_t number = 0;
  for (size_t at = 0; at < text.size();) {
    size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1, ++number;
    size_t first = line.find_first_not_of(Blanks), last = line.find_last_not_of(Blanks);
    if (first == line.npos || line[first] == '#')
      continue;
    line = line.substr(first, last - first + 1);
    size_t blank = line.find_first_of(Blanks);
    if (blank == line.npos)
      return Failure{"line " + std::to_string(number) + ": '" + line +
                     "' has no pattern behind the kind"};
    all.push_back({line.substr(0, blank), line.substr(line.find_first_not_of(Blanks, blank))});
  }
  return all;
}

bool isSuppressed(const Finding &finding, const std::vector<Suppression> &all) {
  for (const Suppression &one : all)
    if ((one.kind == "*" || one.kind == finding.kind || one.kind == finding.tool) &&
        matches(one.pattern, finding))
      return true;
  return false;
}

std::string suppressionOf(const Finding &finding) {
  std::string pattern = "*";
  if (const Frame *place = placeOf(finding.frames))
    pattern = place->file + ":" + std::to_string(place->line);
  else if (!finding.frames.empty())
    pattern = finding.frames.front().function;
  return finding.kind + " " + pattern + "\n";
}

} // namespace heddle::check
