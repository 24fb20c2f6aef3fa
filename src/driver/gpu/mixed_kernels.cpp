// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries and kernels of a mixed table: pairs, of which each side has its own.
#include "driver/gpu/mixed_routing.h"

#include <mutex>

namespace heddle::driver::mixed {

namespace {

CUresult loadLibrary(CUlibrary *out, const void *code, CUjit_option *jitOptions, void **jitValues,
                     unsigned jitCount, CUlibraryOption *options, void **values, unsigned count) {
  Pair made;
  for (Side side : {Cpu, Gpu}) {
    CUlibrary library = nullptr;
    if (CUresult error = tableOf(side).cuLibraryLoadData(&library, code, jitOptions, jitValues,
                                                         jitCount, options, values, count))
      return error;
    made.made[side] = library;
  }
  Pair *pair = newPair();
  pair->made = made.made;
  *out = reinterpret_cast<CUlibrary>(pair);
  return CUDA_SUCCESS;
}

CUresult getKernel(CUkernel *kernel, CUlibrary handle, const char *name) {
  Pair *library = pairOf(handle);
  if (!library || !kernel || !name)
    return tableOf(currentSide()).cuLibraryGetKernel(kernel, handle, name);
  const Side side = currentSide();
  CUkernel part = nullptr;
  if (CUresult error = tableOf(side).cuLibraryGetKernel(
          &part, static_cast<CUlibrary>(library->made[side]), name))
    return error;
  std::unique_lock guard(all().mutex);
  Pair *&known = all().kernels[{library, name}];
  if (!known) {
    known = new Pair;
    known->library = library;
    known->name = name;
    all().pairs.insert(known);
  }
  known->made[side] = part;
  *kernel = reinterpret_cast<CUkernel>(known);
  return CUDA_SUCCESS;
}

/// A node's kernel, for the side of its graph.
template <class Params> Params told(Params params, Side side) {
  params.func = forSide<CUfunction>(params.func, side);
  if constexpr (requires { params.kern; })
    params.kern = forSide<CUkernel>(params.kern, side);
  return params;
}

/// The pair that has this part, or the part.
void *wholeOf(void *part, Side side) {
  std::shared_lock guard(all().mutex);
  for (const auto &[key, pair] : all().kernels)
    if (part && pair->made[side] == part)
      return pair;
  return part;
}

Side sideOfGraph(const void *graph) {
  const Side side = sideOf(graph);
  return side == Unknown ? currentSide() : side;
}

} // namespace

void interceptKernels(Table &table) {
  table.cuLibraryLoadData = loadLibrary;
  table.cuLibraryGetKernel = getKernel;
  table.cuLibraryUnload = [](CUlibrary handle) {
    Pair *pair = pairOf(handle);
    if (!pair)
      return tableOf(currentSide()).cuLibraryUnload(handle);
    CUresult error = CUDA_SUCCESS;
    for (Side side : {Cpu, Gpu})
      if (void *part = std::exchange(pair->made[side], nullptr))
        if (CUresult failed = tableOf(side).cuLibraryUnload(static_cast<CUlibrary>(part)))
          error = failed;
    return error;
  };
  table.cuKernelGetFunction = [](CUfunction *function, CUkernel kernel) {
    Pair *pair = pairOf(kernel);
    if (!pair || !function)
      return tableOf(currentSide()).cuKernelGetFunction(function, kernel);
    *function = reinterpret_cast<CUfunction>(pair);
    return partOf(*pair, currentSide()) ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
  };
  table.cuGraphAddKernelNode_v2 = [](CUgraphNode *node, CUgraph graph,
                                     const CUgraphNode *dependencies, size_t count,
                                     const CUDA_KERNEL_NODE_PARAMS *params) {
    const Side side = sideOfGraph(graph);
    CUDA_KERNEL_NODE_PARAMS copy = params ? told(*params, side) : CUDA_KERNEL_NODE_PARAMS{};
    CUresult error = tableOf(side).cuGraphAddKernelNode_v2(node, graph, dependencies, count,
                                                           params ? &copy : nullptr);
    if (error == CUDA_SUCCESS)
      note(*node, side);
    return error;
  };
  table.cuGraphKernelNodeSetParams_v2 = [](CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS *params) {
    const Side side = sideOfGraph(node);
    CUDA_KERNEL_NODE_PARAMS copy = params ? told(*params, side) : CUDA_KERNEL_NODE_PARAMS{};
    return tableOf(side).cuGraphKernelNodeSetParams_v2(node, params ? &copy : nullptr);
  };
  table.cuGraphExecKernelNodeSetParams_v2 = [](CUgraphExec exec, CUgraphNode node,
                                               const CUDA_KERNEL_NODE_PARAMS *params) {
    const Side side = sideOfGraph(exec);
    CUDA_KERNEL_NODE_PARAMS copy = params ? told(*params, side) : CUDA_KERNEL_NODE_PARAMS{};
    return tableOf(side).cuGraphExecKernelNodeSetParams_v2(exec, node, params ? &copy : nullptr);
  };
  table.cuGraphKernelNodeGetParams_v2 = [](CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *params) {
    const Side side = sideOfGraph(node);
    CUresult error = tableOf(side).cuGraphKernelNodeGetParams_v2(node, params);
    if (error == CUDA_SUCCESS)
      params->func = static_cast<CUfunction>(wholeOf(params->func, side));
    return error;
  };
}

} // namespace heddle::driver::mixed
