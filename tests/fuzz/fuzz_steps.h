// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the half for the device gets its kernels to run. A unit is a list of steps, each after some of those before it,
// and FUZZ_WAY says what becomes of the list:
//
//     (nothing)   each step goes to the default stream, one after the other
//     captured    the steps are captured from four streams, with events between them, and run as a graph
//     graph       the steps become nodes, some in graphs of their own; a clone of the graph runs
//
// What comes out must be the same.
#pragma once

#include <functional>
#include <tuple>
#include <utility>
#include <vector>

namespace gpu {

enum class Way { Stream, Captured, Graph };
inline Way way() {
  const char *name = getenv("FUZZ_WAY");
  return !name ? Way::Stream : !strcmp(name, "captured") ? Way::Captured : Way::Graph;
}

struct Step {
  std::function<void(cudaStream_t)> run;
  std::function<cudaError_t(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t)> add;
  std::vector<int> after;
};
using Steps = std::vector<Step>;

/// A launch as a step. `cluster`: of how many blocks its clusters are, 0 for none.
template <class... Params, class... Args>
Step kernelStep(void (*kernel)(Params...), dim3 grid, dim3 block, size_t bytes, dim3 cluster, const Args &...args) {
  std::tuple<std::remove_const_t<Params>...> values(args...);
  auto pointersTo = [](auto &all) {
    return std::apply([](auto &...each) { return std::vector<void *>{(void *)&each..., nullptr}; }, all);
  };
  auto attribute = [=] {
    cudaLaunchAttributeValue value = {};
    value.clusterDim.x = cluster.x;
    value.clusterDim.y = cluster.y;
    value.clusterDim.z = cluster.z;
    return value;
  };
  auto run = [=](cudaStream_t stream) mutable {
    cudaLaunchAttribute clusters = {};
    clusters.id = cudaLaunchAttributeClusterDimension;
    clusters.val = attribute();
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = bytes;
    config.stream = stream;
    config.attrs = &clusters;
    config.numAttrs = cluster.x ? 1 : 0;
    complain(cudaLaunchKernelExC(&config, (const void *)kernel, pointersTo(values).data()));
  };
  auto add = [=](cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count) mutable {
    std::vector<void *> pointers = pointersTo(values);
    cudaKernelNodeParams params = {};
    params.func = (void *)kernel;
    params.gridDim = grid;
    params.blockDim = block;
    params.sharedMemBytes = unsigned(bytes);
    params.kernelParams = pointers.data();
    cudaError_t error = cudaGraphAddKernelNode(node, graph, after, count, &params);
    cudaLaunchAttributeValue value = attribute();
    if (error == cudaSuccess && cluster.x)
      error = cudaGraphKernelNodeSetAttribute(*node, cudaLaunchAttributeClusterDimension, &value);
    return error;
  };
  return {run, add, {}};
}

inline Step copyStep(void *to, const void *from, size_t bytes) {
  return {[=](cudaStream_t stream) { complain(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream)); },
          [=](cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count) {
            return cudaGraphAddMemcpyNode1D(node, graph, after, count, to, from, bytes, cudaMemcpyDeviceToDevice);
          },
          {}};
}

inline Step fillStep(void *to, int value, size_t bytes) {
  return {[=](cudaStream_t stream) { complain(cudaMemsetAsync(to, value, bytes, stream)); },
          [=](cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *after, size_t count) {
            cudaMemsetParams params = {};
            params.dst = to;
            params.value = unsigned(value);
            params.elementSize = 1;
            params.width = bytes;
            params.height = 1;
            return cudaGraphAddMemsetNode(node, graph, after, count, &params);
          },
          {}};
}

/// The streams' work, as a graph. Each stream begins behind the first one's start, and that ends behind all.
inline cudaGraph_t capture(const Steps &steps) {
  constexpr int Streams = 4;
  cudaStream_t streams[Streams];
  std::vector<cudaEvent_t> events(steps.size() + 1);
  cudaGraph_t graph = nullptr;
  for (cudaStream_t &stream : streams)
    complain(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (cudaEvent_t &event : events)
    complain(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  complain(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeGlobal));
  complain(cudaEventRecord(events.back(), streams[0]));
  for (int s = 1; s < Streams; ++s)
    complain(cudaStreamWaitEvent(streams[s], events.back(), 0));
  for (size_t i = 0; i < steps.size(); ++i) {
    cudaStream_t stream = streams[(i * 5 + i / 3) % Streams];
    for (int before : steps[i].after)
      complain(cudaStreamWaitEvent(stream, events[before], 0));
    steps[i].run(stream);
    complain(cudaEventRecord(events[i], stream));
  }
  for (int s = 1; s < Streams; ++s) {
    complain(cudaEventRecord(events.back(), streams[s]));
    complain(cudaStreamWaitEvent(streams[0], events.back(), 0));
  }
  complain(cudaStreamEndCapture(streams[0], &graph));
  for (cudaStream_t stream : streams)
    complain(cudaStreamDestroy(stream));
  for (cudaEvent_t event : events)
    complain(cudaEventDestroy(event));
  return graph;
}

/// A node for each step; each third is the only node of a graph of its own.
inline cudaGraph_t construct(const Steps &steps) {
  cudaGraph_t graph = nullptr, clone = nullptr;
  complain(cudaGraphCreate(&graph, 0));
  std::vector<cudaGraphNode_t> nodes(steps.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    std::vector<cudaGraphNode_t> after;
    for (int before : steps[i].after)
      after.push_back(nodes[before]);
    if (i % 3 != 1) {
      complain(steps[i].add(&nodes[i], graph, after.data(), after.size()));
      continue;
    }
    cudaGraph_t child = nullptr;
    cudaGraphNode_t alone = nullptr;
    complain(cudaGraphCreate(&child, 0));
    complain(steps[i].add(&alone, child, nullptr, 0));
    complain(cudaGraphAddChildGraphNode(&nodes[i], graph, after.data(), after.size(), child));
    complain(cudaGraphDestroy(child));
  }
  complain(cudaGraphClone(&clone, graph));
  complain(cudaGraphDestroy(graph));
  return clone;
}

/// Runs all steps, `times` times.
inline void play(const Steps &steps, int times) {
  if (steps.empty())
    return;
  if (way() == Way::Stream) {
    for (int k = 0; k < times; ++k)
      for (const Step &step : steps)
        step.run(nullptr);
    return;
  }
  cudaGraph_t graph = way() == Way::Captured ? capture(steps) : construct(steps);
  cudaGraphExec_t executable = nullptr;
  complain(cudaGraphInstantiate(&executable, graph, 0));
  for (int k = 0; k < times; ++k)
    complain(cudaGraphLaunch(executable, nullptr));
  complain(cudaDeviceSynchronize());
  complain(cudaGraphExecDestroy(executable));
  complain(cudaGraphDestroy(graph));
}

/// The steps of LAUNCH, one after the other, that did not run yet.
inline Steps pending;
/// Those of STEP, copy and fillBytes, whose order the unit says.
inline Steps ordered;

inline void inOrder(Step step) {
  if (!pending.empty())
    step.after.push_back(int(pending.size()) - 1);
  pending.push_back(std::move(step));
}
inline void playPending() { play(std::exchange(pending, {}), 1); }

inline void copyBytes(void *to, const void *from, size_t bytes) { ordered.push_back(copyStep(to, from, bytes)); }
inline void fillBytes(void *to, int value, size_t bytes) { ordered.push_back(fillStep(to, value, bytes)); }
/// What the last step comes after.
inline void after(std::initializer_list<int> before) { ordered.back().after = before; }
inline void playSteps(int times) {
  playPending();
  play(std::exchange(ordered, {}), times);
}

} // namespace gpu

#define LAUNCH(kernel, grid, block, bytes, ...) inOrder(kernelStep(kernel, grid, block, bytes, dim3(0), __VA_ARGS__))
#define LAUNCH_CLUSTERS(kernel, grid, block, cluster, ...)                                                             \
  inOrder(kernelStep(kernel, grid, block, 0, cluster, __VA_ARGS__))
#define STEP(kernel, grid, block, ...) ordered.push_back(kernelStep(kernel, grid, block, 0, dim3(0), __VA_ARGS__))
/// In device code (-rdc=true): in the block's stream; beside all others; behind all that the grid launches.
#define CHILD(kernel, grid, block, ...) kernel<<<grid, block>>>(__VA_ARGS__)
#define CHILD_ASIDE(kernel, grid, block, ...) kernel<<<grid, block, 0, cudaStreamFireAndForget>>>(__VA_ARGS__)
#define CHILD_LAST(kernel, grid, block, ...) kernel<<<grid, block, 0, cudaStreamTailLaunch>>>(__VA_ARGS__)
