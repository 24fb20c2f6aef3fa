// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/reports.h"

namespace heddle::check {

namespace {

std::string escape(const std::string &text) {
  std::string escaped;
  for (char c : text) {
    switch (c) {
    case '<':
      escaped += "&lt;";
      break;
    case '>':
      escaped += "&gt;";
      break;
    case '&':
      escaped += "&amp;";
      break;
    default:
      if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t')
        escaped += c; // XML 1.0 has no other control characters
    }
  }
  return escaped;
}

std::string element(const char *name, const std::string &text) {
  return "<" + std::string(name) + ">" + escape(text) + "</" + name + ">\n";
}

std::string stackOf(const char *name, const std::vector<Frame> &frames) {
  std::string text;
  for (const Frame &frame : frames)
    text += "<frame>\n" + element("func", frame.function) + element("file", frame.file) +
            element("line", std::to_string(frame.line)) + "</frame>\n";
  return "<" + std::string(name) + ">\n" + text + "</" + name + ">\n";
}

std::string tuple(const char *name, const std::array<uint32_t, 3> &numbers) {
  return "<" + std::string(name) + ">" + element("x", std::to_string(numbers[0])) +
         element("y", std::to_string(numbers[1])) + element("z", std::to_string(numbers[2])) +
         "</" + name + ">\n";
}

std::string recordOf(const Finding &finding) {
  std::string text = "<record>\n" + element("tool", finding.tool) + element("kind", finding.kind) +
                     element("level", finding.isInfo ? "info" : "error") + "<what>\n" +
                     element("text", finding.text) + "</what>\n";
  if (!finding.kernel.empty())
    text += element("kernel", finding.kernel);
  text += "<where>\n";
  if (finding.hasThread)
    text += tuple("threadId", finding.thread.thread) + tuple("blockId", finding.thread.block);
  text += stackOf(finding.kernel.empty() ? "hostStack" : "deviceStack", finding.frames);
  text += "</where>\n";
  for (const Note &note : finding.notes)
    text +=
        "<auxwhat>\n" + element("text", note.text) + stackOf("stack", note.frames) + "</auxwhat>\n";
  text +=
      element("occurrences", std::to_string(finding.hasThread ? finding.threads : finding.times));
  return text + "</record>\n";
}

} // namespace

std::string xmlOf(const std::vector<Finding> &findings) {
  std::string text = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<ComputeSanitizerOutput>\n";
  for (const Finding &finding : findings)
    text += recordOf(finding);
  return text + "<summary>\n" + element("errors", std::to_string(countErrors(findings))) +
         "</summary>\n</ComputeSanitizerOutput>\n";
}

} // namespace heddle::check
