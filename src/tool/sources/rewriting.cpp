// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/sources/rewriting.h"

#include <algorithm>
#include <cstdlib>

namespace heddle::tool {

namespace {

/// The offset of a line and column, both from 1; npos if the text has no such place.
size_t offsetOf(std::string_view text, size_t line, size_t column) {
  size_t at = 0;
  for (; line > 1; --line) {
    at = text.find('\n', at);
    if (at == text.npos)
      return at;
    ++at;
  }
  return column >= 1 && at + column - 1 < text.size() ? at + column - 1 : text.npos;
}

} // namespace

std::set<size_t> placesOfError(std::string_view source, std::string_view path,
                               std::string_view diagnostics, std::string_view message) {
  std::set<size_t> places;
  const std::string prefix = std::string(path) + ":", words = ": error: " + std::string(message);
  for (size_t at = 0; (at = diagnostics.find(words, at)) != diagnostics.npos; ++at) {
    size_t begin = diagnostics.rfind('\n', at) + 1;                 // npos + 1 is 0
    const std::string place(diagnostics.substr(begin, at - begin)); // PATH:LINE:COLUMN
    if (!place.starts_with(prefix))
      continue;
    char *end = nullptr;
    size_t line = std::strtoul(place.c_str() + prefix.size(), &end, 10);
    size_t column = *end == ':' ? std::strtoul(end + 1, nullptr, 10) : 0;
    if (size_t offset = offsetOf(source, line, column); offset != source.npos)
      places.insert(offset);
  }
  return places;
}

std::optional<std::string> rewritten(std::string_view source, std::vector<Rewriting> rewritings) {
  std::sort(rewritings.begin(), rewritings.end(),
            [](const Rewriting &a, const Rewriting &b) { return a.begin < b.begin; });
  std::string text;
  size_t from = 0;
  for (const Rewriting &rewriting : rewritings) {
    if (rewriting.begin < from)
      return {};
    text += source.substr(from, rewriting.begin - from);
    text += rewriting.text;
    from = rewriting.end;
  }
  return text + std::string(source.substr(from));
}

} // namespace heddle::tool
