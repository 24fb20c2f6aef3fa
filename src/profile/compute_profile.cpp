// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The log of COMPUTE_PROFILE=1: the Command Line Profiler, which came with CUDA up to version 7
// ("Compute Command Line Profiler User Guide"). COMPUTE_PROFILE_LOG names the file, with %d for the
// device and %p for the process; COMPUTE_PROFILE_CSV=1 makes it csv; COMPUTE_PROFILE_CONFIG names a
// file of further fields, a line each.
#include "profile/report.h"
#include "profile/table.h"

#include "base/messages/messages.h"
#include "base/messages/output.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <sstream>

#include <unistd.h>

namespace heddle::profile {

namespace {

constexpr double MicrosecondsOf = 1e-3;

std::string number(double value, const char *format = "%.3f") {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

/// A kernel's name without its parameters; of a template as the compiler mangled it.
std::string methodOf(const Activity &activity) {
  if (activity.kind == ActivityKind::Copy)
    return "memcpy" + directionOf(activity);
  if (activity.kind == ActivityKind::Fill)
    return "memset";
  return activity.kernel.mangled;
}

struct Row {
  const Activity &activity;
  const Recording &recording;
  double cpuTime; ///< microseconds
  bool isKernel() const { return activity.kind == ActivityKind::Kernel; }
  bool isCopy() const { return activity.kind == ActivityKind::Copy; }
};

/// What was set, but the kernel's shared memory goes before (CUDA guide, "Compute Capability 3.x": 16 KB
/// are left beside the most of L1, 32 in equal parts).
int executedConfig(const KernelFacts &kernel) {
  enum { PreferShared = 1, PreferL1 = 2, PreferEqual = 3 };
  const uint64_t needed = kernel.staticShared + kernel.dynamicShared;
  const bool isTooMuch = (kernel.cacheConfig == PreferL1 && needed > 16 << 10) ||
                         (kernel.cacheConfig == PreferEqual && needed > 32 << 10);
  return isTooMuch ? PreferShared : kernel.cacheConfig;
}

std::string hexTime(uint64_t nanoseconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%llx", static_cast<unsigned long long>(nanoseconds));
  return text;
}

std::string dims(const uint32_t (&n)[3], unsigned count, bool asCsv) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += (i ? (asCsv ? "," : ", ") : "") + std::to_string(n[i]);
  return text;
}

/// Where a host's side of a copy lies: 0 pageable, 1 pinned.
std::string hostKind(const Activity &copy) {
  bool isPageable = copy.from == MemoryKind::Pageable || copy.to == MemoryKind::Pageable;
  return isPageable ? "0" : "1";
}
/// 1: to the device, 2: to the host; 0: neither.
std::string direction(const Activity &copy) {
  std::string name = directionOf(copy);
  return name[0] == 'H' ? "1" : name.back() == 'H' ? "2" : "0";
}

struct Field {
  const char *name;
  const char *heads; ///< of csv: several columns where there are several numbers
  std::string (*value)(const Row &, bool asCsv); ///< empty: not of this kind of work
  bool isSwitch = false;                         ///< of the profiler: there is no column
};

constexpr Field Fields[] = {
    {"timestamp", "timestamp",
     [](const Row &r, bool) {
       return number(double(r.activity.begin - r.recording.begin) * MicrosecondsOf);
     }},
    {"gpustarttimestamp", "gpustarttimestamp",
     [](const Row &r, bool) { return hexTime(r.activity.begin); }},
    {"gpuendtimestamp", "gpuendtimestamp",
     [](const Row &r, bool) { return hexTime(r.activity.end); }},
    {"gridsize", "gridsizeX,gridsizeY",
     [](const Row &r, bool csv) {
       return r.isKernel() ? dims(r.activity.kernel.grid, 2, csv) : "";
     }},
    {"gridsize3d", "gridsizeX,gridsizeY,gridsizeZ",
     [](const Row &r, bool csv) {
       return r.isKernel() ? dims(r.activity.kernel.grid, 3, csv) : "";
     }},
    {"threadblocksize", "threadblocksizeX,threadblocksizeY,threadblocksizeZ",
     [](const Row &r, bool csv) {
       return r.isKernel() ? dims(r.activity.kernel.block, 3, csv) : "";
     }},
    {"dynsmemperblock", "dynsmemperblock",
     [](const Row &r, bool) {
       return r.isKernel() ? std::to_string(r.activity.kernel.dynamicShared) : "";
     }},
    {"stasmemperblock", "stasmemperblock",
     [](const Row &r, bool) {
       return r.isKernel() ? std::to_string(r.activity.kernel.staticShared) : "";
     }},
    {"regperthread", "regperthread",
     [](const Row &r, bool) {
       return r.isKernel() ? std::to_string(r.activity.kernel.registers) : "";
     }},
    {"memtransferdir", "memtransferdir",
     [](const Row &r, bool) { return r.isCopy() ? direction(r.activity) : ""; }},
    {"memtransfersize", "memtransfersize",
     [](const Row &r, bool) { return r.isCopy() ? std::to_string(r.activity.bytes) : ""; }},
    {"memtransferhostmemtype", "memtransferhostmemtype",
     [](const Row &r, bool) { return r.isCopy() ? hostKind(r.activity) : ""; }},
    {"streamid", "streamid", [](const Row &r, bool) { return std::to_string(r.activity.stream); }},
    {"localblocksize", "", nullptr, true},
    {"cacheconfigrequested", "cacheconfigrequested",
     [](const Row &r, bool) {
       return r.isKernel() ? std::to_string(r.activity.kernel.cacheConfig) : "";
     }},
    {"cacheconfigexecuted", "cacheconfigexecuted",
     [](const Row &r, bool) {
       return r.isKernel() ? std::to_string(executedConfig(r.activity.kernel)) : "";
     }},
    {"conckerneltrace", "", nullptr, true},
    {"enableonstart", "", nullptr, true},
    {"countermodeaggregate", "", nullptr, true},
};

std::vector<const Field *> readConfig() {
  std::vector<const Field *> fields;
  const char *path = std::getenv("COMPUTE_PROFILE_CONFIG");
  if (!path || !*path)
    return fields;
  auto text = readWhole(path);
  if (!text) {
    tellf("heddle: COMPUTE_PROFILE_CONFIG: %s %s\n", path, text.error().c_str());
    return fields;
  }
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    std::string word = line.substr(0, line.find_first_of("# \t\r"));
    if (word.empty())
      continue;
    auto at = std::ranges::find_if(Fields, [&](const Field &field) { return word == field.name; });
    if (at == std::end(Fields))
      tellf("heddle: COMPUTE_PROFILE_CONFIG: there is no field '%s'\n", word.c_str());
    else if (!at->isSwitch)
      fields.push_back(&*at);
  }
  return fields;
}

std::string rowText(const Row &row, const std::vector<const Field *> &fields, bool asCsv) {
  const Activity &activity = row.activity;
  double gpu = double(activity.end - activity.begin) * MicrosecondsOf;
  std::string text;
  auto add = [&](const char *name, const std::string &value) {
    if (asCsv)
      text += (text.empty() ? "" : ",") + value;
    else if (!value.empty())
      text += (text.empty() ? "" : " ") + std::string(name) + "=[ " + value + " ]";
  };
  if (!fields.empty() && fields.front() == &Fields[0])
    add("timestamp", fields.front()->value(row, asCsv));
  add("method", methodOf(activity));
  add("gputime", number(gpu));
  add("cputime", number(row.cpuTime));
  for (const Field *field : fields)
    if (field != &Fields[0]) {
      std::string value = field->value(row, asCsv);
      auto columns = std::count(field->heads, field->heads + std::string(field->heads).size(), ',');
      add(field->name, value.empty() && asCsv ? std::string(size_t(columns), ',') : value);
    }
  add("occupancy", row.isKernel() ? number(activity.kernel.occupancy) : "");
  return text + "\n";
}

std::string headText(const Recording &recording, uint32_t device,
                     const std::vector<const Field *> &fields, bool asCsv) {
  std::string text = "# CUDA_PROFILE_LOG_VERSION 2.0\n# CUDA_DEVICE " + std::to_string(device) +
                     " " + recording.devices[device].name + "\n# CUDA_CONTEXT 1\n";
  text += asCsv ? "# CUDA_PROFILE_CSV 1\n" : "";
  text += "# TIMESTAMPFACTOR " + hexTime(recording.begin) + "\n";
  if (!fields.empty() && fields.front() == &Fields[0])
    text += "timestamp,";
  text += "method,gputime,cputime";
  for (const Field *field : fields)
    if (field != &Fields[0])
      text += "," + std::string(asCsv ? field->heads : field->name);
  return text + ",occupancy\n";
}

std::string fileOf(uint32_t device) {
  const char *name = std::getenv("COMPUTE_PROFILE_LOG");
  std::string path = name && *name ? name : "cuda_profile_%d.log";
  if (size_t at = path.find("%d"); at != path.npos)
    path.replace(at, 2, std::to_string(device));
  return expandLogName(path, getpid());
}

} // namespace

void writeComputeProfile(const Recording &recording) {
  const char *csv = std::getenv("COMPUTE_PROFILE_CSV");
  bool asCsv = csv && std::string(csv) == "1";
  std::vector<const Field *> fields = readConfig();
  if (auto at = std::ranges::find(fields, &Fields[0]); at != fields.end()) // comes first
    std::rotate(fields.begin(), at, at + 1);
  std::map<uint64_t, double> calls;
  for (const ApiCall &call : recording.calls)
    calls[call.number] = double(call.end - call.begin) * MicrosecondsOf;
  std::vector<const Activity *> sorted;
  for (const Activity &activity : recording.activities)
    sorted.push_back(&activity);
  std::ranges::sort(sorted, {}, [](const Activity *one) { return std::pair(one->begin, one); });
  for (uint32_t device = 0; device < recording.devices.size(); ++device) {
    std::string text = headText(recording, device, fields, asCsv);
    bool isUsed = false;
    for (const Activity *activity : sorted)
      if (activity->device == device) {
        text += rowText({*activity, recording, calls[activity->call]}, fields, asCsv);
        isUsed = true;
      }
    if (isUsed)
      writeReport(fileOf(device), text);
  }
}

} // namespace heddle::profile
