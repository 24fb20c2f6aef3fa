// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle cc -std=c++17 %s -o %t
// RUN: env HEDDLE_DEVICE=h200 %t > %t.out
// RUN: %python %S/Inputs/compare_probe.py %S/Inputs/probe.expected %t.out
//
// Asks the runtime API what it answers in the corners that its manual leaves open, and prints it. probe.expected is
// the output on an NVIDIA H200 with CUDA 13.0 (`nvcc -x cu probe.cpp`). No kernel is launched, and what CUDA 13 took
// out or changed is not asked.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <thread>

static void show(const char *what, cudaError_t e) {
  std::printf("%s: %s\n", what, cudaGetErrorName(e));
  cudaGetLastError();
}
#define P(expr) show(#expr, (expr))
#define N(label, expr) show(label, (expr))

static const char *kinds[] = {"HtoH", "HtoD", "DtoH", "DtoD", "Default"};

enum { Bytes = 4096 };
static char pageable[Bytes], pageable2[Bytes], registered[2 * Bytes] __attribute__((aligned(4096)));

static void copies() {
  std::puts("== copies");
  char *device, *device2, *pinned, *managed;
  cudaMalloc((void **)&device, Bytes);
  cudaMalloc((void **)&device2, Bytes);
  cudaMallocHost((void **)&pinned, Bytes);
  cudaMallocManaged((void **)&managed, Bytes, cudaMemAttachGlobal);
  struct {
    const char *name;
    char *p;
  } places[] = {{"pageable", pageable}, {"pinned", pinned}, {"device", device}, {"managed", managed}};
  for (auto &to : places)
    for (auto &from : places)
      for (int kind = 0; kind < 5; ++kind) {
        char label[128];
        std::snprintf(label, sizeof label, "memcpy %s <- %s %s", to.name, from.name, kinds[kind]);
        char *source = from.p == to.p ? (from.p == device ? device2 : from.p + 2048) : from.p;
        N(label, cudaMemcpy(to.p, source, 1024, (cudaMemcpyKind)kind));
      }
  P(cudaMemcpy(device, pageable, 16, (cudaMemcpyKind)5));
  P(cudaMemcpy(device, pageable, 16, (cudaMemcpyKind)-1));
  P(cudaMemcpy(device, pageable, 0, (cudaMemcpyKind)7));
  P(cudaMemcpy(0, 0, 0, cudaMemcpyHostToDevice));
  P(cudaMemcpy(0, pageable, 16, cudaMemcpyHostToDevice));
  P(cudaMemcpy(device, 0, 16, cudaMemcpyHostToDevice));
  P(cudaMemcpy(device, 0, 16, cudaMemcpyDeviceToDevice));
  P(cudaMemcpy(device, pageable, Bytes, cudaMemcpyHostToDevice));
  P(cudaMemcpy(device + 1, device, 100, cudaMemcpyDeviceToDevice));
  P(cudaMemcpyAsync(device, pageable, 16, (cudaMemcpyKind)9, 0));
  P(cudaMemcpy2D(device, 64, pageable, 64, 65, 2, cudaMemcpyHostToDevice));
  P(cudaMemcpy2D(device, 64, pageable, 32, 64, 2, cudaMemcpyHostToDevice));
  P(cudaMemcpy2D(device, 64, pageable, 64, 64, 2, cudaMemcpyHostToDevice));
  P(cudaMemcpy2D(device, 64, pageable, 64, 0, 2, cudaMemcpyHostToDevice));
  P(cudaMemcpy2D(device, 64, pageable, 64, 64, 0, cudaMemcpyHostToDevice));
  P(cudaMemcpy2D(0, 64, pageable, 64, 64, 1, cudaMemcpyHostToDevice));
  P(cudaMemcpy2D(device, 64, pageable, 64, 64, 2, (cudaMemcpyKind)8));
  P(cudaMemcpy2D(device, 64, pageable, 64, 64, 2, cudaMemcpyDeviceToHost));
  P(cudaMemcpy2D(device, (size_t)1 << 32, pageable, 64, 64, 1, cudaMemcpyHostToDevice));
  P(cudaMemcpyPeer(device, 0, device2, 0, 64));
  P(cudaMemcpyPeer(device, 0, device2, 99, 64));
  P(cudaMemcpyPeer(device, 0, pageable, 0, 64));
  cudaMemcpy3DParms p;
  std::memset(&p, 0, sizeof p);
  P(cudaMemcpy3D(&p));
  p.srcPtr = {pageable, 64, 64, 4};
  p.dstPtr = {device, 64, 64, 4};
  p.extent = {64, 4, 2};
  p.kind = cudaMemcpyHostToDevice;
  P(cudaMemcpy3D(&p));
  p.extent = {65, 4, 2};
  N("3D extent over pitch", cudaMemcpy3D(&p));
  p.extent = {64, 5, 1};
  N("3D extent over ysize, depth 1", cudaMemcpy3D(&p));
  p.extent = {64, 5, 2};
  N("3D extent over ysize, depth 2", cudaMemcpy3D(&p));
  p.extent = {64, 4, 0};
  N("3D depth 0", cudaMemcpy3D(&p));
  p.extent = {64, 4, 1};
  p.kind = (cudaMemcpyKind)6;
  N("3D kind 6", cudaMemcpy3D(&p));
  P(cudaMemcpy3D(0));
  P(cudaMemset(device, 1, Bytes));
  P(cudaMemset(0, 1, 16));
  P(cudaMemset(0, 1, 0));
  P(cudaMemset(pageable, 1, 16));
  P(cudaMemset(pinned, 1, 16));
  P(cudaMemset(managed, 1, 16));
  P(cudaMemset2D(device, 64, 1, 65, 2));
  P(cudaMemset2D(device, 64, 1, 64, 2));
  P(cudaMemset2D(device, 64, 1, 0, 2));
  P(cudaMemset2D(0, 64, 1, 64, 2));
  P(cudaMemset3D({device, 64, 64, 4}, 1, {64, 4, 2}));
  P(cudaMemset3D({device, 64, 64, 4}, 1, {65, 4, 2}));
  P(cudaMemset3D({device, 64, 64, 4}, 1, {64, 5, 2}));
  P(cudaMemset3D({device, 64, 64, 4}, 1, {64, 4, 0}));
  P(cudaDeviceSynchronize());
  P(cudaFree(device));
  P(cudaFree(device));
  P(cudaMemcpy(pageable, device2 + Bytes - 8, 8, cudaMemcpyDeviceToHost));
  P(cudaFree(device2 + 16));
  P(cudaFree(pageable));
  P(cudaFree(0));
  P(cudaFreeHost(0));
  P(cudaFreeHost(device2));
  P(cudaFreeHost(pageable));
  P(cudaFreeHost(managed));
  P(cudaFree(pinned));
  P(cudaFree(device2));
  P(cudaFree(managed));
  P(cudaFreeHost(pinned));
  P(cudaFreeHost(pinned));
}

static void allocations() {
  std::puts("== allocations");
  void *p = (void *)8;
  P(cudaMalloc(&p, 0));
  std::printf("null: %d\n", p == 0);
  P(cudaMalloc(0, 16));
  P(cudaMalloc(&p, (size_t)1 << 50));
  P(cudaMalloc(&p, SIZE_MAX));
  P(cudaMallocHost(&p, 0));
  P(cudaMallocHost(0, 16));
  P(cudaHostAlloc(&p, 0, 0));
  P(cudaHostAlloc(&p, 16, 8));
  P(cudaHostAlloc(&p, 16, 7));
  cudaFreeHost(p);
  P(cudaMallocManaged(&p, 0, cudaMemAttachGlobal));
  P(cudaMallocManaged(&p, 16, 0));
  P(cudaMallocManaged(&p, 16, 3));
  P(cudaMallocManaged(&p, 16, cudaMemAttachSingle));
  P(cudaMallocManaged(&p, 16, cudaMemAttachHost));
  cudaFree(p);
  for (size_t width : {1, 32, 511, 512, 513, 1000, 4096, 4097}) {
    size_t pitch = 0;
    char label[64];
    std::snprintf(label, sizeof label, "pitch of %zu", width);
    N(label, cudaMallocPitch(&p, &pitch, width, 3));
    std::printf("%zu\n", pitch);
    cudaFree(p);
  }
  size_t pitch = 7;
  p = (void *)8;
  P(cudaMallocPitch(&p, &pitch, 0, 4));
  std::printf("%d %zu\n", p == 0, pitch);
  P(cudaMallocPitch(&p, &pitch, 4, 0));
  std::printf("%d %zu\n", p == 0, pitch);
  P(cudaMallocPitch(0, &pitch, 4, 4));
  P(cudaMallocPitch(&p, 0, 4, 4));
  cudaPitchedPtr pp;
  P(cudaMalloc3D(&pp, {100, 5, 3}));
  std::printf("%zu %zu %zu\n", pp.pitch, pp.xsize, pp.ysize);
  cudaFree(pp.ptr);
  P(cudaMalloc3D(&pp, {0, 5, 3}));
  P(cudaMalloc3D(&pp, {100, 5, 0}));
  P(cudaMalloc3D(0, {100, 5, 1}));
}

static void arrays() {
  std::puts("== arrays");
  cudaArray_t a = 0;
  cudaChannelFormatDesc f = {32, 0, 0, 0, cudaChannelFormatKindFloat}, got;
  cudaExtent e;
  unsigned flags;
  P(cudaMallocArray(&a, &f, 64, 32, 0));
  P(cudaArrayGetInfo(&got, &e, &flags, a));
  std::printf("%d %d %d %d %d, %zu %zu %zu, %u\n", got.x, got.y, got.z, got.w, got.f, e.width, e.height,
              e.depth, flags);
  P(cudaArrayGetInfo(0, 0, 0, a));
  P(cudaArrayGetInfo(&got, &e, &flags, 0));
  P(cudaGetChannelDesc(&got, a));
  P(cudaGetChannelDesc(0, a));
  P(cudaMemcpy2DToArray(a, 0, 0, pageable, 256, 256, 16, cudaMemcpyHostToDevice));
  P(cudaMemcpy2DToArray(a, 4, 0, pageable, 256, 256, 16, cudaMemcpyHostToDevice));
  P(cudaMemcpy2DToArray(a, 0, 20, pageable, 256, 256, 16, cudaMemcpyHostToDevice));
  P(cudaMemcpy2DToArray(a, 0, 0, pageable, 256, 256, 16, cudaMemcpyDeviceToHost));
  P(cudaMemcpy2DToArray(a, 0, 0, pageable, 128, 256, 16, cudaMemcpyHostToDevice));
  P(cudaMemcpy2DToArray(a, 0, 0, pageable, 256, 256, 16, cudaMemcpyDefault));
  P(cudaMemcpy2DToArray(a, 0, 0, pageable, 256, 256, 16, (cudaMemcpyKind)9));
  P(cudaMemcpy2DToArray(0, 0, 0, pageable, 256, 256, 16, cudaMemcpyHostToDevice));
  P(cudaMemcpy2DFromArray(pageable, 256, a, 0, 0, 256, 16, cudaMemcpyDeviceToHost));
  P(cudaMemcpy2DFromArray(pageable, 256, a, 0, 0, 256, 16, cudaMemcpyHostToDevice));
  P(cudaMemcpy2DFromArray(pageable, 256, a, 2, 0, 128, 16, cudaMemcpyDeviceToHost));
  P(cudaMemcpyToArray(a, 0, 0, pageable, 1024, cudaMemcpyHostToDevice));
  P(cudaMemcpyToArray(a, 0, 31, pageable, 1024, cudaMemcpyHostToDevice));
  P(cudaMemcpyToArray(a, 128, 0, pageable, 1024, cudaMemcpyHostToDevice));
  P(cudaMemcpyFromArray(pageable, a, 0, 0, 1024, cudaMemcpyDeviceToHost));
  P(cudaMemcpy2DArrayToArray(a, 0, 0, a, 0, 16, 256, 16, cudaMemcpyDeviceToDevice));
  P(cudaMemcpyArrayToArray(a, 0, 0, a, 0, 16, 256, cudaMemcpyDeviceToDevice));
  P(cudaFreeArray(a));
  P(cudaFreeArray(0));
  P(cudaMallocArray(0, &f, 64, 32, 0));
  P(cudaMallocArray(&a, 0, 64, 32, 0));
  P(cudaMallocArray(&a, &f, 0, 32, 0));
  P(cudaMallocArray(&a, &f, 0, 0, 0));
  P(cudaMallocArray(&a, &f, 64, 0, 0));
  P(cudaArrayGetInfo(&got, &e, &flags, a));
  std::printf("%zu %zu %zu, %u\n", e.width, e.height, e.depth, flags);
  cudaFreeArray(a);
  P(cudaMallocArray(&a, &f, 1 << 20, 0, 0));
  P(cudaMallocArray(&a, &f, 64, 32, 0x1000));
  f.y = 16;
  P(cudaMallocArray(&a, &f, 64, 32, 0));
  f = {32, 32, 32, 0, cudaChannelFormatKindFloat};
  P(cudaMallocArray(&a, &f, 64, 32, 0));
  f = {24, 0, 0, 0, cudaChannelFormatKindUnsigned};
  P(cudaMallocArray(&a, &f, 64, 32, 0));
  f = {8, 8, 8, 8, cudaChannelFormatKindFloat};
  P(cudaMallocArray(&a, &f, 64, 32, 0));
  f = {8, 8, 8, 8, cudaChannelFormatKindUnsigned};
  P(cudaMalloc3DArray(&a, &f, {16, 8, 4}, 0));
  cudaMemcpy3DParms p;
  std::memset(&p, 0, sizeof p);
  p.srcPtr = {pageable, 64, 16, 8};
  p.dstArray = a;
  p.extent = {16, 8, 4};
  p.kind = cudaMemcpyHostToDevice;
  P(cudaMemcpy3D(&p));
  p.extent = {17, 8, 4};
  N("3D array extent over width", cudaMemcpy3D(&p));
  p.extent = {16, 8, 4};
  p.dstPtr = p.srcPtr;
  N("3D array and pointer as target", cudaMemcpy3D(&p));
  cudaFreeArray(a);
  P(cudaMalloc3DArray(&a, &f, {16, 8, 4}, cudaArrayLayered));
  P(cudaArrayGetInfo(&got, &e, &flags, a));
  std::printf("%zu %zu %zu, %u\n", e.width, e.height, e.depth, flags);
  cudaFreeArray(a);
  P(cudaMalloc3DArray(&a, &f, {16, 8, 6}, cudaArrayCubemap));
  P(cudaMalloc3DArray(&a, &f, {16, 16, 6}, cudaArrayCubemap));
  cudaFreeArray(a);
  cudaMipmappedArray_t m;
  P(cudaMallocMipmappedArray(&m, &f, {64, 32, 0}, 3, 0));
  P(cudaGetMipmappedArrayLevel(&a, m, 2));
  P(cudaArrayGetInfo(&got, &e, &flags, a));
  std::printf("%zu %zu %zu, %u\n", e.width, e.height, e.depth, flags);
  P(cudaGetMipmappedArrayLevel(&a, m, 3));
  P(cudaFreeMipmappedArray(m));
  P(cudaMallocMipmappedArray(&m, &f, {64, 32, 0}, 30, 0));
  P(cudaArrayGetInfo(&got, &e, &flags, cudaGetMipmappedArrayLevel(&a, m, 6) ? a : a));
  P(cudaFreeMipmappedArray(m));
  P(cudaFreeMipmappedArray(0));
}

static void describe(const char *what, const void *p) {
  cudaPointerAttributes a;
  std::memset(&a, 0x55, sizeof a);
  N(what, cudaPointerGetAttributes(&a, p));
  std::printf("type %d device %d devicePointer %s hostPointer %s\n", a.type, a.device,
              a.devicePointer == p ? "same" : a.devicePointer ? "other" : "null",
              a.hostPointer == p ? "same" : a.hostPointer ? "other" : "null");
}

static void pointers() {
  std::puts("== pointers");
  char *device, *pinned, *managed, *mapped;
  cudaMalloc((void **)&device, Bytes);
  cudaMallocHost((void **)&pinned, Bytes);
  cudaHostAlloc((void **)&mapped, Bytes, cudaHostAllocMapped | cudaHostAllocPortable);
  cudaMallocManaged((void **)&managed, Bytes, cudaMemAttachGlobal);
  describe("device", device);
  describe("inside device", device + 100);
  describe("pinned", pinned + 8);
  describe("mapped", mapped);
  describe("managed", managed);
  describe("pageable", pageable);
  describe("null", 0);
  P(cudaPointerGetAttributes(0, device));
  unsigned flags = 99;
  void *p;
  P(cudaHostGetFlags(&flags, pinned));
  std::printf("%u\n", flags);
  P(cudaHostGetFlags(&flags, mapped + 1));
  std::printf("%u\n", flags);
  P(cudaHostGetFlags(&flags, pageable));
  P(cudaHostGetFlags(&flags, device));
  P(cudaHostGetDevicePointer(&p, pinned + 4, 0));
  std::printf("%d\n", p == pinned + 4);
  P(cudaHostGetDevicePointer(&p, pinned, 1));
  P(cudaHostGetDevicePointer(&p, pageable, 0));
  P(cudaHostGetDevicePointer(&p, device, 0));
  P(cudaHostGetDevicePointer(0, pinned, 0));
  P(cudaHostRegister(registered, Bytes, 0));
  P(cudaHostRegister(registered, Bytes, 0));
  P(cudaHostRegister(registered + 2048, Bytes, 0));
  describe("registered", registered + 5);
  P(cudaHostGetFlags(&flags, registered));
  std::printf("%u\n", flags);
  P(cudaHostGetDevicePointer(&p, registered, 0));
  P(cudaHostUnregister(registered + 1));
  P(cudaHostUnregister(registered));
  P(cudaHostUnregister(registered));
  P(cudaHostRegister(registered, 0, 0));
  P(cudaHostRegister(0, 16, 0));
  P(cudaHostRegister(registered, 16, 0x100));
  P(cudaHostRegister(device, 16, 0));
  P(cudaHostRegister(pinned, 16, 0));
  P(cudaHostUnregister(pinned));
  P(cudaFree(device));
  describe("freed", device);
  cudaFreeHost(pinned);
  cudaFreeHost(mapped);
  cudaFree(managed);
}

static void devices() {
  std::puts("== devices");
  int n = -1;
  P(cudaGetDeviceCount(0));
  P(cudaSetDevice(-1));
  P(cudaSetDevice(99));
  P(cudaGetDevice(&n));
  std::printf("%d\n", n);
  P(cudaGetDevice(0));
  P(cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, 99));
  P(cudaDeviceGetAttribute(&n, (cudaDeviceAttr)0, 0));
  P(cudaDeviceGetAttribute(&n, (cudaDeviceAttr)5000, 0));
  P(cudaDeviceGetAttribute(0, cudaDevAttrWarpSize, 0));
  for (int a : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
                28, 29, 30, 31, 32, 35, 37, 38, 39, 40, 41, 42, 43, 45, 46, 47, 48, 49, 51, 52, 53, 54, 55, 56, 57,
                58, 59, 60, 61, 62, 63, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73, 74, 75, 76, 77, 78, 79, 80, 81, 82, 83, 84,
                86, 88, 89, 90, 91, 95, 97, 98, 99, 100, 101, 106, 108, 109, 111, 112, 113, 114, 115, 116,
                117, 118, 119, 120, 121, 125, 126, 130, 131, 133, 134, 135, 138, 142, 143}) {
    int value = -7;
    cudaError_t e = cudaDeviceGetAttribute(&value, (cudaDeviceAttr)a, 0);
    std::printf("attribute %d: %s %d\n", a, cudaGetErrorName(e), value);
  }
  cudaDeviceProp p;
  P(cudaGetDeviceProperties(&p, 99));
  P(cudaGetDeviceProperties(0, 0));
  P(cudaGetDeviceProperties(&p, 0));
  std::printf("%s, memory %zu, shared %zu %zu %zu %zu, L2 %d, persisting %d, window %d\n", p.name, p.totalGlobalMem,
              p.sharedMemPerBlock, p.sharedMemPerBlockOptin, p.sharedMemPerMultiprocessor,
              p.reservedSharedMemPerBlock, p.l2CacheSize, p.persistingL2CacheMaxSize, p.accessPolicyMaxWindowSize);
  P(cudaChooseDevice(&n, &p));
  std::printf("%d\n", n);
  P(cudaChooseDevice(&n, 0));
  int low, high;
  P(cudaDeviceGetStreamPriorityRange(&low, &high));
  std::printf("%d %d\n", low, high);
  P(cudaDeviceGetStreamPriorityRange(0, 0));
  for (int limit = 0; limit < 8; ++limit) {
    size_t value = 77;
    cudaError_t e = cudaDeviceGetLimit(&value, (cudaLimit)limit);
    std::printf("limit %d: %s %zu\n", limit, cudaGetErrorName(e), value);
  }
  P(cudaDeviceSetLimit(cudaLimitStackSize, 5000));
  size_t value;
  P(cudaDeviceGetLimit(&value, cudaLimitStackSize));
  std::printf("%zu\n", value);
  P(cudaDeviceSetLimit(cudaLimitStackSize, (size_t)1 << 40));
  P(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 16));
  P(cudaDeviceGetLimit(&value, cudaLimitPrintfFifoSize));
  std::printf("%zu\n", value);
  P(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
  P(cudaDeviceGetLimit(&value, cudaLimitMallocHeapSize));
  std::printf("%zu\n", value);
  P(cudaDeviceSetLimit((cudaLimit)55, 1));
  P(cudaDeviceGetLimit(0, cudaLimitStackSize));
  cudaFuncCache config;
  P(cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
  P(cudaDeviceGetCacheConfig(&config));
  std::printf("%d\n", config);
  P(cudaDeviceSetCacheConfig((cudaFuncCache)9));
  cudaSharedMemConfig banks;
  P(cudaDeviceGetSharedMemConfig(&banks));
  std::printf("%d\n", banks);
  P(cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
  P(cudaDeviceGetSharedMemConfig(&banks));
  std::printf("%d\n", banks);
  P(cudaDeviceSetSharedMemConfig((cudaSharedMemConfig)9));
  unsigned flags = 77;
  P(cudaGetDeviceFlags(&flags));
  std::printf("%u\n", flags);
  P(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
  P(cudaGetDeviceFlags(&flags));
  std::printf("%u\n", flags);
  P(cudaSetDeviceFlags(0x1000));
  P(cudaSetDeviceFlags(3));
  P(cudaInitDevice(0, 0, 0));
  P(cudaInitDevice(99, 0, 0));
  P(cudaInitDevice(0, 0, 5));
  char id[32] = "";
  P(cudaDeviceGetPCIBusId(id, 4, 0));
  P(cudaDeviceGetPCIBusId(id, 32, 0));
  std::printf("length %zu\n", std::strlen(id));
  P(cudaDeviceGetByPCIBusId(&n, id));
  std::printf("%d\n", n);
  P(cudaDeviceGetByPCIBusId(&n, "ffff:ff:1f.0"));
  P(cudaDeviceGetByPCIBusId(&n, "nonsense"));
  P(cudaDeviceCanAccessPeer(&n, 0, 0));
  std::printf("%d\n", n);
  P(cudaDeviceCanAccessPeer(&n, 0, 99));
  P(cudaDeviceEnablePeerAccess(0, 0));
  P(cudaDeviceEnablePeerAccess(99, 0));
  P(cudaDeviceDisablePeerAccess(0));
  P(cudaDeviceDisablePeerAccess(99));
  P(cudaDeviceGetP2PAttribute(&n, cudaDevP2PAttrAccessSupported, 0, 0));
  P(cudaDeviceGetP2PAttribute(&n, cudaDevP2PAttrAccessSupported, 0, 99));
  int list[2] = {0, 99};
  P(cudaSetValidDevices(list, 1));
  P(cudaSetValidDevices(list, 2));
  P(cudaSetValidDevices(0, 1));
  P(cudaSetValidDevices(list, 0));
  P(cudaRuntimeGetVersion(0));
  P(cudaDriverGetVersion(0));
  P(cudaMemGetInfo(0, 0));
  size_t width;
  cudaChannelFormatDesc f = {32, 0, 0, 0, cudaChannelFormatKindFloat};
  P(cudaDeviceGetTexture1DLinearMaxWidth(&width, &f, 0));
  std::printf("%zu\n", width);
  P(cudaCtxResetPersistingL2Cache());
}

static void pools() {
  std::puts("== pools");
  cudaMemPool_t pool, current, mine;
  P(cudaDeviceGetDefaultMemPool(&pool, 0));
  P(cudaDeviceGetMemPool(&current, 0));
  std::printf("same %d\n", pool == current);
  P(cudaDeviceGetDefaultMemPool(&pool, 99));
  P(cudaDeviceGetDefaultMemPool(0, 0));
  for (int a = 0; a < 10; ++a) {
    unsigned long long value = 0;
    cudaError_t e = cudaMemPoolGetAttribute(pool, (cudaMemPoolAttr)a, &value);
    std::printf("pool attribute %d: %s %llu\n", a, cudaGetErrorName(e), value);
    cudaGetLastError();
  }
  unsigned long long value = 1 << 20;
  P(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &value));
  P(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &value));
  P(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &value));
  value = 0;
  P(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &value));
  void *p;
  P(cudaMallocAsync(&p, 1000, 0));
  P(cudaStreamSynchronize(0));
  P(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &value));
  std::printf("%llu\n", value);
  P(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &value));
  std::printf("%llu\n", value);
  describe("pool memory", p);
  P(cudaFreeAsync(p, 0));
  P(cudaStreamSynchronize(0));
  P(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &value));
  std::printf("%llu\n", value);
  P(cudaFreeAsync(0, 0));
  P(cudaFreeAsync(pageable, 0));
  P(cudaMallocAsync(&p, 0, 0));
  P(cudaMallocAsync(0, 16, 0));
  P(cudaMallocAsync(&p, (size_t)1 << 50, 0));
  P(cudaMallocAsync(&p, 16, 0));
  P(cudaFree(p));
  P(cudaMalloc(&p, 16));
  P(cudaFreeAsync(p, 0));
  P(cudaMemPoolTrimTo(pool, 0));
  P(cudaMemPoolTrimTo(0, 0));
  P(cudaMemPoolDestroy(pool));
  cudaMemPoolProps props;
  std::memset(&props, 0, sizeof props);
  P(cudaMemPoolCreate(&mine, &props));
  props.allocType = cudaMemAllocationTypePinned;
  P(cudaMemPoolCreate(&mine, &props));
  props.location.type = cudaMemLocationTypeDevice;
  props.location.id = 99;
  P(cudaMemPoolCreate(&mine, &props));
  props.location.id = 0;
  P(cudaMemPoolCreate(&mine, &props));
  P(cudaMemPoolCreate(&mine, 0));
  cudaMemAccessFlags access;
  cudaMemLocation location = {cudaMemLocationTypeDevice, 0};
  P(cudaMemPoolGetAccess(&access, mine, &location));
  std::printf("%d\n", access);
  cudaMemAccessDesc desc = {location, cudaMemAccessFlagsProtReadWrite};
  P(cudaMemPoolSetAccess(mine, &desc, 1));
  desc.flags = cudaMemAccessFlagsProtNone;
  P(cudaMemPoolSetAccess(mine, &desc, 1));
  P(cudaMallocFromPoolAsync(&p, 64, mine, 0));
  P(cudaFreeAsync(p, 0));
  P(cudaDeviceSetMemPool(0, mine));
  P(cudaDeviceGetMemPool(&current, 0));
  std::printf("same %d\n", mine == current);
  P(cudaDeviceSetMemPool(0, pool));
  P(cudaDeviceSetMemPool(99, pool));
  P(cudaMemPoolDestroy(mine));
}

static void managedRanges() {
  std::puts("== managed");
  char *managed, *device;
  cudaMallocManaged((void **)&managed, 1 << 20, cudaMemAttachGlobal);
  cudaMalloc((void **)&device, Bytes);
  int value = 77;
  P(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, managed, Bytes));
  std::printf("%d\n", value);
  P(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributePreferredLocation, managed, Bytes));
  std::printf("%d\n", value);
  P(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeLastPrefetchLocation, managed, Bytes));
  std::printf("%d\n", value);
  P(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, device, Bytes));
  P(cudaMemRangeGetAttribute(&value, 3, cudaMemRangeAttributeReadMostly, managed, Bytes));
  P(cudaMemRangeGetAttribute(&value, 4, (cudaMemRangeAttribute)99, managed, Bytes));
  P(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, managed, 0));
  P(cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, pageable, Bytes));
  cudaFree(managed);
  cudaFree(device);
}

static void errors() {
  std::puts("== errors");
  for (int i = -1; i < 10001; ++i) {
    const char *name = cudaGetErrorName((cudaError_t)i);
    if (std::strcmp(name, "unrecognized error code") != 0)
      std::printf("%d %s: %s\n", i, name, cudaGetErrorString((cudaError_t)i));
  }
  std::printf("%s: %s\n", cudaGetErrorName((cudaError_t)12345), cudaGetErrorString((cudaError_t)12345));
  cudaSetDevice(99);
  std::printf("%s\n", cudaGetErrorName(cudaPeekAtLastError()));
  std::thread([] { std::printf("other thread: %s\n", cudaGetErrorName(cudaPeekAtLastError())); }).join();
  cudaMemcpy(0, 0, 0, cudaMemcpyDefault);
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  std::printf("%s\n", cudaGetErrorName(cudaGetLastError()));
}

int main() {
  errors();
  allocations();
  arrays();
  pointers();
  devices();
  pools();
  managedRanges();
  copies();
  std::puts("== streams");
  cudaStream_t s;
  P(cudaStreamCreate(0));
  P(cudaStreamCreateWithFlags(&s, 7));
  P(cudaStreamDestroy(0));
  P(cudaStreamCreate(&s));
  unsigned flags;
  P(cudaStreamGetFlags(s, &flags));
  P(cudaStreamGetFlags(s, 0));
  P(cudaStreamQuery(s));
  P(cudaStreamDestroy(s));
  cudaStream_t bad = 0;
  P(cudaStreamDestroy(cudaStreamLegacy));
  P(cudaStreamSynchronize(bad));
  cudaEvent_t event;
  P(cudaEventCreate(0));
  P(cudaEventCreateWithFlags(&event, 77));
  P(cudaEventDestroy(0));
  P(cudaEventCreate(&event));
  float ms;
  P(cudaEventElapsedTime(&ms, event, event));
  P(cudaEventQuery(event));
  P(cudaEventRecord(event, 0));
  P(cudaEventSynchronize(event));
  P(cudaEventElapsedTime(&ms, event, event));
  P(cudaEventElapsedTime(0, event, event));
  P(cudaEventDestroy(event));
  P(cudaDeviceReset());
  P(cudaDeviceSynchronize());
}
