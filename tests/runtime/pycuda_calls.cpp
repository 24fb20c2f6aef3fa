// RUN: %nvcc -O1 %s -lcuda -Xlinker -z,now -o %t
// RUN: %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PyCUDA's sequences of calls (pycuda.autoinit, compiler.SourceModule, driver.In and Out, prepared calls of both kinds,
// gpuarray, TextureReference, DynamicModule, Stream and Event, the memory pool): what its C++ part does for each. PyCUDA is
// bound at once, so every name must be there.
#include <cuda.h>
#include <cudaProfiler.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#define DO(call)                                                                                                       \
  do                                                                                                                   \
    if (CUresult error = (call)) {                                                                                     \
      const char *name = "?";                                                                                          \
      cuGetErrorString(error, &name);                                                                                  \
      std::printf("%d: %s: %s\n", __LINE__, #call, name);                                                              \
      std::exit(1);                                                                                                    \
    }                                                                                                                  \
  while (0)
#define CHECK(condition)                                                                                               \
  do                                                                                                                   \
    if (!(condition)) {                                                                                                \
      std::printf("%d: %s\n", __LINE__, #condition);                                                                   \
      std::exit(1);                                                                                                    \
    }                                                                                                                  \
  while (0)

static const char *Module = R"(.version 4.2
.target sm_30
.address_size 64
.const .align 4 .f32 factor = 2.0;
.global .texref image;
.visible .entry twice(.param .u64 to, .param .u64 from, .param .u32 count) {
  .reg .pred p; .reg .b32 i, n, t; .reg .f32 f, g; .reg .b64 a, b, o;
  ld.param.u64 a, [from]; ld.param.u64 b, [to]; ld.param.u32 n, [count];
  mov.u32 i, %ctaid.x; mov.u32 t, %ntid.x; mul.lo.u32 i, i, t; mov.u32 t, %tid.x; add.u32 i, i, t;
  setp.ge.u32 p, i, n; @p bra DONE;
  mul.wide.u32 o, i, 4; add.u64 a, a, o; add.u64 b, b, o;
  ld.global.f32 f, [a]; ld.const.f32 g, [factor]; mul.f32 f, f, g; st.global.f32 [b], f;
DONE: ret;
}
.visible .entry fetch(.param .u64 to) {
  .reg .b32 x; .reg .f32 r, g, b, a; .reg .b64 p, o;
  ld.param.u64 p, [to]; mov.u32 x, %tid.x;
  tex.1d.v4.f32.s32 {r, g, b, a}, [image, {x}];
  mul.wide.u32 o, x, 8; add.u64 p, p, o; st.global.v2.f32 [p], {r, g};
  ret;
}
.visible .entry sample(.param .u64 to) {
  .reg .b32 x, y, i; .reg .f32 r, g, b, a, u, v; .reg .b64 p, o;
  ld.param.u64 p, [to]; mov.u32 x, %tid.x; mov.u32 y, %tid.y; cvt.rn.f32.u32 u, x; cvt.rn.f32.u32 v, y;
  tex.2d.v4.f32.f32 {r, g, b, a}, [image, {u, v}];
  mad.lo.u32 i, y, 4, x; mul.wide.u32 o, i, 4; add.u64 p, p, o; st.global.f32 [p], r;
  ret;
}
)";

constexpr int Count = 400;

static CUmodule loadModule() {
  char info[32768] = "", error[32768] = "";
  CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER,
                            CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {info, reinterpret_cast<void *>(sizeof info), error, reinterpret_cast<void *>(sizeof error)};
  CUmodule module;
  DO(cuModuleLoadDataEx(&module, Module, 4, options, values));
  return module;
}

/// driver.In, driver.Out and a call with `grid` and `block`: memory for the call only, arguments in a buffer.
static void callWithArrays(CUmodule module) {
  CUfunction twice;
  DO(cuModuleGetFunction(&twice, module, "twice"));
  int registers = 0, version = 0;
  DO(cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, twice));
  DO(cuFuncGetAttribute(&version, CU_FUNC_ATTRIBUTE_PTX_VERSION, twice));
  CHECK(registers > 0 && version > 0);
  DO(cuFuncSetCacheConfig(twice, CU_FUNC_CACHE_PREFER_L1));
  std::vector<float> from(Count, 1.5f), to(Count);
  CUdeviceptr in, out;
  DO(cuMemAlloc(&in, Count * 4));
  DO(cuMemAlloc(&out, Count * 4));
  DO(cuMemcpyHtoD(in, from.data(), Count * 4));
  struct {
    CUdeviceptr to, from;
    unsigned count;
  } arguments = {out, in, Count};
  size_t bytes = 20;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &arguments, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
  DO(cuLaunchKernel(twice, 4, 1, 1, 100, 1, 1, 0, nullptr, nullptr, extra));
  DO(cuCtxSynchronize());
  DO(cuMemcpyDtoH(to.data(), out, Count * 4));
  CHECK(to[0] == 3.0f && to[Count - 1] == 3.0f);

  // prepare() and prepared_call() of old versions.
  DO(cuFuncSetBlockShape(twice, 100, 1, 1));
  DO(cuFuncSetSharedSize(twice, 0));
  DO(cuParamSetv(twice, 0, &out, 8));
  DO(cuParamSetv(twice, 8, &in, 8));
  DO(cuParamSeti(twice, 16, Count));
  DO(cuParamSetSize(twice, 20));
  DO(cuMemsetD32(out, 0, Count));
  DO(cuLaunchGrid(twice, 4, 1));
  CUstream stream;
  DO(cuStreamCreate(&stream, 0));
  DO(cuLaunchGridAsync(twice, 4, 1, stream));
  DO(cuStreamSynchronize(stream));
  DO(cuMemcpyDtoH(to.data(), out, Count * 4));
  CHECK(to[7] == 3.0f);

  // get_global() and a copy to it.
  CUdeviceptr factor;
  size_t size;
  const float four = 4;
  DO(cuModuleGetGlobal(&factor, &size, module, "factor"));
  CHECK(size == 4);
  DO(cuMemcpyHtoD(factor, &four, 4));

  // Stream, Event, pagelocked memory, asynchronous copies.
  CUevent start, end;
  float *pinned;
  float milliseconds = -1;
  DO(cuEventCreate(&start, CU_EVENT_DEFAULT));
  DO(cuEventCreate(&end, CU_EVENT_DEFAULT));
  DO(cuMemHostAlloc(reinterpret_cast<void **>(&pinned), Count * 4, CU_MEMHOSTALLOC_DEVICEMAP));
  CUdeviceptr mapped;
  unsigned flags;
  DO(cuMemHostGetDevicePointer(&mapped, pinned, 0));
  DO(cuMemHostGetFlags(&flags, pinned));
  CHECK(flags & CU_MEMHOSTALLOC_DEVICEMAP);
  DO(cuEventRecord(start, stream));
  DO(cuMemcpyHtoDAsync(in, from.data(), Count * 4, stream));
  DO(cuLaunchKernel(twice, 4, 1, 1, 100, 1, 1, 0, stream, nullptr, extra));
  DO(cuMemcpyDtoHAsync(pinned, out, Count * 4, stream));
  DO(cuEventRecord(end, stream));
  DO(cuStreamWaitEvent(nullptr, end, 0));
  DO(cuEventSynchronize(end));
  CHECK(cuEventQuery(end) == CUDA_SUCCESS && cuStreamQuery(stream) == CUDA_SUCCESS);
  DO(cuEventElapsedTime(&milliseconds, start, end));
  CHECK(milliseconds >= 0 && pinned[5] == 6.0f);
  DO(cuMemFreeHost(pinned));
  DO(cuMemHostRegister(to.data(), Count * 4, 0));
  DO(cuMemHostUnregister(to.data()));
  DO(cuEventDestroy(start));
  DO(cuEventDestroy(end));
  DO(cuStreamDestroy(stream));

  // gpuarray: pitched memory, fills, copies of boxes, where a pointer belongs.
  CUdeviceptr rows, base;
  size_t pitch, whole;
  DO(cuMemAllocPitch(&rows, &pitch, 40, 10, 4));
  DO(cuMemsetD2D8(rows, pitch, 7, 40, 10));
  DO(cuMemsetD2D32(rows, pitch, 1, 2, 2));
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  copy.srcDevice = rows;
  copy.srcPitch = pitch;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = to.data();
  copy.dstPitch = 40;
  copy.WidthInBytes = 40;
  copy.Height = 10;
  DO(cuMemcpy2D(&copy));
  DO(cuMemcpy2DUnaligned(&copy));
  CHECK(reinterpret_cast<int *>(to.data())[0] == 1 && reinterpret_cast<int *>(to.data())[99] == 0x07070707);
  DO(cuMemGetAddressRange(&base, &whole, rows + 8));
  CHECK(base == rows);
  CUmemorytype kind;
  DO(cuPointerGetAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, rows));
  CHECK(kind == CU_MEMORYTYPE_DEVICE);
  for (CUdeviceptr one : {in, out, rows})
    DO(cuMemFree(one));
}

/// driver.matrix_to_array(), module.get_texref(), TextureReference.set_array() and a call with texrefs.
static void sampleArray(CUmodule module) {
  float texels[16], to[16];
  for (int i = 0; i < 16; ++i)
    texels[i] = float(i);
  CUDA_ARRAY_DESCRIPTOR shape = {4, 4, CU_AD_FORMAT_FLOAT, 1}, found;
  CUarray array;
  DO(cuArrayCreate(&array, &shape));
  DO(cuArrayGetDescriptor(&found, array));
  CHECK(found.Width == 4 && found.NumChannels == 1);
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = texels;
  copy.srcPitch = 16;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.WidthInBytes = 16;
  copy.Height = 4;
  DO(cuMemcpy2D(&copy));
  CUtexref image;
  DO(cuModuleGetTexRef(&image, module, "image"));
  DO(cuTexRefSetArray(image, array, CU_TRSA_OVERRIDE_FORMAT));
  for (int axis : {0, 1})
    DO(cuTexRefSetAddressMode(image, axis, CU_TR_ADDRESS_MODE_CLAMP));
  DO(cuTexRefSetFilterMode(image, CU_TR_FILTER_MODE_POINT));
  DO(cuTexRefSetFlags(image, 0));
  CUfunction sample;
  CUdeviceptr out;
  DO(cuModuleGetFunction(&sample, module, "sample"));
  DO(cuMemAlloc(&out, sizeof to));
  DO(cuFuncSetBlockShape(sample, 4, 4, 1));
  DO(cuParamSetv(sample, 0, &out, 8));
  DO(cuParamSetSize(sample, 8));
  DO(cuParamSetTexRef(sample, CU_PARAM_TR_DEFAULT, image));
  DO(cuLaunch(sample));
  DO(cuMemcpyDtoH(to, out, sizeof to));
  CHECK(!std::memcmp(to, texels, sizeof to));
  // bind_to_texref of a gpuarray
  CUdeviceptr linear;
  size_t offset = 1;
  DO(cuMemAlloc(&linear, 64));
  DO(cuTexRefSetFormat(image, CU_AD_FORMAT_FLOAT, 1));
  DO(cuTexRefSetAddress(&offset, image, linear, 64));
  CHECK(offset == 0);
  DO(cuMemcpyHtoD(linear, texels, 64));
  DO(cuTexRefSetFormat(image, CU_AD_FORMAT_FLOAT, 2)); // of what is bound
  CUfunction fetch;
  DO(cuModuleGetFunction(&fetch, module, "fetch"));
  void *arguments[] = {&out};
  DO(cuLaunchKernel(fetch, 1, 1, 1, 8, 1, 1, 0, nullptr, arguments, nullptr));
  DO(cuMemcpyDtoH(to, out, 64));
  CHECK(!std::memcmp(to, texels, 64));
  DO(cuMemFree(linear));
  DO(cuMemFree(out));
  DO(cuArrayDestroy(array));
}

/// compiler.DynamicModule: a link of sources, loaded.
static void linkSources() {
  CUlinkState link;
  char error[1024] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_TARGET_FROM_CUCONTEXT};
  void *values[] = {error, reinterpret_cast<void *>(sizeof error), nullptr}, *image;
  size_t size;
  DO(cuLinkCreate(3, options, values, &link));
  DO(cuLinkAddData(link, CU_JIT_INPUT_PTX, const_cast<char *>(Module), std::strlen(Module) + 1, "kernel.ptx", 0, nullptr,
                   nullptr));
  DO(cuLinkComplete(link, &image, &size));
  CUmodule module;
  CUfunction function;
  DO(cuModuleLoadData(&module, image));
  DO(cuLinkDestroy(link));
  DO(cuModuleGetFunction(&function, module, "twice"));
  DO(cuModuleUnload(module));
}

int main() {
  // import pycuda.driver; driver.init(); pycuda.autoinit
  int version, count, major;
  char name[256];
  CUdevice device;
  CUcontext context, current;
  DO(cuDriverGetVersion(&version));
  DO(cuInit(0));
  DO(cuDeviceGetCount(&count));
  DO(cuDeviceGet(&device, 0));
  DO(cuDeviceGetName(name, sizeof name, device));
  DO(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  size_t total, left;
  DO(cuDeviceTotalMem(&total, device));
  char bus[32];
  DO(cuDeviceGetPCIBusId(bus, sizeof bus, device));
  DO(cuDeviceGetByPCIBusId(&device, bus));
  DO(cuCtxCreate(&context, CU_CTX_SCHED_AUTO, device));
  DO(cuCtxGetCurrent(&current));
  CHECK(current == context);
  unsigned api;
  DO(cuCtxGetApiVersion(context, &api));
  DO(cuCtxSetLimit(CU_LIMIT_PRINTF_FIFO_SIZE, 1 << 20));
  DO(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_SHARED));
  DO(cuMemGetInfo(&left, &total));
  CUmodule module = loadModule();
  callWithArrays(module);
  sampleArray(module);
  linkSources();

  // Memory is freed without a context, and with it on top in another thread (pycuda's scoped_context_activation).
  CUdeviceptr memory;
  CUdeviceptr other;
  DO(cuMemAlloc(&memory, 100));
  DO(cuMemAlloc(&other, 100));
  DO(cuCtxPopCurrent(&current));
  DO(cuMemFree(other));
  std::thread([&] {
    DO(cuCtxPushCurrent(context));
    DO(cuMemFree(memory));
    DO(cuCtxPopCurrent(nullptr));
  }).join();
  DO(cuCtxPushCurrent(context));
  DO(cuProfilerStart());
  DO(cuProfilerStop());
  DO(cuModuleUnload(module));
  CUcontext attached;
  DO(cuCtxAttach(&attached, 0));
  DO(cuCtxDetach(attached));
  // At exit: pop; and a context that is not current is pushed, and popped by its end.
  DO(cuCtxPopCurrent(&current));
  DO(cuCtxPushCurrent(context));
  DO(cuCtxDetach(context));
  DO(cuCtxGetCurrent(&current));
  CHECK(current == nullptr);
}
