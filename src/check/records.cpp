// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/records.h"

#include <cstring>
#include <map>
#include <set>

namespace heddle::check {

namespace {

enum class RecordKind : uint32_t { Finding = 1, Counts = 2, Told = 3 };

/// Bytes and numbers as they lie in memory: writer and reader are on one machine.
class Writer {
public:
  template <class T> void number(T value) {
    bytes_.append(reinterpret_cast<const char *>(&value), sizeof(value));
  }
  void text(const std::string &text) {
    number(static_cast<uint32_t>(text.size()));
    bytes_ += text;
  }
  void frames(const std::vector<Frame> &frames) {
    number(static_cast<uint32_t>(frames.size()));
    for (const Frame &frame : frames) {
      text(frame.function), text(frame.file);
      number(frame.line), number(frame.column), number(frame.offset);
    }
  }
  /// With the length in front.
  std::string record() const {
    auto length = static_cast<uint32_t>(bytes_.size());
    return std::string(reinterpret_cast<const char *>(&length), sizeof(length)) + bytes_;
  }

private:
  std::string bytes_;
};

/// Reads nothing but zeros behind the end.
class Reader {
public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}
  bool isGood() const { return isGood_; }

  std::string_view take(size_t count) {
    if (count > bytes_.size()) {
      isGood_ = false;
      bytes_ = {};
      return {};
    }
    std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }
  template <class T> T number() {
    T value = 0;
    std::string_view bytes = take(sizeof(T));
    if (bytes.size() == sizeof(T))
      std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }
  std::string text() { return std::string(take(number<uint32_t>())); }
  std::vector<Frame> frames() {
    std::vector<Frame> frames;
    for (auto count = number<uint32_t>(); count && isGood_; --count) {
      Frame frame;
      frame.function = text(), frame.file = text();
      frame.line = number<uint32_t>(), frame.column = number<uint32_t>();
      frame.offset = number<uint64_t>();
      frames.push_back(std::move(frame));
    }
    return frames;
  }

private:
  std::string_view bytes_;
  bool isGood_ = true;
};

using Name = std::pair<uint32_t, uint64_t>; ///< process, number

void writeName(Writer &writer, RecordKind kind, uint32_t process, uint64_t number) {
  writer.number(static_cast<uint32_t>(kind));
  writer.number(process);
  writer.number(number);
}

Finding readFinding(Reader &reader) {
  Finding finding;
  finding.tool = reader.text(), finding.kind = reader.text(), finding.text = reader.text();
  finding.frames = reader.frames();
  finding.isInfo = reader.number<uint32_t>();
  finding.kernel = reader.text();
  finding.hasThread = reader.number<uint32_t>();
  for (uint32_t &one : finding.thread.block)
    one = reader.number<uint32_t>();
  for (uint32_t &one : finding.thread.thread)
    one = reader.number<uint32_t>();
  finding.threads = reader.number<uint64_t>(), finding.times = reader.number<uint64_t>();
  for (auto count = reader.number<uint32_t>(); count && reader.isGood(); --count) {
    Note note;
    note.text = reader.text();
    note.frames = reader.frames();
    finding.notes.push_back(std::move(note));
  }
  return finding;
}

struct Parser {
  std::vector<Finding> findings;
  std::map<Name, size_t> names;
  /// Of what each process has found: one that is two processes' is the sum.
  std::map<Name, std::pair<uint64_t, uint64_t>> counts;
  std::map<std::string, size_t> known;
  std::set<size_t> told;

  void count(Name name, uint64_t threads, uint64_t times) {
    auto &before = counts[name];
    Finding &finding = findings[names[name]];
    finding.threads += threads - before.first;
    finding.times += times - before.second;
    before = {threads, times};
  }

  void parse(std::string_view record) {
    Reader reader(record);
    auto kind = static_cast<RecordKind>(reader.number<uint32_t>());
    auto process = reader.number<uint32_t>();
    Name name = {process, reader.number<uint64_t>()};
    if (kind == RecordKind::Counts && names.count(name)) {
      auto threads = reader.number<uint64_t>();
      auto times = reader.number<uint64_t>();
      if (reader.isGood())
        count(name, threads, times);
      return;
    }
    if (kind == RecordKind::Told && names.count(name))
      told.insert(names[name]);
    if (kind != RecordKind::Finding)
      return;
    Finding finding = readFinding(reader);
    if (!reader.isGood())
      return;
    uint64_t threads = finding.threads, times = finding.times;
    auto [at, isNew] = known.try_emplace(finding.key(), findings.size());
    if (isNew) {
      finding.threads = finding.times = 0;
      findings.push_back(std::move(finding));
    } else if (names.count(name)) { // its call stacks are known now
      findings[at->second].notes = std::move(finding.notes);
    }
    names[name] = at->second;
    count(name, threads, times);
  }
};

} // namespace

std::string recordOf(uint32_t process, uint64_t number, const Finding &finding) {
  Writer writer;
  writeName(writer, RecordKind::Finding, process, number);
  writer.text(finding.tool), writer.text(finding.kind), writer.text(finding.text);
  writer.frames(finding.frames);
  writer.number(static_cast<uint32_t>(finding.isInfo));
  writer.text(finding.kernel);
  writer.number(static_cast<uint32_t>(finding.hasThread));
  for (uint32_t one : finding.thread.block)
    writer.number(one);
  for (uint32_t one : finding.thread.thread)
    writer.number(one);
  writer.number(finding.threads), writer.number(finding.times);
  writer.number(static_cast<uint32_t>(finding.notes.size()));
  for (const Note &note : finding.notes) {
    writer.text(note.text);
    writer.frames(note.frames);
  }
  return writer.record();
}

std::string countRecordOf(uint32_t process, uint64_t number, uint64_t threads, uint64_t times) {
  Writer writer;
  writeName(writer, RecordKind::Counts, process, number);
  writer.number(threads), writer.number(times);
  return writer.record();
}

std::string toldRecordOf(uint32_t process, uint64_t number) {
  Writer writer;
  writeName(writer, RecordKind::Told, process, number);
  return writer.record();
}

Records parseRecords(const std::string &bytes) {
  Parser parser;
  std::string_view rest = bytes;
  for (uint32_t length; rest.size() >= sizeof(length);) {
    std::memcpy(&length, rest.data(), sizeof(length));
    rest.remove_prefix(sizeof(length));
    if (length > rest.size())
      break;
    parser.parse(rest.substr(0, length));
    rest.remove_prefix(length);
  }
  Records records;
  for (size_t i = 0; i < parser.findings.size(); ++i)
    if (!parser.told.count(i))
      records.untold.push_back(parser.findings[i]);
  records.findings = std::move(parser.findings);
  return records;
}

} // namespace heddle::check
