// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels would take on named GPUs.
#include "profile/launch_groups.h"
#include "profile/report.h"
#include "profile/table.h"

#include "base/command_options.h"
#include "base/messages/output.h"
#include "model/gpu.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <string_view>

namespace heddle::profile {

namespace {

/// What a kernel's counts leave out, each thing once.
std::vector<std::string> notesOf(const TimedLaunch &timed) {
  std::vector<std::string> notes = timed.code ? timed.code->notes : std::vector<std::string>();
  std::ranges::sort(notes);
  notes.erase(std::ranges::unique(notes).begin(), notes.end());
  return notes;
}

/// Why there is no time, or what it leaves out.
std::string noteText(const TimedLaunch &timed) {
  std::string text = timed.unknown;
  if (text.empty())
    for (const std::string &note : notesOf(timed))
      text += (text.empty() ? "" : "; ") + note;
  return text.empty() ? text : quoted(text);
}

/// A row for each launch and GPU.
std::string csvOf(const Recording &recording) {
  std::string text =
      "launch,kernel,board,microseconds,bound,occupancy,achieved_occupancy,registers,"
      "dram_read_bytes,dram_written_bytes,dram_gb_per_s,l2_hit_rate,l1_hit_rate,"
      "sampling_error,note\n";
  for (size_t i = 0; i < recording.times.size(); ++i)
    for (size_t g = 0; g < recording.times[i].size(); ++g) {
      const TimedLaunch &timed = recording.times[i][g];
      const model::LaunchTime &time = timed.time;
      auto rate = [](double hits, double all) { return all > 0 ? print("%.4f", hits / all) : ""; };
      bool isKnown = timed.unknown.empty();
      text +=
          std::to_string(i) + "," + quoted(timed.kernel) + "," + std::string(timed.gpu->key) + ",";
      if (isKnown)
        text += print("%.3f", time.seconds * 1e6) + "," + std::string(model::nameOf(time.bound)) +
                "," + print("%.4f", time.occupancy.share) + "," +
                print("%.4f", time.achievedOccupancy) + "," + std::to_string(timed.registers) +
                "," + print("%.0f", time.dramRead) + "," + print("%.0f", time.dramWritten) + "," +
                print("%.2f", time.bandwidth() / 1e9) + "," + rate(time.l2Hits, time.l2Sectors) +
                "," + rate(time.l1Hits, time.l1Sectors) + "," + print("%.4f", time.error) + ",";
      else
        text += ",,,,,,,,,,,";
      text += noteText(timed) + "\n";
    }
  return text;
}

std::string waitsText(const model::LaunchTime &time) {
  std::vector<std::pair<double, unsigned>> waits;
  for (unsigned w = 0; w < model::WaitCount; ++w)
    waits.push_back({-time.waits[w], w});
  std::sort(waits.begin(), waits.end());
  std::string text;
  for (size_t i = 0; i < 3 && -waits[i].first >= 0.01; ++i)
    text += (text.empty() ? "" : ", ") +
            std::string(model::nameOf(static_cast<model::Wait>(waits[i].second))) + " " +
            print("%.0f %%", -waits[i].first * 100);
  return text;
}

std::string linesText(const TimedLaunch &timed) {
  std::string text;
  for (const LineReport &report : linesToTell(timed, 3)) {
    const model::CodeLine &line = timed.code->lines[report.line];
    text += "      " + print("%5.1f %%", report.share * 100) + "  " +
            line.file.substr(line.file.rfind('/') + 1) + ":" + std::to_string(line.line) +
            (report.mending ? ": " + mendingText(*report.mending) : "") + "\n";
  }
  return text;
}

std::string textOf(const LaunchGroup &group, size_t gpu) {
  const TimedLaunch &timed = *group.byGpu[gpu].front();
  const model::LaunchTime &time = timed.time;
  const model::Gpu &board = *timed.gpu;
  std::string text = "  " + std::string(board.key) + ": ";
  if (!timed.unknown.empty())
    return text + "no time: " + timed.unknown + "\n";
  text += timeText(group.meanSeconds(gpu) * 1e9) + ", bound by " +
          std::string(model::nameOf(time.bound)) + "\n";
  text += "    memory " + print("%.1f", time.bandwidth() / 1e9) + " of " +
          print("%.1f GB/s", board.peakBandwidth() / 1e9) + "; occupancy " +
          print("%.0f %%", time.occupancy.share * 100) + ", limited by " +
          limitText(time.occupancy) + "; " + std::to_string(timed.registers) + " registers\n";
  text += "    warps wait for: " + waitsText(time) + "\n" + linesText(timed);
  if (!time.isKnown)
    text += "    the architecture's parameters are not known: those of the nearest one\n";
  if (time.error > 0.05)
    text += "    error of sampling: " + print("%.0f %%", time.error * 100) + "\n";
  return text;
}

/// Kernels below each other, boards beside each other, each with its ratio to the first.
std::string sideBySide(const std::vector<LaunchGroup> &groups) {
  const size_t boards = groups[0].byGpu.size();
  if (groups.size() < 2 && boards < 2)
    return "";
  std::vector<std::string> head;
  for (size_t g = 0; g < boards; ++g)
    head.insert(head.end(), {groups[0].byGpu[g][0]->gpu->key, g ? "to first" : "to best"});
  head.push_back("kernel");
  Table table(head);
  double best = 0;
  for (const LaunchGroup &group : groups)
    if (double mean = group.meanSeconds(0); mean > 0)
      best = best > 0 ? std::min(best, mean) : mean;
  for (const LaunchGroup &group : groups) {
    std::vector<std::string> row;
    const double first = group.meanSeconds(0);
    for (size_t g = 0; g < boards; ++g) {
      const double mean = group.meanSeconds(g), other = g ? first : best;
      const bool isKnown = mean > 0 && other > 0;
      row.push_back(mean > 0 ? timeText(mean * 1e9) : "-");
      row.push_back(isKnown ? print("%.3gx", mean / other) : "-");
    }
    row.push_back(group.shape.blocks() ? group.kernel + " " + tripleText(group.shape.grid) + " " +
                                             tripleText(group.shape.block)
                                       : group.kernel);
    table.add(row);
  }
  return "\nSide by side:\n" + table.text();
}

/// Mean microseconds by kernel and board, of a csv that an earlier run has written.
using Means = std::map<std::pair<std::string, std::string>, double>;

/// The cells of a line of csv.
std::vector<std::string> cellsOf(const std::string &line) {
  std::vector<std::string> cells(1);
  bool isQuoted = false;
  for (char c : line)
    if (c == '"')
      isQuoted = !isQuoted;
    else if (c == ',' && !isQuoted)
      cells.emplace_back();
    else
      cells.back() += c;
  return cells;
}

Result<Means> readMeans(const std::string &file) {
  auto text = readWhole(file);
  if (!text)
    return Failure{"cannot read " + file};
  Means sums, counts;
  for (const std::string &line : splitLines(text->c_str())) {
    std::vector<std::string> cells = cellsOf(line);
    if (cells.size() < 4 || cells[3].empty() || cells[0] == "launch")
      continue;
    sums[{cells[1], cells[2]}] += std::atof(cells[3].c_str());
    counts[{cells[1], cells[2]}] += 1;
  }
  if (sums.empty())
    return Failure{file + " has no times; heddle predict --csv --log-file FILE writes them"};
  for (auto &[key, sum] : sums)
    sum /= counts[key];
  return sums;
}

/// This program beside another variant, by the kernels' names.
std::string againstBaseline(const std::string &file, const Recording &recording) {
  auto before = readMeans(file);
  if (!before)
    return "\nheddle: " + before.error() + "\n";
  Means now, counts;
  for (const std::vector<TimedLaunch> &times : recording.times)
    for (const TimedLaunch &timed : times)
      if (timed.time.seconds > 0) {
        now[{timed.kernel, timed.gpu->key}] += timed.time.seconds * 1e6;
        counts[{timed.kernel, timed.gpu->key}] += 1;
      }
  Table table({"board", "before", "now", "faster", "kernel"});
  auto timeOf = [](double microseconds) {
    return microseconds > 0 ? timeText(microseconds * 1e3) : "-";
  };
  auto row = [&](const auto &key, double old, double mean) {
    table.add({key.second, timeOf(old), timeOf(mean),
               old > 0 && mean > 0 ? print("%.3gx", old / mean) : "-", key.first});
  };
  for (auto &[key, sum] : now)
    row(key, before->count(key) ? before->at(key) : 0, sum / counts[key]);
  for (auto &[key, mean] : *before)
    if (!now.count(key))
      row(key, mean, 0);
  return "\nBeside " + file + ":\n" + table.text();
}

/// A program that times itself prints what its run here took.
std::string hintOfTimes(const Recording &recording) {
  const bool timesItself = std::ranges::any_of(recording.calls, [](const ApiCall &call) {
    return std::string_view(call.name).find("EventElapsedTime") != std::string_view::npos;
  });
  if (!timesItself || recording.times.empty())
    return "";
  const std::string key(recording.times.front().front().gpu->key);
  return "\nThe program's own times are those of this run: HEDDLE_DEVICE=" + key +
         " HEDDLE_TIMING=model has it read a " + key + "'s.\n";
}

} // namespace

std::string prediction(const ProfileOptions &options, const Recording &recording) {
  if (options.asCsv)
    return csvOf(recording);
  const std::vector<LaunchGroup> groups = groupLaunches(recording);
  if (groups.empty())
    return "No kernels were profiled.\n";
  std::string text;
  for (const LaunchGroup &group : groups) {
    text += group.title() + "\n";
    for (const std::string &note : notesOf(*group.byGpu[0].front()))
      text += "  left out: " + note + "\n";
    for (size_t g = 0; g < group.byGpu.size(); ++g)
      text += textOf(group, g);
  }
  text += sideBySide(groups);
  if (!options.baseline.empty())
    text += againstBaseline(options.baseline, recording);
  if (!options.isQuiet)
    text += hintOfTimes(recording);
  return text;
}

} // namespace heddle::profile
