// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format is that of "Trace Event Format" (the Chromium project): complete events ("X") with a
// beginning and a duration in microseconds, in threads of processes. A process here is the host, or
// a device; a thread is one of the host's, or a stream.
#include "profile/report.h"
#include "profile/table.h"

#include "base/messages/json.h"

#include <set>

namespace heddle::profile {

namespace {

using json::List;
using json::quote;

constexpr uint32_t HostProcess = 0;
uint32_t processOf(uint32_t device) { return device + 1; }

std::string microseconds(uint64_t nanoseconds) {
  return timeNumber(static_cast<double>(nanoseconds), TimeUnit::Microseconds);
}

class Events {
public:
  explicit Events(uint64_t begin) : begin_(begin) {}

  void name(uint32_t process, const std::string &text) { nameOf("process_name", process, 0, text); }
  void nameThread(uint32_t process, uint64_t thread, const std::string &text) {
    nameOf("thread_name", process, thread, text);
  }
  void add(uint32_t process, uint64_t thread, const std::string &name, const char *category,
           uint64_t begin, uint64_t end, const std::string &arguments) {
    List event = eventOf("X", name, process, thread);
    event.add("cat", quote(category));
    event.add("ts", microseconds(begin - begin_));
    event.add("dur", microseconds(end - begin));
    event.add("args", arguments);
    all_.add(event.object());
  }
  std::string text() const {
    List top;
    top.add("displayTimeUnit", quote("ns"));
    top.add("traceEvents", all_.array());
    return top.object() + "\n";
  }

private:
  static List eventOf(const char *kind, const std::string &name, uint32_t process,
                      uint64_t thread) {
    List event;
    event.add("ph", quote(kind));
    event.add("name", quote(name));
    event.add("pid", std::to_string(process));
    event.add("tid", std::to_string(thread));
    return event;
  }
  void nameOf(const char *what, uint32_t process, uint64_t thread, const std::string &text) {
    List event = eventOf("M", what, process, thread), arguments;
    arguments.add("name", quote(text));
    event.add("args", arguments.object());
    all_.add(event.object());
  }

  uint64_t begin_;
  List all_{",\n"};
};

std::string argumentsOf(const Activity &activity) {
  List arguments;
  auto dims = [](const uint32_t (&n)[3]) {
    List list;
    for (uint32_t one : n)
      list.add(std::to_string(one));
    return list.array();
  };
  if (activity.kind == ActivityKind::Kernel) {
    arguments.add("grid", dims(activity.kernel.grid));
    arguments.add("block", dims(activity.kernel.block));
    arguments.add("registers", std::to_string(activity.kernel.registers));
    arguments.add("staticShared", std::to_string(activity.kernel.staticShared));
    arguments.add("dynamicShared", std::to_string(activity.kernel.dynamicShared));
  } else {
    arguments.add("bytes", std::to_string(activity.bytes));
  }
  arguments.add("call", std::to_string(activity.call));
  return arguments.object();
}

} // namespace

std::string chromeTrace(const Recording &recording) {
  Events events(recording.begin);
  events.name(HostProcess, "Host");
  for (const ApiCall &call : recording.calls)
    events.add(HostProcess, call.thread, call.name, call.ofRuntime ? "runtime" : "driver",
               call.begin, call.end, "{\"call\": " + std::to_string(call.number) + "}");
  for (const Range &range : recording.ranges)
    events.add(HostProcess, range.thread, range.name, "nvtx", range.begin, range.end, "{}");
  std::set<std::pair<uint32_t, uint64_t>> streams;
  for (const Activity &activity : recording.activities) {
    static constexpr const char *Categories[] = {"kernel", "memcpy", "memset"};
    uint32_t process = processOf(activity.device);
    if (streams.insert({activity.device, activity.stream}).second)
      events.nameThread(process, activity.stream, "Stream " + std::to_string(activity.stream));
    events.add(process, activity.stream, labelOf(activity),
               Categories[static_cast<size_t>(activity.kind)], activity.begin, activity.end,
               argumentsOf(activity));
  }
  for (size_t i = 0; i < recording.devices.size(); ++i)
    events.name(processOf(static_cast<uint32_t>(i)),
                "Device " + std::to_string(i) + ": " + recording.devices[i].name);
  return events.text();
}

} // namespace heddle::profile
