// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Initialisation: at the first call, from the environment. HEDDLE_DEVICE, CUDA_DEVICE_ORDER and
// CUDA_VISIBLE_DEVICES choose the devices, CUDA_LAUNCH_BLOCKING the launches. A failure is kept and
// given by every later call.
#include "driver/state.h"

#include "driver/children/child_call.h"
#include "driver/device/context.h"
#include "driver/gpu/device_list.h"
#include "driver/launch/checked.h"
#include "driver/log.h"
#include "driver/memory/memory.h"
#include "driver/modules/jit_library.h"
#include "driver/profiling.h"
#include "driver/reserve.h"
#include "driver/rooms.h"
#include "driver/streams/capture.h"
#include "driver/streams/stream.h"

#include "base/messages/messages.h"
#include "device/debugger.h"
#include "profile/count/counting.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cxxabi.h>

#include <unistd.h>

extern "C" void *__dso_handle;

namespace heddle::driver {
namespace {

void addDevice(State &s, const Gpu &gpu) {
  auto device = std::make_unique<Context>();
  device->ordinal = device->index = static_cast<int>(s.devices.size());
  device->id = static_cast<uint64_t>(device->index) + 1;
  device->backend = device::createCpuDevice();
  device->gpu = &gpu;
  device->board = gpu.board;
  const cudaDeviceProp &properties = device->board->properties;
  device::showDevice({device->backend.get(), properties.name,
                      static_cast<uint64_t>(properties.multiProcessorCount),
                      static_cast<uint64_t>(properties.major),
                      static_cast<uint64_t>(properties.minor)});
  s.devices.push_back(std::move(device));
}

State *makeState() {
  State *s = new State;
  const char *blocking = std::getenv("CUDA_LAUNCH_BLOCKING");
  s->launchBlocking = blocking && std::strcmp(blocking, "1") == 0;
  auto machine = makeMachine(deviceList());
  std::vector<const Gpu *> gpus;
  if (machine) {
    s->machine = std::move(*machine);
    gpus = visibleGpus(s->machine, std::getenv("CUDA_DEVICE_ORDER"),
                       std::getenv("CUDA_VISIBLE_DEVICES"));
  }
  if (!machine) {
    tellf("heddle: %s\n", machine.error().c_str());
    s->initError = CUDA_ERROR_NOT_INITIALIZED;
  } else if (gpus.empty()) {
    s->initError = CUDA_ERROR_NO_DEVICE;
  } else {
    for (const Gpu *gpu : gpus)
      addDevice(*s, *gpu);
    initializeMemory(*s);
    startChecks(s->devices.size());
    startProfile(*s);
    profile::startCounting();
    for (auto &device : s->devices)
      initializeStreams(*device);
    if (!s->devices.front()->legacy) {
      reportFailure("the device", "the system has no threads left for it");
      s->initError = CUDA_ERROR_OPERATING_SYSTEM;
    }
    answerDeviceCalls();
  }
  return s;
}

} // namespace

constinit Rooms theRooms;

State &state() {
  static State &s = *makeState();
  return s;
}

/// Can be asked for, as a pointer alone has no destructor, when the thread's objects are gone.
static thread_local ThreadState *threadState = nullptr;
static thread_local bool threadIsOver = false;
static thread_local Context *lastContext = nullptr; ///< of a thread that is over

static ThreadState &makeThreadState() {
  threadState = new ThreadState;
  threadState->current = lastContext;
  auto destroy = [](void *state) {
    threadState = nullptr;
    delete static_cast<ThreadState *>(state);
  };
  // In the main thread's last moments nothing calls it any more.
  abi::__cxa_thread_atexit(destroy, threadState, &__dso_handle);
  return *threadState;
}

ThreadState &thread() { return threadState ? *threadState : makeThreadState(); }

bool isThreadOver() { return threadIsOver; }

ThreadState::~ThreadState() {
  threadIsOver = true;
  lastContext = current;
  if (device::isForkedCopy())
    return;
  if (gettid() == getpid()) // main has returned; destructors of statics have not run yet
    endCompilingForOthers();
  dropPerThreadStreams(*this);
}

CUresult errorOf(device::Fault fault) {
  switch (fault) {
  case device::Fault::None:
    return CUDA_SUCCESS;
  case device::Fault::IllegalAddress:
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  case device::Fault::Assert:
    return CUDA_ERROR_ASSERT;
  case device::Fault::IllegalInstruction:
    return CUDA_ERROR_ILLEGAL_INSTRUCTION;
  case device::Fault::MisalignedAddress:
    return CUDA_ERROR_MISALIGNED_ADDRESS;
  case device::Fault::LaunchTimeout:
    return CUDA_ERROR_LAUNCH_TIMEOUT;
  case device::Fault::NoCompiler:
    return CUDA_ERROR_JIT_COMPILER_NOT_FOUND;
  case device::Fault::Trap:
  case device::Fault::HostLost:
    return CUDA_ERROR_LAUNCH_FAILED;
  }
  return CUDA_ERROR_UNKNOWN;
}

void reportFailure(const char *api, const std::string &message) {
  const std::string line = std::string("heddle: ") + api + ": " + message + "\n";
  tell(line);
  noteInLog(line);
}

static std::atomic<bool> initialized = false;

bool isInitialized() { return initialized.load(std::memory_order_relaxed); }

CUresult initialize() {
  if (CUresult error = state().initError)
    return error;
  initialized.store(true, std::memory_order_relaxed);
  return CUDA_SUCCESS;
}

} // namespace heddle::driver
