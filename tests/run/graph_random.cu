// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random graphs of kernels, copies, fills, host functions, child graphs and joins against the same
// steps done one after the other on the host. Each array is written by one step at a time: a step
// comes behind the last one that wrote what it reads, and behind those that read what it writes.
#include "support.h"

#include <deque>
#include <set>

constexpr int Arrays = 6, Count = 300;

struct Mix {
  int factor, offset;
  short shift;
};

__global__ void mix(int *to, const int *from, Mix m, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] = to[i] * m.factor + (from[(i + m.shift) % n] ^ m.offset);
}

// With a barrier: neighbours change places.
__global__ void turn(int *data, int n) {
  __shared__ int tile[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n)
    tile[threadIdx.x] = data[i];
  __syncthreads();
  int other = threadIdx.x ^ 1;
  if (i < n && blockIdx.x * 64 + other < n)
    data[i] = tile[other];
}

struct HostStep {
  int *data;
  int add;
};
static std::deque<HostStep> hostSteps; // as long as the graphs
static void onHost(void *p) {
  auto *step = static_cast<HostStep *>(p);
  for (int i = 0; i < Count; i++)
    step->data[i] += step->add;
}

struct Step {
  int kind, to, from;
  Mix m;
  unsigned value;
};

static Step randomStep(Random &random) {
  Step s;
  s.kind = random.below(5);
  s.to = random.below(Arrays);
  s.from = (s.to + 1 + random.below(Arrays - 1)) % Arrays;
  s.m = {random.below(100) - 50, random.below(1000), short(random.below(Count))};
  s.value = random.bits();
  return s;
}

/// What a step does, on the host.
static void apply(const Step &s, std::vector<std::vector<int>> &arrays) {
  std::vector<int> &to = arrays[s.to], &from = arrays[s.from];
  switch (s.kind) {
  case 0:
    for (int i = 0; i < Count; i++)
      to[i] = int(unsigned(to[i]) * unsigned(s.m.factor) + unsigned(from[(i + s.m.shift) % Count] ^ s.m.offset));
    break;
  case 1:
    for (int i = 0; i + 1 < Count; i += 2)
      std::swap(to[i], to[i + 1]);
    break;
  case 2:
    to = from;
    break;
  case 3:
    for (int &v : to)
      v = int(s.value);
    break;
  case 4:
    for (int &v : to)
      v = int(unsigned(v) + s.value);
  }
}

class Builder {
public:
  Builder(int **arrays, Random &random) : arrays_(arrays), random_(random) { CUDA_OK(cudaGraphCreate(&graph_, 0)); }

  void add(const Step &s) {
    std::set<cudaGraphNode_t> behind = readers_[s.to];
    if (writers_[s.to])
      behind.insert(writers_[s.to]);
    bool reads = s.kind == 0 || s.kind == 2;
    if (reads && writers_[s.from])
      behind.insert(writers_[s.from]);
    std::vector<cudaGraphNode_t> all(behind.begin(), behind.end());
    if (all.size() > 1 && random_.below(3) == 0) { // through a join
      cudaGraphNode_t join;
      CUDA_OK(cudaGraphAddEmptyNode(&join, graph_, all.data(), all.size()));
      all.assign(1, join);
    }
    cudaGraphNode_t node;
    if (random_.below(4) == 0) { // inside of a child graph
      cudaGraph_t child;
      CUDA_OK(cudaGraphCreate(&child, 0));
      addNode(&node, child, {}, s);
      CUDA_OK(cudaGraphAddChildGraphNode(&node, graph_, all.data(), all.size(), child));
      CUDA_OK(cudaGraphDestroy(child));
    } else {
      addNode(&node, graph_, all, s);
    }
    writers_[s.to] = node;
    readers_[s.to].clear();
    if (reads)
      readers_[s.from].insert(node);
  }
  cudaGraph_t graph() const { return graph_; }

private:
  void addNode(cudaGraphNode_t *node, cudaGraph_t graph, const std::vector<cudaGraphNode_t> &behind, const Step &s) {
    int *to = arrays_[s.to], *from = arrays_[s.from], n = Count;
    Mix m = s.m;
    cudaKernelNodeParams p = {};
    void *mixArgs[] = {&to, &from, &m, &n}, *turnArgs[] = {&to, &n};
    switch (s.kind) {
    case 0:
    case 1:
      p.func = s.kind ? (void *)turn : (void *)mix;
      p.gridDim = dim3((Count + 63) / 64);
      p.blockDim = dim3(64);
      p.kernelParams = s.kind ? turnArgs : mixArgs;
      CUDA_OK(cudaGraphAddKernelNode(node, graph, behind.data(), behind.size(), &p));
      m = {}, to = nullptr; // the node has copies
      break;
    case 2:
      CUDA_OK(cudaGraphAddMemcpyNode1D(node, graph, behind.data(), behind.size(), to, from, Count * sizeof(int),
                                       cudaMemcpyDeviceToDevice));
      break;
    case 3: {
      cudaMemsetParams fill = {to, 0, s.value, 4, Count, 1};
      CUDA_OK(cudaGraphAddMemsetNode(node, graph, behind.data(), behind.size(), &fill));
      break;
    }
    case 4: {
      hostSteps.push_back({to, int(s.value)});
      cudaHostNodeParams host = {onHost, &hostSteps.back()};
      CUDA_OK(cudaGraphAddHostNode(node, graph, behind.data(), behind.size(), &host));
    }
    }
  }

  int **arrays_;
  Random &random_;
  cudaGraph_t graph_;
  cudaGraphNode_t writers_[Arrays] = {};
  std::set<cudaGraphNode_t> readers_[Arrays];
};

int main() {
  int *arrays[Arrays];
  for (int *&array : arrays)
    CUDA_OK(cudaMallocManaged(&array, Count * sizeof(int)));
  cudaStream_t stream;
  CUDA_OK(cudaStreamCreate(&stream));
  for (int seed = 0; seed < 40; seed++) {
    Random random(seed);
    Builder builder(arrays, random);
    std::vector<Step> steps(1 + random.below(60));
    for (Step &s : steps) {
      s = randomStep(random);
      builder.add(s);
    }
    cudaGraphExec_t executable;
    CUDA_OK(cudaGraphInstantiate(&executable, builder.graph(), 0));
    CUDA_OK(cudaGraphDestroy(builder.graph()));
    std::vector<std::vector<int>> want(Arrays, std::vector<int>(Count));
    for (int a = 0; a < Arrays; a++)
      for (int i = 0; i < Count; i++)
        want[a][i] = arrays[a][i] = int(random.bits() >> 8);
    for (int launch = 0; launch < 3; launch++) {
      CUDA_OK(cudaGraphLaunch(executable, stream));
      for (const Step &s : steps)
        apply(s, want);
    }
    CUDA_OK(cudaStreamSynchronize(stream));
    for (int a = 0; a < Arrays; a++)
      for (int i = 0; i < Count; i++)
        expect("seed " + std::to_string(seed) + " array " + std::to_string(a), i, arrays[a][i], want[a][i]);
    CUDA_OK(cudaGraphExecDestroy(executable));
  }
  return finish();
}
