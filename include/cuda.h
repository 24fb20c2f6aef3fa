// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CUDA driver API 12.8, for C and C++: functions. Types are in heddle/driver_api_types.h. Where
// a function has versions, its plain name is a macro for the one of CUDA 12.
#ifndef HEDDLE_CUDA_H
#define HEDDLE_CUDA_H
#define __cuda_cuda_h__

#include <stdlib.h>

#include "heddle/driver_api_types.h"
#include "heddle/driver_graph_types.h"

#define cuDeviceTotalMem cuDeviceTotalMem_v2
#define cuCtxCreate cuCtxCreate_v2
#define cuCtxDestroy cuCtxDestroy_v2
#define cuCtxPopCurrent cuCtxPopCurrent_v2
#define cuCtxPushCurrent cuCtxPushCurrent_v2
#define cuDevicePrimaryCtxRelease cuDevicePrimaryCtxRelease_v2
#define cuDevicePrimaryCtxReset cuDevicePrimaryCtxReset_v2
#define cuDevicePrimaryCtxSetFlags cuDevicePrimaryCtxSetFlags_v2
#define cuModuleGetGlobal cuModuleGetGlobal_v2
#define cuMemGetInfo cuMemGetInfo_v2
#define cuMemAlloc cuMemAlloc_v2
#define cuMemAllocPitch cuMemAllocPitch_v2
#define cuMemFree cuMemFree_v2
#define cuMemGetAddressRange cuMemGetAddressRange_v2
#define cuMemAllocHost cuMemAllocHost_v2
#define cuMemHostGetDevicePointer cuMemHostGetDevicePointer_v2
#define cuMemHostRegister cuMemHostRegister_v2
#define cuMemcpyHtoD cuMemcpyHtoD_v2
#define cuMemcpyDtoH cuMemcpyDtoH_v2
#define cuMemcpyDtoD cuMemcpyDtoD_v2
#define cuMemcpyDtoA cuMemcpyDtoA_v2
#define cuMemcpyAtoD cuMemcpyAtoD_v2
#define cuMemcpyHtoA cuMemcpyHtoA_v2
#define cuMemcpyAtoH cuMemcpyAtoH_v2
#define cuMemcpyAtoA cuMemcpyAtoA_v2
#define cuMemcpyHtoAAsync cuMemcpyHtoAAsync_v2
#define cuMemcpyAtoHAsync cuMemcpyAtoHAsync_v2
#define cuMemcpy2D cuMemcpy2D_v2
#define cuMemcpy2DUnaligned cuMemcpy2DUnaligned_v2
#define cuMemcpy3D cuMemcpy3D_v2
#define cuMemcpyHtoDAsync cuMemcpyHtoDAsync_v2
#define cuMemcpyDtoHAsync cuMemcpyDtoHAsync_v2
#define cuMemcpyDtoDAsync cuMemcpyDtoDAsync_v2
#define cuMemcpy2DAsync cuMemcpy2DAsync_v2
#define cuMemcpy3DAsync cuMemcpy3DAsync_v2
#define cuMemsetD8 cuMemsetD8_v2
#define cuMemsetD16 cuMemsetD16_v2
#define cuMemsetD32 cuMemsetD32_v2
#define cuMemsetD2D8 cuMemsetD2D8_v2
#define cuMemsetD2D16 cuMemsetD2D16_v2
#define cuMemsetD2D32 cuMemsetD2D32_v2
#define cuArrayCreate cuArrayCreate_v2
#define cuArrayGetDescriptor cuArrayGetDescriptor_v2
#define cuArray3DCreate cuArray3DCreate_v2
#define cuArray3DGetDescriptor cuArray3DGetDescriptor_v2
#define cuLinkCreate cuLinkCreate_v2
#define cuLinkAddData cuLinkAddData_v2
#define cuLinkAddFile cuLinkAddFile_v2
#define cuEventDestroy cuEventDestroy_v2
#define cuStreamDestroy cuStreamDestroy_v2
#define cuDeviceGetUuid cuDeviceGetUuid_v2
#define cuGetProcAddress cuGetProcAddress_v2
#define cuGraphAddKernelNode cuGraphAddKernelNode_v2
#define cuIpcOpenMemHandle cuIpcOpenMemHandle_v2

#if defined(__cplusplus)
extern "C" {
#endif

// Errors, initialisation, versions

CUresult CUDAAPI cuGetErrorString(CUresult error, const char **text);
CUresult CUDAAPI cuGetErrorName(CUresult error, const char **text);
CUresult CUDAAPI cuInit(unsigned int flags);
CUresult CUDAAPI cuDriverGetVersion(int *version);

// Devices

CUresult CUDAAPI cuDeviceGet(CUdevice *device, int ordinal);
CUresult CUDAAPI cuDeviceGetCount(int *count);
CUresult CUDAAPI cuDeviceGetName(char *name, int length, CUdevice device);
CUresult CUDAAPI cuDeviceGetUuid(CUuuid *uuid, CUdevice device);
CUresult CUDAAPI cuDeviceTotalMem(size_t *bytes, CUdevice device);
CUresult CUDAAPI cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device);
CUresult CUDAAPI cuDeviceGetProperties(CUdevprop *properties, CUdevice device);
CUresult CUDAAPI cuDeviceComputeCapability(int *major, int *minor, CUdevice device);
CUresult CUDAAPI cuDeviceGetByPCIBusId(CUdevice *device, const char *busId);
CUresult CUDAAPI cuDeviceGetPCIBusId(char *busId, int length, CUdevice device);
CUresult CUDAAPI cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer);
CUresult CUDAAPI cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attribute,
                                         CUdevice source, CUdevice destination);
CUresult CUDAAPI cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice device);
CUresult CUDAAPI cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device);
CUresult CUDAAPI cuDeviceSetMemPool(CUdevice device, CUmemoryPool pool);
CUresult CUDAAPI cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device);
CUresult CUDAAPI cuDevicePrimaryCtxRelease(CUdevice device);
CUresult CUDAAPI cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned int flags);
CUresult CUDAAPI cuDevicePrimaryCtxGetState(CUdevice device, unsigned int *flags, int *active);
CUresult CUDAAPI cuDevicePrimaryCtxReset(CUdevice device);

// Contexts

CUresult CUDAAPI cuCtxCreate(CUcontext *context, unsigned int flags, CUdevice device);
CUresult CUDAAPI cuCtxDestroy(CUcontext context);
CUresult CUDAAPI cuCtxPushCurrent(CUcontext context);
CUresult CUDAAPI cuCtxPopCurrent(CUcontext *context);
CUresult CUDAAPI cuCtxSetCurrent(CUcontext context);
CUresult CUDAAPI cuCtxGetCurrent(CUcontext *context);
CUresult CUDAAPI cuCtxGetDevice(CUdevice *device);
CUresult CUDAAPI cuCtxGetFlags(unsigned int *flags);
CUresult CUDAAPI cuCtxGetId(CUcontext context, unsigned long long *id);
CUresult CUDAAPI cuCtxSynchronize(void);
CUresult CUDAAPI cuCtxSetLimit(CUlimit limit, size_t value);
CUresult CUDAAPI cuCtxGetLimit(size_t *value, CUlimit limit);
CUresult CUDAAPI cuCtxGetCacheConfig(CUfunc_cache *config);
CUresult CUDAAPI cuCtxSetCacheConfig(CUfunc_cache config);
CUresult CUDAAPI cuCtxGetSharedMemConfig(CUsharedconfig *config);
CUresult CUDAAPI cuCtxSetSharedMemConfig(CUsharedconfig config);
CUresult CUDAAPI cuCtxGetApiVersion(CUcontext context, unsigned int *version);
CUresult CUDAAPI cuCtxGetStreamPriorityRange(int *least, int *greatest);
CUresult CUDAAPI cuCtxEnablePeerAccess(CUcontext peer, unsigned int flags);
CUresult CUDAAPI cuCtxDisablePeerAccess(CUcontext peer);

// Modules, libraries and linking

CUresult CUDAAPI cuModuleLoad(CUmodule *module, const char *file);
CUresult CUDAAPI cuModuleLoadData(CUmodule *module, const void *image);
CUresult CUDAAPI cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int count,
                                    CUjit_option *options, void **values);
CUresult CUDAAPI cuModuleLoadFatBinary(CUmodule *module, const void *fatBinary);
CUresult CUDAAPI cuModuleUnload(CUmodule module);
CUresult CUDAAPI cuModuleGetLoadingMode(CUmoduleLoadingMode *mode);
CUresult CUDAAPI cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name);
CUresult CUDAAPI cuModuleGetFunctionCount(unsigned int *count, CUmodule module);
CUresult CUDAAPI cuModuleGetGlobal(CUdeviceptr *pointer, size_t *bytes, CUmodule module,
                                   const char *name);
CUresult CUDAAPI cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jitOptions,
                                   void **jitValues, unsigned int jitCount,
                                   CUlibraryOption *options, void **values, unsigned int count);
CUresult CUDAAPI cuLibraryLoadFromFile(CUlibrary *library, const char *file,
                                       CUjit_option *jitOptions, void **jitValues,
                                       unsigned int jitCount, CUlibraryOption *options,
                                       void **values, unsigned int count);
CUresult CUDAAPI cuLibraryUnload(CUlibrary library);
CUresult CUDAAPI cuLibraryGetKernel(CUkernel *kernel, CUlibrary library, const char *name);
CUresult CUDAAPI cuLibraryGetGlobal(CUdeviceptr *pointer, size_t *bytes, CUlibrary library,
                                    const char *name);
CUresult CUDAAPI cuLibraryGetModule(CUmodule *module, CUlibrary library);
CUresult CUDAAPI cuKernelGetFunction(CUfunction *function, CUkernel kernel);
CUresult CUDAAPI cuLinkCreate(unsigned int count, CUjit_option *options, void **values,
                              CUlinkState *state);
CUresult CUDAAPI cuLinkAddData(CUlinkState state, CUjitInputType type, void *data, size_t size,
                               const char *name, unsigned int count, CUjit_option *options,
                               void **values);
CUresult CUDAAPI cuLinkAddFile(CUlinkState state, CUjitInputType type, const char *path,
                               unsigned int count, CUjit_option *options, void **values);
CUresult CUDAAPI cuLinkComplete(CUlinkState state, void **image, size_t *size);
CUresult CUDAAPI cuLinkDestroy(CUlinkState state);

// Memory

CUresult CUDAAPI cuMemGetInfo(size_t *free, size_t *total);
CUresult CUDAAPI cuMemAlloc(CUdeviceptr *pointer, size_t bytes);
CUresult CUDAAPI cuMemAllocPitch(CUdeviceptr *pointer, size_t *pitch, size_t width, size_t height,
                                 unsigned int elementBytes);
CUresult CUDAAPI cuMemAllocHost(void **pointer, size_t bytes);
CUresult CUDAAPI cuMemAllocManaged(CUdeviceptr *pointer, size_t bytes, unsigned int flags);
CUresult CUDAAPI cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes, CUstream stream);
CUresult CUDAAPI cuMemAllocFromPoolAsync(CUdeviceptr *pointer, size_t bytes, CUmemoryPool pool,
                                         CUstream stream);
CUresult CUDAAPI cuMemFree(CUdeviceptr pointer);
CUresult CUDAAPI cuMemFreeHost(void *pointer);
CUresult CUDAAPI cuMemFreeAsync(CUdeviceptr pointer, CUstream stream);
CUresult CUDAAPI cuMemGetAddressRange(CUdeviceptr *base, size_t *size, CUdeviceptr pointer);
CUresult CUDAAPI cuMemHostAlloc(void **pointer, size_t bytes, unsigned int flags);
CUresult CUDAAPI cuMemHostGetDevicePointer(CUdeviceptr *device, void *host, unsigned int flags);
CUresult CUDAAPI cuMemHostGetFlags(unsigned int *flags, void *host);
CUresult CUDAAPI cuMemHostRegister(void *host, size_t bytes, unsigned int flags);
CUresult CUDAAPI cuMemHostUnregister(void *host);
CUresult CUDAAPI cuMemPrefetchAsync(CUdeviceptr pointer, size_t count, CUdevice device,
                                    CUstream stream);
CUresult CUDAAPI cuMemAdvise(CUdeviceptr pointer, size_t count, CUmem_advise advice,
                             CUdevice device);
CUresult CUDAAPI cuPointerGetAttribute(void *value, CUpointer_attribute attribute,
                                       CUdeviceptr pointer);
CUresult CUDAAPI cuPointerGetAttributes(unsigned int count, CUpointer_attribute *attributes,
                                        void **values, CUdeviceptr pointer);
CUresult CUDAAPI cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *properties);
CUresult CUDAAPI cuMemPoolDestroy(CUmemoryPool pool);
CUresult CUDAAPI cuMemPoolTrimTo(CUmemoryPool pool, size_t keep);
CUresult CUDAAPI cuMemPoolSetAccess(CUmemoryPool pool, const CUmemAccessDesc *accesses,
                                    size_t count);
CUresult CUDAAPI cuMemPoolGetAccess(CUmemAccess_flags *access, CUmemoryPool pool,
                                    CUmemLocation *location);
CUresult CUDAAPI cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute,
                                       void *value);
CUresult CUDAAPI cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute,
                                       void *value);

// Copies and fills

CUresult CUDAAPI cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t bytes);
CUresult CUDAAPI cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream);
CUresult CUDAAPI cuMemcpyPeer(CUdeviceptr dst, CUcontext dstContext, CUdeviceptr src,
                              CUcontext srcContext, size_t bytes);
CUresult CUDAAPI cuMemcpyPeerAsync(CUdeviceptr dst, CUcontext dstContext, CUdeviceptr src,
                                   CUcontext srcContext, size_t bytes, CUstream stream);
CUresult CUDAAPI cuMemcpyHtoD(CUdeviceptr dst, const void *src, size_t bytes);
CUresult CUDAAPI cuMemcpyDtoH(void *dst, CUdeviceptr src, size_t bytes);
CUresult CUDAAPI cuMemcpyDtoD(CUdeviceptr dst, CUdeviceptr src, size_t bytes);
CUresult CUDAAPI cuMemcpyDtoA(CUarray dst, size_t offset, CUdeviceptr src, size_t bytes);
CUresult CUDAAPI cuMemcpyAtoD(CUdeviceptr dst, CUarray src, size_t offset, size_t bytes);
CUresult CUDAAPI cuMemcpyHtoA(CUarray dst, size_t offset, const void *src, size_t bytes);
CUresult CUDAAPI cuMemcpyAtoH(void *dst, CUarray src, size_t offset, size_t bytes);
CUresult CUDAAPI cuMemcpyAtoA(CUarray dst, size_t dstOffset, CUarray src, size_t srcOffset,
                              size_t bytes);
CUresult CUDAAPI cuMemcpyHtoDAsync(CUdeviceptr dst, const void *src, size_t bytes, CUstream stream);
CUresult CUDAAPI cuMemcpyDtoHAsync(void *dst, CUdeviceptr src, size_t bytes, CUstream stream);
CUresult CUDAAPI cuMemcpyDtoDAsync(CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUstream stream);
CUresult CUDAAPI cuMemcpyHtoAAsync(CUarray dst, size_t offset, const void *src, size_t bytes,
                                   CUstream stream);
CUresult CUDAAPI cuMemcpyAtoHAsync(void *dst, CUarray src, size_t offset, size_t bytes,
                                   CUstream stream);
CUresult CUDAAPI cuMemcpy2D(const CUDA_MEMCPY2D *copy);
CUresult CUDAAPI cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *copy);
CUresult CUDAAPI cuMemcpy2DAsync(const CUDA_MEMCPY2D *copy, CUstream stream);
CUresult CUDAAPI cuMemcpy3D(const CUDA_MEMCPY3D *copy);
CUresult CUDAAPI cuMemcpy3DAsync(const CUDA_MEMCPY3D *copy, CUstream stream);
CUresult CUDAAPI cuMemsetD8(CUdeviceptr dst, unsigned char value, size_t count);
CUresult CUDAAPI cuMemsetD16(CUdeviceptr dst, unsigned short value, size_t count);
CUresult CUDAAPI cuMemsetD32(CUdeviceptr dst, unsigned int value, size_t count);
CUresult CUDAAPI cuMemsetD2D8(CUdeviceptr dst, size_t pitch, unsigned char value, size_t width,
                              size_t height);
CUresult CUDAAPI cuMemsetD2D16(CUdeviceptr dst, size_t pitch, unsigned short value, size_t width,
                               size_t height);
CUresult CUDAAPI cuMemsetD2D32(CUdeviceptr dst, size_t pitch, unsigned int value, size_t width,
                               size_t height);
CUresult CUDAAPI cuMemsetD8Async(CUdeviceptr dst, unsigned char value, size_t count,
                                 CUstream stream);
CUresult CUDAAPI cuMemsetD16Async(CUdeviceptr dst, unsigned short value, size_t count,
                                  CUstream stream);
CUresult CUDAAPI cuMemsetD32Async(CUdeviceptr dst, unsigned int value, size_t count,
                                  CUstream stream);
CUresult CUDAAPI cuArrayCreate(CUarray *array, const CUDA_ARRAY_DESCRIPTOR *descriptor);
CUresult CUDAAPI cuArrayGetDescriptor(CUDA_ARRAY_DESCRIPTOR *descriptor, CUarray array);
CUresult CUDAAPI cuArray3DCreate(CUarray *array, const CUDA_ARRAY3D_DESCRIPTOR *descriptor);
CUresult CUDAAPI cuArray3DGetDescriptor(CUDA_ARRAY3D_DESCRIPTOR *descriptor, CUarray array);
CUresult CUDAAPI cuArrayDestroy(CUarray array);

// Streams and events

CUresult CUDAAPI cuStreamCreate(CUstream *stream, unsigned int flags);
CUresult CUDAAPI cuStreamCreateWithPriority(CUstream *stream, unsigned int flags, int priority);
CUresult CUDAAPI cuStreamGetPriority(CUstream stream, int *priority);
CUresult CUDAAPI cuStreamGetFlags(CUstream stream, unsigned int *flags);
CUresult CUDAAPI cuStreamGetCtx(CUstream stream, CUcontext *context);
CUresult CUDAAPI cuStreamWaitEvent(CUstream stream, CUevent event, unsigned int flags);
CUresult CUDAAPI cuStreamAddCallback(CUstream stream, CUstreamCallback callback, void *userData,
                                     unsigned int flags);
CUresult CUDAAPI cuStreamAttachMemAsync(CUstream stream, CUdeviceptr pointer, size_t length,
                                        unsigned int flags);
CUresult CUDAAPI cuStreamQuery(CUstream stream);
CUresult CUDAAPI cuStreamSynchronize(CUstream stream);
CUresult CUDAAPI cuStreamDestroy(CUstream stream);
CUresult CUDAAPI cuEventCreate(CUevent *event, unsigned int flags);
CUresult CUDAAPI cuEventRecord(CUevent event, CUstream stream);
CUresult CUDAAPI cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags);
CUresult CUDAAPI cuEventQuery(CUevent event);
CUresult CUDAAPI cuEventSynchronize(CUevent event);
CUresult CUDAAPI cuEventDestroy(CUevent event);
CUresult CUDAAPI cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end);

// Functions and launches

CUresult CUDAAPI cuFuncGetAttribute(int *value, CUfunction_attribute attribute,
                                    CUfunction function);
CUresult CUDAAPI cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value);
CUresult CUDAAPI cuFuncSetCacheConfig(CUfunction function, CUfunc_cache config);
CUresult CUDAAPI cuFuncSetSharedMemConfig(CUfunction function, CUsharedconfig config);
CUresult CUDAAPI cuFuncGetModule(CUmodule *module, CUfunction function);
CUresult CUDAAPI cuFuncGetName(const char **name, CUfunction function);
CUresult CUDAAPI cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset,
                                    size_t *size);
CUresult CUDAAPI cuLaunchKernel(CUfunction function, unsigned int gridX, unsigned int gridY,
                                unsigned int gridZ, unsigned int blockX, unsigned int blockY,
                                unsigned int blockZ, unsigned int sharedBytes, CUstream stream,
                                void **params, void **extra);
CUresult CUDAAPI cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **params,
                                  void **extra);
CUresult CUDAAPI cuLaunchCooperativeKernel(CUfunction function, unsigned int gridX,
                                           unsigned int gridY, unsigned int gridZ,
                                           unsigned int blockX, unsigned int blockY,
                                           unsigned int blockZ, unsigned int sharedBytes,
                                           CUstream stream, void **params);
CUresult CUDAAPI cuLaunchHostFunc(CUstream stream, CUhostFn function, void *userData);
CUresult CUDAAPI cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function,
                                                             int blockSize, size_t dynamicShared);
CUresult CUDAAPI cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, CUfunction function, int blockSize, size_t dynamicShared, unsigned int flags);
CUresult CUDAAPI cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize,
                                                  CUfunction function,
                                                  CUoccupancyB2DSize dynamicSharedFor,
                                                  size_t dynamicShared, int limit);
CUresult CUDAAPI cuOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize,
                                                           CUfunction function,
                                                           CUoccupancyB2DSize dynamicSharedFor,
                                                           size_t dynamicShared, int limit,
                                                           unsigned int flags);
CUresult CUDAAPI cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, CUfunction function,
                                                         int blocks, int blockSize);

CUresult CUDAAPI cuKernelGetAttribute(int *value, CUfunction_attribute attribute, CUkernel kernel,
                                      CUdevice device);
CUresult CUDAAPI cuKernelGetLibrary(CUlibrary *library, CUkernel kernel);
CUresult CUDAAPI cuKernelGetName(const char **name, CUkernel kernel);
CUresult CUDAAPI cuLibraryGetManaged(CUdeviceptr *pointer, size_t *bytes, CUlibrary library,
                                     const char *name);

// Streams, contexts, graphs, tensor maps

CUresult CUDAAPI cuStreamGetId(CUstream stream, unsigned long long *id);
CUresult CUDAAPI cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status);
CUresult CUDAAPI cuStreamGetDevice(CUstream stream, CUdevice *device);
CUresult CUDAAPI cuStreamGetCtx_v2(CUstream stream, CUcontext *context, CUgreenCtx *greenContext);
CUresult CUDAAPI cuDeviceGetDevResource(CUdevice device, CUdevResource *resource,
                                        CUdevResourceType type);
CUresult CUDAAPI cuCtxGetDevResource(CUcontext context, CUdevResource *resource,
                                     CUdevResourceType type);
CUresult CUDAAPI cuDevResourceGenerateDesc(CUdevResourceDesc *description, CUdevResource *resources,
                                           unsigned int count);
CUresult CUDAAPI cuGreenCtxStreamCreate(CUstream *stream, CUgreenCtx context, unsigned int flags,
                                        int priority);
CUresult CUDAAPI cuGreenCtxCreate(CUgreenCtx *context, CUdevResourceDesc resources, CUdevice device,
                                  unsigned int flags);
CUresult CUDAAPI cuGreenCtxDestroy(CUgreenCtx context);
CUresult CUDAAPI cuCtxFromGreenCtx(CUcontext *context, CUgreenCtx greenContext);
CUresult CUDAAPI cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph,
                                      const CUgraphNode *dependencies, size_t count,
                                      const CUDA_KERNEL_NODE_PARAMS *params);
CUresult CUDAAPI cuGraphKernelNodeSetAttribute(CUgraphNode node, CUkernelNodeAttrID attribute,
                                               const CUkernelNodeAttrValue *value);
CUresult CUDAAPI cuTensorMapEncodeTiled(
    CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
    const cuuint64_t *dimensions, const cuuint64_t *strides, const cuuint32_t *box,
    const cuuint32_t *elementStrides, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
    CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill);
CUresult CUDAAPI cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type,
                                         cuuint32_t rank, void *globalAddress,
                                         const cuuint64_t *globalDim,
                                         const cuuint64_t *globalStrides,
                                         const int *pixelBoxLowerCorner,
                                         const int *pixelBoxUpperCorner,
                                         cuuint32_t channelsPerPixel, cuuint32_t pixelsPerColumn,
                                         const cuuint32_t *elementStrides,
                                         CUtensorMapInterleave interleave,
                                         CUtensorMapSwizzle swizzle,
                                         CUtensorMapL2promotion l2Promotion,
                                         CUtensorMapFloatOOBfill oobFill);
CUresult CUDAAPI cuTensorMapReplaceAddress(CUtensorMap *map, void *globalAddress);

// Entry points, profiling

CUresult CUDAAPI cuGetProcAddress(const char *symbol, void **function, int version,
                                  cuuint64_t flags, CUdriverProcAddressQueryResult *status);
CUresult CUDAAPI cuGetExportTable(const void **table, const CUuuid *id);
CUresult CUDAAPI cuProfilerStart(void);
CUresult CUDAAPI cuProfilerStop(void);

#if defined(__cplusplus)
}
#endif

#endif
