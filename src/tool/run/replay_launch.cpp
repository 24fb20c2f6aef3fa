// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle-replay FILE: the program that `heddle replay` runs, on whatever device and under whatever
// checks it is told. Memory is made anew, and pointers to it, in parameters and in memory, are moved.
#include "base/image/saved_launch.h"

#include "cuda.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

using namespace heddle;

namespace {

[[noreturn]] void fail(const std::string &why) {
  std::fprintf(stderr, "heddle replay: %s\n", why.c_str());
  std::exit(1);
}

void must(CUresult error, const char *what) {
  if (error == CUDA_SUCCESS)
    return;
  const char *name = "an unknown error";
  cuGetErrorName(error, &name);
  fail(std::string(what) + ": " + name);
}

SavedLaunch readLaunch(const char *file) {
  std::ifstream in(file, std::ios::binary);
  if (!in)
    fail(std::string("cannot read ") + file);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  auto launch = parseSavedLaunch({reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size()});
  if (!launch)
    fail(std::string(file) + ": " + launch.error());
  return std::move(*launch);
}

CUdeviceptr allocate(const SavedMemory &m, CUmodule module) {
  CUdeviceptr place = 0;
  size_t bytes = 0;
  void *host = nullptr;
  switch (m.kind) {
  case SavedKind::Device:
    must(cuMemAlloc(&place, m.content.size()), "memory");
    break;
  case SavedKind::Managed:
    must(cuMemAllocManaged(&place, m.content.size(), CU_MEM_ATTACH_GLOBAL), "managed memory");
    break;
  case SavedKind::Host:
    must(cuMemHostAlloc(&host, m.content.size(), CU_MEMHOSTALLOC_DEVICEMAP), "memory of the host");
    must(cuMemHostGetDevicePointer(&place, host, 0), "memory of the host");
    break;
  case SavedKind::Variable:
    must(cuModuleGetGlobal(&place, &bytes, module, m.name.c_str()), m.name.c_str());
    if (bytes != m.content.size())
      fail("the variable " + m.name + " has another size");
    break;
  }
  return place;
}

/// The memory again, with its contents. Where what lay lies now.
NewPlaces makeMemory(SavedLaunch &launch, CUmodule module) {
  NewPlaces places;
  for (const SavedMemory &m : launch.memory)
    places[m.address] = allocate(m, module);
  for (SavedMemory &m : launch.memory) {
    moveWords(launch, places, m.content);
    must(cuMemcpyHtoD(places[m.address], m.content.data(), m.content.size()), "a copy");
  }
  return places;
}

void launchAgain(SavedLaunch &launch, CUfunction kernel) {
  std::vector<void *> params;
  for (const SavedParam &p : launch.places)
    params.push_back(&launch.params[p.offset]);
  CUlaunchAttribute attributes[2];
  CUlaunchConfig config = {};
  config.gridDimX = launch.grid[0], config.gridDimY = launch.grid[1];
  config.gridDimZ = launch.grid[2];
  config.blockDimX = launch.block[0], config.blockDimY = launch.block[1];
  config.blockDimZ = launch.block[2];
  config.sharedMemBytes = launch.sharedBytes;
  config.attrs = attributes;
  if (launch.isCooperative) {
    attributes[config.numAttrs].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attributes[config.numAttrs++].value.cooperative = 1;
  }
  if (launch.cluster[0]) {
    CUlaunchAttribute &a = attributes[config.numAttrs++];
    a.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    a.value.clusterDim.x = launch.cluster[0];
    a.value.clusterDim.y = launch.cluster[1];
    a.value.clusterDim.z = launch.cluster[2];
  }
  must(cuLaunchKernelEx(&config, kernel, params.data(), nullptr), launch.shown.c_str());
  must(cuCtxSynchronize(), launch.shown.c_str());
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2)
    fail("usage: heddle-replay FILE");
  SavedLaunch launch = readLaunch(argv[1]);
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction kernel;
  must(cuInit(0), "cuInit");
  must(cuDeviceGet(&device, 0), "a device");
  must(cuDevicePrimaryCtxRetain(&context, device), "a context");
  must(cuCtxSetCurrent(context), "a context");
  must(cuModuleLoadData(&module, launch.code.data()), "the kernel's code");
  must(cuModuleGetFunction(&kernel, module, launch.kernel.c_str()), launch.shown.c_str());
  if (launch.sharedBytes > 48u << 10)
    must(cuFuncSetAttribute(kernel, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                            static_cast<int>(launch.sharedBytes)),
         "dynamic shared memory");
  const NewPlaces places = makeMemory(launch, module);
  moveWords(launch, places, launch.params);
  launchAgain(launch, kernel);
  std::printf("heddle replay: %s: grid %u x %u x %u, block %u x %u x %u, %zu pieces of memory: no "
              "error\n",
              launch.shown.c_str(), launch.grid[0], launch.grid[1], launch.grid[2], launch.block[0],
              launch.block[1], launch.block[2], launch.memory.size());
  must(cuModuleUnload(module), "the end");
  must(cuDevicePrimaryCtxRelease(device), "the end");
}
