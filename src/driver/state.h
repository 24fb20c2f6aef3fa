// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The process-wide state of the driver, and the state of a thread.
#pragma once

#include "driver_types.h"
#include "heddle/driver_api_types.h"

#include "base/result.h"
#include "device/device.h"
#include "driver/boards/ledger.h"
#include "driver/boards/machine.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <pthread.h>

namespace heddle::driver {

struct Stream;
struct MemoryTable; ///< memory.cpp

/// What the program set with cudaDeviceSet*. The printf buffer and the heap lie with the backend.
struct DeviceSettings {
  unsigned flags = 0;
  CUfunc_cache cacheConfig = CU_FUNC_CACHE_PREFER_NONE;
  CUsharedconfig banks = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
  size_t stackBytes = 1024;
  size_t syncDepth = 2;
  size_t pendingLaunches = 2048;
  size_t l2FetchBytes = 64;
  size_t persistingL2Bytes = 0;
  uint64_t peers = 0; ///< bit n: cudaDeviceEnablePeerAccess(n)
};

/// A context: a program's streams, memory, modules and settings on a device. Each device has a
/// primary one, which the runtime API uses; programs create others (driver API, "Context
/// Management").
struct Context {
  int ordinal = 0; ///< of its device among CUDA's
  int index = 0;   ///< among the process's contexts; a primary one's is its device's ordinal
  bool isPrimary = true;
  uint64_t id = 0; ///< cuCtxGetId
  std::unique_ptr<device::Device> backend;
  const Gpu *gpu = nullptr;
  const Board *board = nullptr; ///< the GPU's
  /// It is in use: the GPU has an entry for this process in the ledger (device/context.cpp).
  std::atomic<bool> isActive = false;
  std::atomic<unsigned> users = 0;    ///< of a primary context: cuDevicePrimaryCtxRetain
  std::atomic<unsigned> attached = 0; ///< cuCtxAttach
  std::atomic<int> waits = 0;         ///< of synchronizeContexts for it, under way
  /// Of a primary context: the process's entry for the GPU, while a context there is active.
  std::atomic<Ledger::Entry *> entry = nullptr;
  Stream *legacy = nullptr; ///< the legacy default stream
  std::atomic<int> nonBlockingStreams = 0;
  /// Of a launch for which there was no code, until a synchronisation tells it.
  std::atomic<CUresult> unlaunched = CUDA_SUCCESS;
  DeviceSettings settings;
};

/// How many contexts a process may have at a time: allocations note theirs in a byte.
inline constexpr int MostContexts = 256;

struct State {
  Machine machine; ///< all GPUs of HEDDLE_DEVICE
  /// The devices after CUDA_VISIBLE_DEVICES, as their primary contexts, by ordinal.
  std::vector<std::unique_ptr<Context>> devices;
  bool launchBlocking = false;       ///< CUDA_LAUNCH_BLOCKING=1
  CUresult initError = CUDA_SUCCESS; ///< e.g. CUDA_ERROR_NO_DEVICE
  MemoryTable *memory = nullptr;
};

/// The state, made at the first call (state.cpp: initialize). Never destroyed: user code may run
/// after main.
State &state();

/// cuInit, which the runtime's first call does, too. Error: there is no device to be had.
CUresult initialize();
bool isInitialized();

struct ThreadState {
  Context *current = nullptr;      ///< the thread's current context; null: none
  std::vector<Context *> below;    ///< those under it on the thread's stack of contexts
  bool runsHostFunction = false;   ///< of the program: it may not call CUDA
  bool asksForDevice = false;      ///< host functions that it launches stand for kernels
  std::vector<Stream *> perThread; ///< per-thread default stream for each device, null until used
  ~ThreadState();
};
/// The calling thread's. Objects of the thread and of the program that are destroyed later than it
/// get a new one, with the same current context.
ThreadState &thread();
/// The thread has lost its state: it ends, or runs what comes behind `exit`.
bool isThreadOver();

/// While a function of the program runs that may not call CUDA, for it may hold up what it would wait
/// for: host functions, callbacks and destructors of user objects.
class HostFunctionScope {
public:
  HostFunctionScope() : before_(std::exchange(thread().runsHostFunction, true)) {}
  ~HostFunctionScope() { thread().runsHostFunction = before_; }
  HostFunctionScope(const HostFunctionScope &) = delete;
  HostFunctionScope &operator=(const HostFunctionScope &) = delete;

private:
  bool before_;
};

/// It is not destroyed. What was a context can be asked, too: its memory stays (handle_pool.h).
bool isLive(const Context &);

/// The current thread's context. In a function that needs none, the first device's primary one
/// stands for it where there is none, or another thread has destroyed it. Only inside call().
inline Context &currentContext() {
  Context *current = thread().current;
  return current && (current->isPrimary || isLive(*current)) ? *current : *state().devices.front();
}

/// The context of an index that memory or another object notes.
Context &contextAt(int index);
/// The same; null if there is none now.
Context *findContextAt(int index);
/// The primary context of a context's device.
inline Context &primaryOf(const Context &context) { return *state().devices[context.ordinal]; }

/// Whether there is a device of that number. Only inside call().
inline bool isDevice(int ordinal) {
  return ordinal >= 0 && ordinal < static_cast<int>(state().devices.size());
}

/// Makes a context active, if this process may have one on its device (compute modes).
CUresult makeContext(Context &);
/// Makes it the thread's current one, in the place of that which was.
void setCurrent(Context &);
/// While a call is about another context than the current one.
class ContextScope {
public:
  explicit ContextScope(Context &context) : before_(std::exchange(thread().current, &context)) {}
  ~ContextScope() { thread().current = before_; }
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;

private:
  Context *before_;
};

/// Waits for the work of all contexts: any may use host memory, textures and libraries. Returns the
/// current context's sticky error.
CUresult synchronizeContexts();
/// Waits for the work of all contexts of the context's device, before memory of its is freed: any of
/// them may use that. Returns this context's sticky error.
CUresult synchronizeDevice(Context &);
/// For cudaDeviceReset. The next call that needs a context makes another.
void dropContext(Context &);
/// Ends what is in a context, and the fault that lost it: streams, events, memory, variables of
/// modules, settings.
void resetContext(Context &);

/// CUDA's code for a lost context; CUDA_SUCCESS for Fault::None.
CUresult errorOf(device::Fault);
inline CUresult stickyError(const Context &d) { return errorOf(d.backend->fault()); }
/// What a call that has waited for the device tells.
inline CUresult errorBehindWait(Context &d) {
  if (CUresult error = stickyError(d))
    return error;
  return d.unlaunched.load(std::memory_order_relaxed) == CUDA_SUCCESS
             ? CUDA_SUCCESS
             : d.unlaunched.exchange(CUDA_SUCCESS, std::memory_order_relaxed);
}

/// Says on stderr why a call failed: "heddle: <name>: <message>".
void reportFailure(const char *api, const std::string &message);

/// A thread of the program is not cancelled in the midst of a call: it would leave locks taken.
class CancellationGuard {
public:
  CancellationGuard() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~CancellationGuard() { pthread_setcancelstate(before_, nullptr); }
  CancellationGuard(const CancellationGuard &) = delete;
  CancellationGuard &operator=(const CancellationGuard &) = delete;

private:
  int before_;
};

} // namespace heddle::driver
