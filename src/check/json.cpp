// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JSON of our own, with all that a finding holds, and SARIF.
#include "check/reports.h"

#include "base/messages/json.h"

#include <set>

namespace heddle::check {

namespace {

using json::List;
using json::quote;

std::string arrayOf(const std::array<uint32_t, 3> &numbers) {
  return "[" + std::to_string(numbers[0]) + ", " + std::to_string(numbers[1]) + ", " +
         std::to_string(numbers[2]) + "]";
}

std::string jsonOf(const std::vector<Frame> &frames) {
  List list;
  for (const Frame &frame : frames) {
    List members;
    members.add("function", quote(frame.function));
    members.add("file", quote(frame.file));
    members.add("line", std::to_string(frame.line));
    members.add("column", std::to_string(frame.column));
    if (frame.line == 0)
      members.add("offset", std::to_string(frame.offset));
    if (std::string line = sourceLine(frame.file, frame.line); !line.empty())
      members.add("source", quote(line));
    list.add(members.object());
  }
  return list.array();
}

std::string jsonOf(const Finding &finding) {
  List members;
  members.add("tool", quote(finding.tool));
  members.add("kind", quote(finding.kind));
  members.add("level", finding.isInfo ? "\"info\"" : "\"error\"");
  members.add("text", quote(finding.text));
  if (!finding.kernel.empty())
    members.add("kernel", quote(finding.kernel));
  if (finding.hasThread) {
    members.add("block", arrayOf(finding.thread.block));
    members.add("thread", arrayOf(finding.thread.thread));
    members.add("threads", std::to_string(finding.threads));
  } else {
    members.add("times", std::to_string(finding.times));
  }
  members.add("frames", jsonOf(finding.frames));
  List notes;
  for (const Note &note : finding.notes) {
    List one;
    one.add("text", quote(note.text));
    one.add("frames", jsonOf(note.frames));
    notes.add(one.object());
  }
  members.add("notes", notes.array());
  return members.object();
}

/// SARIF: physicalLocation, section 3.29.
std::string locationOf(const Frame &frame, const std::string &message) {
  List region, place, physical, location;
  region.add("startLine", std::to_string(frame.line));
  if (frame.column)
    region.add("startColumn", std::to_string(frame.column));
  place.add("uri", quote((frame.file.starts_with("/") ? "file://" : "") + frame.file));
  physical.add("artifactLocation", place.object());
  physical.add("region", region.object());
  location.add("physicalLocation", physical.object());
  if (!message.empty())
    location.add("message", "{\"text\": " + quote(message) + "}");
  return location.object();
}

std::string stackOf(const std::vector<Frame> &frames) {
  List list;
  for (const Frame &frame : frames)
    if (frame.line)
      list.add("{\"location\": " + locationOf(frame, frame.function) + "}");
  return "{\"frames\": " + list.array() + "}";
}

std::string messageOf(const Finding &finding) {
  std::string text = finding.text;
  if (!finding.kernel.empty())
    text += ", in kernel " + finding.kernel;
  if (finding.hasThread)
    text += ", by thread " + tupleText(finding.thread.thread) + " in block " +
            tupleText(finding.thread.block);
  for (const Note &note : finding.notes)
    text += "; " + note.text;
  return text;
}

std::string resultOf(const Finding &finding) {
  List result, related;
  result.add("ruleId", quote(finding.tool + "/" + finding.kind));
  result.add("level", finding.isInfo ? "\"note\"" : "\"error\"");
  result.add("message", "{\"text\": " + quote(messageOf(finding)) + "}");
  if (const Frame *place = placeOf(finding.frames)) {
    result.add("locations", "[" + locationOf(*place, "") + "]");
    result.add("stacks", "[" + stackOf(finding.frames) + "]");
  }
  for (const Note &note : finding.notes)
    if (const Frame *place = placeOf(note.frames))
      related.add(locationOf(*place, note.text));
  result.add("relatedLocations", related.array());
  result.add("occurrenceCount", std::to_string(std::max<uint64_t>(
                                    1, finding.hasThread ? finding.threads : finding.times)));
  return result.object();
}

} // namespace

std::string jsonOf(const std::vector<Finding> &findings) {
  std::string text = "{\"errors\": " + std::to_string(countErrors(findings)) + ", \"findings\": [";
  for (size_t i = 0; i < findings.size(); ++i)
    text += (i ? ",\n" : "\n") + jsonOf(findings[i]);
  return text + "\n]}\n";
}

std::string sarifOf(const std::vector<Finding> &findings) {
  std::set<std::string> rules;
  List ruleList;
  for (const Finding &finding : findings)
    if (std::string rule = finding.tool + "/" + finding.kind; rules.insert(rule).second)
      ruleList.add("{\"id\": " + quote(rule) + "}");
  std::string text = "{\"$schema\": \"https://json.schemastore.org/sarif-2.1.0.json\", "
                     "\"version\": \"2.1.0\", \"runs\": [{\n\"tool\": {\"driver\": {\"name\": "
                     "\"heddle check\", \"rules\": " +
                     ruleList.array() + "}},\n\"results\": [";
  for (size_t i = 0; i < findings.size(); ++i)
    text += (i ? ",\n" : "\n") + resultOf(findings[i]);
  return text + "\n]}]}\n";
}

} // namespace heddle::check
