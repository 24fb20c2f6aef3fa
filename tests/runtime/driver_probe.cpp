// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle cc -std=c++17 %s -lcuda -o %t
// RUN: env HEDDLE_DEVICE=h200 %t > %t.out
// RUN: %python %S/Inputs/compare_probe.py %S/Inputs/driver_probe.expected %t.out
//
// Asks the driver API what it answers in the corners that its manual leaves open. driver_probe.expected is the output on
// an NVIDIA H200 with CUDA 13.0 (`nvcc -x cu driver_probe.cpp -lcuda`). Each section is a process of its own, for what
// one does to contexts another must not see, and a driver may end a process that gives it a handle of the past.
#include <cuda.h>
#include <cudaProfiler.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

// The plain name has other parameters in CUDA 13.
extern "C" CUresult cuCtxCreate_v2(CUcontext *, unsigned, CUdevice);

static void show(const char *what, CUresult code) {
  const char *name = nullptr;
  if (cuGetErrorName(code, &name) != CUDA_SUCCESS)
    name = "?";
  std::printf("%s: %s\n", what, name);
  std::fflush(stdout);
}
#define P(expr) show(#expr, (expr))
#define V(format, value) (std::printf("  " #value " = " format "\n", value), std::fflush(stdout))

static CUcontext makeContext() {
  CUcontext context = nullptr;
  cuInit(0);
  cuCtxCreate_v2(&context, 0, 0);
  return context;
}

static void beforeInit() {
  int n = 7;
  size_t bytes = 0;
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUdeviceptr p = 0;
  CUstream stream;
  CUevent event;
  CUmodule module;
  const char *text = nullptr;
  P(cuDriverGetVersion(&n));
  P(cuDriverGetVersion(nullptr));
  P(cuGetErrorName(CUDA_SUCCESS, &text));
  P(cuGetErrorName(static_cast<CUresult>(12345), &text));
  V("%d", text == nullptr);
  P(cuGetErrorString(static_cast<CUresult>(12345), &text));
  P(cuDeviceGetCount(&n));
  P(cuDeviceGetCount(nullptr));
  P(cuDeviceGet(&device, 0));
  P(cuDeviceGet(nullptr, 0));
  P(cuDeviceTotalMem(&bytes, 0));
  P(cuCtxCreate_v2(&context, 0, 0));
  P(cuCtxGetCurrent(&context));
  P(cuCtxSetCurrent(nullptr));
  P(cuCtxPopCurrent(&context));
  P(cuCtxSynchronize());
  P(cuDevicePrimaryCtxRetain(&context, 0));
  P(cuMemAlloc(&p, 16));
  P(cuMemFree(0));
  P(cuStreamCreate(&stream, 0));
  P(cuEventCreate(&event, 0));
  P(cuModuleLoadData(&module, "x"));
  P(cuProfilerStart());
  P(cuInit(1));
  P(cuInit(0));
  P(cuInit(0));
}

static void devices() {
  cuInit(0);
  int n = 7, minor = 0;
  size_t bytes = 0;
  char name[64] = "untouched";
  CUdevice device = 99;
  CUuuid uuid;
  P(cuDeviceGet(&device, -1));
  P(cuDeviceGet(&device, 1000));
  V("%d", device);
  P(cuDeviceGetName(nullptr, 5, 0));
  P(cuDeviceGetName(name, 5, 1000));
  P(cuDeviceGetName(name, 5, 0));
  V("%s", name);
  P(cuDeviceGetUuid(nullptr, 0));
  P(cuDeviceGetUuid(&uuid, -1));
  P(cuDeviceTotalMem(nullptr, 0));
  P(cuDeviceTotalMem(&bytes, 1000));
  P(cuDeviceGetAttribute(nullptr, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 0));
  P(cuDeviceGetAttribute(&n, static_cast<CUdevice_attribute>(0), 0));
  P(cuDeviceGetAttribute(&n, static_cast<CUdevice_attribute>(100000), 0));
  P(cuDeviceGetAttribute(&n, CU_DEVICE_ATTRIBUTE_WARP_SIZE, 1000));
  P(cuDeviceComputeCapability(&n, nullptr, 0));
  P(cuDeviceComputeCapability(&n, &minor, 0));
  V("%d", n);
  P(cuDeviceGetByPCIBusId(&device, "nonsense"));
  P(cuDeviceGetByPCIBusId(&device, nullptr));
  P(cuDeviceGetByPCIBusId(&device, "ffff:ff:00.0"));
  P(cuDeviceGetPCIBusId(name, 0, 0));
  P(cuDeviceGetPCIBusId(name, 5, 0));
  P(cuDeviceGetPCIBusId(nullptr, 13, 0));
  P(cuDeviceCanAccessPeer(&n, 0, 0));
  P(cuDeviceCanAccessPeer(nullptr, 0, 0));
  P(cuDeviceCanAccessPeer(&n, 0, 1000));
  for (int attribute = 1; attribute <= 144; ++attribute) {
    CUresult code = cuDeviceGetAttribute(&n, static_cast<CUdevice_attribute>(attribute), 0);
    if (code != CUDA_SUCCESS)
      std::printf("attribute %d: %d\n", attribute, code);
  }
}

static void primary() {
  cuInit(0);
  CUcontext a = nullptr, b = nullptr, current = nullptr;
  unsigned flags = 77;
  int active = 77;
  P(cuDevicePrimaryCtxGetState(0, &flags, &active));
  V("%u", flags);
  V("%d", active);
  P(cuDevicePrimaryCtxGetState(0, nullptr, &active));
  P(cuDevicePrimaryCtxGetState(1000, &flags, &active));
  P(cuDevicePrimaryCtxRelease(0));
  P(cuDevicePrimaryCtxRetain(nullptr, 0));
  P(cuDevicePrimaryCtxRetain(&a, 1000));
  P(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_BLOCKING_SYNC));
  P(cuDevicePrimaryCtxSetFlags(0, 0x7fff));
  P(cuDevicePrimaryCtxRetain(&a, 0));
  P(cuDevicePrimaryCtxRetain(&b, 0));
  V("%d", a == b);
  P(cuDevicePrimaryCtxGetState(0, &flags, &active));
  V("%u", flags);
  V("%d", active);
  P(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_SPIN));
  P(cuCtxGetCurrent(&current));
  V("%d", current == nullptr);
  P(cuCtxDestroy(a));
  P(cuCtxPushCurrent(a));
  P(cuCtxGetFlags(&flags));
  V("%u", flags);
  CUdeviceptr p = 0;
  P(cuMemAlloc(&p, 1 << 20));
  P(cuDevicePrimaryCtxRelease(0));
  P(cuDevicePrimaryCtxRelease(0));
  P(cuDevicePrimaryCtxRelease(0));
  P(cuCtxGetCurrent(&current));
  V("%d", current == a);
  P(cuMemAlloc(&p, 1 << 20));
  P(cuCtxSynchronize());
  P(cuDevicePrimaryCtxRetain(&b, 0));
  V("%d", a == b);
  P(cuMemAlloc(&p, 1 << 20));
  P(cuDevicePrimaryCtxReset(0));
  P(cuDevicePrimaryCtxGetState(0, &flags, &active));
  V("%d", active);
  P(cuMemFree(p));
  P(cuMemAlloc(&p, 1 << 20));
}

static void contexts() {
  cuInit(0);
  CUcontext a = nullptr, b = nullptr, c = nullptr;
  unsigned flags = 0, version = 0;
  unsigned long long id = 0, other = 0;
  CUdevice device = 9;
  P(cuCtxSynchronize());
  P(cuCtxGetDevice(&device));
  P(cuCtxGetDevice(nullptr));
  P(cuCtxPopCurrent(&c));
  P(cuCtxGetCurrent(nullptr));
  P(cuCtxSetCurrent(nullptr));
  P(cuCtxPushCurrent(nullptr));
  P(cuCtxDestroy(nullptr));
  P(cuCtxGetId(nullptr, &id));
  P(cuCtxGetApiVersion(nullptr, &version));
  P(cuCtxCreate_v2(nullptr, 0, 0));
  P(cuCtxCreate_v2(&a, 0x7fffffff, 0));
  P(cuCtxCreate_v2(&a, CU_CTX_SCHED_SPIN | CU_CTX_SCHED_YIELD, 0));
  P(cuCtxCreate_v2(&a, 0, 1000));
  P(cuCtxCreate_v2(&a, CU_CTX_SCHED_YIELD, 0));
  P(cuCtxCreate_v2(&b, CU_CTX_MAP_HOST, 0));
  P(cuCtxGetFlags(&flags));
  V("%u", flags);
  P(cuCtxGetFlags(nullptr));
  P(cuCtxSetFlags(CU_CTX_SCHED_SPIN));
  P(cuCtxSetFlags(0x7fffffff));
  P(cuCtxGetFlags(&flags));
  V("%u", flags);
  P(cuCtxGetApiVersion(a, &version));
  V("%u", version);
  P(cuCtxGetApiVersion(a, nullptr));
  P(cuCtxGetId(a, &id));
  P(cuCtxGetId(nullptr, &other));
  V("%d", id != other);
  P(cuCtxGetId(a, nullptr));
  P(cuCtxGetDevice(&device));
  V("%d", device);
  P(cuCtxSetCurrent(a));
  P(cuCtxPopCurrent(&c));
  V("%d", c == a);
  P(cuCtxGetCurrent(&c));
  V("%d", c == a);
  P(cuCtxPopCurrent(nullptr));
  P(cuCtxPopCurrent(nullptr));
  P(cuCtxPushCurrent(a));
  P(cuCtxPushCurrent(a));
  P(cuCtxPushCurrent(b));
  P(cuCtxSetCurrent(nullptr));
  P(cuCtxGetCurrent(&c));
  V("%d", c == a);
  P(cuCtxDestroy(a));
  P(cuCtxGetCurrent(&c));
  V("%d", c == a);
  V("%d", c == nullptr);
  P(cuCtxSynchronize());
  P(cuCtxSetCurrent(b));
  P(cuCtxDestroy(b));
  P(cuCtxGetCurrent(&c));
  V("%d", c == nullptr);
}

static void otherThread() {
  CUcontext a = makeContext(), c = nullptr;
  CUdeviceptr p = 0;
  P(cuMemAlloc(&p, 4096));
  std::thread([&] {
    P(cuCtxGetCurrent(&c));
    V("%d", c == nullptr);
    P(cuMemAlloc(&p, 16));
    P(cuCtxSetCurrent(a));
    P(cuCtxSynchronize());
  }).join();
  std::thread([&] { P(cuCtxDestroy(a)); }).join();
  P(cuCtxGetCurrent(&c));
  V("%d", c == a);
  P(cuCtxSynchronize());
  P(cuMemAlloc(&p, 16));
  P(cuCtxGetDevice(reinterpret_cast<CUdevice *>(&p)));
}

static void limits() {
  makeContext();
  size_t value = 0;
  for (int limit = 0; limit < 8; ++limit) {
    std::printf("limit %d: ", limit);
    P(cuCtxGetLimit(&value, static_cast<CUlimit>(limit)));
  }
  P(cuCtxGetLimit(nullptr, CU_LIMIT_STACK_SIZE));
  P(cuCtxGetLimit(&value, static_cast<CUlimit>(99)));
  P(cuCtxSetLimit(static_cast<CUlimit>(99), 1));
  P(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
  P(cuCtxGetLimit(&value, CU_LIMIT_STACK_SIZE));
  V("%zu", value);
  P(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, size_t(1) << 40));
  P(cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 16 << 20));
  CUfunc_cache cache;
  P(cuCtxGetCacheConfig(&cache));
  V("%d", cache);
  P(cuCtxGetCacheConfig(nullptr));
  P(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
  P(cuCtxSetCacheConfig(static_cast<CUfunc_cache>(9)));
  int least = 9, greatest = 9;
  P(cuCtxGetStreamPriorityRange(&least, &greatest));
  V("%d", least);
  V("%d", greatest);
  P(cuCtxGetStreamPriorityRange(nullptr, nullptr));
  P(cuCtxResetPersistingL2Cache());
  P(cuCtxEnablePeerAccess(nullptr, 0));
  P(cuCtxDisablePeerAccess(nullptr));
  CUcontext own = nullptr;
  cuCtxGetCurrent(&own);
  P(cuCtxEnablePeerAccess(own, 0));
  P(cuCtxDisablePeerAccess(own));
  P(cuProfilerStart());
  P(cuProfilerStop());
}

static void memory() {
  makeContext();
  CUdeviceptr p = 0, q = 0;
  size_t bytes = 0, pitch = 0;
  void *host = nullptr;
  char pageable[256] = {};
  P(cuMemAlloc(&p, 0));
  P(cuMemAlloc(nullptr, 16));
  P(cuMemAlloc(&p, size_t(1) << 50));
  P(cuMemAlloc(&p, 1000));
  P(cuMemGetAddressRange(&q, &bytes, p + 10));
  V("%d", q == p);
  V("%zu", bytes);
  P(cuMemGetAddressRange(nullptr, nullptr, p));
  P(cuMemGetAddressRange(&q, &bytes, 16));
  P(cuMemGetInfo(nullptr, nullptr));
  P(cuMemFree(p + 16));
  P(cuMemFree(0));
  P(cuMemFree(16));
  P(cuMemAllocPitch(&q, &pitch, 100, 10, 4));
  V("%zu", pitch);
  P(cuMemAllocPitch(&q, &pitch, 100, 10, 3));
  P(cuMemAllocPitch(&q, &pitch, 0, 10, 4));
  P(cuMemcpyHtoD(p, pageable, 100));
  P(cuMemcpyHtoD(p, pageable, 0));
  P(cuMemcpyHtoD(0, pageable, 10));
  P(cuMemcpyHtoD(p, nullptr, 10));
  P(cuMemcpyHtoD(p, pageable, 100000));
  P(cuMemcpyDtoH(pageable, p, 100));
  P(cuMemcpyDtoH(nullptr, p, 100));
  P(cuMemcpyDtoD(p, p + 500, 100));
  P(cuMemcpyDtoD(p, p, 100));
  P(cuMemcpyDtoD(p, q, 0));
  P(cuMemcpyDtoD(0, p, 10));
  P(cuMemcpy(p, reinterpret_cast<CUdeviceptr>(pageable), 10));
  P(cuMemcpy(reinterpret_cast<CUdeviceptr>(pageable), p, 10));
  P(cuMemcpy(0, p, 10));
  P(cuMemsetD8(p, 1, 100));
  P(cuMemsetD8(p, 1, 0));
  P(cuMemsetD8(0, 1, 4));
  P(cuMemsetD16(p + 1, 1, 4));
  P(cuMemsetD32(p + 2, 1, 4));
  P(cuMemsetD32(p, 1, 100));
  P(cuMemsetD32(p, 1, 100000));
  P(cuMemsetD2D8(p, 10, 0, 20, 2));
  P(cuMemsetD2D32(p, 64, 0, 4, 4));
  P(cuMemsetD2D32(p, 66, 0, 4, 4));
  P(cuMemFree(p));
  P(cuMemFree(p));
  P(cuMemAllocHost(&host, 0));
  P(cuMemAllocHost(&host, 100));
  P(cuMemHostGetDevicePointer(&q, host, 0));
  V("%d", q == reinterpret_cast<CUdeviceptr>(host));
  P(cuMemHostGetDevicePointer(&q, host, 1));
  P(cuMemHostGetDevicePointer(&q, pageable, 0));
  unsigned flags = 9;
  P(cuMemHostGetFlags(&flags, host));
  V("%u", flags);
  P(cuMemHostGetFlags(&flags, pageable));
  P(cuMemFreeHost(static_cast<char *>(host) + 1));
  P(cuMemFreeHost(pageable));
  P(cuMemFreeHost(nullptr));
  P(cuMemFreeHost(host));
  P(cuMemHostAlloc(&host, 100, 0x80));
  P(cuMemAllocManaged(&q, 0, CU_MEM_ATTACH_GLOBAL));
  P(cuMemAllocManaged(&q, 100, 0));
  P(cuMemAllocManaged(&q, 100, CU_MEM_ATTACH_SINGLE));
  P(cuMemAllocManaged(&q, 100, CU_MEM_ATTACH_GLOBAL));
  P(cuMemFree(q));
}

static void pointers() {
  makeContext();
  CUdeviceptr p = 0, m = 0;
  void *host = nullptr;
  char pageable[16];
  cuMemAlloc(&p, 4096);
  cuMemAllocManaged(&m, 4096, CU_MEM_ATTACH_GLOBAL);
  cuMemAllocHost(&host, 4096);
  struct {
    const char *name;
    CUdeviceptr p;
  } const places[] = {{"device", p + 8},
                      {"managed", m + 8},
                      {"host", reinterpret_cast<CUdeviceptr>(host) + 8},
                      {"pageable", reinterpret_cast<CUdeviceptr>(pageable)},
                      {"null", 0}};
  for (auto &place : places)
    for (int attribute = 1; attribute <= 20; ++attribute) {
      unsigned long long value[8] = {};
      CUresult code =
          cuPointerGetAttribute(value, static_cast<CUpointer_attribute>(attribute), place.p);
      bool isNumber = attribute == 2 || attribute == 8 || attribute == 9 || attribute == 12;
      std::printf("%s attribute %d: %d %d\n", place.name, attribute, code,
                  isNumber && !code ? static_cast<int>(value[0]) : 0);
    }
  unsigned type = 0;
  P(cuPointerGetAttribute(nullptr, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
  P(cuPointerGetAttribute(&type, static_cast<CUpointer_attribute>(999), p));
  CUpointer_attribute names[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE};
  void *data[] = {&type};
  P(cuPointerGetAttributes(1, names, data, p));
  V("%u", type);
  P(cuPointerGetAttributes(1, names, data, reinterpret_cast<CUdeviceptr>(pageable)));
  V("%u", type);
  P(cuPointerGetAttributes(0, names, data, p));
  P(cuPointerGetAttributes(1, nullptr, data, p));
}

static void streams() {
  makeContext();
  CUstream s = nullptr;
  CUevent e = nullptr, f = nullptr;
  CUcontext c = nullptr;
  unsigned flags = 9;
  int priority = 9;
  float ms = 0;
  P(cuStreamCreate(nullptr, 0));
  P(cuStreamCreate(&s, 99));
  P(cuStreamCreateWithPriority(&s, CU_STREAM_NON_BLOCKING, -100));
  P(cuStreamGetPriority(s, &priority));
  V("%d", priority);
  P(cuStreamGetFlags(s, &flags));
  V("%u", flags);
  P(cuStreamGetFlags(s, nullptr));
  P(cuStreamGetCtx(s, &c));
  P(cuStreamGetCtx(nullptr, &c));
  P(cuStreamGetCtx(s, nullptr));
  P(cuStreamQuery(s));
  P(cuStreamQuery(nullptr));
  P(cuStreamSynchronize(nullptr));
  P(cuStreamDestroy(nullptr));
  P(cuStreamWaitEvent(s, nullptr, 0));
  P(cuStreamAddCallback(s, nullptr, nullptr, 0));
  P(cuLaunchHostFunc(s, nullptr, nullptr));
  P(cuEventCreate(nullptr, 0));
  P(cuEventCreate(&e, 0x99));
  P(cuEventCreate(&e, CU_EVENT_INTERPROCESS));
  P(cuEventCreate(&e, 0));
  P(cuEventCreate(&f, CU_EVENT_DISABLE_TIMING));
  P(cuEventQuery(e));
  P(cuEventSynchronize(e));
  P(cuEventQuery(nullptr));
  P(cuEventSynchronize(nullptr));
  P(cuEventDestroy(nullptr));
  P(cuEventElapsedTime(&ms, e, e));
  P(cuEventRecord(e, s));
  P(cuEventRecord(nullptr, s));
  P(cuEventSynchronize(e));
  P(cuEventElapsedTime(&ms, e, e));
  P(cuEventElapsedTime(nullptr, e, e));
  P(cuEventRecord(f, nullptr));
  P(cuEventSynchronize(f));
  P(cuEventElapsedTime(&ms, e, f));
  P(cuStreamWaitEvent(s, e, 99));
  P(cuStreamWaitEvent(s, e, 0));
  P(cuEventDestroy(e));
  P(cuStreamDestroy(s));
  CUcontext first = nullptr, second = nullptr;
  cuCtxGetCurrent(&first);
  cuStreamCreate(&s, 0);
  cuEventCreate(&e, 0);
  cuCtxCreate_v2(&second, 0, 0);
  CUdeviceptr p = 0;
  cuMemAlloc(&p, 64);
  std::puts("== a stream and an event of another context");
  P(cuStreamQuery(s));
  P(cuStreamSynchronize(s));
  P(cuMemsetD8Async(p, 0, 64, s));
  P(cuEventRecord(e, s));
  P(cuEventRecord(e, nullptr));
  P(cuStreamWaitEvent(nullptr, e, 0));
  P(cuEventSynchronize(e));
  P(cuStreamDestroy(s));
}

static void modules() {
  makeContext();
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUlibrary library = nullptr;
  P(cuModuleLoadData(&module, nullptr));
  P(cuModuleLoadData(nullptr, "x"));
  P(cuModuleLoadData(&module, "this is no image at all, only text"));
  P(cuModuleLoad(&module, "/there/is/no/such/file"));
  P(cuModuleLoad(&module, nullptr));
  P(cuModuleUnload(nullptr));
  P(cuModuleGetFunction(&function, nullptr, "f"));
  P(cuModuleGetFunction(nullptr, nullptr, "f"));
  P(cuLibraryLoadData(&library, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0));
  P(cuLibraryLoadData(nullptr, "x", nullptr, nullptr, 0, nullptr, nullptr, 0));
  P(cuLibraryUnload(nullptr));
  P(cuLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  CUmoduleLoadingMode mode;
  P(cuModuleGetLoadingMode(&mode));
  int n = 0;
  P(cuFuncGetAttribute(&n, CU_FUNC_ATTRIBUTE_NUM_REGS, nullptr));
  P(cuOccupancyMaxActiveBlocksPerMultiprocessor(&n, nullptr, 32, 0));
}

static void graphs() {
  makeContext();
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  CUgraphNode node = nullptr;
  size_t n = 9;
  P(cuGraphCreate(nullptr, 0));
  P(cuGraphCreate(&graph, 1));
  P(cuGraphCreate(&graph, 0));
  P(cuGraphGetNodes(graph, nullptr, &n));
  V("%zu", n);
  P(cuGraphAddEmptyNode(nullptr, graph, nullptr, 0));
  P(cuGraphAddEmptyNode(&node, nullptr, nullptr, 0));
  P(cuGraphAddEmptyNode(&node, graph, nullptr, 1));
  P(cuGraphAddEmptyNode(&node, graph, nullptr, 0));
  CUgraphNodeType type;
  P(cuGraphNodeGetType(node, &type));
  V("%d", type);
  P(cuGraphNodeGetType(nullptr, &type));
  P(cuGraphNodeGetType(node, nullptr));
  P(cuGraphLaunch(nullptr, nullptr));
  P(cuGraphInstantiateWithFlags(nullptr, graph, 0));
  P(cuGraphInstantiateWithFlags(&executable, graph, 0));
  P(cuGraphLaunch(executable, nullptr));
  P(cuGraphExecDestroy(nullptr));
  P(cuGraphExecDestroy(executable));
  P(cuGraphDestroyNode(node));
  P(cuGraphDestroy(nullptr));
  P(cuGraphDestroy(graph));
}

static void entryPoints() {
  void *f = nullptr;
  auto ask = [&](const char *name, int version, cuuint64_t flags) {
    CUdriverProcAddressQueryResult status = static_cast<CUdriverProcAddressQueryResult>(9);
    f = reinterpret_cast<void *>(1);
    std::printf("%s %d %d -> ", name ? name : "null", version, static_cast<int>(flags));
    std::fflush(stdout);
    CUresult code = cuGetProcAddress(name, &f, version, flags, &status);
    std::printf("%d status %d %s\n", code, status,
                f == nullptr ? "null" : f == reinterpret_cast<void *>(1) ? "untouched" : "found");
  };
  ask("cuNothing", 12000, 0);
  ask("cuMemAlloc_v2", 12000, 0);
  ask("cuMemcpyBatchAsync", 12070, 0);
  ask("cuCtxSetCurrent", 3020, 0);
  ask("cuMemcpy", 6000, 2);
  ask("cuMemcpy", 12000, 4);
  ask("cuMemcpy", -1, 0);
  ask("", 12000, 0);
}

struct Section {
  const char *name;
  void (*run)();
};
static const Section sections[] = {{"before cuInit", beforeInit}, {"devices", devices},
                                   {"primary contexts", primary}, {"contexts", contexts},
                                   {"another thread", otherThread}, {"limits", limits},
                                   {"memory", memory},           {"pointers", pointers},
                                   {"streams", streams},         {"modules", modules},
                                   {"graphs", graphs},           {"entry points", entryPoints}};

int main() {
  for (const Section &section : sections) {
    std::printf("== %s\n", section.name);
    std::fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
      section.run();
      std::fflush(stdout);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
      std::printf("the process ends\n");
    std::fflush(stdout);
  }
}
