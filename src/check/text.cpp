// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A finding as a person reads it:
//
//     ========= Invalid global write of 4 bytes, in kernel scale(float *, int)
//     =========     at scale.cu:12:10 in scale
//     =========         out[i] = 2 * in[i];
//     =========     by thread (128,0,0) in block (3,0,0), and 127 more
//     =========     address 0x7f20000 is 0 bytes behind an allocation of 2,000 bytes
#include "check/findings.h"

#include <fstream>

namespace heddle::check {

namespace {

constexpr const char *Prefix = "========= ";

std::string tuple(const std::array<uint32_t, 3> &numbers) {
  return "(" + std::to_string(numbers[0]) + "," + std::to_string(numbers[1]) + "," +
         std::to_string(numbers[2]) + ")";
}

void addFrames(std::string &text, const std::vector<Frame> &frames, const char *indent) {
  for (size_t i = 0; i < frames.size(); ++i) {
    const Frame &frame = frames[i];
    text += Prefix + std::string(indent) + (i == 0 ? "at " : "called at ");
    if (frame.line)
      text += frame.file + ":" + std::to_string(frame.line) +
              (frame.column ? ":" + std::to_string(frame.column) : "");
    else
      text += frame.file.empty() ? "?" : frame.file;
    if (!frame.function.empty())
      text += " in " + frame.function;
    text += '\n';
    if (i == 0)
      if (std::string line = sourceLine(frame.file, frame.line); !line.empty())
        text += Prefix + std::string(indent) + "    " + line + '\n';
  }
}

} // namespace

std::string sourceLine(const std::string &file, uint32_t line) {
  constexpr size_t Longest = 160;
  if (file.empty() || line == 0)
    return "";
  std::ifstream in(file);
  std::string text;
  for (uint32_t i = 0; i < line; ++i)
    if (!std::getline(in, text))
      return "";
  size_t first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t\r");
  if (first == std::string::npos)
    return "";
  text = text.substr(first, last - first + 1);
  return text.size() > Longest ? text.substr(0, Longest) + "..." : text;
}

std::string textOf(const Finding &finding) {
  std::string text = Prefix + finding.text;
  if (!finding.kernel.empty())
    text += ", in kernel " + finding.kernel;
  text += '\n';
  addFrames(text, finding.frames, "    ");
  if (finding.hasThread) {
    text += Prefix + ("    by thread " + tuple(finding.thread.thread)) + " in block " +
            tuple(finding.thread.block);
    if (finding.threads > 1)
      text += ", and " + std::to_string(finding.threads - 1) + " more";
    text += '\n';
  }
  for (const Note &note : finding.notes) {
    text += Prefix + ("    " + note.text) + '\n';
    addFrames(text, note.frames, "        ");
  }
  return text;
}

} // namespace heddle::check
