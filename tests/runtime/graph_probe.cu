// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle cc -std=c++17 %s -o %t
// RUN: env HEDDLE_DEVICE=h200 %t > %t.out
// RUN: %python %S/Inputs/compare_probe.py %S/Inputs/graph_probe.expected %t.out
//
// Asks what graphs answer: what nodes refuse, what an update of an executable graph tells, what is
// told of memory. graph_probe.expected is the output on an NVIDIA H200 with CUDA 13.0
// (`nvcc -std=c++17 graph_probe.cu`).
#include "Inputs/graph_probe.h"

static cudaKernelNodeParams kernelParams(void *kernel, void **args, unsigned blocks = 1) {
  cudaKernelNodeParams p = {};
  p.func = kernel;
  p.gridDim = dim3(blocks);
  p.blockDim = dim3(32);
  p.kernelParams = args;
  return p;
}

static int one = 1, two = 2;
static void *args[] = {&device, &one};
static void *otherArgs[] = {&device2, &two};

static void structure() {
  std::puts("== structure");
  cudaGraph_t g, g2, clone;
  cudaGraphNode_t a, b, c, d, x, nodes[8], froms[8], tos[8];
  size_t n;
  cudaGraphNodeType type;
  P(cudaGraphCreate(nullptr, 0));
  P(cudaGraphCreate(&g, 1));
  P(cudaGraphCreate(&g, 0));
  P(cudaGraphCreate(&g2, 0));
  P(cudaGraphAddEmptyNode(nullptr, g, nullptr, 0));
  P(cudaGraphAddEmptyNode(&a, nullptr, nullptr, 0));
  P(cudaGraphAddEmptyNode(&a, g, nullptr, 0));
  P(cudaGraphAddEmptyNode(&b, g, &a, 1));
  P(cudaGraphAddEmptyNode(&x, g2, nullptr, 0));
  P(cudaGraphAddEmptyNode(&c, g, &x, 1));
  cudaGraphNode_t both[] = {a, a};
  P(cudaGraphAddEmptyNode(&c, g, both, 2));
  P(cudaGraphAddEmptyNode(&c, g, nullptr, 1));
  P(cudaGraphAddEmptyNode(&c, g, nullptr, 0));
  P(addDependencies(g, a, b));
  P(addDependencies(g, b, a));
  P(addDependencies(g, a, a));
  P(addDependencies(g, a, x));
  P(addDependencies(g, c, b));
  P(removeDependencies(g, a, c));
  P(removeDependencies(g, c, b));
  P(cudaGraphGetNodes(g, nullptr, &n));
  std::printf("  %zu\n", n);
  n = 2;
  P(cudaGraphGetNodes(g, nodes, &n));
  std::printf("  %zu\n", n);
  n = 8;
  nodes[5] = a;
  P(cudaGraphGetNodes(g, nodes, &n));
  std::printf("  %zu, the rest null: %d\n", n, nodes[5] == nullptr);
  P(cudaGraphGetNodes(g, nodes, nullptr));
  n = 8;
  P(edgesOf(g, froms, tos, &n));
  std::printf("  %zu\n", n);
  n = 8;
  P(edgesOf(g, froms, nullptr, &n));
  P(cudaGraphNodeGetType(a, nullptr));
  P(cudaGraphNodeGetType(nullptr, &type));
  P(cudaGraphClone(&clone, g));
  P(cudaGraphNodeFindInClone(&d, a, clone));
  std::printf("  another node: %d\n", d != a);
  P(cudaGraphNodeFindInClone(&d, x, clone));
  P(cudaGraphNodeFindInClone(&d, a, g));
  P(cudaGraphNodeFindInClone(&d, a, g2));
  P(cudaGraphDestroyNode(a));
  P(cudaGraphNodeFindInClone(&d, b, clone));
  describe(g);
  describe(clone);
  cudaGraphNode_t child;
  P(cudaGraphAddChildGraphNode(&child, g, nullptr, 0, g2));
  describe(g);
  cudaGraph_t inner;
  P(cudaGraphChildGraphNodeGetGraph(child, &inner));
  std::printf("  another graph: %d\n", inner != g);
  P(cudaGraphChildGraphNodeGetGraph(b, &inner));
  P(cudaGraphDestroy(inner));
  P(cudaGraphAddChildGraphNode(&child, g, nullptr, 0, nullptr));
  cudaHostNodeParams hostParams = {nullptr, nullptr};
  P(cudaGraphAddHostNode(&x, g, nullptr, 0, &hostParams));
  P(cudaGraphHostNodeGetParams(b, &hostParams));
  cudaKernelNodeParams p = kernelParams((void *)add, args);
  P(cudaGraphAddKernelNode(&x, g, nullptr, 0, nullptr));
  P(cudaGraphAddKernelNode(&x, g, nullptr, 0, &p));
  P(cudaGraphKernelNodeGetParams(b, &p));
  p = kernelParams((void *)&one, args);
  P(cudaGraphAddKernelNode(&x, g, nullptr, 0, &p));
  p = kernelParams((void *)add, nullptr);
  P(cudaGraphAddKernelNode(&x, g, nullptr, 0, &p));
  p = kernelParams((void *)add, args, 0);
  P(cudaGraphAddKernelNode(&x, g, nullptr, 0, &p));
  p = kernelParams((void *)add, args);
  p.blockDim.x = 4096;
  P(cudaGraphAddKernelNode(&x, g, nullptr, 0, &p));
  p = kernelParams((void *)add, args);
  p.sharedMemBytes = 1 << 20;
  P(cudaGraphAddKernelNode(&x, g, nullptr, 0, &p));
  p = kernelParams((void *)add, args);
  p.extra = args;
  P(cudaGraphAddKernelNode(&x, g, nullptr, 0, &p));
  cudaMemsetParams m = {};
  m.dst = device, m.elementSize = 3, m.width = 4, m.height = 1;
  P(cudaGraphAddMemsetNode(&x, g, nullptr, 0, &m));
  m.elementSize = 4;
  P(cudaGraphAddMemsetNode(&x, g, nullptr, 0, &m));
  m.width = 0;
  P(cudaGraphAddMemsetNode(&x, g, nullptr, 0, &m));
  m.width = 4, m.height = 2, m.pitch = 8;
  P(cudaGraphAddMemsetNode(&x, g, nullptr, 0, &m));
  m.dst = nullptr, m.height = 1;
  P(cudaGraphAddMemsetNode(&x, g, nullptr, 0, &m));
  m.dst = pageable;
  P(cudaGraphAddMemsetNode(&x, g, nullptr, 0, &m));
  m.dst = (char *)device + 1;
  P(cudaGraphAddMemsetNode(&x, g, nullptr, 0, &m));
  P(cudaGraphAddMemcpyNode1D(&x, g, nullptr, 0, device, pinned, 64, cudaMemcpyHostToDevice));
  cudaMemcpy3DParms three;
  P(cudaGraphMemcpyNodeGetParams(x, &three));
  std::printf("  pitch %zu, xsize %zu, ysize %zu, extent %zu %zu %zu, kind %d\n",
              three.dstPtr.pitch, three.dstPtr.xsize, three.dstPtr.ysize, three.extent.width,
              three.extent.height, three.extent.depth, three.kind);
  P(cudaGraphAddMemcpyNode1D(&x, g, nullptr, 0, device, pinned, 0, cudaMemcpyHostToDevice));
  P(cudaGraphAddMemcpyNode1D(&x, g, nullptr, 0, device, pageable, 64, cudaMemcpyHostToDevice));
  P(cudaGraphAddMemcpyNode1D(&x, g, nullptr, 0, device, pinned, 64, (cudaMemcpyKind)8));
  P(cudaGraphAddMemcpyNode1D(&x, g, nullptr, 0, nullptr, pinned, 64, cudaMemcpyHostToDevice));
  P(cudaGraphAddMemcpyNodeToSymbol(&x, g, nullptr, 0, variable, pinned, 64, 0,
                                   cudaMemcpyHostToDevice));
  P(cudaGraphAddMemcpyNodeToSymbol(&x, g, nullptr, 0, variable, pinned, 64, 200,
                                   cudaMemcpyHostToDevice));
  P(cudaGraphAddMemcpyNodeToSymbol(&x, g, nullptr, 0, variable, pinned, 64, 0,
                                   cudaMemcpyDeviceToHost));
  P(cudaGraphAddMemcpyNodeFromSymbol(&x, g, nullptr, 0, pinned, &one, 64, 0,
                                     cudaMemcpyDeviceToHost));
  P(cudaGraphAddEventRecordNode(&x, g, nullptr, 0, event));
  P(cudaGraphAddEventRecordNode(&x, g, nullptr, 0, nullptr));
  P(cudaGraphAddEventWaitNode(&x, g, nullptr, 0, event));
  cudaEvent_t found;
  P(cudaGraphEventWaitNodeGetEvent(x, &found));
  P(cudaGraphEventRecordNodeGetEvent(x, &found));
  P(cudaGraphDestroy(g2));
  P(cudaGraphDestroy(clone));
  P(cudaGraphDestroy(nullptr));
}

static void attribute() {
  std::puts("== kernel node attributes");
  cudaGraph_t g;
  cudaGraphNode_t a, b;
  cudaGraphCreate(&g, 0);
  cudaKernelNodeParams p = kernelParams((void *)add, args);
  cudaGraphAddKernelNode(&a, g, nullptr, 0, &p);
  cudaGraphAddEmptyNode(&b, g, nullptr, 0);
  for (int id = 0; id <= 15; ++id) {
    cudaLaunchAttributeValue v;
    std::memset(&v, 0, sizeof v);
    cudaError_t got = cudaGraphKernelNodeGetAttribute(a, (cudaLaunchAttributeID)id, &v);
    int words[4];
    std::memcpy(words, &v, sizeof words);
    cudaError_t set = cudaGraphKernelNodeSetAttribute(a, (cudaLaunchAttributeID)id, &v);
    std::printf("  %d: %s %d %d %d %d, set: %s\n", id, cudaGetErrorName(got), words[0], words[1],
                words[2], words[3], cudaGetErrorName(set));
    cudaGetLastError();
  }
  cudaLaunchAttributeValue v = {};
  v.priority = -9;
  P(cudaGraphKernelNodeSetAttribute(a, cudaLaunchAttributePriority, &v));
  P(cudaGraphKernelNodeGetAttribute(a, cudaLaunchAttributePriority, &v));
  std::printf("  priority %d\n", v.priority);
  P(cudaGraphKernelNodeGetAttribute(b, cudaLaunchAttributePriority, &v));
  P(cudaGraphKernelNodeCopyAttributes(b, a));
  P(cudaGraphKernelNodeCopyAttributes(a, a));
}

static void showUpdate(const char *what, cudaGraphExec_t exec, cudaGraph_t g) {
  cudaGraphExecUpdateResultInfo info;
  std::memset(&info, 0, sizeof info);
  cudaError_t e = cudaGraphExecUpdate(exec, g, &info);
  std::printf("  %s: %s, result %d, node %d, from %d\n", what, cudaGetErrorName(e), info.result,
              info.errorNode != nullptr, info.errorFromNode != nullptr);
  cudaGetLastError();
}

static void executables() {
  std::puts("== executable graphs");
  cudaGraph_t g, h;
  cudaGraphExec_t exec, exec2;
  cudaGraphNode_t k, c, m, hostNode, e, k2, foreign;
  cudaKernelNodeParams p = kernelParams((void *)add, args);
  cudaGraphCreate(&g, 0);
  P(cudaGraphInstantiate(&exec, g, 0));
  P(cudaGraphLaunch(exec, free1));
  P(cudaGraphExecDestroy(exec));
  cudaMemsetParams set = {};
  set.dst = device, set.elementSize = 4, set.width = 16, set.height = 1;
  cudaHostNodeParams hostParams = {host, nullptr};
  cudaGraphAddKernelNode(&k, g, nullptr, 0, &p);
  cudaGraphAddMemcpyNode1D(&c, g, &k, 1, device2, device, 64, cudaMemcpyDeviceToDevice);
  cudaGraphAddMemsetNode(&m, g, &c, 1, &set);
  cudaGraphAddHostNode(&hostNode, g, &m, 1, &hostParams);
  cudaGraphAddEventRecordNode(&e, g, &hostNode, 1, event);
  P(cudaGraphInstantiate(nullptr, g, 0));
  P(cudaGraphInstantiate(&exec, nullptr, 0));
  P(cudaGraphInstantiate(&exec, g, 16));
  P(cudaGraphInstantiate(&exec, g, cudaGraphInstantiateFlagUseNodePriority));
  unsigned long long flagsOut = 9;
  P(cudaGraphExecGetFlags(exec, &flagsOut));
  std::printf("  flags %llu\n", flagsOut);
  cudaGraphInstantiateParams ip = {};
  ip.flags = cudaGraphInstantiateFlagDeviceLaunch;
  P(cudaGraphInstantiateWithParams(&exec2, g, &ip));
  std::printf("  result %d, node %d\n", ip.result_out, ip.errNode_out != nullptr);
  ip.flags = cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagAutoFreeOnLaunch;
  P(cudaGraphInstantiateWithParams(&exec2, g, &ip));
  ip.flags = cudaGraphInstantiateFlagUpload;
  ip.uploadStream = free1;
  P(cudaGraphInstantiateWithParams(&exec2, g, &ip));
  std::printf("  result %d\n", ip.result_out);
  P(cudaGraphUpload(exec, free1));
  P(cudaGraphLaunch(exec, free1));
  P(cudaGraphLaunch(nullptr, free1));
  P(cudaStreamSynchronize(free1));
  unsigned enabled = 9;
  P(cudaGraphNodeGetEnabled(exec, k, &enabled));
  std::printf("  enabled %u\n", enabled);
  P(cudaGraphNodeSetEnabled(exec, k, 0));
  P(cudaGraphNodeSetEnabled(exec, c, 0));
  P(cudaGraphNodeSetEnabled(exec, m, 0));
  P(cudaGraphNodeSetEnabled(exec, hostNode, 0));
  P(cudaGraphNodeSetEnabled(exec, e, 0));
  P(cudaGraphNodeGetEnabled(exec, hostNode, &enabled));
  P(cudaGraphNodeSetEnabled(exec, k, 1));
  std::puts("== parameters of an executable graph's node");
  p = kernelParams((void *)add, otherArgs, 4);
  P(cudaGraphExecKernelNodeSetParams(exec, k, &p));
  P(cudaGraphExecKernelNodeSetParams(exec, c, &p));
  p = kernelParams((void *)twice, otherArgs, 4);
  P(cudaGraphExecKernelNodeSetParams(exec, k, &p));
  P(cudaGraphExecMemcpyNodeSetParams1D(exec, c, device, device2, 32, cudaMemcpyDeviceToDevice));
  P(cudaGraphExecMemcpyNodeSetParams1D(exec, c, device, pinned, 64, cudaMemcpyHostToDevice));
  P(cudaGraphExecMemcpyNodeSetParams1D(exec, c, device, pageable, 64, cudaMemcpyHostToDevice));
  P(cudaGraphExecMemcpyNodeSetParams1D(exec, k, device, device2, 64, cudaMemcpyDeviceToDevice));
  set.width = 8;
  P(cudaGraphExecMemsetNodeSetParams(exec, m, &set));
  set.elementSize = 1;
  P(cudaGraphExecMemsetNodeSetParams(exec, m, &set));
  set.height = 2, set.pitch = 64;
  P(cudaGraphExecMemsetNodeSetParams(exec, m, &set));
  P(cudaGraphExecHostNodeSetParams(exec, hostNode, &hostParams));
  P(cudaGraphExecEventRecordNodeSetEvent(exec, e, event2));
  P(cudaGraphExecEventWaitNodeSetEvent(exec, e, event2));
  cudaGraphCreate(&h, 0);
  cudaGraphAddKernelNode(&foreign, h, nullptr, 0, &p);
  P(cudaGraphExecKernelNodeSetParams(exec, foreign, &p));
  P(cudaGraphNodeGetEnabled(exec, foreign, &enabled));
  std::puts("== after the graph has changed");
  p = kernelParams((void *)add, args);
  cudaGraphAddKernelNode(&k2, g, nullptr, 0, &p);
  P(cudaGraphExecKernelNodeSetParams(exec, k2, &p));
  cudaGraphDestroyNode(e);
  P(cudaGraphExecEventRecordNodeSetEvent(exec, e, event2));
  showUpdate("a node gone, one added", exec, g);
  std::puts("== updates");
  auto make = [&](void *kernel, int shape) {
    cudaGraph_t made;
    cudaGraphNode_t n1, n2, n3;
    cudaGraphCreate(&made, 0);
    cudaKernelNodeParams q = kernelParams(kernel, shape & 1 ? otherArgs : args, shape & 1 ? 2 : 1);
    void *otherArg[] = {&device};
    if (kernel == (void *)other)
      q.kernelParams = otherArg;
    cudaGraphAddKernelNode(&n1, made, nullptr, 0, &q);
    if (shape & 2)
      cudaGraphAddMemcpyNode1D(&n2, made, &n1, 1, device2, pinned, 64, cudaMemcpyHostToDevice);
    else if (shape & 4)
      cudaGraphAddMemcpyNode1D(&n2, made, &n1, 1, device2, device, 128, cudaMemcpyDeviceToDevice);
    else if (shape & 8)
      cudaGraphAddEmptyNode(&n2, made, &n1, 1);
    else
      cudaGraphAddMemcpyNode1D(&n2, made, &n1, 1, device2, device, 64, cudaMemcpyDeviceToDevice);
    if (!(shape & 16))
      cudaGraphAddHostNode(&n3, made, shape & 32 ? &n1 : &n2, 1, &hostParams);
    if (shape & 64)
      cudaGraphAddEmptyNode(&n3, made, &n2, 1);
    return made;
  };
  cudaGraph_t base = make((void *)add, 0);
  P(cudaGraphInstantiate(&exec, base, 0));
  showUpdate("the same", exec, base);
  showUpdate("parameters", exec, make((void *)add, 1));
  showUpdate("another kernel", exec, make((void *)twice, 0));
  showUpdate("a kernel of other parameters", exec, make((void *)other, 0));
  showUpdate("a copy from the host", exec, make((void *)add, 2));
  showUpdate("a longer copy", exec, make((void *)add, 4));
  showUpdate("another type", exec, make((void *)add, 8));
  showUpdate("a node less", exec, make((void *)add, 16));
  showUpdate("another edge", exec, make((void *)add, 32));
  showUpdate("a node more", exec, make((void *)add, 64));
  P(cudaGraphExecUpdate(exec, nullptr, nullptr));
  P(cudaGraphExecUpdate(exec, base, nullptr));
  cudaGraphNode_t baseNodes[3];
  size_t n = 3;
  cudaGraphGetNodes(base, baseNodes, &n);
  p = kernelParams((void *)add, otherArgs);
  P(cudaGraphKernelNodeSetParams(baseNodes[0], &p));
  P(cudaGraphExecKernelNodeSetParams(exec, baseNodes[0], &p));
  P(cudaGraphDestroy(base));
  P(cudaGraphExecKernelNodeSetParams(exec, baseNodes[0], &p));
  P(cudaGraphLaunch(exec, free1));
  P(cudaGraphLaunch(exec, nullptr));
  P(cudaDeviceSynchronize());
  P(cudaGraphExecDestroy(exec));
  P(cudaGraphExecDestroy(nullptr));
}

static void memoryNodes() {
  std::puts("== memory nodes");
  cudaGraph_t g, clone, h, parent;
  cudaGraphNode_t a, f, e, x;
  cudaGraphExec_t exec, exec2;
  cudaMemAllocNodeParams p = {};
  auto attributes = [](const char *when) {
    unsigned long long v[4];
    for (int i = 0; i < 4; ++i)
      cudaDeviceGetGraphMemAttribute(0, (cudaGraphMemAttributeType)i, &v[i]);
    std::printf("  %s: used %llu, high %llu, reserved %llu, high %llu\n", when, v[0], v[1], v[2],
                v[3]);
  };
  attributes("at the start");
  cudaGraphCreate(&g, 0);
  P(cudaGraphAddMemAllocNode(&a, g, nullptr, 0, &p));
  p.poolProps.allocType = cudaMemAllocationTypePinned;
  p.poolProps.location = {cudaMemLocationTypeDevice, 0};
  P(cudaGraphAddMemAllocNode(&a, g, nullptr, 0, &p));
  p.bytesize = 100 << 20;
  P(cudaGraphAddMemAllocNode(&a, g, nullptr, 0, &p));
  P(cudaGraphAddMemFreeNode(&x, g, nullptr, 0, p.dptr));
  describe(g);
  P(cudaGraphDestroyNode(a));
  P(cudaGraphClone(&clone, g));
  cudaGraphCreate(&parent, 0);
  P(cudaGraphAddChildGraphNode(&x, parent, nullptr, 0, g));
  cudaGraphAddEmptyNode(&e, g, &a, 1);
  P(removeDependencies(g, a, e));
  P(cudaGraphDestroyNode(e));
  attributes("a node");
  P(cudaGraphInstantiate(&exec, g, 0));
  attributes("instantiated");
  P(cudaGraphInstantiate(&exec2, g, 0));
  P(cudaFree(p.dptr));
  P(cudaGraphLaunch(exec, free1));
  P(cudaGraphLaunch(exec, free1));
  cudaStreamSynchronize(free1);
  attributes("launched");
  P(cudaMemset(p.dptr, 0, 64));
  P(cudaFreeAsync(p.dptr, free1));
  P(cudaStreamSynchronize(free1));
  attributes("freed");
  P(cudaGraphLaunch(exec, free1));
  P(cudaStreamSynchronize(free1));
  P(cudaFree(p.dptr));
  attributes("freed");
  P(cudaDeviceGraphMemTrim(0));
  attributes("trimmed");
  P(cudaGraphExecDestroy(exec));
  P(cudaGraphInstantiate(&exec, g, cudaGraphInstantiateFlagAutoFreeOnLaunch));
  P(cudaGraphLaunch(exec, free1));
  P(cudaGraphLaunch(exec, free1));
  P(cudaStreamSynchronize(free1));
  attributes("freed at launch");
  P(cudaGraphExecDestroy(exec));
  attributes("destroyed");
  P(cudaFree(p.dptr));
  P(cudaDeviceGraphMemTrim(0));
  attributes("trimmed");
  cudaGraphCreate(&h, 0);
  p.dptr = nullptr;
  cudaGraphAddMemAllocNode(&a, h, nullptr, 0, &p);
  P(cudaGraphAddMemFreeNode(&f, h, &a, 1, p.dptr));
  P(cudaGraphAddMemFreeNode(&x, h, &f, 1, p.dptr));
  P(cudaGraphAddMemFreeNode(&x, h, &f, 1, device));
  void *freed;
  P(cudaGraphMemFreeNodeGetParams(f, &freed));
  P(cudaGraphInstantiate(&exec, h, 0));
  P(cudaGraphLaunch(exec, free1));
  P(cudaGraphLaunch(exec, free1));
  P(cudaStreamSynchronize(free1));
  attributes("freed in the graph");
  P(cudaFree(p.dptr));
  P(cudaGraphExecDestroy(exec));
  P(cudaDeviceGraphMemTrim(0));
  attributes("trimmed");
  unsigned long long zero = 0, ten = 10;
  P(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
  P(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &ten));
  P(cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &zero));
  P(cudaDeviceGetGraphMemAttribute(0, (cudaGraphMemAttributeType)9, &zero));
  P(cudaDeviceGetGraphMemAttribute(9, cudaGraphMemAttrUsedMemHigh, &zero));
  P(cudaDeviceGraphMemTrim(9));
  attributes("reset");
}

static void conditionals() {
  std::puts("== conditional nodes");
  cudaGraph_t g, clone;
  cudaGraphNode_t node, k, e;
  cudaGraphExec_t exec;
  cudaGraphConditionalHandle handle, handle2;
  cudaGraphCreate(&g, 0);
  P(cudaGraphConditionalHandleCreate(nullptr, g, 0, 0));
  P(cudaGraphConditionalHandleCreate(&handle, g, 0, 2));
  P(cudaGraphConditionalHandleCreate(&handle, nullptr, 0, 0));
  P(cudaGraphConditionalHandleCreate(&handle, g, 1, cudaGraphCondAssignDefault));
  cudaGraphInstantiateParams ip = {};
  P(cudaGraphInstantiateWithParams(&exec, g, &ip));
  std::printf("  result %d\n", ip.result_out);
  cudaGraphNodeParams p = {};
  p.type = cudaGraphNodeTypeConditional;
  p.conditional.handle = handle;
  p.conditional.type = cudaGraphCondTypeIf;
  p.conditional.size = 3;
  P(addNode(&node, g, nullptr, nullptr, 0, &p));
  p.conditional.size = 0;
  P(addNode(&node, g, nullptr, nullptr, 0, &p));
  p.conditional.size = 1;
  p.conditional.handle = 12345;
  P(addNode(&node, g, nullptr, nullptr, 0, &p));
  p.conditional.handle = handle;
  P(addNode(&node, g, nullptr, nullptr, 0, &p));
  cudaGraph_t body = p.conditional.phGraph_out[0];
  describe(body);
  P(addNode(&e, g, nullptr, nullptr, 0, &p));
  cudaGraphConditionalHandleCreate(&handle2, g, 1, cudaGraphCondAssignDefault);
  p.conditional.handle = handle2;
  p.conditional.type = cudaGraphCondTypeWhile;
  p.conditional.size = 2;
  P(addNode(&e, g, nullptr, nullptr, 0, &p));
  p.conditional.type = cudaGraphCondTypeSwitch;
  p.conditional.size = 5;
  P(addNode(&e, g, nullptr, nullptr, 0, &p));
  p.conditional.type = (cudaGraphConditionalNodeType)3;
  P(addNode(&e, g, nullptr, nullptr, 0, &p));
  cudaHostNodeParams hostParams = {host, nullptr};
  cudaKernelNodeParams kp = kernelParams((void *)add, args);
  P(cudaGraphAddKernelNode(&k, body, nullptr, 0, &kp));
  P(cudaGraphAddEventRecordNode(&e, body, nullptr, 0, event));
  P(cudaGraphAddHostNode(&e, body, nullptr, 0, &hostParams));
  P(cudaGraphDestroy(body));
  describe(body);
  P(cudaGraphClone(&clone, g));
  P(cudaGraphInstantiateWithParams(&exec, g, &ip));
  std::printf("  result %d\n", ip.result_out);
  cudaGraph_t h;
  cudaGraphCreate(&h, 0);
  cudaGraphConditionalHandleCreate(&handle, h, 1, 0);
  p.conditional.handle = handle;
  p.conditional.type = cudaGraphCondTypeWhile;
  p.conditional.size = 1;
  P(addNode(&node, h, nullptr, nullptr, 0, &p));
  P(cudaGraphClone(&clone, h));
  P(cudaGraphInstantiateWithParams(&exec, h, &ip));
  std::printf("  result %d\n", ip.result_out);
  showUpdate("itself", exec, h);
  p.conditional.handle = handle2;
  P(cudaGraphNodeSetParams(node, &p));
  cudaGraph_t parent;
  cudaGraphCreate(&parent, 0);
  P(cudaGraphAddChildGraphNode(&e, parent, nullptr, 0, h));
  P(cudaGraphDestroyNode(node));
}

static void edges() {
  std::puts("== edge data");
  cudaGraph_t g;
  cudaGraphNode_t a, b, e, froms[4], tos[4];
  cudaGraphEdgeData data[4] = {};
  size_t n = 4;
  cudaGraphCreate(&g, 0);
  cudaKernelNodeParams p = kernelParams((void *)add, args);
  cudaGraphAddKernelNode(&a, g, nullptr, 0, &p);
  cudaGraphNodeParams np = {};
  np.type = cudaGraphNodeTypeKernel;
  np.kernel.func = (void *)add;
  np.kernel.gridDim = {1, 1, 1};
  np.kernel.blockDim = {32, 1, 1};
  np.kernel.kernelParams = args;
  data[0].from_port = cudaGraphKernelNodePortProgrammatic;
  data[0].type = cudaGraphDependencyTypeProgrammatic;
  P(addNode(&b, g, &a, data, 1, &np));
  P(edgesOf(g, froms, tos, &n));
  std::printf("  %zu\n", n);
  n = 4;
  P(edgesWithData(g, froms, tos, data, &n));
  std::printf("  %zu: %d %d %d\n", n, data[0].from_port, data[0].to_port, data[0].type);
  cudaGraphAddEmptyNode(&e, g, nullptr, 0);
  cudaGraphNode_t tail;
  data[0] = {};
  data[0].from_port = 1, data[0].type = 1;
  P(addNode(&tail, g, &e, data, 1, &np));
  data[0].from_port = 3, data[0].type = 0;
  P(addNode(&tail, g, &a, data, 1, &np));
  data[0].from_port = 0, data[0].type = 5;
  P(addNode(&tail, g, &a, data, 1, &np));
  data[0].type = 0, data[0].to_port = 1;
  P(addNode(&tail, g, &a, data, 1, &np));
  np.type = (cudaGraphNodeType)12;
  P(addNode(&tail, g, nullptr, nullptr, 0, &np));
  np.type = cudaGraphNodeTypeEmpty;
  P(addNode(&tail, g, nullptr, nullptr, 0, &np));
  P(cudaGraphNodeSetParams(tail, &np));
  np.type = cudaGraphNodeTypeKernel;
  P(cudaGraphNodeSetParams(tail, &np));
  cudaGraphExec_t exec;
  P(cudaGraphInstantiate(&exec, g, 0));
  P(cudaGraphLaunch(exec, free1));
  P(cudaStreamSynchronize(free1));
  std::puts("== programmatic launches in a capture");
  cudaLaunchAttribute attribute[1] = {};
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1), config.blockDim = dim3(32);
  config.stream = free1, config.attrs = attribute, config.numAttrs = 1;
  attribute[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute[0].val.programmaticStreamSerializationAllowed = 1;
  cudaStreamBeginCapture(free1, cudaStreamCaptureModeGlobal);
  add<<<1, 32, 0, free1>>>(device, 1);
  P(cudaLaunchKernelEx(&config, add, device, 1));
  cudaStreamEndCapture(free1, &g);
  describe(g);
  n = 4;
  P(edgesOf(g, froms, tos, &n));
  n = 4;
  P(edgesWithData(g, froms, tos, data, &n));
  std::printf("  %zu: %d %d %d\n", n, data[0].from_port, data[0].to_port, data[0].type);
}

static void destroyed(void *p) { ++*static_cast<int *>(p); }

static void userObjects() {
  std::puts("== user objects");
  cudaUserObject_t object;
  cudaGraph_t g, clone;
  int count = 0;
  P(cudaUserObjectCreate(nullptr, &count, destroyed, 1, cudaUserObjectNoDestructorSync));
  P(cudaUserObjectCreate(&object, &count, nullptr, 1, cudaUserObjectNoDestructorSync));
  P(cudaUserObjectCreate(&object, &count, destroyed, 0, cudaUserObjectNoDestructorSync));
  P(cudaUserObjectCreate(&object, &count, destroyed, 1, 0));
  P(cudaUserObjectCreate(&object, &count, destroyed, 3, cudaUserObjectNoDestructorSync));
  cudaGraphCreate(&g, 0);
  P(cudaUserObjectRetain(object, 0));
  P(cudaUserObjectRetain(object, 1));
  P(cudaUserObjectRelease(object, 2));
  P(cudaGraphRetainUserObject(g, object, 1, 7));
  P(cudaGraphRetainUserObject(g, object, 1, cudaGraphUserObjectMove));
  P(cudaGraphRetainUserObject(g, object, 1, 0));
  P(cudaGraphReleaseUserObject(g, object, 1));
  P(cudaGraphReleaseUserObject(g, object, 5));
  P(cudaGraphClone(&clone, g));
  P(cudaGraphDestroy(g));
  std::printf("  %d\n", count);
  P(cudaUserObjectRelease(object, 1));
  std::printf("  %d\n", count);
  cudaGraphExec_t exec;
  P(cudaGraphInstantiate(&exec, clone, 0));
  P(cudaGraphDestroy(clone));
  cudaDeviceSynchronize();
  std::printf("  %d\n", count);
  P(cudaGraphExecDestroy(exec));
  cudaDeviceSynchronize();
  for (int i = 0; i < 1000 && !count; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::printf("  %d\n", count);
}

int main(int argc, char **argv) {
  return runSections(
      {structure, attribute, edges, executables, memoryNodes, conditionals, userObjects}, argc,
      argv);
}
