// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profile/page/pictures.h"

#include "model/occupancy.h"
#include "profile/table.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace heddle::profile {

namespace {

std::string fill(size_t number) { return "f" + std::to_string(number % 8); }

std::string spanText(double seconds) { return seconds > 0 ? timeText(seconds * 1e9) : "-"; }

} // namespace

Picture drawRoofline(const std::vector<GroupFacts> &groups, size_t gpu) {
  const model::Gpu &board = *groups[0].group->byGpu[gpu][0]->gpu;
  const double clock = board.sustainedKhz * 1e3 * board.multiprocessors;
  const double single = 2 * board.parameters().fp32 * clock / 1e9,
               twice = 2 * board.fp64PerClock() * clock / 1e9;
  const double bytes = board.peakBandwidth() / 1e9;
  const double height = 400 + 18 * double(groups.size());
  Svg svg(760, height);
  const Axis x{0.01, 1000, 70, 740, true};
  const double most = std::pow(10, std::ceil(std::log10(single * 1.2)));
  const Axis y{most / 1e5, most, 340, 20, true};
  drawAxes(svg, x, "operations for each byte of memory", y, "10⁹ operations a second");
  auto roof = [&](double peak, const char *cls, const char *name) {
    const double ridge = std::clamp(peak / bytes, x.least, x.most);
    svg.path({{x.from, y.at(std::max(y.least, bytes * x.least))},
              {x.at(ridge), y.at(peak)},
              {x.to, y.at(peak)}},
             cls);
    svg.text(x.to - 4, y.at(peak) - 6, shortNumber(peak) + " " + name, "small", "end");
  };
  if (twice > 0)
    roof(twice, "l2", "double precision");
  roof(single, "l0", "single precision");
  const double slope = std::max(0.02, y.least / bytes * 2);
  svg.text(x.at(slope) + 14, y.at(bytes * slope) + 8, shortNumber(bytes) + " GB/s of memory",
           "small");
  for (size_t i = 0; i < groups.size(); ++i) {
    const model::LaunchTime &time = groups[i].group->byGpu[gpu][0]->time;
    const double work = groups[i].floats + groups[i].doubles;
    const double moved = time.dramRead + time.dramWritten;
    const double row = 394 + 18 * double(i);
    std::string label = cut(groups[i].group->kernel, 60) + ": ";
    if (work <= 0 || time.seconds <= 0 || moved <= 0) {
      label += time.seconds <= 0 ? "no time"
               : work <= 0       ? "no arithmetic in floating point"
                                 : "nothing from memory";
    } else {
      const double density = work / moved, rate = work / time.seconds / 1e9;
      const double roofHere = std::min(bytes * density, groups[i].doubles > 0 ? twice : single);
      label += shortNumber(rate) + " at " + shortNumber(density) + " a byte, " +
               shortNumber(100 * rate / roofHere) + " % of the roof";
      const double cx = x.at(std::clamp(density, x.least, x.most)),
                   cy = y.at(std::clamp(rate, y.least, y.most));
      svg.circle(cx, cy, 9, "dot " + fill(i), label);
      svg.text(cx, cy + 4, std::to_string(i + 1), "inside", "middle");
    }
    svg.circle(80, row - 4, 8, fill(i), label);
    svg.text(80, row, std::to_string(i + 1), "inside", "middle");
    svg.text(96, row, label);
  }
  const std::string title = "Roofline of " + board.name;
  return {"roofline-" + board.key, title, svg.element(title)};
}

Picture drawOccupancy(const GroupFacts &facts, size_t gpu) {
  const TimedLaunch &timed = *facts.group->byGpu[gpu][0];
  const model::Architecture &architecture = timed.gpu->architecture();
  const int threads = int(timed.shape.threads());
  const size_t fixed = timed.code ? timed.code->staticShared : 0;
  const size_t shared = fixed + timed.shape.dynamicShared;
  auto warps = [&](int registers, int blockThreads, size_t bytes) {
    const model::Occupancy o =
        model::occupancyOf(architecture, {blockThreads, registers, bytes, 0});
    return double(o.blocks) * ((blockThreads + 31) / 32);
  };
  Svg svg(960, 300);
  struct Chart {
    const char *name;
    double most, step, now;
    std::function<double(double)> value;
  };
  const double sharedMost = architecture.sharedPerBlock;
  const Chart charts[] = {
      {"registers of a thread", double(std::min(architecture.registersPerThread + 1, 256)), 1,
       double(timed.registers), [&](double v) { return warps(int(v), threads, shared); }},
      {"threads of a block", double(architecture.threadsPerBlock), 32, double(threads),
       [&](double v) { return warps(timed.registers, int(v), shared); }},
      {"KiB of shared memory of a block", sharedMost / 1024, 0.25, double(shared) / 1024,
       [&](double v) { return warps(timed.registers, threads, size_t(v * 1024)); }}};
  for (size_t i = 0; i < 3; ++i) {
    const Chart &chart = charts[i];
    const double left = 56 + 320 * double(i);
    const Axis x{0, chart.most, left, left + 246};
    const Axis y{0, double(architecture.warpsPerSm), 240, 34};
    drawAxes(svg, x, chart.name, y, "");
    std::vector<std::pair<double, double>> points;
    for (double v = chart.step; v <= chart.most; v += chart.step)
      points.push_back({x.at(v), y.at(chart.value(v))});
    svg.path(points, "l0");
    const double now = chart.value(chart.now);
    svg.circle(x.at(chart.now), y.at(now), 6, "mark",
               "now: " + shortNumber(chart.now) + " " + chart.name + ", " + shortNumber(now) +
                   " warps");
    svg.text(left, 20,
             shortNumber(chart.now) + " now: " + shortNumber(now) + " of " +
                 std::to_string(architecture.warpsPerSm) + " warps",
             "strong");
  }
  svg.upright(14, 137, "warps of a multiprocessor");
  const std::string title = "Occupancy of " + facts.group->kernel + " on " + timed.gpu->name;
  return {"occupancy-" + timed.gpu->key, title, svg.element(title)};
}

Picture drawBoards(const std::vector<GroupFacts> &groups) {
  const size_t boards = groups[0].group->byGpu.size();
  const double bar = 18, gap = 34;
  const double height = 20 + double(groups.size()) * (gap + bar * double(boards));
  Svg svg(860, height);
  double y = 20;
  for (const GroupFacts &facts : groups) {
    double most = 0;
    for (size_t g = 0; g < boards; ++g)
      most = std::max(most, facts.group->meanSeconds(g));
    svg.text(8, y, cut(facts.group->kernel, 100), "strong");
    y += 8;
    for (size_t g = 0; g < boards; ++g, y += bar) {
      const double mean = facts.group->meanSeconds(g);
      const std::string &name = facts.group->byGpu[g][0]->gpu->key;
      svg.text(100, y + 13, name, "", "end");
      const double width = most > 0 ? 600 * mean / most : 0;
      svg.rect(108, y + 2, width, bar - 4, fill(g), name + ": " + spanText(mean));
      svg.text(116 + width, y + 13, spanText(mean));
    }
    y += gap - 8;
  }
  return {"boards", "Times of kernels by GPU", svg.element("Times of kernels by GPU")};
}

Picture drawWaits(const GroupFacts &facts) {
  const auto &byGpu = facts.group->byGpu;
  Svg svg(860, 0);
  std::array<bool, model::WaitCount> areNamed{};
  double y = 10;
  for (size_t g = 0; g < byGpu.size(); ++g, y += 26) {
    const model::LaunchTime &time = byGpu[g][0]->time;
    svg.text(100, y + 15, byGpu[g][0]->gpu->key, "", "end");
    double x = 108;
    for (unsigned w = 0; w < model::WaitCount; ++w) {
      const double share = time.waits[w];
      const std::string name(model::nameOf(static_cast<model::Wait>(w)));
      const std::string percent = shortNumber(std::round(share * 100)) + " %";
      svg.rect(x, y, 720 * share, 20, fill(w), name + " " + percent);
      if (share > 0.06)
        svg.text(x + 360 * share, y + 14, percent, "inside", "middle");
      areNamed[w] |= share >= 0.01;
      x += 720 * share;
    }
  }
  double x = 108;
  y += 16;
  for (unsigned w = 0; w < model::WaitCount; ++w) {
    if (!areNamed[w])
      continue;
    const std::string name(model::nameOf(static_cast<model::Wait>(w)));
    const double width = 30 + 7.2 * double(name.size());
    if (x + width > 850)
      x = 108, y += 20;
    svg.rect(x, y - 10, 12, 12, fill(w));
    svg.text(x + 16, y, name);
    x += width;
  }
  svg.setHeight(y + 12);
  const std::string title = "What warps of " + facts.group->kernel + " wait for";
  return {"waits", title, svg.element(title)};
}

} // namespace heddle::profile
