// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums over all work of a kind, as nvprof shows them first.
#include "profile/report.h"
#include "profile/table.h"

#include <algorithm>
#include <map>

namespace heddle::profile {

namespace {

struct Sum {
  std::string name;
  double total = 0, least = 0, most = 0; ///< nanoseconds
  uint64_t count = 0;
  double mean() const { return total / static_cast<double>(count); }
  void add(uint64_t begin, uint64_t end) {
    auto time = static_cast<double>(end - begin);
    least = count ? std::min(least, time) : time;
    most = std::max(most, time);
    total += time;
    ++count;
  }
};

/// The largest first.
class Sums {
public:
  void add(const std::string &name, uint64_t begin, uint64_t end) {
    sums_[name].add(begin, end);
    sums_[name].name = name;
  }
  std::vector<Sum> sorted() const {
    std::vector<Sum> list;
    for (auto &[name, sum] : sums_)
      list.push_back(sum);
    std::sort(list.begin(), list.end(), [](const Sum &a, const Sum &b) {
      return a.total != b.total ? a.total > b.total : a.name < b.name;
    });
    return list;
  }

private:
  std::map<std::string, Sum> sums_;
};

struct Group {
  const char *title;
  std::vector<Sum> sums;
};

std::string shareText(double part, double whole) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", whole > 0 ? 100 * part / whole : 0);
  return text;
}

double totalOf(const Group &group) {
  double total = 0;
  for (const Sum &sum : group.sums)
    total += sum.total;
  return total;
}

/// The largest of a column, for its unit.
template <typename F> double mostOf(const std::vector<Group> &groups, F &&value) {
  double most = 0;
  for (const Group &group : groups)
    for (const Sum &sum : group.sums)
      most = std::max(most, value(sum));
  return most;
}

/// Reports are written when objects of the program, and of ours, are gone: there are no constants
/// that have a destructor.
std::vector<std::string> head() {
  return {"Type", "Time(%)", "Time", "Calls", "Avg", "Min", "Max", "Name"};
}

std::string csvOf(const std::vector<Group> &groups, TimeUnit asked) {
  TimeUnit total = unitFor(mostOf(groups, [](const Sum &s) { return s.total; }), asked);
  TimeUnit mean = unitFor(mostOf(groups, [](const Sum &s) { return s.mean(); }), asked);
  TimeUnit least = unitFor(mostOf(groups, [](const Sum &s) { return s.least; }), asked);
  TimeUnit most = unitFor(mostOf(groups, [](const Sum &s) { return s.most; }), asked);
  Table table(head());
  for (const Group &group : groups)
    for (const Sum &sum : group.sums)
      table.add({group.title, shareText(sum.total, totalOf(group)), timeNumber(sum.total, total),
                 std::to_string(sum.count), timeNumber(sum.mean(), mean),
                 timeNumber(sum.least, least), timeNumber(sum.most, most), sum.name});
  return table.csv(
      {"", "%", unitName(total), "", unitName(mean), unitName(least), unitName(most), ""});
}

std::string textOf(const std::vector<Group> &groups, TimeUnit unit) {
  Table table(head());
  for (const Group &group : groups)
    for (const Sum &sum : group.sums)
      table.add({&sum == &group.sums.front() ? std::string(" ") + group.title + ":" : "",
                 shareText(sum.total, totalOf(group)) + "%", timeText(sum.total, unit),
                 std::to_string(sum.count), timeText(sum.mean(), unit), timeText(sum.least, unit),
                 timeText(sum.most, unit), sum.name});
  return table.text();
}

} // namespace

std::string summary(const ProfileOptions &options, const Recording &recording, bool ofDevice,
                    bool ofApi) {
  std::vector<Group> groups;
  if (ofDevice) {
    Sums sums;
    for (const Activity &activity : recording.activities)
      sums.add(labelOf(activity), activity.begin, activity.end);
    groups.push_back({"GPU activities", sums.sorted()});
  }
  if (ofApi) {
    Sums sums;
    for (const ApiCall &call : recording.calls)
      if (call.ofRuntime ? options.tracesRuntime : options.tracesDriver)
        sums.add(call.name, call.begin, call.end);
    groups.push_back({"API calls", sums.sorted()});
  }
  bool isEmpty = std::all_of(groups.begin(), groups.end(),
                             [](const Group &group) { return group.sums.empty(); });
  if (isEmpty)
    return "No kernels were profiled.\n";
  return options.asCsv ? csvOf(groups, options.unit) : textOf(groups, options.unit);
}

} // namespace heddle::profile
