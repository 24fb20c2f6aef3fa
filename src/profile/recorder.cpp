// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "profile/recorder.h"

#include "base/command_options.h"
#include "base/machine/clock.h"
#include "base/messages/messages.h"
#include "base/messages/output.h"
#include "profile/count/counting.h"
#include "profile/counters.h"
#include "profile/listener.h"
#include "profile/report.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <mutex>

#include <unistd.h>

namespace heddle::profile {

namespace {

ProfileOptions read(bool &isOn) {
  const char *name = std::getenv("HEDDLE_PROFILE");
  if (!name || !*name)
    return {};
  auto tool = parseProfileTool(name);
  std::vector<std::string> rest;
  auto options = parseProfileOptions(tool ? *tool : ProfileTool::Heddle,
                                     splitLines(std::getenv("HEDDLE_PROFILE_OPTIONS")), rest);
  if (!tool || !options) {
    tellf("heddle: HEDDLE_PROFILE: %s\n", (!tool ? tool.error() : options.error()).c_str());
    return {};
  }
  // A program that the profiled one has started.
  const char *parent = std::getenv("HEDDLE_PROFILE_PARENT");
  isOn = options->withChildren || !parent || std::to_string(getppid()) == parent;
  return *options;
}

struct Settings {
  bool isOn = false, modelsTime = false, writesLog = false;
  ProfileOptions options;
  Settings() : options(read(isOn)) {
    const char *log = std::getenv("COMPUTE_PROFILE");
    writesLog = !isOn && log && std::string(log) == "1";
    const char *timing = std::getenv("HEDDLE_TIMING");
    modelsTime = timing && std::string(timing) == "model";
    if (timing && *timing && !modelsTime && std::string(timing) != "measured")
      tellf("heddle: HEDDLE_TIMING is '%s'; expected model or measured\n", timing);
  }
};
const Settings &allSettings() {
  static const Settings &settings = *new Settings; // work ends behind main, too
  return settings;
}

struct State {
  std::mutex mutex;
  Recording recording;
  std::atomic<bool> isRecording;
  bool isFinished = false;
  std::map<uint64_t, Range> open; ///< of the process
  uint64_t lastRange = 0;
  std::atomic<uint64_t> kernels = 0;    ///< that are over
  std::atomic<bool> isLineOpen = false; ///< of tellProgress
  const pid_t process = getpid();
  State() : isRecording(settings().fromStart) { recording.begin = nowNanoseconds(); }
};
State &state() {
  static State &state = *new State;
  return state;
}

std::atomic<const Listener *> theListener = nullptr;
const Listener *listener() { return theListener.load(std::memory_order_acquire); }

struct Thread {
  unsigned depth;
  ApiCall call;
  std::vector<Range> *ranges; ///< that are open; as long as the process: threads end in any order
};
constinit thread_local Thread thread = {};
std::atomic<uint64_t> lastCall = 0;

uint32_t threadNumber() {
  static thread_local const auto number = static_cast<uint32_t>(gettid());
  return number;
}

/// A line on a terminal while a long run goes on.
void tellProgress(uint64_t now) {
  constexpr uint64_t First = 2'000'000'000, Between = 250'000'000; // nanoseconds
  static const bool isShown = isatty(STDERR_FILENO) && settings().logFile != "-";
  static std::atomic<uint64_t> last = 0;
  uint64_t before = last.load(std::memory_order_relaxed);
  uint64_t kernels = state().kernels.fetch_add(1, std::memory_order_relaxed) + 1;
  if (!isShown || settings().isQuiet || now < state().recording.begin + First ||
      now < before + Between || !last.compare_exchange_strong(before, now))
    return;
  state().isLineOpen = true;
  tellf("\rheddle: %llu kernels in %.1f s\033[K", static_cast<unsigned long long>(kernels),
        double(now - state().recording.begin) * 1e-9);
}

void addRange(Range range) {
  if (const Listener *l = listener())
    l->rangeOver(range);
  if (!isRecording())
    return;
  std::lock_guard lock(state().mutex);
  state().recording.ranges.push_back(std::move(range));
}

} // namespace

const ProfileOptions &settings() { return allSettings().options; }
bool isOn() { return allSettings().isOn || writesLog(); }
bool writesLog() { return allSettings().writesLog; }
bool modelsTime() { return allSettings().modelsTime && settings().tool != ProfileTool::Predict; }
bool predictsTimeline() {
  return allSettings().isOn && settings().tool == ProfileTool::Predict &&
         settings().wantsPictures();
}

std::string commandLine() {
  auto whole = readWhole("/proc/self/cmdline");
  std::string words = whole ? *whole : program_invocation_name;
  while (!words.empty() && words.back() == '\0')
    words.pop_back();
  std::replace(words.begin(), words.end(), '\0', ' ');
  return words;
}

void setListener(const Listener *given) {
  state(); // which begins before what is heard
  theListener.store(given, std::memory_order_release);
}
bool hears() { return isOn() || listener(); }

void placeActivity(Activity &activity) {
  if (!activity.work || !modelsTime() || !modelledTime())
    return;
  model::Span span = modelledTime()->spanOf(activity.work);
  uint64_t begin = state().recording.begin;
  activity.begin = begin + uint64_t(span.begin * 1e9);
  activity.end = begin + uint64_t(span.end * 1e9);
}

/// `heddle profile`, which waits for the program, how far it has come.
static void tellProfiler(const char *what) {
  if (const char *seen = std::getenv("HEDDLE_PROFILE_SEEN"))
    writeReport(seen, what);
}

void begin() {
  state();
  startCounters(state().recording.devices);
  tellProfiler("seen");
  if (!isOn() || settings().tool != ProfileTool::Nvprof || settings().isQuiet)
    return;
  std::string process = std::to_string(getpid());
  Output(expandLogName(settings().logFile, getpid()))
      .write("==" + process + "== NVPROF is profiling process " + process +
             ", command: " + commandLine() + "\n");
}

bool isRecording() { return isOn() && state().isRecording.load(std::memory_order_relaxed); }
void startRecording() { state().isRecording = true; }
void stopRecording() { state().isRecording = false; }

void beginCall(const char *name, bool ofRuntime) {
  if (thread.depth++)
    return;
  state(); // which begins before the call does
  thread.call = {name,
                 lastCall.fetch_add(1, std::memory_order_relaxed) + 1,
                 nowNanoseconds(),
                 0,
                 threadNumber(),
                 ofRuntime,
                 0};
  if (const Listener *l = listener())
    l->callBegins(thread.call);
}

void endCall(int code) {
  if (thread.depth == 0 || --thread.depth) // the library came in the midst of a call
    return;
  thread.call.end = nowNanoseconds();
  thread.call.code = code;
  if (const Listener *l = listener())
    l->callEnds(thread.call);
  if (!isRecording())
    return;
  std::lock_guard lock(state().mutex);
  state().recording.calls.push_back(thread.call);
}

uint64_t thisCall() { return thread.depth ? thread.call.number : 0; }

void note(Activity activity) {
  if (const Listener *l = listener())
    l->workOver(activity);
  if (!isRecording())
    return;
  if (activity.kind == ActivityKind::Kernel)
    tellProgress(nowNanoseconds());
  std::lock_guard lock(state().mutex);
  state().recording.activities.push_back(std::move(activity));
}

void noteCounts(LaunchCounts counts, std::vector<TimedLaunch> times) {
  std::lock_guard lock(state().mutex);
  if (!times.empty())
    state().recording.times.push_back(std::move(times));
  state().recording.counts.push_back(std::move(counts));
}

void noteDevice(uint32_t number, DeviceFacts facts) {
  std::lock_guard lock(state().mutex);
  auto &devices = state().recording.devices;
  if (devices.size() <= number)
    devices.resize(number + 1);
  devices[number] = std::move(facts);
}

int pushRange(const void *domain, std::string name) {
  if (!thread.ranges)
    thread.ranges = new std::vector<Range>;
  auto depth = std::ranges::count(*thread.ranges, domain, &Range::domain);
  thread.ranges->push_back({std::move(name), nowNanoseconds(), 0, threadNumber(), false, domain});
  return static_cast<int>(depth);
}

int popRange(const void *domain) {
  constexpr int NoTracking = -2; // NVTX_NO_PUSH_POP_TRACKING
  if (!thread.ranges)
    return NoTracking;
  auto at = std::find_if(thread.ranges->rbegin(), thread.ranges->rend(),
                         [&](const Range &range) { return range.domain == domain; });
  if (at == thread.ranges->rend())
    return NoTracking;
  Range range = std::move(*at);
  thread.ranges->erase(std::next(at).base());
  range.end = nowNanoseconds();
  addRange(std::move(range));
  return static_cast<int>(std::ranges::count(*thread.ranges, domain, &Range::domain));
}

uint64_t startRange(std::string name) {
  std::lock_guard lock(state().mutex);
  state().open[++state().lastRange] = {std::move(name), nowNanoseconds(), 0, threadNumber(), true,
                                       nullptr};
  return state().lastRange;
}

void endRange(uint64_t number) {
  std::unique_lock lock(state().mutex);
  auto node = state().open.extract(number);
  lock.unlock();
  if (node.empty())
    return;
  node.mapped().end = nowNanoseconds();
  addRange(std::move(node.mapped()));
}

void markPlace(std::string name) {
  uint64_t now = nowNanoseconds();
  addRange({std::move(name), now, now, threadNumber(), false, nullptr});
}

/// Of a program that is predicted: when work would run on the boards.
static void placeOnBoards(Recording &recording) {
  if (!modelledTime()) // no device was asked for
    return;
  std::vector<WorkNumber> works;
  for (const Activity &activity : recording.activities)
    if (activity.work)
      works.push_back(activity.work);
  for (size_t board = 0; board < modelledTime()->boards(); ++board) {
    auto spans = modelledTime()->spansOn(board, works);
    if (!spans)
      return;
    size_t next = 0;
    for (Activity &activity : recording.activities)
      if (activity.work)
        activity.onBoards.push_back((*spans)[next++]);
  }
}

/// Of launches that the model has seen the registers are the model's.
static void takeRegisters(Recording &recording) {
  std::map<uint64_t, const std::vector<TimedLaunch> *> times;
  for (const std::vector<TimedLaunch> &launch : recording.times)
    if (!launch.empty())
      times[launch.front().id] = &launch;
  for (Activity &activity : recording.activities) {
    auto at = times.find(activity.launch);
    if (activity.kind != ActivityKind::Kernel || at == times.end() ||
        activity.device >= recording.devices.size())
      continue;
    for (const TimedLaunch &timed : *at->second)
      if (timed.gpu == recording.devices[activity.device].gpu && timed.registers > 0)
        activity.kernel.registers = uint32_t(timed.registers);
  }
}

void finish() {
  // A forked process has its parent's recording.
  if (!(isOn() || modelsTime()) || getpid() != state().process)
    return;
  if (state().isLineOpen.exchange(false))
    tellf("\r\033[K");
  if (counts())
    deliverCounts();
  if (predictsTimeline())
    placeOnBoards(state().recording);
  else
    for (Activity &activity : state().recording.activities)
      placeActivity(activity);
  takeRegisters(state().recording);
  std::lock_guard lock(state().mutex);
  if (std::exchange(state().isFinished, true) || !isOn())
    return;
  writesLog() ? writeComputeProfile(state().recording) : report(settings(), state().recording);
  tellProfiler("reported");
}

} // namespace heddle::profile
