// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/boards/board.h"
#include "driver/boards/host_machine.h"

#include <algorithm>
#include <cstring>
#include <strings.h>

namespace heddle::driver {
namespace {

struct Card {
  std::string_view key;
  unsigned gpus, pciDevice;
};

constexpr Card cards[] = {
#define HEDDLE_CARD(key, gpus, pciDevice) {key, gpus, pciDevice},
#include "device/cards.def"
#undef HEDDLE_CARD
};

template <size_t N> void assign(int (&to)[N], const int (&from)[N]) {
  std::copy(from, from + N, to);
}

void fillTextures(cudaDeviceProp &p, const model::TextureLimits &t) {
  p.maxTexture1D = t.t1d;
  p.maxTexture1DMipmap = t.t1dMipmap;
  p.maxTexture1DLinear = t.t1dLinear;
  assign(p.maxTexture2D, {t.t2dWidth, t.t2dHeight});
  assign(p.maxTexture2DMipmap, {t.t2dMipmap, t.t2dMipmap});
  assign(p.maxTexture2DLinear, {t.t2dLinearWidth, 65000, t.t2dLinearPitch});
  assign(p.maxTexture2DGather, {t.t2dGather, t.t2dGather});
  assign(p.maxTexture3D, {t.t3d, t.t3d, t.t3d});
  assign(p.maxTexture3DAlt, {t.t3dAlternateXY, t.t3dAlternateXY, t.t3dAlternateZ});
  p.maxTextureCubemap = t.cubemap;
  assign(p.maxTexture1DLayered, {t.layered, t.layers});
  assign(p.maxTexture2DLayered, {t.layered, t.layered, t.layers});
  assign(p.maxTextureCubemapLayered, {t.cubemap, t.cubemapLayers});
  p.maxSurface1D = t.s1d;
  assign(p.maxSurface2D, {t.s2dWidth, t.s2dHeight});
  assign(p.maxSurface3D, {t.s3dWidth, t.s3dHeight, t.s3dDepth});
  assign(p.maxSurface1DLayered, {t.sLayeredWidth, t.sLayers});
  assign(p.maxSurface2DLayered, {t.sLayeredWidth, t.sLayeredHeight, t.sLayers});
  p.maxSurfaceCubemap = t.sCubemap;
  assign(p.maxSurfaceCubemapLayered, {t.sCubemap, t.cubemapLayers});
}

void fillLimits(cudaDeviceProp &p, const Architecture &a) {
  p.major = a.major;
  p.minor = a.minor;
  p.warpSize = 32;
  p.maxThreadsPerBlock = a.threadsPerBlock;
  assign(p.maxThreadsDim, {a.threadsPerBlock, a.threadsPerBlock, a.blockZ});
  assign(p.maxGridSize, {a.gridX, 65535, a.gridZ});
  p.maxThreadsPerMultiProcessor = a.warpsPerSm * 32;
  p.maxBlocksPerMultiProcessor = a.blocksPerSm;
  p.regsPerBlock = a.registersPerBlock;
  p.regsPerMultiprocessor = a.registersPerSm;
  p.sharedMemPerBlock = a.sharedPerBlock;
  p.sharedMemPerBlockOptin = a.sharedOptin;
  p.sharedMemPerMultiprocessor = a.sharedPerSm;
  p.reservedSharedMemPerBlock = a.sharedReserved;
  p.singleToDoublePrecisionPerfRatio = a.fp64Ratio;
  p.totalConstMem = 65536;
  p.memPitch = 2147483647;
  p.textureAlignment = a.major == 1 ? 256 : 512;
  p.texturePitchAlignment = 32;
  p.surfaceAlignment = a.major == 1 ? 256 : 512;
}

/// What came with which compute capability (CUDA C++ Programming Guide, "Feature Support per
/// Compute Capability"). Sparse arrays and interoperation with graphics are not offered: the
/// runtime does not have them.
void fillFeatures(cudaDeviceProp &p) {
  const int cc = p.major * 10 + p.minor;
  p.unifiedAddressing = cc >= 20;
  p.concurrentKernels = cc >= 20;
  p.canMapHostMemory = cc >= 11;
  p.hostRegisterSupported = cc >= 20;
  p.ipcEventSupported = cc >= 20;
  p.timelineSemaphoreInteropSupported = cc >= 60;
  p.localL1CacheSupported = cc >= 20;
  p.globalL1CacheSupported = cc >= 20 && cc != 30 && cc != 35;
  p.managedMemory = cc >= 30;
  p.streamPrioritiesSupported = cc >= 35;
  p.memoryPoolsSupported = cc >= 60;
  p.memoryPoolSupportedHandleTypes = cc >= 60 ? cudaMemHandleTypePosixFileDescriptor : 0;
  p.sparseCudaArraySupported = p.deferredMappingCudaArraySupported = cc >= 60;
  p.cooperativeLaunch = cc >= 60;
  p.cooperativeMultiDeviceLaunch = cc >= 60;
  p.computePreemptionSupported = cc >= 60;
  p.concurrentManagedAccess = cc >= 60;
  p.canUseHostPointerForRegisteredMem = cc >= 60;
  p.clusterLaunch = cc >= 90;
  if (cc >= 80) {
    p.accessPolicyMaxWindowSize = 134217728;
    p.persistingL2CacheMaxSize = p.l2CacheSize / 8 * 5;
  }
}

Board makeBoard(std::string_view key, const std::string &name, int major, int minor) {
  const Architecture &architecture = *findArchitecture(major, minor);
  Board board{std::string(key), {}, &architecture};
  for (const Card &card : cards)
    if (card.key == key)
      board.gpus = card.gpus, board.pciDevice = card.pciDevice;
  std::strncpy(board.properties.name, name.c_str(), sizeof board.properties.name - 1);
  fillLimits(board.properties, architecture);
  fillTextures(board.properties, model::textureLimitsOf(architecture));
  return board;
}

Board makeCpuBoard() {
  const HostMachine machine = describeHostMachine();
  Board board = makeBoard("cpu", machine.name, 9, 0);
  cudaDeviceProp &p = board.properties;
  p.multiProcessorCount = machine.processors;
  p.clockRate = machine.clockKhz;
  p.totalGlobalMem = machine.memoryBytes;
  p.l2CacheSize = machine.cacheBytes;
  p.integrated = 1;
  p.asyncEngineCount = 2;
  fillFeatures(p);
  p.accessPolicyMaxWindowSize = p.persistingL2CacheMaxSize = 0;
  p.hostNativeAtomicSupported = 1;
  p.directManagedMemAccessFromHost = 1;
  p.deviceOverlap = 1;
  return board;
}

Board makeNamedBoard(const model::Gpu &gpu) {
  Board board = makeBoard(gpu.key, gpu.name, gpu.major, gpu.minor);
  board.gpu = &gpu;
  cudaDeviceProp &p = board.properties;
  p.multiProcessorCount = gpu.multiprocessors;
  p.clockRate = gpu.clockKhz;
  p.memoryClockRate = gpu.memoryClockKhz;
  p.memoryBusWidth = gpu.busBits;
  p.totalGlobalMem = gpu.memoryBytes;
  p.l2CacheSize = gpu.l2Bytes;
  p.ECCEnabled = gpu.ecc;
  p.asyncEngineCount = gpu.copyEngines;
  p.deviceOverlap = gpu.copyEngines > 0;
  fillFeatures(p);
  p.isMultiGpuBoard = board.gpus > 1;
  return board;
}

/// Made once, never destroyed: user code may run after main.
const std::vector<Board> &boards() {
  static const std::vector<Board> &all = *[] {
    auto *list = new std::vector<Board>{makeCpuBoard()};
    for (const model::Gpu &gpu : model::allGpus())
      list->push_back(makeNamedBoard(gpu));
    return list;
  }();
  return all;
}

} // namespace

const Board *findBoard(std::string_view key) {
  for (const Board &board : boards())
    if (board.key.size() == key.size() &&
        strncasecmp(board.key.data(), key.data(), key.size()) == 0)
      return &board;
  return nullptr;
}

bool hasSyncDepth(const Board &board) { return isCpu(board) || board.properties.major < 9; }

std::vector<std::string_view> boardKeys() {
  std::vector<std::string_view> keys;
  for (const Board &board : boards())
    keys.push_back(board.key);
  return keys;
}

} // namespace heddle::driver
