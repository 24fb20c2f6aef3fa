// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A line for each work of a device, or each call of the API, in the order in which they began.
#include "profile/report.h"
#include "profile/table.h"

#include <algorithm>

namespace heddle::profile {

namespace {

const char *nameOf(MemoryKind kind) {
  switch (kind) {
  case MemoryKind::Pageable:
    return "Pageable";
  case MemoryKind::Pinned:
    return "Pinned";
  case MemoryKind::Array:
    return "Array";
  case MemoryKind::Managed:
    return "Managed";
  case MemoryKind::Device:
    break;
  }
  return "Device";
}

std::string triple(const uint32_t (&n)[3]) {
  return "(" + std::to_string(n[0]) + " " + std::to_string(n[1]) + " " + std::to_string(n[2]) + ")";
}

template <typename T> std::vector<const T *> byBegin(const std::vector<T> &all) {
  std::vector<const T *> sorted;
  for (const T &one : all)
    sorted.push_back(&one);
  std::sort(sorted.begin(), sorted.end(), [](const T *a, const T *b) {
    return a->begin != b->begin ? a->begin < b->begin : a < b;
  });
  return sorted;
}

/// Times and sizes as the form of the report has them.
struct Style {
  bool asCsv;
  TimeUnit start, duration;
  double sizeUnit, rateUnit; ///< csv: KB, GB/s
  std::string time(double nanoseconds, TimeUnit unit) const {
    return asCsv ? timeNumber(nanoseconds, unit) : timeText(nanoseconds, unit);
  }
  std::string bytes(double bytes) const {
    return asCsv ? numberText(bytes / sizeUnit) : bytesText(bytes);
  }
  std::string rate(double bytesPerSecond) const {
    return asCsv ? numberText(bytesPerSecond / rateUnit) : bytesText(bytesPerSecond) + "/s";
  }
};

template <typename T>
Style styleOf(const ProfileOptions &options, const std::vector<const T *> &all, uint64_t begin) {
  Style style = {options.asCsv, options.unit, options.unit, 1024, 1024. * 1024 * 1024};
  if (!options.asCsv)
    return style;
  double start = 0, duration = 0;
  for (const T *one : all) {
    start = std::max(start, static_cast<double>(one->begin - begin));
    duration = std::max(duration, static_cast<double>(one->end - one->begin));
  }
  style.start = unitFor(start, options.unit), style.duration = unitFor(duration, options.unit);
  return style;
}

const char *const Notes =
    "\nRegs: Number of registers used per CUDA thread, as estimated for the board.\n"
    "SSMem: Static shared memory allocated per CUDA block.\n"
    "DSMem: Dynamic shared memory allocated per CUDA block.\n"
    "SrcMemType: The type of source memory accessed by memory operation/copy\n"
    "DstMemType: The type of destination memory accessed by memory operation/copy\n";

} // namespace

std::string gpuTrace(const ProfileOptions &options, const Recording &recording) {
  Table table({"Start", "Duration", "Grid Size", "Block Size", "Regs*", "SSMem*", "DSMem*", "Size",
               "Throughput", "SrcMemType", "DstMemType", "Device", "Context", "Stream", "Name"});
  auto all = byBegin(recording.activities);
  Style style = styleOf(options, all, recording.begin);
  const std::string none = options.asCsv ? "" : "-";
  for (const Activity *one : all) {
    const KernelFacts &kernel = one->kernel;
    bool isKernel = one->kind == ActivityKind::Kernel, isCopy = one->kind == ActivityKind::Copy;
    auto time = static_cast<double>(one->end - one->begin);
    auto bytes = static_cast<double>(one->bytes);
    auto ofKernel = [&](const std::string &text) { return isKernel ? text : none; };
    table.add({style.time(static_cast<double>(one->begin - recording.begin), style.start),
               style.time(time, style.duration), ofKernel(triple(kernel.grid)),
               ofKernel(triple(kernel.block)), ofKernel(std::to_string(kernel.registers)),
               ofKernel(style.bytes(static_cast<double>(kernel.staticShared))),
               ofKernel(style.bytes(static_cast<double>(kernel.dynamicShared))),
               isKernel ? none : style.bytes(bytes),
               isKernel || time == 0 ? none : style.rate(bytes / time * 1e9),
               isCopy ? nameOf(one->from) : none, isKernel ? none : nameOf(one->to),
               one->device < recording.devices.size()
                   ? recording.devices[one->device].name + " (" + std::to_string(one->device) + ")"
                   : std::to_string(one->device),
               std::to_string(one->context), std::to_string(one->stream),
               labelOf(*one) + (isKernel ? " [" + std::to_string(one->call) + "]" : "")});
  }
  if (options.asCsv)
    return table.csv({unitName(style.start), unitName(style.duration), "", "", "", "KB", "KB", "KB",
                      "GB/s", "", "", "", "", "", ""});
  return table.text() + Notes;
}

std::string apiTrace(const ProfileOptions &options, const Recording &recording) {
  Table table({"Start", "Duration", "Name"});
  auto all = byBegin(recording.calls);
  Style style = styleOf(options, all, recording.begin);
  for (const ApiCall *call : all) {
    if (!(call->ofRuntime ? options.tracesRuntime : options.tracesDriver))
      continue;
    table.add({style.time(static_cast<double>(call->begin - recording.begin), style.start),
               style.time(static_cast<double>(call->end - call->begin), style.duration),
               std::string(call->name) + " [" + std::to_string(call->number) + "]"});
  }
  if (options.asCsv)
    return table.csv({unitName(style.start), unitName(style.duration), ""});
  return table.text();
}

} // namespace heddle::profile
