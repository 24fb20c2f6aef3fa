// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/profiling.h"

#include "base/command_options.h"
#include "base/machine/clock.h"
#include "device/watch.h"
#include "driver/call.h"
#include "driver/copies/copy.h"
#include "driver/copies/fill.h"
#include "driver/launch/occupancy.h"
#include "driver/modules/module.h"
#include "driver/program_end.h"
#include "profile/listener.h"
#include "profile/recorder.h"
#include "profile/report.h"

#include <atomic>
#include <deque>
#include <map>
#include <mutex>

namespace heddle::driver {

bool isProfiled = profile::isOn() || profile::modelsTime();

namespace {

using profile::Activity;
using profile::ActivityKind;
using profile::MemoryKind;

/// As nvprof numbers streams: the default one is 7, and others come from 13 on.
constexpr uint64_t DefaultStream = 7, FirstStream = 13;

struct StreamFacts {
  uint64_t number;
  uint32_t device, context;
};

struct Profile {
  std::mutex mutex;
  std::map<const device::Queue *, StreamFacts> streams;
  uint64_t nextStream = FirstStream;
  std::map<std::pair<const Function *, const Context *>, int> cacheConfigs;
  std::deque<Activity>
      launches; ///< as they were asked for: LaunchRequest::note is the place, from 1 on
};
Profile &theProfile() {
  static Profile &profile = *new Profile; // work ends behind main, too
  return profile;
}

void place(Activity &activity, const device::Queue *queue) {
  auto at = theProfile().streams.find(queue);
  if (at == theProfile().streams.end())
    return;
  activity.stream = at->second.number;
  activity.device = at->second.device;
  activity.context = at->second.context;
}

// ---------------------------------------------------------------------------------------------------
// Modelled time (profile/modelled_time.h).

/// The number of a queue's device; -1: it stands for no GPU.
int modelledDevice(const device::Queue *queue) {
  Profile &profile = theProfile();
  std::lock_guard lock(profile.mutex);
  auto at = profile.streams.find(queue);
  profile::ModelledTime *clock = profile::modelledTime();
  bool isModelled = clock && at != profile.streams.end() && clock->gpu(at->second.device);
  return isModelled ? int(at->second.device) : -1;
}

void launchOver(const device::WatchedLaunch &launch) {
  if (launch.work && profile::modelledTime())
    profile::modelledTime()->launchIsOver(launch.work, launch.id);
  if (!launch.note) // a kernel launched it
    return;
  Profile &profile = theProfile();
  std::unique_lock lock(profile.mutex);
  Activity activity = profile.launches[launch.note - 1];
  place(activity, launch.queue);
  lock.unlock();
  activity.begin = launch.begin, activity.end = launch.end;
  activity.launch = launch.id;
  activity.work = launch.work;
  profile::note(std::move(activity));
}

model::WorkKind workKindOf(device::WatchedWork::Kind kind) {
  return kind == device::WatchedWork::Kind::Launch ? model::WorkKind::Kernel
                                                   : model::WorkKind::Event;
}

uint64_t appended(const device::WatchedWork &work) {
  int device = modelledDevice(work.queue);
  if (device < 0)
    return 0;
  profile::ModelledTime &clock = *profile::modelledTime();
  uint64_t number = clock.append(workKindOf(work.kind), work.queue, work.isDefault,
                                 work.kind == device::WatchedWork::Kind::Launch, uint32_t(device));
  if (work.isAwaited)
    clock.waitFor(number);
  return number;
}

uint64_t partAppended(const device::WatchedPart &part) {
  return profile::modelledTime()->appendPart(part.whole, workKindOf(part.kind), part.queue);
}

void partWaits(const device::Queue *queue, uint64_t work) {
  profile::modelledTime()->partWaits(queue, work);
}

void waits(const device::Queue *queue, uint64_t work) {
  if (work && profile::modelledTime())
    profile::modelledTime()->queueWaits(queue, work);
}

void seen(const device::Queue *queue, uint64_t work) {
  profile::ModelledTime *clock = profile::modelledTime();
  if (!clock)
    return;
  if (queue)
    clock->hostSaw(queue);
  else if (work)
    clock->waitFor(work);
  else
    clock->hostSawAll();
}

uint64_t timeOf(uint64_t work) {
  profile::ModelledTime *clock = profile::modelledTime();
  return clock ? uint64_t(clock->spanOf(work).end * 1e9) : 0;
}

constexpr device::Watcher Measured = {launchOver, nullptr, nullptr, nullptr,
                                      nullptr,    nullptr, nullptr};
constexpr device::Watcher Modelled = {launchOver, appended, partAppended, partWaits,
                                      waits,      seen,     timeOf};
/// What the program reads of times is the processor's.
constexpr device::Watcher Predicted = {launchOver, appended, partAppended, partWaits,
                                       waits,      seen,     nullptr};

MemoryKind kindOf(const Side &side) {
  if (side.array)
    return MemoryKind::Array;
  if (side.host)
    return side.pageable ? MemoryKind::Pageable : MemoryKind::Pinned;
  return side.device < 0 ? MemoryKind::Managed : MemoryKind::Device;
}

/// How a copy goes from one device to another.
model::PeerPath pathBetween(const model::Gpu &from, const model::Gpu &to, bool areConnected) {
  if (!areConnected)
    return model::PeerPath::Staged;
  return from.nvlink > 0 && to.nvlink > 0 ? model::PeerPath::NvLink : model::PeerPath::SameHub;
}

/// What a copy or a fill takes on the GPU.
void modelCopy(const Activity &activity, int fromDevice, profile::ModelledTime &clock) {
  using model::CopyKind;
  using model::WorkKind;
  const model::Gpu *gpu = clock.gpu(activity.device);
  if (!gpu)
    return;
  auto isOfHost = [](MemoryKind kind) {
    return kind == MemoryKind::Pageable || kind == MemoryKind::Pinned;
  };
  bool isFill = activity.kind == ActivityKind::Fill;
  if (const model::Gpu *to = clock.gpu(uint32_t(activity.toDevice)); activity.toDevice >= 0 && to)
    if (const model::Gpu *from = clock.gpu(uint32_t(fromDevice)))
      return clock.setCopy(activity.work, WorkKind::ToPeer, [&](const model::Gpu *board) {
        const model::Gpu &a = board ? *board : *from, &b = board ? *board : *to;
        return model::peerSeconds(a, b, pathBetween(a, b, activity.isPeerAccess), activity.bytes);
      });
  bool fromHost = !isFill && isOfHost(activity.from), toHost = isOfHost(activity.to);
  bool isPinned = activity.from != MemoryKind::Pageable && activity.to != MemoryKind::Pageable;
  CopyKind kind = fromHost ? CopyKind::HostToDevice
                  : toHost ? CopyKind::DeviceToHost
                           : CopyKind::DeviceToDevice;
  clock.setCopy(activity.work,
                fromHost ? WorkKind::ToDevice
                : toHost ? WorkKind::ToHost
                         : WorkKind::OnDevice,
                [&](const model::Gpu *board) { // a fill only writes
                  return model::copySeconds(board ? *board : *gpu, kind, activity.bytes, isPinned) /
                         (isFill ? 2 : 1);
                });
}

/// One may access the other's memory.
bool haveAccess(const CopyWork &copy) {
  auto has = [](int device, int other) {
    return state().devices[size_t(device)]->settings.peers >> other & 1;
  };
  return has(copy.from.device, copy.to.device) || has(copy.to.device, copy.from.device);
}

uint64_t bytesOf(const Box &box) { return uint64_t(box.width) * box.height * box.depth; }

__attribute__((destructor)) void finishAtExit() { finishProfile(); }

} // namespace

/// Once it has devices.
static std::atomic<const State *> startedState = nullptr;

void startProfile(const State &s) {
  startedState = &s;
  if (!isProfiled)
    return;
  for (auto &device : s.devices)
    profile::noteDevice(uint32_t(device->ordinal),
                        {device->board->properties.name, model::findGpu(device->board->key),
                         device->backend.get()});
  device::setWatcher(profile::modelsTime()         ? &Modelled
                     : profile::predictsTimeline() ? &Predicted
                                                   : &Measured);
  profile::begin();
  if (profile::isOn())
    reportAtAnyEnd(finishProfile);
}

void finishProfile() {
  if (!isProfiled || device::isForkedCopy())
    return;
  profile::finish();
}

/// All are known, as somebody may want to hear of them later.
void profileStream(const device::Queue *queue, const Context &context, bool isDefault) {
  Profile &profile = theProfile();
  std::lock_guard lock(profile.mutex);
  profile.streams[queue] = {isDefault ? DefaultStream : profile.nextStream++,
                            uint32_t(context.ordinal), uint32_t(context.index) + 1};
}

void profileCacheConfig(const Function &function, const Context &context, int config) {
  if (!isProfiled)
    return;
  Profile &profile = theProfile();
  std::lock_guard lock(profile.mutex);
  profile.cacheConfigs[{&function, &context}] = config;
}

void profileLaunch(device::LaunchRequest &request, Function &function, Context &context,
                   const LaunchShape &shape) {
  if (!isProfiled)
    return;
  const ImageKernel &kernel = *function.kernel;
  const Architecture &architecture = *context.board->architecture;
  Activity activity = {};
  activity.kind = ActivityKind::Kernel;
  activity.call = profile::thisCall();
  profile::KernelFacts &facts = activity.kernel;
  facts.name = function.displayName;
  facts.mangled = function.name;
  std::copy_n(request.gridDim, 3, facts.grid);
  std::copy_n(request.blockDim, 3, facts.block);
  facts.registers = static_cast<uint32_t>(registersOf(kernel, architecture));
  facts.staticShared = kernel.staticShared;
  facts.dynamicShared = request.dynamicSharedBytes;
  facts.cacheConfig = context.settings.cacheConfig;
  int threads = static_cast<int>(shape.block.x * shape.block.y * shape.block.z);
  int blocks = activeBlocks(function, context, threads, request.dynamicSharedBytes);
  facts.occupancy = double(blocks) * ((threads + 31) / 32) / architecture.warpsPerSm;
  Profile &profile = theProfile();
  std::lock_guard lock(profile.mutex);
  auto config = profile.cacheConfigs.find({&function, &context});
  if (config != profile.cacheConfigs.end() && config->second) // 0: as the device prefers
    facts.cacheConfig = config->second;
  profile.launches.push_back(std::move(activity));
  request.note = profile.launches.size();
}

void beginProfiledCall(FunctionNumber function) {
  profile::beginCall(ownEntries()[static_cast<size_t>(function)].name.data(), false);
}
void endProfiledCall(CUresult error) {
  profile::endCall(error == CUDA_SUCCESS ? error : driverCode(error));
}
uint64_t profiledCall() { return isProfiled ? profile::thisCall() : 0; }

ProfiledWork::ProfiledWork(const CopyWork &work) : copy_(&work) {
  if (isProfiled) [[unlikely]]
    begin_ = nowNanoseconds();
}

ProfiledWork::ProfiledWork(const FillWork &work) : fill_(&work) {
  if (isProfiled) [[unlikely]]
    begin_ = nowNanoseconds();
}

void ProfiledWork::end() {
  Activity activity = {};
  activity.begin = begin_, activity.end = nowNanoseconds();
  {
    std::lock_guard lock(theProfile().mutex);
    place(activity, device::runningQueue());
  }
  if (copy_) {
    activity.kind = ActivityKind::Copy;
    activity.call = copy_->call;
    activity.bytes = bytesOf(copy_->box);
    activity.from = kindOf(copy_->from), activity.to = kindOf(copy_->to);
    bool isBetween = copy_->from.device >= 0 && copy_->to.device >= 0;
    if (isBetween && copy_->from.device != copy_->to.device)
      activity.toDevice = copy_->to.device, activity.isPeerAccess = haveAccess(*copy_);
  } else {
    activity.kind = ActivityKind::Fill;
    activity.call = fill_->call;
    activity.bytes = bytesOf(fill_->box);
    activity.to = kindOf(fill_->side);
  }
  activity.work = device::runningWork();
  if (profile::ModelledTime *clock = activity.work ? profile::modelledTime() : nullptr)
    modelCopy(activity, copy_ ? copy_->from.device : -1, *clock);
  profile::note(std::move(activity));
}

CUresult cuProfilerStart() {
  profile::startRecording();
  return CUDA_SUCCESS;
}
CUresult cuProfilerStop() {
  profile::stopRecording();
  return CUDA_SUCCESS;
}

} // namespace heddle::driver

/// For the runtime: whether to tell of calls.
extern "C" __attribute__((visibility("default"))) bool heddle_calls_are_told =
    heddle::profile::isOn();

extern "C" __attribute__((visibility("default"))) void
heddle_listen(const heddle::profile::Listener *listener) {
  using namespace heddle::driver;
  heddle::profile::setListener(listener);
  heddle_calls_are_told = true;
  if (!std::exchange(isProfiled, true) && startedState)
    startProfile(*startedState);
}
extern "C" __attribute__((visibility("default"))) void
heddle_place_activity(heddle::profile::Activity *activity) {
  heddle::profile::placeActivity(*activity);
}
extern "C" __attribute__((visibility("default"))) uint64_t heddle_timestamp() {
  return heddle::nowNanoseconds();
}

/// For the runtime: the program calls a function of its; it has returned this code.
extern "C" __attribute__((visibility("default"))) void heddle_call_begins(const char *name) {
  heddle::profile::beginCall(name, true);
}
extern "C" __attribute__((visibility("default"))) void heddle_call_ends(int code) {
  heddle::profile::endCall(code);
}
/// For `heddle profile`: what is wrong with the names of counters, a line each; empty: nothing.
extern "C" __attribute__((visibility("default"))) const char *
heddle_counter_problem(const char *tool, const char *names, bool events) {
  static std::string &text = *new std::string;
  auto known = heddle::parseProfileTool(tool);
  text = known ? heddle::profile::problemOfNames(*known, heddle::splitLines(names), events)
               : known.error();
  return text.c_str();
}
/// For `heddle profile --query-metrics`: the names of a tool's counters.
extern "C" __attribute__((visibility("default"))) const char *heddle_counter_names(const char *tool,
                                                                                   bool events) {
  static const std::string &text = *new std::string([&] {
    auto known = heddle::parseProfileTool(tool);
    return known ? heddle::profile::listOfMetrics(*known, events) : known.error();
  }());
  return text.c_str();
}
