// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A finding as a person reads it:
//
//     ========= Invalid global write of 4 bytes, in kernel scale(float *, int)
//     =========     at nbody.cu:12:10 in scale
//     =========         out[i] = 2 * in[i];
//     =========     by thread (128,0,0) in block (3,0,0), and 127 more
//     =========     address 0x7f20000 is 0 bytes behind an allocation of 2,000 bytes
//     =========         at nbody.cu:30:3 in main
#include "check/reports.h"

#include <algorithm>
#include <fstream>

namespace heddle::check {

namespace {

constexpr const char *Prefix = "========= ";

/// Of terminals (ECMA-48, SGR).
struct Colors {
  const char *error = "", *place = "", *source = "", *off = "";
};
Colors colorsFor(bool colored) {
  return colored ? Colors{"\033[1;31m", "\033[1m", "\033[36m", "\033[0m"} : Colors{};
}

std::string placeText(const Frame &frame) {
  std::string text = frame.file.empty() ? "?" : frame.file;
  if (frame.line)
    return text + ":" + std::to_string(frame.line) +
           (frame.column ? ":" + std::to_string(frame.column) : "");
  char offset[24];
  snprintf(offset, sizeof(offset), "+0x%zx", static_cast<size_t>(frame.offset));
  return frame.offset ? text + offset : text;
}

/// Of a header that the program has from elsewhere: Thrust's, CUB's, the system's.
bool isOfLibrary(const std::string &file) {
  for (const char *folder : {"/usr/include/", "/thrust/", "/cub/", "/libcudacxx/", "/cuda/std/"})
    if (file.find(folder) != std::string::npos)
      return true;
  return false;
}

/// Without what stands in <> and (), if it is long: "cub::DeviceScan::InclusiveSum<...>(...)".
std::string shortName(const std::string &name) {
  constexpr size_t Longest = 120;
  if (name.size() <= Longest)
    return name;
  std::string text;
  int depth = 0;
  for (size_t i = 0; i < name.size(); ++i) {
    bool isAnonymous = name.compare(i, 11, "(anonymous ") == 0;
    bool isOperator = name.compare(i, 2, "()") == 0;
    bool opens = (name[i] == '<' || name[i] == '(') && !isAnonymous && !isOperator;
    bool isArrow = name[i] == '>' && i > 0 && name[i - 1] == '-';
    if (depth && (name[i] == '>' || name[i] == ')') && !isArrow)
      --depth;
    if (!depth)
      text += name[i];
    if (!opens && !(depth && name[i] == '('))
      continue;
    if (!depth)
      text += "...";
    ++depth;
  }
  return depth ? name : text; // (operator<)
}

/// The end of a part of the frames from `first` on that only says how libraries call one another. The
/// last frame of all is none of it.
size_t endOfLibrary(const std::vector<Frame> &frames, size_t first) {
  size_t end = first;
  while (end + 1 < frames.size() && isOfLibrary(frames[end].file))
    ++end;
  return end - first > 2 ? end : first;
}

/// Where the program's sources may lie that are named as the compiler was given them, from another folder
/// than this one: where the frames lie whose files are known, and above.
std::vector<std::string> foldersOf(const Finding &finding) {
  std::vector<std::string> folders;
  for (const Note &note : finding.notes)
    for (const Frame &frame : note.frames) {
      if (!frame.line || !frame.file.starts_with('/') || isOfLibrary(frame.file))
        continue;
      std::string folder = frame.file;
      for (size_t slash; (slash = folder.rfind('/')) != folder.npos && slash > 0;) {
        folder.resize(slash);
        if (std::find(folders.begin(), folders.end(), folder) == folders.end())
          folders.push_back(folder);
      }
    }
  return folders;
}

std::string lineOf(const Frame &frame, const std::vector<std::string> &folders) {
  std::string line = sourceLine(frame.file, frame.line);
  if (line.empty() && !frame.file.empty() && !frame.file.starts_with('/'))
    for (const std::string &folder : folders)
      if (line = sourceLine(folder + "/" + frame.file, frame.line); !line.empty())
        break;
  return line;
}

void addFrames(std::string &text, const std::vector<Frame> &frames, const char *indent,
               const std::vector<std::string> &folders, const Colors &colors) {
  const std::string begin = Prefix + std::string(indent);
  bool hasSource = false;
  for (size_t i = 0; i < frames.size(); ++i) {
    if (size_t end = i ? endOfLibrary(frames, i) : 0; end > i) {
      text += begin + "... " + counted(end - i, "call") + " in headers of libraries\n";
      i = end, hasSource = false;
    }
    const Frame &frame = frames[i];
    if (i && isOfLibrary(frames[i - 1].file) && !isOfLibrary(frame.file))
      hasSource = false; // the program's line, too
    text += begin + (i == 0 ? "at " : "called at ") + colors.place + placeText(frame) + colors.off;
    if (!frame.function.empty())
      text += " in " + shortName(frame.function);
    text += '\n';
    if (hasSource)
      continue;
    std::string line = lineOf(frame, folders);
    hasSource = !line.empty();
    if (hasSource)
      text += begin + "    " + colors.source + line + colors.off + '\n';
  }
}

} // namespace

std::string tupleText(const std::array<uint32_t, 3> &numbers) {
  return "(" + std::to_string(numbers[0]) + "," + std::to_string(numbers[1]) + "," +
         std::to_string(numbers[2]) + ")";
}

std::string counted(uint64_t number, const char *what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

const Frame *placeOf(const std::vector<Frame> &frames) {
  for (const Frame &frame : frames)
    if (frame.line)
      return &frame;
  return nullptr;
}

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

std::string textOf(const Finding &finding, bool colored) {
  Colors colors = colorsFor(colored);
  std::string text = finding.isInfo ? Prefix + ("Info: " + finding.text)
                                    : Prefix + (colors.error + finding.text) + colors.off;
  if (!finding.kernel.empty())
    text += ", in kernel " + shortName(finding.kernel);
  text += '\n';
  const std::vector<std::string> folders = foldersOf(finding);
  addFrames(text, finding.frames, "    ", folders, colors);
  if (finding.hasThread) {
    text += Prefix + ("    by thread " + tupleText(finding.thread.thread)) + " in block " +
            tupleText(finding.thread.block);
    if (finding.threads > 1)
      text += ", and " + std::to_string(finding.threads - 1) + " more";
    text += '\n';
  } else if (finding.times > 1) {
    text += Prefix + ("    " + counted(finding.times, "time")) + '\n';
  }
  for (const Note &note : finding.notes) {
    text += Prefix + ("    " + note.text) + '\n';
    addFrames(text, note.frames, "        ", folders, colors);
  }
  return text;
}

std::string summaryText(uint64_t errors, bool colored) {
  Colors colors = colorsFor(colored && errors);
  return Prefix + (colors.error + ("ERROR SUMMARY: " + counted(errors, "error"))) + colors.off +
         "\n";
}

} // namespace heddle::check
