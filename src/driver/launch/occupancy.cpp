// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers and blocks of the functions that a program launches; the rules are in
// model/occupancy.h.
#include "driver/launch/occupancy.h"

#include "driver/launch/launch.h"

#include <algorithm>

namespace heddle::driver {

int registersOf(const ImageKernel &kernel, const Architecture &a) {
  constexpr int Unit = 8, Least = 16;
  const unsigned sm = static_cast<unsigned>(a.major * 10 + a.minor);
  int registers = static_cast<int>(
      std::min<unsigned>(kernel.registers[registerGeneration(static_cast<unsigned>(a.major))],
                         registerLimit(sm, kernel.maxRegisters)));
  if (kernel.maxThreads == 0)
    return registers;
  int threads = std::min(static_cast<int>(kernel.maxThreads), a.threadsPerBlock);
  int blocks = std::max(1, static_cast<int>(kernel.minBlocks));
  while (registers > Least && model::blocksByRegisters(a, {threads, registers}) < blocks)
    registers = (registers - 1) / Unit * Unit;
  return registers;
}

static bool areRegistersLimits = false;
void refuseForRegisters() { areRegistersLimits = true; }
bool refusesForRegisters() { return areRegistersLimits; }

static BlockNeeds needsOf(const Function &function, const Architecture &a, int threads,
                          size_t dynamicShared) {
  const ImageKernel &kernel = *function.kernel;
  return {threads, registersOf(kernel, a), kernel.staticShared, dynamicShared};
}

int activeBlocks(Function &function, Context &device, int threads, size_t dynamicShared) {
  if (threads > maxThreadsPerBlock(function, device) ||
      dynamicShared > static_cast<size_t>(std::max(0, maxDynamicShared(function, device))))
    return 0;
  const Architecture &a = *device.board->architecture;
  return model::blocksPerMultiprocessor(a, needsOf(function, a, threads, dynamicShared));
}

CUresult tellActiveBlocks(Function &function, Context &device, int threads, size_t dynamicShared,
                          unsigned flags, int *blocks) {
  if (!blocks || threads <= 0 || flags & ~cudaOccupancyDisableCachingOverride)
    return CUDA_ERROR_INVALID_VALUE;
  *blocks = activeBlocks(function, device, threads, dynamicShared);
  return CUDA_SUCCESS;
}

CUresult availableShared(Function &function, Context &device, int blocks, int threads,
                         size_t *bytes) {
  if (!bytes || blocks <= 0 || threads <= 0 || activeBlocks(function, device, threads, 0) < blocks)
    return CUDA_ERROR_INVALID_VALUE;
  const Architecture &a = *device.board->architecture;
  // No more than a launch may ask for.
  *bytes = std::min<size_t>(model::dynamicSharedFor(a, needsOf(function, a, threads, 0), blocks),
                            static_cast<size_t>(std::max(0, maxDynamicShared(function, device))));
  return CUDA_SUCCESS;
}

} // namespace heddle::driver
