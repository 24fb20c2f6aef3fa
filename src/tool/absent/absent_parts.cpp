// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/absent/absent_parts.h"

#include <cctype>

namespace heddle::tool {

namespace {

constexpr std::string_view WhatThereIs = "docs/api_support.md lists what there is";

/// What is to be said of a missing header of CUDA's; empty if it is none.
std::string whyMissing(std::string_view name) {
#define HEDDLE_ABSENT_HEADERS(prefix, title)                                                       \
  if (name.starts_with(prefix))                                                                    \
    return title " is not in this version of Heddle; " + std::string(WhatThereIs);
#define HEDDLE_PACKAGED_HEADERS(prefix, title, package)                                            \
  if (name.starts_with(prefix))                                                                    \
    return title " has no such header here; the package " package                                  \
                 " brings it, or -I names another version";
#define HEDDLE_SEPARATE_HEADERS(prefix, title)                                                     \
  if (name.starts_with(prefix))                                                                    \
    return title " is in no CUDA toolkit: -I names the folder of its headers";
#include "tool/absent/absent_parts.def"
  return {};
}

constexpr AbsentTool Tools[] = {
#define HEDDLE_ABSENT_TOOL(name, title, why) {name, title, why},
#include "tool/absent/absent_parts.def"
};

/// Where a header's name stands in "...: 'name' file not found" (clang) or "fatal error: name: No
/// such file or directory" (g++), with the text that follows it.
struct MissingFile {
  size_t begin, end; ///< of what to replace
  std::string_view name;
};

MissingFile clangMissingFile(std::string_view line) {
  constexpr std::string_view Words = "' file not found";
  size_t close = line.find(Words);
  size_t open = close == line.npos || close == 0 ? line.npos : line.rfind('\'', close - 1);
  if (open == line.npos)
    return {};
  return {open, close + Words.size(), line.substr(open + 1, close - open - 1)};
}

MissingFile gccMissingFile(std::string_view line) {
  constexpr std::string_view Words = ": No such file or directory", Before = "fatal error: ";
  size_t end = line.find(Words);
  size_t begin = line.find(Before);
  if (end == line.npos || begin == line.npos || begin > end)
    return {};
  begin += Before.size();
  while (begin < end && line[begin] == '\x1b') // colour
    begin = std::min(line.find_first_of("mK", begin), end - 1) + 1;
  return {begin, end + Words.size(), line.substr(begin, end - begin)};
}

std::string explainLine(std::string_view line) {
  MissingFile missing = clangMissingFile(line);
  if (missing.name.empty())
    missing = gccMissingFile(line);
  std::string why = whyMissing(missing.name);
  if (why.empty())
    return std::string(line);
  return std::string(line.substr(0, missing.begin)) + "'" + std::string(missing.name) +
         "': " + why + std::string(line.substr(missing.end));
}

/// "undefined reference to `cuVDPAUGetDevice'" (GNU ld) or "undefined symbol: cuVDPAUGetDevice"
/// (lld): the functions of other APIs are those that libcuda lacks.
bool missesDriverFunction(std::string_view line) {
  for (std::string_view words : {"undefined reference to `cu", "undefined symbol: cu"})
    if (size_t at = line.find(words); at != line.npos)
      for (std::string_view api : {"EGL", "Egl", "VDPAU"})
        if (line.find(api, at + words.size()) != line.npos)
          return true;
  return false;
}

template <typename Body> void eachLine(std::string_view text, Body body) {
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    body(text.substr(0, end));
    text.remove_prefix(end);
  }
}

} // namespace

const AbsentTool *findAbsentTool(std::string_view name) {
  for (const AbsentTool &tool : Tools)
    if (name == tool.name)
      return &tool;
  return nullptr;
}

std::string explainAbsentHeaders(std::string_view compilerText) {
  std::string result;
  eachLine(compilerText, [&](std::string_view line) { result += explainLine(line); });
  return result;
}

std::string explainAbsentSymbols(std::string_view linkerText) {
  bool missing = false;
  eachLine(linkerText, [&](std::string_view line) { missing |= missesDriverFunction(line); });
  std::string result(linkerText);
  if (missing)
    result +=
        "error: this part of the CUDA driver API (libcuda) is not in this version of Heddle; " +
        std::string(WhatThereIs) + "\n";
  return result;
}

} // namespace heddle::tool
