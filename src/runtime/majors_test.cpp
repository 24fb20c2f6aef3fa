// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA 13's API as our headers have it, and libcudart.so.11.0 and .13 as programs of these majors
// find them: by name, with the ABI of the major. This file is compiled for CUDA 13, so types of
// functions are its; CUDA 11's are written out.
#include "runtime/test_support.h"

#include <cstring>
#include <dlfcn.h>
#include <string>

HEDDLE_TEST_DEVICES("h200,h200")

static_assert(CUDART_VERSION == 13000);
static_assert(sizeof(cudaDeviceProp) == 1008 && sizeof(cudaResourceDesc) == 144);
static_assert(sizeof(cudaPointerAttributes) == 88 && sizeof(cudaGraphNodeParams) == 256);

extern "C" {
decltype(cudaMemPrefetchBatchAsync) cudaMemPrefetchBatchAsync_ptsz;
decltype(cudaMemDiscardBatchAsync) cudaMemDiscardBatchAsync_ptsz;
decltype(cudaMemDiscardAndPrefetchBatchAsync) cudaMemDiscardAndPrefetchBatchAsync_ptsz;
}

namespace {

/// A library beside the one that this program is linked with.
void *libraryOf(const char *version) {
  Dl_info info;
  EXPECT_TRUE(dladdr(dlsym(RTLD_DEFAULT, "cudaMalloc"), &info));
  std::string path = info.dli_fname;
  path = path.substr(0, path.rfind('/') + 1) + "libcudart.so." + version;
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  EXPECT_TRUE(library) << dlerror();
  return library;
}

/// Its function of that name, which headers may make a macro.
template <class Type> Type *named(void *library, const char *name) {
  void *found = dlsym(library, name);
  EXPECT_TRUE(found) << name;
  return reinterpret_cast<Type *>(found);
}
#define OF13(name) named<decltype(name)>(cuda13(), #name)
#define NAME13(plain, name) named<decltype(name)>(cuda13(), plain)

void *cuda13() {
  static void *library = libraryOf("13");
  return library;
}
void *cuda11() {
  static void *library = libraryOf("11.0");
  return library;
}

TEST(Majors, versions) {
  using Get = cudaError_t(int *);
  int version = 0;
  EXPECT_OK(cudaRuntimeGetVersion(&version));
  EXPECT_EQ(version, 13000);
  EXPECT_OK(named<Get>(cuda13(), "cudaRuntimeGetVersion")(&version));
  EXPECT_EQ(version, 13000);
  EXPECT_OK(named<Get>(cuda11(), "cudaRuntimeGetVersion")(&version));
  EXPECT_EQ(version, 11080);
  EXPECT_OK(named<Get>(RTLD_DEFAULT, "cudaRuntimeGetVersion")(&version));
  EXPECT_EQ(version, 12080);
  EXPECT_OK(named<Get>(cuda11(), "cudaDriverGetVersion")(&version));
  EXPECT_EQ(version, 13000);
}

/// What is no kernel is an invalid handle; shapes are tested in tests/run/launch_errors.cu.
TEST(Majors, codesOfLaunches) {
  using Launch = cudaError_t(const void *, dim3, dim3, void **, size_t, cudaStream_t);
  using LaunchEx = cudaError_t(const cudaLaunchConfig_t *, const void *, void **);
  int none = 0;
  void *args[] = {nullptr};
  cudaLaunchConfig_t shape = {};
  shape.gridDim = shape.blockDim = dim3(1);
  for (const char *name :
       {"cudaLaunchKernel", "cudaLaunchCooperativeKernel", "__cudaLaunchKernel"}) {
    EXPECT_EQ(named<Launch>(cuda13(), name)(&none, dim3(1), dim3(1), args, 0, nullptr),
              cudaErrorInvalidResourceHandle)
        << name;
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
  }
  EXPECT_EQ(named<LaunchEx>(cuda13(), "cudaLaunchKernelExC")(&shape, &none, args),
            cudaErrorInvalidResourceHandle);
  cudaGetLastError();
  EXPECT_EQ(
      named<Launch>(RTLD_DEFAULT, "cudaLaunchKernel")(&none, dim3(1), dim3(1), args, 0, nullptr),
      cudaErrorInvalidDeviceFunction);
  cudaGetLastError();
}

TEST(Majors, oneStateForAll) {
  void *p = nullptr;
  int device = -1;
  EXPECT_OK(OF13(cudaSetDevice)(1));
  EXPECT_OK(named<decltype(cudaGetDevice)>(cuda11(), "cudaGetDevice")(&device));
  EXPECT_EQ(device, 1);
  EXPECT_OK(OF13(cudaMalloc)(&p, 1000));
  EXPECT_OK(cudaMemset(p, 7, 1000));
  EXPECT_OK(named<decltype(cudaFree)>(cuda11(), "cudaFree")(p));
  EXPECT_EQ(OF13(cudaSetDevice)(99), cudaErrorInvalidDevice);
  EXPECT_EQ(named<decltype(cudaGetLastError)>(cuda11(), "cudaGetLastError")(),
            cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_OK(cudaSetDevice(0));
}

TEST(Majors, namesThatAMajorDoesNotHave) {
  for (const char *name : {"cudaThreadExit", "cudaMemAdvise_v2", "cudaGetDeviceProperties_v2"})
    EXPECT_FALSE(dlvsym(cuda13(), name, "libcudart.so.13")) << name;
  EXPECT_FALSE(dlvsym(cuda11(), "cudaLibraryLoadData", "libcudart.so.11.0"));
  EXPECT_TRUE(dlvsym(cuda11(), "cudaThreadExit", "libcudart.so.11.0"));
}

TEST(Majors, propertiesOf13) {
  cudaDeviceProp linked, found;
  std::memset(&found, 0xff, sizeof found);
  EXPECT_OK(cudaGetDeviceProperties(&linked, 0));
  EXPECT_OK(NAME13("cudaGetDeviceProperties", cudaGetDeviceProperties)(&found, 0));
  EXPECT_EQ(std::memcmp(&linked, &found, sizeof found), 0);
  EXPECT_STREQ(found.name, "NVIDIA H200");
  EXPECT_EQ(found.major, 9);
  EXPECT_EQ(found.warpSize, 32);
  EXPECT_EQ(found.maxTexture2D[0], 131072);
  EXPECT_EQ(found.unifiedFunctionPointers, 0);
  EXPECT_EQ(found.hostNumaMultinodeIpcSupported, 0);
  EXPECT_EQ(found.reserved[55], 0);
  EXPECT_CUDA(cudaErrorInvalidDevice, cudaGetDeviceProperties(&found, 2));
  int device = -1;
  EXPECT_OK(cudaChooseDevice(&device, &linked));
  EXPECT_EQ(device, 0);
  EXPECT_CUDA(cudaErrorInvalidValue, cudaChooseDevice(&device, nullptr));
}

TEST(Majors, locations) {
  void *p = nullptr;
  EXPECT_OK(cudaMallocManaged(&p, 4096));
  const cudaMemLocation there = {cudaMemLocationTypeDevice, 0};
  EXPECT_OK(cudaMemAdvise(p, 4096, cudaMemAdviseSetPreferredLocation, there));
  EXPECT_OK(cudaMemPrefetchAsync(p, 4096, there, 0, nullptr));
  EXPECT_OK(NAME13("cudaMemAdvise", cudaMemAdvise)(p, 4096, cudaMemAdviseSetReadMostly, there));
  EXPECT_OK(NAME13("cudaMemPrefetchAsync", cudaMemPrefetchAsync)(p, 4096, there, 0, nullptr));
  void *pointers[] = {p};
  size_t bytes = 4096, start = 0;
  cudaMemLocation place = there;
  cudaStream_t stream;
  EXPECT_OK(cudaStreamCreate(&stream));
  EXPECT_OK(cudaMemPrefetchBatchAsync(pointers, &bytes, 1, &place, &start, 1, 0, stream));
  EXPECT_OK(cudaMemDiscardBatchAsync(pointers, &bytes, 1, 0, stream));
  EXPECT_OK(cudaMemDiscardAndPrefetchBatchAsync(pointers, &bytes, 1, &place, &start, 1, 0, stream));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemDiscardBatchAsync(nullptr, &bytes, 1, 0, stream));
  EXPECT_OK(cudaMemPrefetchBatchAsync_ptsz(pointers, &bytes, 1, &place, &start, 1, 0, stream));
  EXPECT_OK(cudaMemDiscardBatchAsync_ptsz(pointers, &bytes, 1, 0, stream));
  EXPECT_OK(
      cudaMemDiscardAndPrefetchBatchAsync_ptsz(pointers, &bytes, 1, &place, &start, 1, 0, stream));
  EXPECT_OK(cudaStreamSynchronize(stream));
  EXPECT_OK(cudaStreamDestroy(stream));
  cudaMemPool_t pool, same;
  EXPECT_OK(cudaMemGetDefaultMemPool(&pool, &place, cudaMemAllocationTypePinned));
  EXPECT_OK(cudaMemSetMemPool(&place, cudaMemAllocationTypePinned, pool));
  EXPECT_OK(cudaMemGetMemPool(&same, &place, cudaMemAllocationTypePinned));
  EXPECT_EQ(pool, same);
  EXPECT_OK(cudaFree(p));
}

TEST(Majors, batchesWithoutAFailedIndex) {
  char from[2][64] = {{1}, {2}};
  char *device = nullptr;
  EXPECT_OK(cudaMalloc(reinterpret_cast<void **>(&device), 128));
  cudaStream_t stream;
  EXPECT_OK(cudaStreamCreate(&stream));
  void *const to[] = {device, device + 64};
  const void *const sources[] = {from[0], from[1]};
  const size_t sizes[] = {64, 64};
  cudaMemcpyAttributes attributes = {};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  size_t start = 0;
  auto copy = NAME13("cudaMemcpyBatchAsync", cudaMemcpyBatchAsync);
  EXPECT_OK(copy(to, sources, sizes, 2, &attributes, &start, 1, stream));
  EXPECT_OK(cudaMemcpyBatchAsync(to, sources, sizes, 2, &attributes, &start, 1, stream));
  char back[128] = {};
  EXPECT_OK(cudaMemcpyAsync(back, device, 128, cudaMemcpyDeviceToHost, stream));
  EXPECT_OK(cudaStreamSynchronize(stream));
  EXPECT_EQ(std::memcmp(back, from, 128), 0);
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(1, nullptr, 0, stream));
  EXPECT_OK(cudaStreamDestroy(stream));
  EXPECT_OK(cudaFree(device));
}

TEST(Majors, texturesOf13) {
  void *p = nullptr;
  EXPECT_OK(cudaMalloc(&p, 4096));
  cudaResourceDesc resource = {}, found;
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = p;
  resource.res.linear.desc = {32, 0, 0, 0, cudaChannelFormatKindFloat};
  resource.res.linear.sizeInBytes = 4096;
  cudaTextureDesc settings = {};
  cudaTextureObject_t object;
  EXPECT_OK(NAME13("cudaCreateTextureObject", cudaCreateTextureObject)(&object, &resource,
                                                                       &settings, nullptr));
  std::memset(&found, 0xff, sizeof found);
  EXPECT_OK(
      NAME13("cudaGetTextureObjectResourceDesc", cudaGetTextureObjectResourceDesc)(&found, object));
  EXPECT_EQ(found.res.linear.sizeInBytes, 4096u);
  EXPECT_EQ(found.flags, 0u);
  EXPECT_OK(cudaDestroyTextureObject(object));
  resource.flags = 1;
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaCreateTextureObject(&object, &resource, &settings, nullptr));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaCreateSurfaceObject(&object, nullptr));
  EXPECT_EQ(cudaGetSurfaceObjectResourceDesc(nullptr, 0), cudaErrorInvalidValue);
  cudaGetLastError();
  EXPECT_OK(cudaFree(p));
}

TEST(Majors, edgesAndChildGraphsOf13) {
  cudaGraph_t graph, child;
  cudaGraphNode_t nodes[2];
  EXPECT_OK(cudaGraphCreate(&graph, 0));
  EXPECT_OK(cudaGraphCreate(&child, 0));
  EXPECT_OK(cudaGraphAddEmptyNode(&nodes[0], child, nullptr, 0));
  cudaGraphNodeParams params = {};
  params.type = cudaGraphNodeTypeGraph;
  params.graph = {child, cudaGraphChildGraphOwnershipMove};
  auto add = NAME13("cudaGraphAddNode", cudaGraphAddNode);
  EXPECT_CUDA(cudaErrorNotSupported, add(&nodes[0], graph, nullptr, nullptr, 0, &params));
  params.graph.ownership = cudaGraphChildGraphOwnershipClone;
  EXPECT_OK(add(&nodes[0], graph, nullptr, nullptr, 0, &params));
  EXPECT_OK(cudaGraphAddEmptyNode(&nodes[1], graph, nullptr, 0));
  auto depend = NAME13("cudaGraphAddDependencies", cudaGraphAddDependencies);
  EXPECT_OK(depend(graph, nodes, nodes + 1, nullptr, 1));
  cudaGraphNode_t from, to;
  cudaGraphEdgeData data;
  size_t count = 1;
  EXPECT_OK(cudaGraphGetEdges(graph, &from, &to, &data, &count));
  EXPECT_EQ(from, nodes[0]);
  EXPECT_EQ(to, nodes[1]);
  EXPECT_OK(cudaGraphRemoveDependencies(graph, nodes, nodes + 1, nullptr, 1));
  EXPECT_OK(cudaGraphDestroy(graph));
}

TEST(Majors, graphsOf11) {
  cudaGraph_t graph;
  cudaGraphNode_t node, wrong;
  cudaGraphExec_t exec;
  char log[64] = "unchanged";
  EXPECT_OK(cudaGraphCreate(&graph, 0));
  EXPECT_OK(cudaGraphAddEmptyNode(&node, graph, nullptr, 0));
  using Instantiate =
      cudaError_t(cudaGraphExec_t *, cudaGraph_t, cudaGraphNode_t *, char *, size_t);
  EXPECT_OK(named<Instantiate>(cuda11(), "cudaGraphInstantiate")(&exec, graph, &wrong, log, 64));
  using Update =
      cudaError_t(cudaGraphExec_t, cudaGraph_t, cudaGraphNode_t *, cudaGraphExecUpdateResult *);
  cudaGraphExecUpdateResult result = cudaGraphExecUpdateError;
  EXPECT_OK(named<Update>(cuda11(), "cudaGraphExecUpdate")(exec, graph, &wrong, &result));
  EXPECT_EQ(result, cudaGraphExecUpdateSuccess);
  EXPECT_OK(cudaGraphExecDestroy(exec));
  EXPECT_OK(cudaGraphDestroy(graph));
}

/// CUDA 11's settings of a texture are shorter, and so are a kernel's attributes.
TEST(Majors, structuresOf11) {
  void *p = nullptr;
  EXPECT_OK(cudaMalloc(&p, 4096));
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear = {p, {32, 0, 0, 0, cudaChannelFormatKindFloat}, 4096};
  constexpr size_t Bytes = offsetof(cudaTextureDesc, seamlessCubemap);
  alignas(4) unsigned char settings[Bytes + 4] = {};
  std::memset(settings + Bytes, 0x5a, 4);
  cudaTextureObject_t object;
  using Create = cudaError_t(cudaTextureObject_t *, const void *, const void *, const void *);
  using Get = cudaError_t(void *, cudaTextureObject_t);
  EXPECT_OK(
      named<Create>(cuda11(), "cudaCreateTextureObject")(&object, &resource, settings, nullptr));
  EXPECT_OK(named<Get>(cuda11(), "cudaGetTextureObjectTextureDesc")(settings, object));
  EXPECT_EQ(settings[Bytes], 0x5a);
  cudaTextureDesc whole;
  EXPECT_OK(named<Get>(cuda11(), "cudaGetTextureObjectTextureDesc_v2")(&whole, object));
  EXPECT_EQ(whole.seamlessCubemap, 0);
  EXPECT_OK(cudaDestroyTextureObject(object));
  EXPECT_OK(cudaFree(p));
  using Attributes = cudaError_t(void *, const void *);
  EXPECT_EQ(named<Attributes>(cuda11(), "cudaFuncGetAttributes")(&whole, &whole),
            cudaErrorInvalidDeviceFunction);
  cudaGetLastError();
}

/// A name of the driver's is that of the runtime's version.
TEST(Majors, entryPoints) {
  void *of11 = nullptr, *of12 = nullptr, *of13 = nullptr;
  using Get11 = cudaError_t(const char *, void **, unsigned long long);
  using Get =
      cudaError_t(const char *, void **, unsigned long long, cudaDriverEntryPointQueryResult *);
  const char *name = "cuMemcpyBatchAsync";
  EXPECT_NE(named<Get11>(cuda11(), "cudaGetDriverEntryPoint")(name, &of11, 0), cudaSuccess);
  EXPECT_OK(named<Get>(RTLD_DEFAULT, "cudaGetDriverEntryPoint")(name, &of12, 0, nullptr));
  EXPECT_OK(named<Get>(cuda13(), "cudaGetDriverEntryPoint")(name, &of13, 0, nullptr));
  EXPECT_TRUE(of12 && of13 && of12 != of13);
  EXPECT_OK(cudaGetDriverEntryPoint(name, &of12, 0));
  EXPECT_EQ(of12, of13);
  cudaGetLastError();
}

TEST(Majors, atomicCapabilities) {
  const cudaAtomicOperation operations[] = {cudaAtomicOperationIntegerAdd, cudaAtomicOperationCAS};
  unsigned capabilities[2] = {~0u, ~0u};
  EXPECT_OK(cudaDeviceGetHostAtomicCapabilities(capabilities, operations, 2, 0));
  EXPECT_NE(capabilities[0], ~0u);
  EXPECT_OK(cudaDeviceGetP2PAtomicCapabilities(capabilities, operations, 2, 0, 1));
  EXPECT_CUDA(cudaErrorInvalidDevice,
              cudaDeviceGetHostAtomicCapabilities(capabilities, operations, 2, 7));
}

TEST(Majors, theLog) {
  static int calls;
  auto callback = [](void *, cudaLogLevel, char *, size_t) { ++calls; };
  cudaLogsCallbackHandle handle;
  cudaLogIterator iterator;
  char text[100];
  size_t bytes = sizeof text;
  EXPECT_OK(cudaLogsRegisterCallback(callback, nullptr, &handle));
  EXPECT_OK(cudaLogsCurrent(&iterator, 0));
  EXPECT_OK(cudaLogsDumpToMemory(&iterator, text, &bytes, 0));
  EXPECT_EQ(bytes, 0u);
  EXPECT_CUDA(cudaErrorInvalidValue, cudaLogsDumpToFile(&iterator, "", 0));
  EXPECT_OK(cudaLogsUnregisterCallback(handle));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaLogsUnregisterCallback(handle));
  EXPECT_EQ(calls, 0);
}

} // namespace
