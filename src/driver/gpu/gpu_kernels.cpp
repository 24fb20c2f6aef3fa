// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime gives kernels of libraries in the place of functions, which are those of one context.
// NVIDIA's driver takes them so for launches and occupancies (cuLaunchKernel's manual). What sets and
// asks takes functions only, and a graph's node has a field of its own for a kernel.
#include "driver/gpu/gpu_kernels.h"

#include "driver/gpu/gpu_again.h"
#include "driver/gpu/machine_library.h"

#include <mutex>
#include <unordered_set>

namespace heddle::driver {

namespace {

struct Known {
  std::mutex mutex;
  std::unordered_set<CUkernel> kernels;
};

Known &known() {
  static Known &all = *new Known;
  return all;
}

CUkernel asKernel(CUfunction function) { return reinterpret_cast<CUkernel>(function); }

bool isKernel(CUfunction function) {
  std::lock_guard guard(known().mutex);
  return known().kernels.contains(asKernel(function));
}

} // namespace

CUresult functionOf(CUfunction &function) {
  return isKernel(function) ? machine().cuKernelGetFunction(&function, asKernel(function))
                            : CUDA_SUCCESS;
}

namespace {

/// For functions that take one first.
template <auto Member, typename... Arguments>
CUresult first(CUfunction function, Arguments... arguments) {
  CUresult error = functionOf(function);
  return error ? error : (machine().*Member)(function, arguments...);
}
/// For those of them that set something.
template <auto Member, typename... Arguments>
CUresult set(CUfunction function, Arguments... arguments) {
  CUresult error = first<Member>(function, arguments...);
  noteSetting();
  return error;
}
/// For those that take one last.
template <auto Member, typename... Arguments> struct Last {
  static CUresult call(Arguments... arguments, CUfunction function) {
    CUresult error = functionOf(function);
    return error ? error : (machine().*Member)(arguments..., function);
  }
};

// ---------------------------------------------------------------------------------------------------
// Graphs.

template <typename Params> uint64_t threadsOf(const Params &params) {
  return uint64_t(params.blockDimX) * params.blockDimY * params.blockDimZ;
}

/// As NVIDIA's driver wants them.
template <typename Params> Params told(Params params) {
  if (params.func)
    params.func = fitFor(params.func, threadsOf(params));
  if (isKernel(params.func)) {
    params.kern = asKernel(params.func);
    params.func = nullptr;
  }
  return params;
}

/// The first version has no field for a kernel.
CUresult toldOld(CUDA_KERNEL_NODE_PARAMS_v1 &params) {
  params.func = fitFor(params.func, threadsOf(params));
  return functionOf(params.func);
}

CUgraphNodeParams toldAny(const CUgraphNodeParams &params) {
  CUgraphNodeParams copy = params;
  if (params.type == CU_GRAPH_NODE_TYPE_KERNEL)
    copy.kernel = told(params.kernel);
  return copy;
}

void interceptNodes(Table &table) {
  table.cuGraphAddKernelNode = [](CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                                  size_t count, const CUDA_KERNEL_NODE_PARAMS_v1 *params) {
    if (!params)
      return CUDA_ERROR_INVALID_VALUE;
    CUDA_KERNEL_NODE_PARAMS_v1 copy = *params;
    CUresult error = toldOld(copy);
    return error ? error : machine().cuGraphAddKernelNode(node, graph, dependencies, count, &copy);
  };
  table.cuGraphAddKernelNode_v2 = [](CUgraphNode *node, CUgraph graph,
                                     const CUgraphNode *dependencies, size_t count,
                                     const CUDA_KERNEL_NODE_PARAMS *params) {
    if (!params)
      return CUDA_ERROR_INVALID_VALUE;
    CUDA_KERNEL_NODE_PARAMS copy = told(*params);
    return machine().cuGraphAddKernelNode_v2(node, graph, dependencies, count, &copy);
  };
  table.cuGraphKernelNodeSetParams_v2 = [](CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS *params) {
    if (!params)
      return CUDA_ERROR_INVALID_VALUE;
    CUDA_KERNEL_NODE_PARAMS copy = told(*params);
    return machine().cuGraphKernelNodeSetParams_v2(node, &copy);
  };
  table.cuGraphExecKernelNodeSetParams_v2 = [](CUgraphExec exec, CUgraphNode node,
                                               const CUDA_KERNEL_NODE_PARAMS *params) {
    if (!params)
      return CUDA_ERROR_INVALID_VALUE;
    CUDA_KERNEL_NODE_PARAMS copy = told(*params);
    return machine().cuGraphExecKernelNodeSetParams_v2(exec, node, &copy);
  };
  // The runtime finds the stub by the handle that it has given.
  table.cuGraphKernelNodeGetParams_v2 = [](CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *params) {
    CUresult error = machine().cuGraphKernelNodeGetParams_v2(node, params);
    if (error == CUDA_SUCCESS && params->func)
      params->func = originalOf(params->func);
    if (error == CUDA_SUCCESS && params->kern) {
      std::lock_guard guard(known().mutex);
      if (known().kernels.contains(params->kern))
        params->func = reinterpret_cast<CUfunction>(params->kern);
    }
    return error;
  };
  table.cuGraphAddNode = [](CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                            size_t count, CUgraphNodeParams *params) {
    if (!params || params->type != CU_GRAPH_NODE_TYPE_KERNEL)
      return machine().cuGraphAddNode(node, graph, dependencies, count, params);
    CUgraphNodeParams copy = toldAny(*params);
    return machine().cuGraphAddNode(node, graph, dependencies, count, &copy);
  };
  table.cuGraphAddNode_v2 = [](CUgraphNode *node, CUgraph graph, const CUgraphNode *dependencies,
                               const CUgraphEdgeData *edges, size_t count,
                               CUgraphNodeParams *params) {
    if (!params || params->type != CU_GRAPH_NODE_TYPE_KERNEL)
      return machine().cuGraphAddNode_v2(node, graph, dependencies, edges, count, params);
    CUgraphNodeParams copy = toldAny(*params);
    return machine().cuGraphAddNode_v2(node, graph, dependencies, edges, count, &copy);
  };
  table.cuGraphNodeSetParams = [](CUgraphNode node, CUgraphNodeParams *params) {
    if (!params || params->type != CU_GRAPH_NODE_TYPE_KERNEL)
      return machine().cuGraphNodeSetParams(node, params);
    CUgraphNodeParams copy = toldAny(*params);
    return machine().cuGraphNodeSetParams(node, &copy);
  };
  table.cuGraphExecNodeSetParams = [](CUgraphExec exec, CUgraphNode node,
                                      CUgraphNodeParams *params) {
    if (!params || params->type != CU_GRAPH_NODE_TYPE_KERNEL)
      return machine().cuGraphExecNodeSetParams(exec, node, params);
    CUgraphNodeParams copy = toldAny(*params);
    return machine().cuGraphExecNodeSetParams(exec, node, &copy);
  };
}

} // namespace

void noteKernels(std::span<const CUkernel> kernels) {
  std::lock_guard guard(known().mutex);
  known().kernels.insert(kernels.begin(), kernels.end());
}

void interceptKernelHandles(Table &table) {
  table.cuFuncGetAttribute = Last<&Table::cuFuncGetAttribute, int *, CUfunction_attribute>::call;
  table.cuFuncGetName = Last<&Table::cuFuncGetName, const char **>::call;
  table.cuFuncGetModule = Last<&Table::cuFuncGetModule, CUmodule *>::call;
  table.cuFuncIsLoaded = Last<&Table::cuFuncIsLoaded, CUfunctionLoadingState *>::call;
  table.cuFuncLoad = first<&Table::cuFuncLoad>;
  table.cuFuncSetAttribute = set<&Table::cuFuncSetAttribute, CUfunction_attribute, int>;
  table.cuFuncSetCacheConfig = set<&Table::cuFuncSetCacheConfig, CUfunc_cache>;
  table.cuFuncSetSharedMemConfig = set<&Table::cuFuncSetSharedMemConfig, CUsharedconfig>;
  table.cuFuncGetParamInfo = first<&Table::cuFuncGetParamInfo, size_t, size_t *, size_t *>;
  table.cuKernelSetAttribute = [](CUfunction_attribute attribute, int value, CUkernel kernel,
                                  CUdevice device) {
    CUresult error = machine().cuKernelSetAttribute(attribute, value, kernel, device);
    noteSetting();
    return error;
  };
  // A kernel's function is the kernel, as the runtime takes it: a program may ask either way.
  table.cuKernelGetFunction = [](CUfunction *function, CUkernel kernel) {
    CUresult error = machine().cuKernelGetFunction(function, kernel);
    if (error == CUDA_SUCCESS && isKernel(reinterpret_cast<CUfunction>(kernel)))
      *function = reinterpret_cast<CUfunction>(kernel);
    return error;
  };
  interceptNodes(table);
}

} // namespace heddle::driver
