// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `heddle devices`: what programs see of the devices, through the same runtime that they use.
// `heddle devices --kernels`: which forms of kernels have turned out to be the fastest.
#include "cuda_runtime_api.h"

#include "base/cache/form_record.h"
#include "base/cache/object_cache.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace {

void line(const char *what, unsigned long long value, const char *unit = "") {
  std::printf("  %-34s %llu%s%s\n", what, value, *unit ? " " : "", unit);
}

void print(int number, const cudaDeviceProp &p) {
  std::printf("Device %d: %s\n", number, p.name);
  std::printf("  %-34s %d.%d\n", "Compute capability", p.major, p.minor);
  line("Global memory", p.totalGlobalMem >> 20, "MiB");
  line("Multiprocessors", static_cast<unsigned>(p.multiProcessorCount));
  line("Clock", static_cast<unsigned>(p.clockRate) / 1000, "MHz");
  line("L2 cache", static_cast<unsigned>(p.l2CacheSize), "bytes");
  line("Constant memory", p.totalConstMem, "bytes");
  line("Shared memory per block", p.sharedMemPerBlock, "bytes");
  line("Shared memory per block, opt-in", p.sharedMemPerBlockOptin, "bytes");
  line("Shared memory per multiprocessor", p.sharedMemPerMultiprocessor, "bytes");
  line("Registers per block", static_cast<unsigned>(p.regsPerBlock));
  line("Warp size", static_cast<unsigned>(p.warpSize));
  line("Threads per multiprocessor", static_cast<unsigned>(p.maxThreadsPerMultiProcessor));
  line("Threads per block", static_cast<unsigned>(p.maxThreadsPerBlock));
  std::printf("  %-34s %d x %d x %d\n", "Block size", p.maxThreadsDim[0], p.maxThreadsDim[1],
              p.maxThreadsDim[2]);
  std::printf("  %-34s %d x %d x %d\n", "Grid size", p.maxGridSize[0], p.maxGridSize[1],
              p.maxGridSize[2]);
  std::printf("  %-34s %s\n", "Concurrent kernels", p.concurrentKernels ? "yes" : "no");
  std::printf("  %-34s %s\n", "Managed memory", p.managedMemory ? "yes" : "no");
  std::printf("  %-34s %s\n", "Unified addressing", p.unifiedAddressing ? "yes" : "no");
  std::printf("  %-34s %s\n", "Cooperative launch", p.cooperativeLaunch ? "yes" : "no");
}

int fail(cudaError_t error) {
  std::fprintf(stderr, "heddle devices: %s\n", cudaGetErrorString(error));
  return 1;
}

int printKernels() {
  std::vector<heddle::FormRecord> records;
  for (const std::string &path : heddle::objectCache().entries())
    if (auto record = heddle::FormRecord::read(path))
      records.push_back(std::move(*record));
  std::ranges::sort(records, {}, &heddle::FormRecord::kernel);
  for (const heddle::FormRecord &record : records) {
    const auto &block = record.blockDim;
    std::printf("%s in blocks of %u x %u x %u\n", record.kernel.c_str(), block[0], block[1],
                block[2]);
    for (const heddle::FormRecord::Size &size : record.sizes) {
      std::printf("  launches of size class %016llx: ", static_cast<unsigned long long>(size.key));
      if (size.width)
        std::printf("%u lanes, %.2f times as fast as the compiler's choice\n", size.width,
                    size.advantage);
      else
        std::printf("the compiler's choice\n");
    }
  }
  if (records.empty())
    std::printf("nothing is known of kernels\n");
  return 0;
}

int printDevices() {
  int count = 0, driver = 0, runtime = 0;
  if (cudaError_t error = cudaGetDeviceCount(&count); error != cudaSuccess)
    return fail(error);
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  std::printf("CUDA driver %d.%d, runtime %d.%d; %d device%s\n", driver / 1000, driver % 1000 / 10,
              runtime / 1000, runtime % 1000 / 10, count, count == 1 ? "" : "s");
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties;
    if (cudaError_t error = cudaGetDeviceProperties(&properties, i); error != cudaSuccess)
      return fail(error);
    print(i, properties);
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc == 1)
    return printDevices();
  if (argc == 2 && std::strcmp(argv[1], "--kernels") == 0)
    return printKernels();
  std::fprintf(stderr, "usage: heddle devices [--kernels]\n");
  return 1;
}
