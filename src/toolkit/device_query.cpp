// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// deviceQuery: the properties of each device, as the runtime tells them.
#include "cuda_runtime_api.h"
#include "helper_cuda.h"

#include <cstdio>
#include <cstdlib>

namespace {

void line(const char *what, const char *value) { std::printf("  %-46s %s\n", what, value); }

void line(const char *what, unsigned long long value, const char *unit = "") {
  std::printf("  %-46s %llu%s%s\n", what, value, *unit ? " " : "", unit);
}

void yesOrNo(const char *what, int value) { line(what, value ? "Yes" : "No"); }

const char *modeText(int mode) {
  switch (mode) {
  case cudaComputeModeExclusive:
    return "Exclusive (only one host thread in one process is able to use ::cudaSetDevice() with "
           "this device)";
  case cudaComputeModeProhibited:
    return "Prohibited (no host thread can use ::cudaSetDevice() with this device)";
  case cudaComputeModeExclusiveProcess:
    return "Exclusive Process (many threads in one process is able to use ::cudaSetDevice() with "
           "this device)";
  default:
    return "Default (multiple host threads can use ::cudaSetDevice() with device simultaneously)";
  }
}

void printMemory(const cudaDeviceProp &p) {
  std::printf("  %-46s %.0f MBytes (%llu bytes)\n",
              "Total amount of global memory:", static_cast<double>(p.totalGlobalMem) / 1048576,
              static_cast<unsigned long long>(p.totalGlobalMem));
  const int cores = _ConvertSMVer2Cores(p.major, p.minor);
  std::printf("  (%03d) Multiprocessors, (%03d) CUDA Cores/MP:    %d CUDA Cores\n",
              p.multiProcessorCount, cores, cores * p.multiProcessorCount);
  std::printf("  %-46s %d MHz (%0.2f GHz)\n", "GPU Max Clock rate:", p.clockRate / 1000,
              p.clockRate * 1e-6);
  line("Memory Clock rate:", static_cast<unsigned>(p.memoryClockRate) / 1000, "Mhz");
  std::printf("  %-46s %d-bit\n", "Memory Bus Width:", p.memoryBusWidth);
  if (p.l2CacheSize)
    line("L2 Cache Size:", static_cast<unsigned>(p.l2CacheSize), "bytes");
}

void printTextures(const cudaDeviceProp &p) {
  std::printf(
      "  Maximum Texture Dimension Size (x,y,z)         1D=(%d), 2D=(%d, %d), 3D=(%d, %d, %d)\n",
      p.maxTexture1D, p.maxTexture2D[0], p.maxTexture2D[1], p.maxTexture3D[0], p.maxTexture3D[1],
      p.maxTexture3D[2]);
  std::printf("  Maximum Layered 1D Texture Size, (num) layers  1D=(%d), %d layers\n",
              p.maxTexture1DLayered[0], p.maxTexture1DLayered[1]);
  std::printf("  Maximum Layered 2D Texture Size, (num) layers  2D=(%d, %d), %d layers\n",
              p.maxTexture2DLayered[0], p.maxTexture2DLayered[1], p.maxTexture2DLayered[2]);
}

void printLimits(const cudaDeviceProp &p) {
  line("Total amount of constant memory:", p.totalConstMem, "bytes");
  line("Total amount of shared memory per block:", p.sharedMemPerBlock, "bytes");
  line("Total shared memory per multiprocessor:", p.sharedMemPerMultiprocessor, "bytes");
  line("Total number of registers available per block:", static_cast<unsigned>(p.regsPerBlock));
  line("Warp size:", static_cast<unsigned>(p.warpSize));
  line("Maximum number of threads per multiprocessor:",
       static_cast<unsigned>(p.maxThreadsPerMultiProcessor));
  line("Maximum number of threads per block:", static_cast<unsigned>(p.maxThreadsPerBlock));
  std::printf("  Max dimension size of a thread block (x,y,z): (%d, %d, %d)\n", p.maxThreadsDim[0],
              p.maxThreadsDim[1], p.maxThreadsDim[2]);
  std::printf("  Max dimension size of a grid size    (x,y,z): (%d, %d, %d)\n", p.maxGridSize[0],
              p.maxGridSize[1], p.maxGridSize[2]);
  line("Maximum memory pitch:", p.memPitch, "bytes");
  line("Texture alignment:", p.textureAlignment, "bytes");
}

void printFeatures(const cudaDeviceProp &p) {
  std::printf("  %-46s %s with %d copy engine(s)\n",
              "Concurrent copy and kernel execution:", p.deviceOverlap ? "Yes" : "No",
              p.asyncEngineCount);
  yesOrNo("Run time limit on kernels:", p.kernelExecTimeoutEnabled);
  yesOrNo("Integrated GPU sharing Host Memory:", p.integrated);
  yesOrNo("Support host page-locked memory mapping:", p.canMapHostMemory);
  yesOrNo("Alignment requirement for Surfaces:", p.surfaceAlignment != 0);
  line("Device has ECC support:", p.ECCEnabled ? "Enabled" : "Disabled");
  yesOrNo("Device supports Unified Addressing (UVA):", p.unifiedAddressing);
  yesOrNo("Device supports Managed Memory:", p.managedMemory);
  yesOrNo("Device supports Compute Preemption:", p.computePreemptionSupported);
  yesOrNo("Supports Cooperative Kernel Launch:", p.cooperativeLaunch);
  std::printf("  %-46s %d / %d / %d\n",
              "Device PCI Domain ID / Bus ID / location ID:", p.pciDomainID, p.pciBusID,
              p.pciDeviceID);
  std::printf("  Compute Mode:\n     < %s >\n", modeText(p.computeMode));
}

/// Between devices of which one, at least, could be a peer.
void printPeers(int count) {
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < count; ++j) {
      int can = 0;
      cudaDeviceProp a, b;
      if (i == j || cudaDeviceCanAccessPeer(&can, i, j) || cudaGetDeviceProperties(&a, i) ||
          cudaGetDeviceProperties(&b, j))
        continue;
      std::printf("> Peer access from %s (GPU%d) -> %s (GPU%d) : %s\n", a.name, i, b.name, j,
                  can ? "Yes" : "No");
    }
}

int fail(const char *what, cudaError_t error) {
  std::printf("%s returned %d\n-> %s\nResult = FAIL\n", what, error, cudaGetErrorString(error));
  return EXIT_FAILURE;
}

} // namespace

int main(int argc, char **argv) {
  std::printf("%s Starting...\n\n CUDA Device Query (Runtime API)\n\n",
              argc > 0 ? argv[0] : "deviceQuery");
  int count = 0, driver = 0, runtime = 0;
  if (cudaError_t error = cudaGetDeviceCount(&count))
    return fail("cudaGetDeviceCount", error);
  std::printf("Detected %d CUDA Capable device(s)\n", count);
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp p;
    if (cudaError_t error = cudaGetDeviceProperties(&p, i))
      return fail("cudaGetDeviceProperties", error);
    std::printf("\nDevice %d: \"%s\"\n", i, p.name);
    std::printf("  %-46s %d.%d / %d.%d\n", "CUDA Driver Version / Runtime Version", driver / 1000,
                driver % 100 / 10, runtime / 1000, runtime % 100 / 10);
    std::printf("  %-46s %d.%d\n", "CUDA Capability Major/Minor version number:", p.major, p.minor);
    printMemory(p);
    printTextures(p);
    printLimits(p);
    printFeatures(p);
  }
  printPeers(count);
  std::printf("\ndeviceQuery, CUDA Driver = CUDART, CUDA Driver Version = %d.%d, CUDA Runtime "
              "Version = %d.%d, "
              "NumDevs = %d\nResult = PASS\n",
              driver / 1000, driver % 100 / 10, runtime / 1000, runtime % 100 / 10, count);
}
