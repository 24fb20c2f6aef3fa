// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang sees a CUDA source twice or more, so most mistakes are reported twice. A report is the
// lines from one "error:" or "warning:" up to the next, with the "In file included from" lines
// before and the notes, source line and caret after it. Two reports are the same when their
// headlines are (place, severity and text).
#include "tool/sources/diagnostics.h"

#include <unordered_set>
#include <vector>

namespace heddle::tool {

namespace {

struct Report {
  std::string headline; ///< without colour
  std::string text;
};

std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    size_t end = text.find('\n');
    size_t size = end == text.npos ? text.size() : end + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

bool isHeadline(std::string_view line) {
  if (line.starts_with(" ")) // a quoted source line
    return false;
  for (std::string_view mark : {"error: ", "warning: "})
    if (size_t at = line.find(mark);
        at != line.npos && (at == 0 || line[at - 1] == ' ') &&
        (at == 0 || line.substr(0, at).ends_with(": ") || line.substr(0, at).ends_with("fatal ")))
      return true;
  return false;
}

bool isIncludeLine(std::string_view line) {
  return line.starts_with("In file included from ") || line.starts_with("                 from ");
}

/// "1 warning and 2 errors generated when compiling for sm_90."
bool isSummary(std::string_view line) {
  return !line.empty() && line[0] >= '0' && line[0] <= '9' && line.find(" generated") != line.npos;
}

bool namesInternals(std::string_view line) {
  return isIncludeLine(line) &&
         (line.find("<built-in>") != line.npos || line.find("<command line>") != line.npos);
}

bool isNote(std::string_view line) {
  return !line.starts_with(" ") && line.find(": note: ") != line.npos;
}

/// "...: note: 'tex2D<float>' has been explicitly marked unavailable here", in our headers.
bool leadsToOurHeaders(std::string_view note, const Report &report) {
  return note.find("has been explicitly marked unavailable here") != note.npos &&
         report.headline.find("not in this version of Heddle") != report.headline.npos;
}

/// "clang-22: error: unknown argument" -> "error: unknown argument".
std::string_view withoutTool(std::string_view line) {
  for (std::string_view tool : {"clang-22: ", "clang++-22: ", "clang: ", "clang++: "})
    if (line.starts_with(tool))
      line.remove_prefix(tool.size());
  return line;
}

std::vector<Report> splitReports(std::string_view text) {
  std::vector<Report> reports;
  std::string includes;
  bool skips = false; // a note
  for (std::string_view original : linesOf(text)) {
    std::string_view line = withoutTool(original);
    std::string plain = withoutColour(line);
    if (isSummary(plain) || namesInternals(plain))
      continue;
    if (isHeadline(plain) || isIncludeLine(plain))
      skips = false;
    else if (isNote(plain))
      skips = !reports.empty() && leadsToOurHeaders(plain, reports.back());
    if (skips) {
      includes.clear();
      continue;
    }
    if (isIncludeLine(plain)) {
      includes += line;
    } else if (isHeadline(plain)) {
      reports.push_back({plain, std::move(includes) + std::string(line)});
      includes.clear();
    } else {
      if (reports.empty())
        reports.push_back({plain, ""});
      reports.back().text += std::move(includes) + std::string(line);
      includes.clear();
    }
  }
  return reports;
}

/// An option as nvcc spells it, where clang's message names its own.
std::string inNvccsWords(std::string text) {
  constexpr std::string_view Clangs = "(i.e. requires -fgpu-rdc)", Nvccs = "(-rdc=true)";
  if (size_t at = text.find(Clangs); at != text.npos)
    text.replace(at, Clangs.size(), Nvccs);
  return text;
}

bool isError(const Report &report) { return report.headline.find("error: ") != std::string::npos; }

} // namespace

std::string withoutColour(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b' && i + 1 < text.size() && text[i + 1] == '[') {
      for (i += 2; i < text.size() && (text[i] < '@' || text[i] > '~'); ++i)
        ;
      continue;
    }
    plain += text[i];
  }
  return plain;
}

std::string mergeDiagnostics(const std::string &source, const std::vector<std::string> &texts) {
  std::string text;
  std::unordered_set<std::string> seen;
  size_t errors = 0;
  for (const std::string &compilation : texts) {
    std::vector<Report> reports = splitReports(compilation);
    std::unordered_set<std::string> before = seen; // one compilation may well say a thing twice
    for (const Report &report : reports) {
      if (before.contains(report.headline))
        continue;
      seen.insert(report.headline);
      text += inNvccsWords(report.text);
      errors += isError(report);
    }
  }
  if (errors != 0)
    text += "\n" + std::to_string(errors) + (errors == 1 ? " error" : " errors") +
            " detected in the compilation of \"" + source + "\".\n";
  return text;
}

} // namespace heddle::tool
