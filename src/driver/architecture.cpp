// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One device image serves every device, so of several architectures only one decides __CUDA_ARCH__.
// It is the one that CUDA would take for the default device, of compute capability 9.0: the highest
// up to that; if all are newer, the lowest.
#include "driver/architecture.h"

#include <algorithm>

namespace heddle::driver {

namespace {

// CUDA guide, "Compute Capabilities", and those of toolkits before 9.0.
constexpr unsigned Known[] = {10, 11, 12, 13, 20, 21, 30, 32, 35, 37,  50,  52,  53,  60, 61,
                              62, 70, 72, 75, 80, 86, 87, 89, 90, 100, 101, 103, 120, 121};
constexpr unsigned Default = 90;
constexpr unsigned LowestForClang = 90;

struct Parsed {
  unsigned number;
  std::string suffix;
};

Failure unsupported(const std::string &text) {
  return {"Unsupported gpu architecture '" + text + "'"};
}

Result<Parsed> parseName(const std::string &name) {
  size_t prefix = name.find('_');
  std::string kind = name.substr(0, prefix);
  if (prefix == name.npos || (kind != "sm" && kind != "compute" && kind != "lto"))
    return unsupported(name);
  size_t end = name.find_first_not_of("0123456789", prefix + 1);
  std::string digits = name.substr(prefix + 1, end == name.npos ? end : end - prefix - 1);
  std::string suffix = end == name.npos ? "" : name.substr(end);
  bool goodSuffix = suffix.empty() || suffix == "a" || suffix == "f";
  unsigned number =
      digits.empty() || digits.size() > 3 ? 0 : static_cast<unsigned>(std::stoul(digits));
  if (!goodSuffix || std::find(std::begin(Known), std::end(Known), number) == std::end(Known))
    return unsupported(name);
  return Parsed{number, suffix};
}

/// The value of `key` in "arch=compute_70,code=[sm_70,compute_70]"; empty if it is not there.
std::string generateCodePart(std::string_view text, std::string_view key) {
  for (size_t at = text.find(key); at != text.npos; at = text.find(key, at + 1)) {
    if (at != 0 && text[at - 1] != ',')
      continue;
    std::string value(text.substr(at + key.size()));
    if (size_t next = value.find(",arch="); next != value.npos)
      value.resize(next);
    if (size_t next = value.find(",code="); next != value.npos)
      value.resize(next);
    return value;
  }
  return "";
}

/// Checks the real architectures of a code= list, and takes no more of them.
std::string firstBadCode(std::string list) {
  std::erase_if(list, [](char c) { return c == '[' || c == ']' || c == '"' || c == '\\'; });
  for (const std::string &name : splitCommas(list))
    if (!parseName(name))
      return name;
  return "";
}

/// Every virtual architecture that the options name.
Result<std::vector<Parsed>> namedArchitectures(const Options &options) {
  std::vector<Parsed> named;
  std::vector<std::string> names;
  for (const std::string &name : options.values(Opt::Architecture))
    if (name == "native" || name == "all" || name == "all-major")
      named.push_back({Default, ""});
    else
      names.push_back(name);
  for (const std::string &text : options.values(Opt::GenerateCode)) {
    std::string name = generateCodePart(text, "arch=");
    if (name.empty())
      return Failure{"'arch' is missing in '-gencode " + text + "'"};
    if (std::string bad = firstBadCode(generateCodePart(text, "code=")); !bad.empty())
      return unsupported(bad);
    names.push_back(name);
  }
  for (const std::string &name : options.values(Opt::Code))
    if (!parseName(name))
      return unsupported(name);
  for (const std::string &name : names) {
    Result<Parsed> parsed = parseName(name);
    if (!parsed)
      return Failure{parsed.error()};
    named.push_back(*parsed);
  }
  return named;
}

/// Whether the default device runs code for `a` rather than code for `b`.
bool isBetter(unsigned a, unsigned b) {
  if ((a <= Default) != (b <= Default))
    return a <= Default;
  return a <= Default ? a > b : a < b;
}

} // namespace

std::string Architecture::clangName() const {
  if (number < LowestForClang)
    return "sm_" + std::to_string(LowestForClang);
  return "sm_" + std::to_string(number) + suffix;
}

Result<Architecture> chooseArchitecture(const Options &options) {
  Result<std::vector<Parsed>> named = namedArchitectures(options);
  if (!named)
    return Failure{named.error()};
  Architecture result;
  if (named->empty())
    return result;
  const Parsed *best = &named->front();
  result.list.clear();
  for (const Parsed &parsed : *named) {
    result.list.push_back(parsed.number);
    if (isBetter(parsed.number, best->number))
      best = &parsed;
  }
  result.number = best->number;
  result.suffix = best->suffix;
  std::sort(result.list.begin(), result.list.end());
  result.list.erase(std::unique(result.list.begin(), result.list.end()), result.list.end());
  return result;
}

std::span<const unsigned> knownArchitectures() { return Known; }

} // namespace heddle::driver
