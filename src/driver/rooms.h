// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the rooms of the driver keep for the process: the objects behind handles, tables, counters.
// All are here and nowhere else; what each is, its room knows. It belongs to the State (state.h)
// and stands beside it, since making the State makes some of it, and host code may register device
// code before. Never destroyed: user code may run after main.
//
// Elsewhere are: the boards and their ledger (boards), which NVML has without a driver; constants
// that are computed once; and counters that only say "none" without a lock.
#pragma once

#include "driver/table.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace heddle::driver {

template <typename T, size_t Max> class HandlePool;

/// A T that is made when it is first asked for, by any thread. Not by std::call_once, nor std::promise:
/// they have words of the thread's in libstdc++, which are at no fixed place where a process opened that
/// library before ours (tests/runtime/opened_late.cpp).
template <typename T> class Owned {
public:
  T &get() {
    T *object = object_.load(std::memory_order_acquire);
    return object ? *object : make();
  }

private:
  T &make() {
    std::lock_guard lock(mutex_);
    if (!object_.load(std::memory_order_relaxed))
      object_.store(new T, std::memory_order_release);
    return *object_.load(std::memory_order_relaxed);
  }

  std::atomic<T *> object_{nullptr};
  std::mutex mutex_;
};

/// Something is said once in a process.
class Once {
public:
  bool isFirst() { return !said_.exchange(true, std::memory_order_relaxed); }

private:
  std::atomic<bool> said_{false};
};

struct Rooms {
  // call, entry_points, log
  Once refused[static_cast<size_t>(FunctionNumber::Count)];
  Once toldOfStaticRuntime;
  Owned<struct Log> log;

  // graphs
  Owned<HandlePool<struct Graph, 1u << 20>> graphs;
  Owned<HandlePool<struct Node, 1u << 23>> nodes;
  Owned<HandlePool<struct UserObject, 1u << 20>> userObjects;
  std::atomic<uint64_t> nextGraphId{1}, nextCondition{1};

  // streams
  Owned<struct StreamTable> streams;
  Owned<struct StreamAttributes> streamAttributes;
  Owned<HandlePool<struct Event, 1u << 22>> events;
  Owned<struct CaptureTable> captures;
  Owned<HandlePool<struct ImportedSemaphore, 1u << 16>> semaphores;

  // memory
  Owned<struct PointerNotes> pointerNotes;
  Owned<struct VirtualTable> virtualMemory;
  Owned<struct GraphMemoryTable> graphMemory;
  Owned<HandlePool<struct ExternalMemory, 1u << 16>> externalMemory;

  // modules
  Owned<struct ModuleTable> modules;
  Owned<HandlePool<struct Library, 1u << 16>> libraries;
  Owned<HandlePool<struct Kernel, 1u << 20>> kernels;
  Owned<HandlePool<struct Link, 1u << 16>> links;
  Owned<struct CompilerLibrary> compiler;
  Owned<class CompilerVisitors> compilerVisitors;
  std::atomic<bool> isCompilerMissing{false};
  std::atomic<unsigned> compilerUses{0};
  Once toldOfUnfitCode, toldOfNoCompiler;

  // textures
  Owned<HandlePool<struct Texture, 1u << 20>> textures;
  Owned<HandlePool<struct Surface, 1u << 20>> surfaces;
  Owned<HandlePool<struct TextureReference, 1u << 16>> textureReferences;
  Owned<HandlePool<struct SurfaceReference, 1u << 16>> surfaceReferences;

  // forms, launch, device, executable
  Owned<class FormThread> formThread;
  Owned<HandlePool<struct DeviceNode, 1u << 20>> deviceNodes;
  Owned<struct ContextTable> contexts;
  Owned<HandlePool<struct Notification, 1u << 12>> notifications;
  Owned<HandlePool<struct GreenContext, 1u << 12>> greenContexts;
  Owned<HandlePool<struct ResourceDescription, 1u << 16>> resourceDescriptions;
  std::atomic<uint64_t> nextGreenId{1u << 20};
  Owned<HandlePool<struct Executable, 1u << 20>> executables;
};

extern constinit Rooms theRooms; // state.cpp
inline Rooms &rooms() { return theRooms; }

} // namespace heddle::driver
