// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the kernel of ../aarch64_run.ll, which the linker has put into this program, and compares.
#include "base/abi/kernel_abi.h"

#include <cmath>
#include <cstdio>
#include <cstring>

using namespace heddle;

extern "C" const KernelCode heddle_kernel;

int main() {
  constexpr int Blocks = 3, Threads = 32, Count = Blocks * Threads - 5;
  alignas(16) float in[Blocks * Threads], out[Blocks * Threads] = {};
  alignas(16) unsigned long pairs[Blocks * Threads][2] = {};
  for (int i = 0; i < Blocks * Threads; ++i) {
    in[i] = 0.25f * static_cast<float>(i - 40);
    pairs[i][0] = i, pairs[i][1] = 1000 + i;
  }
  struct {
    int count;
    const float *in;
    float *out;
    void *pairs;
  } params = {Count, in, out, pairs};
  Launch launch = {};
  launch.params = reinterpret_cast<const uint8_t *>(&params);
  launch.gridDim[0] = Blocks, launch.blockDim[0] = Threads;
  for (int i = 1; i < 3; ++i)
    launch.gridDim[i] = launch.blockDim[i] = 1;
  for (uint32_t &size : launch.clusterDim)
    size = 1;
  launch.streamBytes = ~0ull;
  Block block = {};
  block.launch = &launch;
  heddle_kernel.runBlocks(&launch, &block, 0, Blocks);

  int wrong = 0;
  for (int i = 0; i < Blocks * Threads; ++i) {
    float picked = in[i * 7 % Count];
    float want = i >= Count ? 0 : i % 3 == 0 ? std::sin(picked) : picked * picked + 1;
    bool swapped = i < Count;
    wrong += !(std::fabs(out[i] - want) <= 2e-7f * std::fabs(want)) ||
             pairs[i][swapped] != static_cast<unsigned long>(i) ||
             pairs[i][!swapped] != static_cast<unsigned long>(1000 + i);
  }
  std::printf("%d lanes, %d wrong\n", heddle_kernel.width, wrong);
  return wrong != 0;
}
