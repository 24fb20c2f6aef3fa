// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The objects that the calls get: live ones, those of another context, and destroyed ones.
#pragma once

#include "calls.h"

#include <thread>

inline const char *moduleFile = nullptr;

struct World {
  static constexpr size_t Bytes = 65536;
  CUcontext context = nullptr, other = nullptr;
  CUstream stream = nullptr;
  CUevent event = nullptr;
  CUdeviceptr memory = 0, second = 0;
  void *pinned = nullptr;
  CUmodule module = nullptr;
  CUfunction add = nullptr, nothing = nullptr, bounded = nullptr;
  char pageable[4096] = {};
};
inline World w;

/// What one context holds.
struct Objects {
  CUstream stream = nullptr;
  CUevent event = nullptr;
  CUarray array = nullptr;
  CUmipmappedArray levels = nullptr;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUtexref reference = nullptr;
};

inline CUDA_ARRAY3D_DESCRIPTOR cube(size_t width, size_t height, size_t depth, unsigned flags = 0) {
  auto d = zeros<CUDA_ARRAY3D_DESCRIPTOR>();
  d.Width = width, d.Height = height, d.Depth = depth, d.Flags = flags;
  d.Format = CU_AD_FORMAT_FLOAT, d.NumChannels = 1;
  return d;
}

inline Objects makeObjects() {
  Objects o;
  CU(cuStreamCreate)(&o.stream, 0);
  CU(cuEventCreate)(&o.event, 0);
  auto flat = cube(32, 32, 0);
  CU(cuArray3DCreate_v2)(&o.array, &flat);
  CU(cuMipmappedArrayCreate)(&o.levels, &flat, 3);
  CU(cuModuleLoad)(&o.module, moduleFile);
  CU(cuModuleGetFunction)(&o.function, o.module, "add");
  CU(cuTexRefCreate)(&o.reference);
  return o;
}

template <class F> void inThread(F &&f) { std::thread(f).join(); }

/// Two contexts, each with objects. The first is current before each call.
inline void makeWorld() {
  CU(cuInit)(0);
  CU(cuCtxCreate_v2)(&w.other, 0, 0);
  Objects others = makeObjects();
  CU(cuCtxCreate_v2)(&w.context, 0, 0);
  CU(cuStreamCreate)(&w.stream, 0);
  CU(cuEventCreate)(&w.event, 0);
  CU(cuMemAlloc_v2)(&w.memory, World::Bytes);
  CU(cuMemAlloc_v2)(&w.second, World::Bytes);
  CU(cuMemAllocHost_v2)(&w.pinned, 4096);
  CU(cuMemsetD8_v2)(w.memory, 0, World::Bytes);
  CU(cuCtxSynchronize)();
  CU(cuModuleLoad)(&w.module, moduleFile);
  CU(cuModuleGetFunction)(&w.add, w.module, "add");
  CU(cuModuleGetFunction)(&w.nothing, w.module, "nothing");
  CU(cuModuleGetFunction)(&w.bounded, w.module, "bounded");
  aStream = w.stream;
  anEvent = w.event;
  Handles<CUcontext>::ofOtherContext = w.other;
  Handles<CUstream>::ofOtherContext = others.stream;
  Handles<CUevent>::ofOtherContext = others.event;
  Handles<CUarray>::ofOtherContext = others.array;
  Handles<CUmipmappedArray>::ofOtherContext = others.levels;
  Handles<CUmodule>::ofOtherContext = others.module;
  Handles<CUfunction>::ofOtherContext = others.function;
  Handles<CUtexref>::ofOtherContext = others.reference;
  run.before = [] {
    if (w.context)
      CU(cuCtxSetCurrent)(w.context);
  };
}

/// Objects that are no more, for the runs with them. Made last: another one may get such a handle.
inline void makeDestroyedOnes() {
  if (!run.isRisky)
    return;
  Objects gone = makeObjects();
  Handles<CUstream>::destroyed = gone.stream;
  Handles<CUevent>::destroyed = gone.event;
  Handles<CUarray>::destroyed = gone.array;
  Handles<CUmipmappedArray>::destroyed = gone.levels;
  Handles<CUmodule>::destroyed = gone.module;
  Handles<CUfunction>::destroyed = gone.function;
  Handles<CUtexref>::destroyed = gone.reference;
  CU(cuTexRefDestroy)(gone.reference);
  CU(cuModuleUnload)(gone.module);
  CU(cuMipmappedArrayDestroy)(gone.levels);
  CU(cuArrayDestroy)(gone.array);
  CU(cuEventDestroy_v2)(gone.event);
  CU(cuStreamDestroy_v2)(gone.stream);
  CUgraph graph = nullptr, whole = nullptr;
  CUgraphNode node = nullptr;
  CUgraphExec exec = nullptr;
  CU(cuGraphCreate)(&whole, 0);
  CU(cuGraphAddEmptyNode)(&node, whole, nullptr, 0);
  CU(cuGraphInstantiateWithFlags)(&exec, whole, 0);
  CU(cuGraphCreate)(&graph, 0);
  CU(cuGraphDestroy)(graph);
  CU(cuGraphExecDestroy)(exec);
  CU(cuGraphDestroyNode)(node);
  Handles<CUgraph>::destroyed = graph;
  Handles<CUgraphNode>::destroyed = node;
  Handles<CUgraphExec>::destroyed = exec;
  CUcontext context = nullptr;
  CU(cuCtxCreate_v2)(&context, 0, 0);
  CU(cuCtxDestroy_v2)(context);
  Handles<CUcontext>::destroyed = context;
  CU(cuCtxSetCurrent)(w.context);
}

/// What the unit has left behind: a fault would show here.
inline void endUnit() { CALL("at the end", cuCtxSynchronize); }
