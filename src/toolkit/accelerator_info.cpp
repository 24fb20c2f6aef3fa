// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvaccelinfo, and pgaccelinfo under its older name: what the Fortran compiler's users ask about devices.
#include "cuda_runtime_api.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

void line(const char *what, const char *value) { std::printf("%-31s%s\n", what, value); }

void line(const char *what, unsigned long long value, const char *unit = "") {
  std::printf("%-31s%llu%s\n", what, value, unit);
}

void yesOrNo(const char *what, int value) { line(what, value ? "Yes" : "No"); }

const char *modeText(int mode) {
  constexpr const char *Names[] = {"default", "exclusive thread", "prohibited",
                                   "exclusive-process"};
  return mode >= 0 && mode < 4 ? Names[mode] : "unknown";
}

struct Cores {
  int single, twice; ///< of a multiprocessor: for single and for double precision
};

/// CUDA guide, "Compute Capabilities". The other rates follow from the device's own ratio.
Cores coresOf(const cudaDeviceProp &p) {
  const int cc = p.major * 10 + p.minor;
  const bool isHalf = cc == 60 || cc == 70 || cc == 75 || cc == 80;
  const int single = p.major == 1   ? 8
                     : cc == 20     ? 32
                     : cc == 21     ? 48
                     : p.major == 3 ? 192
                     : isHalf       ? 64
                                    : 128;
  const int ratio = p.singleToDoublePrecisionPerfRatio;
  return {single, ratio ? single / ratio : 0};
}

void print(int number, const cudaDeviceProp &p) {
  const Cores cores = coresOf(p);
  std::printf("\n");
  line("Device Number:", static_cast<unsigned>(number));
  line("Device Name:", p.name);
  std::printf("%-31s%d.%d\n", "Device Revision Number:", p.major, p.minor);
  line("Global Memory Size:", p.totalGlobalMem);
  line("Number of Multiprocessors:", static_cast<unsigned>(p.multiProcessorCount));
  if (p.major < 4) { // newer cores do several things
    line("Number of SP Cores:", static_cast<unsigned>(cores.single * p.multiProcessorCount));
    line("Number of DP Cores:", static_cast<unsigned>(cores.twice * p.multiProcessorCount));
  }
  yesOrNo("Concurrent Copy and Execution:", p.deviceOverlap);
  line("Total Constant Memory:", p.totalConstMem);
  line("Total Shared Memory per Block:", p.sharedMemPerBlock);
  line("Registers per Block:", static_cast<unsigned>(p.regsPerBlock));
  line("Warp Size:", static_cast<unsigned>(p.warpSize));
  line("Maximum Threads per Block:", static_cast<unsigned>(p.maxThreadsPerBlock));
  std::printf("%-31s%d, %d, %d\n", "Maximum Block Dimensions:", p.maxThreadsDim[0],
              p.maxThreadsDim[1], p.maxThreadsDim[2]);
  std::printf("%-31s%d x %d x %d\n", "Maximum Grid Dimensions:", p.maxGridSize[0], p.maxGridSize[1],
              p.maxGridSize[2]);
  line("Maximum Memory Pitch:", p.memPitch, "B");
  line("Texture Alignment:", p.textureAlignment, "B");
  line("Clock Rate:", static_cast<unsigned>(p.clockRate) / 1000, " MHz");
  yesOrNo("Execution Timeout:", p.kernelExecTimeoutEnabled);
  yesOrNo("Integrated Device:", p.integrated);
  yesOrNo("Can Map Host Memory:", p.canMapHostMemory);
  line("Compute Mode:", modeText(p.computeMode));
  yesOrNo("Concurrent Kernels:", p.concurrentKernels);
  yesOrNo("ECC Enabled:", p.ECCEnabled);
  line("Memory Clock Rate:", static_cast<unsigned>(p.memoryClockRate) / 1000, " MHz");
  line("Memory Bus Width:", static_cast<unsigned>(p.memoryBusWidth), " bits");
  line("L2 Cache Size:", static_cast<unsigned>(p.l2CacheSize), " bytes");
  line("Max Threads Per SMP:", static_cast<unsigned>(p.maxThreadsPerMultiProcessor));
  line("Async Engines:", static_cast<unsigned>(p.asyncEngineCount));
  yesOrNo("Unified Addressing:", p.unifiedAddressing);
  yesOrNo("Managed Memory:", p.managedMemory);
  yesOrNo("Concurrent Managed Memory:", p.concurrentManagedAccess);
  yesOrNo("Preemption Supported:", p.computePreemptionSupported);
  yesOrNo("Cooperative Launch:", p.cooperativeLaunch);
  // The options by which each of the two compilers chooses the architecture.
  std::printf("%-31scc%d%d\n", "Default Target:", p.major, p.minor);
}

} // namespace

int main(int argc, char **argv) {
  if (argc > 1 && std::strcmp(argv[1], "-v") != 0) {
    std::printf("usage: %s\n", argv[0]);
    return std::strcmp(argv[1], "-help") != 0 && std::strcmp(argv[1], "--help") != 0;
  }
  int count = 0, driver = 0;
  if (cudaError_t error = cudaGetDeviceCount(&count)) {
    std::printf("No accelerators found.\n%s\n", cudaGetErrorString(error));
    return EXIT_FAILURE;
  }
  cudaDriverGetVersion(&driver);
  line("CUDA Driver Version:", static_cast<unsigned>(driver));
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp p;
    if (cudaError_t error = cudaGetDeviceProperties(&p, i)) {
      std::fprintf(stderr, "cudaGetDeviceProperties: %s\n", cudaGetErrorString(error));
      return EXIT_FAILURE;
    }
    print(i, p);
  }
}
