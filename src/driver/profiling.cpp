// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/profiling.h"

#include "base/machine/clock.h"
#include "device/watch.h"
#include "driver/call.h"
#include "driver/copies/copy.h"
#include "driver/copies/fill.h"
#include "driver/launch/occupancy.h"
#include "driver/modules/module.h"
#include "profile/recorder.h"
#include "profile/report.h"

#include <deque>
#include <map>
#include <mutex>

namespace heddle::driver {

const bool isProfiled = profile::isOn() || profile::modelsTime();

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

profile::ModelledTime *clockOf(const device::Queue *queue) {
  Profile &profile = theProfile();
  std::lock_guard lock(profile.mutex);
  auto at = profile.streams.find(queue);
  return at == profile.streams.end() ? nullptr : profile::modelledTime(at->second.device);
}

/// Numbers of all devices' work: the device above the number on its clock.
constexpr unsigned DeviceShift = 48;
constexpr uint64_t NumberMask = (uint64_t(1) << DeviceShift) - 1;
profile::ModelledTime *clockOfWork(uint64_t work) {
  return work ? profile::modelledTime(uint32_t(work >> DeviceShift)) : nullptr;
}

void launchOver(const device::WatchedLaunch &launch) {
  Profile &profile = theProfile();
  std::unique_lock lock(profile.mutex);
  Activity activity = profile.launches[launch.note - 1];
  place(activity, launch.queue);
  lock.unlock();
  activity.begin = launch.begin, activity.end = launch.end;
  activity.launch = launch.id;
  activity.work = launch.work & NumberMask;
  if (profile::ModelledTime *clock = clockOfWork(launch.work))
    clock->launchIsOver(activity.work, launch.id);
  profile::note(std::move(activity));
}

uint64_t appended(const device::WatchedWork &work) {
  using Kind = device::WatchedWork::Kind;
  profile::ModelledTime *clock = clockOf(work.queue);
  if (!clock)
    return 0;
  bool isLaunch = work.kind == Kind::Launch;
  uint64_t number = clock->append(isLaunch ? model::WorkKind::Kernel : model::WorkKind::Event,
                                  work.queue, work.isDefault, isLaunch);
  if (work.isAwaited)
    clock->waitFor(number);
  std::lock_guard lock(theProfile().mutex);
  return uint64_t(theProfile().streams[work.queue].device) << DeviceShift | number;
}

void waits(const device::Queue *queue, uint64_t work) {
  profile::ModelledTime *clock = clockOf(queue);
  if (clock && clock == clockOfWork(work))
    clock->queueWaits(queue, work & NumberMask);
}

void seen(const device::Queue *queue, uint64_t work) {
  if (profile::ModelledTime *clock = queue ? clockOf(queue) : clockOfWork(work)) {
    queue ? clock->hostSaw(queue) : clock->waitFor(work & NumberMask);
    return;
  }
  for (uint32_t i = 0; !queue && !work && profile::modelledTime(i); ++i)
    profile::modelledTime(i)->hostSawAll();
}

uint64_t timeOf(uint64_t work) {
  profile::ModelledTime *clock = clockOfWork(work);
  return clock ? uint64_t(clock->spanOf(work & NumberMask).end * 1e9) : 0;
}

constexpr device::Watcher Measured = {launchOver, nullptr, nullptr, nullptr, nullptr};
constexpr device::Watcher Modelled = {launchOver, appended, waits, seen, timeOf};

MemoryKind kindOf(const Side &side) {
  if (side.array)
    return MemoryKind::Array;
  if (side.host)
    return side.pageable ? MemoryKind::Pageable : MemoryKind::Pinned;
  return side.device < 0 ? MemoryKind::Managed : MemoryKind::Device;
}

/// What a copy or a fill takes on the GPU.
void modelCopy(const Activity &activity, profile::ModelledTime &clock) {
  auto isOfHost = [](MemoryKind kind) {
    return kind == MemoryKind::Pageable || kind == MemoryKind::Pinned;
  };
  bool isFill = activity.kind == ActivityKind::Fill;
  bool fromHost = !isFill && isOfHost(activity.from), toHost = isOfHost(activity.to);
  bool isPinned = activity.from != MemoryKind::Pageable && activity.to != MemoryKind::Pageable;
  using model::CopyKind;
  using model::WorkKind;
  CopyKind kind = fromHost ? CopyKind::HostToDevice
                  : toHost ? CopyKind::DeviceToHost
                           : CopyKind::DeviceToDevice;
  // A fill only writes.
  double seconds =
      model::copySeconds(clock.gpu(), kind, activity.bytes, isPinned) / (isFill ? 2 : 1);
  clock.setCopy(activity.work,
                fromHost ? WorkKind::ToDevice
                : toHost ? WorkKind::ToHost
                         : WorkKind::OnDevice,
                seconds);
}

uint64_t bytesOf(const Box &box) { return uint64_t(box.width) * box.height * box.depth; }

__attribute__((destructor)) void finishAtExit() { finishProfile(); }

} // namespace

void startProfile(const State &s) {
  if (!isProfiled)
    return;
  for (auto &device : s.devices)
    profile::noteDevice(uint32_t(device->ordinal),
                        {device->board->properties.name, model::findGpu(device->board->key)});
  device::setWatcher(profile::modelsTime() ? &Modelled : &Measured);
  profile::begin();
}

void finishProfile() {
  if (!isProfiled || device::isForkedCopy())
    return;
  profile::finish();
}

void profileStream(const device::Queue *queue, const Context &context, bool isDefault) {
  if (!isProfiled)
    return;
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
      activity.toDevice = copy_->to.device;
  } else {
    activity.kind = ActivityKind::Fill;
    activity.call = fill_->call;
    activity.bytes = bytesOf(fill_->box);
    activity.to = kindOf(fill_->side);
  }
  uint64_t work = device::runningWork();
  activity.work = work & NumberMask;
  if (profile::ModelledTime *clock = clockOfWork(work))
    modelCopy(activity, *clock);
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

/// For the runtime: the program calls a function of its; it has returned this code.
extern "C" __attribute__((visibility("default"))) void heddle_call_begins(const char *name) {
  heddle::profile::beginCall(name, true);
}
extern "C" __attribute__((visibility("default"))) void heddle_call_ends(int code) {
  heddle::profile::endCall(code);
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
