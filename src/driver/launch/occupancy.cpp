// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Occupancy. A multiprocessor runs as many blocks as its scarcest resource allows, and gives each
// resource in units: registers to a warp (before compute capability 2.0: to a block), shared memory
// to a block. The rules are those of NVIDIA's public occupancy calculator; the units are in
// device/architectures.def.
#include "driver/launch/occupancy.h"

#include "driver/launch/launch.h"

#include <algorithm>
#include <climits>

namespace heddle::driver {
namespace {

template <typename T> T roundUp(T value, T unit) { return (value + unit - 1) / unit * unit; }
template <typename T> T roundDown(T value, T unit) { return value / unit * unit; }

int warpsOf(int threads) { return (threads + 31) / 32; }

int byRegisters(const Architecture &a, const BlockNeeds &needs) {
  if (needs.registers == 0)
    return a.blocksPerSm;
  if (needs.registers > a.registersPerThread)
    return 0;
  const int warps = warpsOf(needs.threads);
  if (!a.registerPerWarp) {
    const int perBlock = roundUp(roundUp(warps, a.warpUnit) * 32 * needs.registers, a.registerUnit);
    return a.registersPerSm / perBlock;
  }
  // A block may use the registers of one register file only (37: a multiprocessor has two).
  const int perWarp = roundUp(needs.registers * 32, a.registerUnit);
  const int warpsThatFit = roundDown(a.registersPerBlock / perWarp, a.warpUnit);
  return warpsThatFit / warps * (a.registersPerSm / a.registersPerBlock);
}

int byShared(const Architecture &a, const BlockNeeds &needs) {
  const size_t bytes = needs.staticShared + needs.dynamicShared + a.sharedReserved;
  if (bytes == 0)
    return a.blocksPerSm;
  return static_cast<int>(a.sharedPerSm / roundUp<size_t>(bytes, a.sharedUnit));
}

} // namespace

int blocksPerMultiprocessor(const Architecture &a, const BlockNeeds &needs) {
  if (needs.threads > a.threadsPerBlock)
    return 0;
  const int byWarps = a.warpsPerSm / warpsOf(needs.threads);
  return std::min({a.blocksPerSm, byWarps, byRegisters(a, needs), byShared(a, needs)});
}

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
  while (registers > Least && byRegisters(a, {threads, registers}) < blocks)
    registers = roundDown(registers - 1, Unit);
  return registers;
}

/// CUDA leaves out the reserved part of each block here (seen on an H200).
size_t dynamicSharedFor(const Architecture &a, const BlockNeeds &needs, int blocks) {
  const size_t share = roundDown<size_t>(a.sharedPerSm / blocks, a.sharedUnit);
  const size_t most = std::min<size_t>(share, a.sharedOptin);
  return most > needs.staticShared ? most - needs.staticShared : 0;
}

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
  return blocksPerMultiprocessor(a, needsOf(function, a, threads, dynamicShared));
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
  *bytes = std::min<size_t>(dynamicSharedFor(a, needsOf(function, a, threads, 0), blocks),
                            static_cast<size_t>(std::max(0, maxDynamicShared(function, device))));
  return CUDA_SUCCESS;
}

} // namespace heddle::driver
