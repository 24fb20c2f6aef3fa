// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profile/page/page.h"

#include "base/command_options.h"
#include "base/messages/json.h"
#include "base/messages/output.h"
#include "profile/metric_values.h"
#include "profile/recorder.h"

#include <algorithm>
#include <cstdio>
#include <map>

namespace heddle::profile {

namespace {

using json::List;
using json::quote;

/// Lines of a source file that the page shows.
constexpr size_t MostLines = 20'000;

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.9g", value);
  return text;
}
std::string number(uint64_t value) { return std::to_string(value); }

std::string triple(const uint32_t (&n)[3]) {
  List list;
  for (uint32_t one : n)
    list.add(std::to_string(one));
  return list.array();
}

/// Count, sum, least and most, in nanoseconds, by name: the largest sum first.
class Sums {
public:
  void add(const std::string &name, uint64_t begin, uint64_t end) {
    Sum &sum = sums_[name];
    const double time = double(end - begin);
    sum.least = sum.count ? std::min(sum.least, time) : time;
    sum.most = std::max(sum.most, time);
    sum.total += time, ++sum.count;
  }
  std::string array() const {
    std::vector<std::pair<std::string, Sum>> sorted(sums_.begin(), sums_.end());
    std::sort(sorted.begin(), sorted.end(), [](const auto &a, const auto &b) {
      return std::pair(-a.second.total, a.first) < std::pair(-b.second.total, b.first);
    });
    List list(",\n");
    for (auto &[name, sum] : sorted) {
      List one;
      one.add("name", quote(name));
      one.add("count", number(sum.count));
      one.add("total", number(sum.total));
      one.add("mean", number(sum.total / double(sum.count)));
      one.add("least", number(sum.least));
      one.add("most", number(sum.most));
      list.add(one.object());
    }
    return list.array();
  }

private:
  struct Sum {
    double total = 0, least = 0, most = 0;
    uint64_t count = 0;
  };
  std::map<std::string, Sum> sums_;
};

/// Files of the source, by numbers.
class Sources {
public:
  size_t numberOf(const std::string &file) {
    return numbers_.try_emplace(file, numbers_.size()).first->second;
  }
  std::string array() const {
    std::vector<std::string> files(numbers_.size());
    for (auto &[file, number] : numbers_)
      files[number] = file;
    List list(",\n");
    for (const std::string &file : files) {
      List one, text;
      one.add("file", quote(file));
      if (auto whole = readWhole(file)) {
        std::vector<std::string> lines = splitLines(whole->c_str());
        lines.resize(std::min(lines.size(), MostLines));
        for (const std::string &line : lines)
          text.add(quote(line));
      }
      one.add("lines", text.array());
      list.add(one.object());
    }
    return list.array();
  }

private:
  std::map<std::string, size_t> numbers_;
};

std::string boardsOf(const GroupFacts &facts) {
  List list(",\n");
  for (const auto &launches : facts.group->byGpu) {
    const model::Gpu &gpu = *launches[0]->gpu;
    List one;
    one.add("key", quote(gpu.key));
    one.add("name", quote(gpu.name));
    one.add("capability", quote(std::to_string(gpu.major) + "." + std::to_string(gpu.minor)));
    one.add("multiprocessors", std::to_string(gpu.multiprocessors));
    one.add("bandwidth", number(gpu.peakBandwidth()));
    list.add(one.object());
  }
  return list.array();
}

std::string linesOf(const TimedLaunch &timed, Sources &sources) {
  List list;
  for (const LineReport &report : linesToTell(timed, SIZE_MAX)) {
    const model::CodeLine &line = timed.code->lines[report.line];
    List one;
    one.add("file", number(uint64_t(sources.numberOf(line.file))));
    one.add("line", std::to_string(line.line));
    one.add("share", number(report.share));
    if (report.mending) {
      one.add("flaw", quote(mendingText(*report.mending)));
      one.add("gain", number(report.mending->gain));
    }
    list.add(one.object());
  }
  return list.array();
}

template <size_t N, typename E>
std::string sharesOf(const std::array<double, N> &shares, std::string_view (*name)(E)) {
  List list;
  for (size_t i = 0; i < N; ++i)
    if (shares[i] > 0)
      list.add(std::string(name(static_cast<E>(i))).c_str(), number(shares[i]));
  return list.object();
}

std::string timeOf(const LaunchGroup &group, size_t g, Sources &sources) {
  const TimedLaunch &timed = *group.byGpu[g][0];
  const model::LaunchTime &time = timed.time;
  List one;
  if (!timed.unknown.empty())
    one.add("unknown", quote(timed.unknown));
  one.add("seconds", number(group.meanSeconds(g)));
  one.add("bound", quote(std::string(model::nameOf(time.bound))));
  one.add("occupancy", number(time.occupancy.share));
  one.add("achieved", number(time.achievedOccupancy));
  one.add("limit", quote(limitText(time.occupancy)));
  one.add("registers", std::to_string(timed.registers));
  one.add("read", number(time.dramRead));
  one.add("written", number(time.dramWritten));
  one.add("l1", number(time.l1Sectors > 0 ? time.l1Hits / time.l1Sectors : 0));
  one.add("l2", number(time.l2Sectors > 0 ? time.l2Hits / time.l2Sectors : 0));
  one.add("error", number(time.error));
  one.add("isKnown", time.isKnown ? "true" : "false");
  one.add("waits", sharesOf<model::WaitCount, model::Wait>(time.waits, model::nameOf));
  one.add("used", sharesOf<model::ResourceCount, model::Resource>(time.used, model::nameOf));
  one.add("lines", timed.code ? linesOf(timed, sources) : "[]");
  return one.object();
}

struct LineCounters {
  double warps = 0, threads = 0, requests = 0, sectors = 0, wanted = 0, passes = 0, ideal = 0;
};

/// By source line, of the whole launch.
std::string countersOf(const GroupFacts &facts, Sources &sources) {
  const LaunchCounts &counts = *facts.counts;
  const model::KernelCode &code = *counts.code;
  const model::Gpu &gpu = *facts.group->byGpu[0][0]->gpu;
  const auto rules = size_t(model::memoryRulesOf(unsigned(gpu.major), unsigned(gpu.minor)));
  const double blocks = double(counts.counts.countedBlocks);
  const double scale = blocks > 0 ? double(counts.counts.launchedBlocks) / blocks : 0;
  std::map<std::pair<size_t, uint32_t>, LineCounters> lines;
  auto of = [&](uint32_t line) -> LineCounters & {
    return lines[{sources.numberOf(code.lines[line].file), code.lines[line].line}];
  };
  for (size_t b = 0; b < code.blocks.size() && b < counts.counts.blocks.size(); ++b)
    for (uint32_t k = 0; k < code.blocks[b].count; ++k)
      if (uint32_t line = code.operations[code.blocks[b].first + k].line;
          line < code.lines.size()) {
        of(line).warps += double(counts.counts.blocks[b].warps) * scale;
        of(line).threads += double(counts.counts.blocks[b].threads) * scale;
      }
  for (size_t a = 0; a < code.accesses.size() && a < counts.accesses.size(); ++a) {
    if (code.accesses[a].line >= code.lines.size())
      continue;
    LineCounters &line = of(code.accesses[a].line);
    const AccessSums &sums = counts.accesses[a];
    line.requests += double(sums.requests) * scale;
    line.sectors += double(sums.memory[rules].sectors) * scale;
    line.wanted += double(sums.memory[rules].wanted) / 32 * scale;
    line.passes += double(sums.shared[rules].passes) * scale;
    line.ideal += double(sums.shared[rules].ideal) * scale;
  }
  List list(",\n");
  for (auto &[place, line] : lines) {
    List one;
    one.add("file", number(uint64_t(place.first)));
    one.add("line", std::to_string(place.second));
    const std::pair<const char *, double> fields[] = {
        {"warps", line.warps},     {"threads", line.threads}, {"requests", line.requests},
        {"sectors", line.sectors}, {"wanted", line.wanted},   {"passes", line.passes},
        {"ideal", line.ideal}};
    for (auto &[name, value] : fields)
      if (value > 0)
        one.add(name, number(value));
    list.add(one.object());
  }
  return list.array();
}

std::string kernelOf(const GroupFacts &facts, Sources &sources) {
  const LaunchGroup &group = *facts.group;
  List one(",\n"), times(",\n");
  one.add("kernel", quote(group.kernel));
  one.add("title", quote(group.title()));
  one.add("grid", triple(group.shape.grid));
  one.add("block", triple(group.shape.block));
  one.add("dynamicShared", std::to_string(group.shape.dynamicShared));
  one.add("launches", number(uint64_t(group.count())));
  one.add("floats", number(facts.floats));
  one.add("doubles", number(facts.doubles));
  for (size_t g = 0; g < group.byGpu.size(); ++g)
    times.add(timeOf(group, g, sources));
  one.add("times", times.array());
  one.add("counters", facts.counts ? countersOf(facts, sources) : "[]");
  return one.object();
}

/// Of a predicted program, by board.
std::string workOnBoards(const Recording &recording) {
  size_t boards = 0;
  for (const Activity &activity : recording.activities)
    boards = std::max(boards, activity.onBoards.size());
  List all(",\n");
  for (size_t board = 0; board < boards; ++board) {
    Sums work;
    for (const Activity &activity : recording.activities)
      if (board < activity.onBoards.size()) {
        const model::Span &span = activity.onBoards[board];
        work.add(labelOf(activity), 0, uint64_t((span.end - span.begin) * 1e9));
      }
    all.add(work.array());
  }
  return all.array();
}

} // namespace

std::vector<GroupFacts> factsOf(const Recording &recording,
                                const std::vector<LaunchGroup> &groups) {
  std::map<uint64_t, const LaunchCounts *> byId;
  for (const LaunchCounts &counts : recording.counts)
    if (counts.code && counts.uncounted.empty())
      byId[counts.id] = &counts;
  static const Activity &none = *new Activity{};
  std::vector<GroupFacts> facts;
  for (const LaunchGroup &group : groups) {
    GroupFacts one;
    one.group = &group;
    const TimedLaunch &timed = *group.byGpu[0][0];
    if (auto at = byId.find(timed.id); at != byId.end()) {
      one.counts = at->second;
      const CountedLaunch launch(*at->second, none, *timed.gpu, &timed);
      one.floats = flops<32>(launch), one.doubles = flops<64>(launch);
    }
    facts.push_back(std::move(one));
  }
  return facts;
}

std::string pageData(const Recording &recording, const std::vector<GroupFacts> &facts) {
  Sources sources;
  List top(",\n"), devices, kernels(",\n");
  top.add("program", quote(commandLine()));
  for (const DeviceFacts &device : recording.devices)
    devices.add(quote(device.name));
  top.add("devices", devices.array());
  top.add("boards", facts.empty() ? "[]" : boardsOf(facts[0]));
  Sums work, calls, ranges;
  for (const Activity &activity : recording.activities)
    work.add(labelOf(activity), activity.begin, activity.end);
  for (const ApiCall &call : recording.calls)
    calls.add(call.name, call.begin, call.end);
  for (const Range &range : recording.ranges)
    ranges.add(range.name, range.begin, range.end);
  top.add("work", work.array());
  top.add("workOnBoards", workOnBoards(recording));
  top.add("calls", calls.array());
  top.add("ranges", ranges.array());
  for (const GroupFacts &one : facts)
    kernels.add(kernelOf(one, sources));
  top.add("kernels", kernels.array());
  top.add("sources", sources.array());
  std::string text = top.object(), safe;
  for (char c : text)
    safe += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return safe;
}

} // namespace heddle::profile
