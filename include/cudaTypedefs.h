// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types of pointers to the driver API's functions, for cudaGetDriverEntryPoint: PFN_name of
// each function that cuda.h declares, and with the version of CUDA in which this form of it came of
// those that programs ask for so.
#ifndef CUDATYPEDEFS_H
#define CUDATYPEDEFS_H

#include "cuda.h"

#define HEDDLE_POINTER_TYPE(function, type) typedef __typeof__(function) *type

HEDDLE_POINTER_TYPE(cuGetErrorString, PFN_cuGetErrorString);
HEDDLE_POINTER_TYPE(cuGetErrorName, PFN_cuGetErrorName);
HEDDLE_POINTER_TYPE(cuInit, PFN_cuInit);
HEDDLE_POINTER_TYPE(cuDriverGetVersion, PFN_cuDriverGetVersion);
HEDDLE_POINTER_TYPE(cuDeviceGet, PFN_cuDeviceGet);
HEDDLE_POINTER_TYPE(cuDeviceGetCount, PFN_cuDeviceGetCount);
HEDDLE_POINTER_TYPE(cuDeviceGetName, PFN_cuDeviceGetName);
HEDDLE_POINTER_TYPE(cuDeviceGetUuid, PFN_cuDeviceGetUuid);
HEDDLE_POINTER_TYPE(cuDeviceTotalMem, PFN_cuDeviceTotalMem);
HEDDLE_POINTER_TYPE(cuDeviceGetAttribute, PFN_cuDeviceGetAttribute);
HEDDLE_POINTER_TYPE(cuDeviceGetProperties, PFN_cuDeviceGetProperties);
HEDDLE_POINTER_TYPE(cuDeviceComputeCapability, PFN_cuDeviceComputeCapability);
HEDDLE_POINTER_TYPE(cuDeviceGetByPCIBusId, PFN_cuDeviceGetByPCIBusId);
HEDDLE_POINTER_TYPE(cuDeviceGetPCIBusId, PFN_cuDeviceGetPCIBusId);
HEDDLE_POINTER_TYPE(cuDeviceCanAccessPeer, PFN_cuDeviceCanAccessPeer);
HEDDLE_POINTER_TYPE(cuDeviceGetP2PAttribute, PFN_cuDeviceGetP2PAttribute);
HEDDLE_POINTER_TYPE(cuDeviceGetDefaultMemPool, PFN_cuDeviceGetDefaultMemPool);
HEDDLE_POINTER_TYPE(cuDeviceGetMemPool, PFN_cuDeviceGetMemPool);
HEDDLE_POINTER_TYPE(cuDeviceSetMemPool, PFN_cuDeviceSetMemPool);
HEDDLE_POINTER_TYPE(cuDevicePrimaryCtxRetain, PFN_cuDevicePrimaryCtxRetain);
HEDDLE_POINTER_TYPE(cuDevicePrimaryCtxRelease, PFN_cuDevicePrimaryCtxRelease);
HEDDLE_POINTER_TYPE(cuDevicePrimaryCtxSetFlags, PFN_cuDevicePrimaryCtxSetFlags);
HEDDLE_POINTER_TYPE(cuDevicePrimaryCtxGetState, PFN_cuDevicePrimaryCtxGetState);
HEDDLE_POINTER_TYPE(cuDevicePrimaryCtxReset, PFN_cuDevicePrimaryCtxReset);
HEDDLE_POINTER_TYPE(cuCtxCreate, PFN_cuCtxCreate);
HEDDLE_POINTER_TYPE(cuCtxDestroy, PFN_cuCtxDestroy);
HEDDLE_POINTER_TYPE(cuCtxPushCurrent, PFN_cuCtxPushCurrent);
HEDDLE_POINTER_TYPE(cuCtxPopCurrent, PFN_cuCtxPopCurrent);
HEDDLE_POINTER_TYPE(cuCtxSetCurrent, PFN_cuCtxSetCurrent);
HEDDLE_POINTER_TYPE(cuCtxGetCurrent, PFN_cuCtxGetCurrent);
HEDDLE_POINTER_TYPE(cuCtxGetDevice, PFN_cuCtxGetDevice);
HEDDLE_POINTER_TYPE(cuCtxGetFlags, PFN_cuCtxGetFlags);
HEDDLE_POINTER_TYPE(cuCtxGetId, PFN_cuCtxGetId);
HEDDLE_POINTER_TYPE(cuCtxSynchronize, PFN_cuCtxSynchronize);
HEDDLE_POINTER_TYPE(cuCtxSetLimit, PFN_cuCtxSetLimit);
HEDDLE_POINTER_TYPE(cuCtxGetLimit, PFN_cuCtxGetLimit);
HEDDLE_POINTER_TYPE(cuCtxGetCacheConfig, PFN_cuCtxGetCacheConfig);
HEDDLE_POINTER_TYPE(cuCtxSetCacheConfig, PFN_cuCtxSetCacheConfig);
HEDDLE_POINTER_TYPE(cuCtxGetSharedMemConfig, PFN_cuCtxGetSharedMemConfig);
HEDDLE_POINTER_TYPE(cuCtxSetSharedMemConfig, PFN_cuCtxSetSharedMemConfig);
HEDDLE_POINTER_TYPE(cuCtxGetApiVersion, PFN_cuCtxGetApiVersion);
HEDDLE_POINTER_TYPE(cuCtxGetStreamPriorityRange, PFN_cuCtxGetStreamPriorityRange);
HEDDLE_POINTER_TYPE(cuCtxEnablePeerAccess, PFN_cuCtxEnablePeerAccess);
HEDDLE_POINTER_TYPE(cuCtxDisablePeerAccess, PFN_cuCtxDisablePeerAccess);
HEDDLE_POINTER_TYPE(cuModuleLoad, PFN_cuModuleLoad);
HEDDLE_POINTER_TYPE(cuModuleLoadData, PFN_cuModuleLoadData);
HEDDLE_POINTER_TYPE(cuModuleLoadDataEx, PFN_cuModuleLoadDataEx);
HEDDLE_POINTER_TYPE(cuModuleLoadFatBinary, PFN_cuModuleLoadFatBinary);
HEDDLE_POINTER_TYPE(cuModuleUnload, PFN_cuModuleUnload);
HEDDLE_POINTER_TYPE(cuModuleGetLoadingMode, PFN_cuModuleGetLoadingMode);
HEDDLE_POINTER_TYPE(cuModuleGetFunction, PFN_cuModuleGetFunction);
HEDDLE_POINTER_TYPE(cuModuleGetFunctionCount, PFN_cuModuleGetFunctionCount);
HEDDLE_POINTER_TYPE(cuModuleGetGlobal, PFN_cuModuleGetGlobal);
HEDDLE_POINTER_TYPE(cuLibraryLoadData, PFN_cuLibraryLoadData);
HEDDLE_POINTER_TYPE(cuLibraryLoadFromFile, PFN_cuLibraryLoadFromFile);
HEDDLE_POINTER_TYPE(cuLibraryUnload, PFN_cuLibraryUnload);
HEDDLE_POINTER_TYPE(cuLibraryGetKernel, PFN_cuLibraryGetKernel);
HEDDLE_POINTER_TYPE(cuLibraryGetGlobal, PFN_cuLibraryGetGlobal);
HEDDLE_POINTER_TYPE(cuLibraryGetModule, PFN_cuLibraryGetModule);
HEDDLE_POINTER_TYPE(cuKernelGetFunction, PFN_cuKernelGetFunction);
HEDDLE_POINTER_TYPE(cuLinkCreate, PFN_cuLinkCreate);
HEDDLE_POINTER_TYPE(cuLinkAddData, PFN_cuLinkAddData);
HEDDLE_POINTER_TYPE(cuLinkAddFile, PFN_cuLinkAddFile);
HEDDLE_POINTER_TYPE(cuLinkComplete, PFN_cuLinkComplete);
HEDDLE_POINTER_TYPE(cuLinkDestroy, PFN_cuLinkDestroy);
HEDDLE_POINTER_TYPE(cuMemGetInfo, PFN_cuMemGetInfo);
HEDDLE_POINTER_TYPE(cuMemAlloc, PFN_cuMemAlloc);
HEDDLE_POINTER_TYPE(cuMemAllocPitch, PFN_cuMemAllocPitch);
HEDDLE_POINTER_TYPE(cuMemAllocHost, PFN_cuMemAllocHost);
HEDDLE_POINTER_TYPE(cuMemAllocManaged, PFN_cuMemAllocManaged);
HEDDLE_POINTER_TYPE(cuMemAllocAsync, PFN_cuMemAllocAsync);
HEDDLE_POINTER_TYPE(cuMemAllocFromPoolAsync, PFN_cuMemAllocFromPoolAsync);
HEDDLE_POINTER_TYPE(cuMemFree, PFN_cuMemFree);
HEDDLE_POINTER_TYPE(cuMemFreeHost, PFN_cuMemFreeHost);
HEDDLE_POINTER_TYPE(cuMemFreeAsync, PFN_cuMemFreeAsync);
HEDDLE_POINTER_TYPE(cuMemGetAddressRange, PFN_cuMemGetAddressRange);
HEDDLE_POINTER_TYPE(cuMemHostAlloc, PFN_cuMemHostAlloc);
HEDDLE_POINTER_TYPE(cuMemHostGetDevicePointer, PFN_cuMemHostGetDevicePointer);
HEDDLE_POINTER_TYPE(cuMemHostGetFlags, PFN_cuMemHostGetFlags);
HEDDLE_POINTER_TYPE(cuMemHostRegister, PFN_cuMemHostRegister);
HEDDLE_POINTER_TYPE(cuMemHostUnregister, PFN_cuMemHostUnregister);
HEDDLE_POINTER_TYPE(cuMemPrefetchAsync, PFN_cuMemPrefetchAsync);
HEDDLE_POINTER_TYPE(cuMemAdvise, PFN_cuMemAdvise);
HEDDLE_POINTER_TYPE(cuPointerGetAttribute, PFN_cuPointerGetAttribute);
HEDDLE_POINTER_TYPE(cuPointerGetAttributes, PFN_cuPointerGetAttributes);
HEDDLE_POINTER_TYPE(cuMemPoolCreate, PFN_cuMemPoolCreate);
HEDDLE_POINTER_TYPE(cuMemPoolDestroy, PFN_cuMemPoolDestroy);
HEDDLE_POINTER_TYPE(cuMemPoolTrimTo, PFN_cuMemPoolTrimTo);
HEDDLE_POINTER_TYPE(cuMemPoolSetAccess, PFN_cuMemPoolSetAccess);
HEDDLE_POINTER_TYPE(cuMemPoolGetAccess, PFN_cuMemPoolGetAccess);
HEDDLE_POINTER_TYPE(cuMemPoolSetAttribute, PFN_cuMemPoolSetAttribute);
HEDDLE_POINTER_TYPE(cuMemPoolGetAttribute, PFN_cuMemPoolGetAttribute);
HEDDLE_POINTER_TYPE(cuMemcpy, PFN_cuMemcpy);
HEDDLE_POINTER_TYPE(cuMemcpyAsync, PFN_cuMemcpyAsync);
HEDDLE_POINTER_TYPE(cuMemcpyPeer, PFN_cuMemcpyPeer);
HEDDLE_POINTER_TYPE(cuMemcpyPeerAsync, PFN_cuMemcpyPeerAsync);
HEDDLE_POINTER_TYPE(cuMemcpyHtoD, PFN_cuMemcpyHtoD);
HEDDLE_POINTER_TYPE(cuMemcpyDtoH, PFN_cuMemcpyDtoH);
HEDDLE_POINTER_TYPE(cuMemcpyDtoD, PFN_cuMemcpyDtoD);
HEDDLE_POINTER_TYPE(cuMemcpyDtoA, PFN_cuMemcpyDtoA);
HEDDLE_POINTER_TYPE(cuMemcpyAtoD, PFN_cuMemcpyAtoD);
HEDDLE_POINTER_TYPE(cuMemcpyHtoA, PFN_cuMemcpyHtoA);
HEDDLE_POINTER_TYPE(cuMemcpyAtoH, PFN_cuMemcpyAtoH);
HEDDLE_POINTER_TYPE(cuMemcpyAtoA, PFN_cuMemcpyAtoA);
HEDDLE_POINTER_TYPE(cuMemcpyHtoDAsync, PFN_cuMemcpyHtoDAsync);
HEDDLE_POINTER_TYPE(cuMemcpyDtoHAsync, PFN_cuMemcpyDtoHAsync);
HEDDLE_POINTER_TYPE(cuMemcpyDtoDAsync, PFN_cuMemcpyDtoDAsync);
HEDDLE_POINTER_TYPE(cuMemcpyHtoAAsync, PFN_cuMemcpyHtoAAsync);
HEDDLE_POINTER_TYPE(cuMemcpyAtoHAsync, PFN_cuMemcpyAtoHAsync);
HEDDLE_POINTER_TYPE(cuMemcpy2D, PFN_cuMemcpy2D);
HEDDLE_POINTER_TYPE(cuMemcpy2DUnaligned, PFN_cuMemcpy2DUnaligned);
HEDDLE_POINTER_TYPE(cuMemcpy2DAsync, PFN_cuMemcpy2DAsync);
HEDDLE_POINTER_TYPE(cuMemcpy3D, PFN_cuMemcpy3D);
HEDDLE_POINTER_TYPE(cuMemcpy3DAsync, PFN_cuMemcpy3DAsync);
HEDDLE_POINTER_TYPE(cuMemsetD8, PFN_cuMemsetD8);
HEDDLE_POINTER_TYPE(cuMemsetD16, PFN_cuMemsetD16);
HEDDLE_POINTER_TYPE(cuMemsetD32, PFN_cuMemsetD32);
HEDDLE_POINTER_TYPE(cuMemsetD2D8, PFN_cuMemsetD2D8);
HEDDLE_POINTER_TYPE(cuMemsetD2D16, PFN_cuMemsetD2D16);
HEDDLE_POINTER_TYPE(cuMemsetD2D32, PFN_cuMemsetD2D32);
HEDDLE_POINTER_TYPE(cuMemsetD8Async, PFN_cuMemsetD8Async);
HEDDLE_POINTER_TYPE(cuMemsetD16Async, PFN_cuMemsetD16Async);
HEDDLE_POINTER_TYPE(cuMemsetD32Async, PFN_cuMemsetD32Async);
HEDDLE_POINTER_TYPE(cuArrayCreate, PFN_cuArrayCreate);
HEDDLE_POINTER_TYPE(cuArrayGetDescriptor, PFN_cuArrayGetDescriptor);
HEDDLE_POINTER_TYPE(cuArray3DCreate, PFN_cuArray3DCreate);
HEDDLE_POINTER_TYPE(cuArray3DGetDescriptor, PFN_cuArray3DGetDescriptor);
HEDDLE_POINTER_TYPE(cuArrayDestroy, PFN_cuArrayDestroy);
HEDDLE_POINTER_TYPE(cuStreamCreate, PFN_cuStreamCreate);
HEDDLE_POINTER_TYPE(cuStreamCreateWithPriority, PFN_cuStreamCreateWithPriority);
HEDDLE_POINTER_TYPE(cuStreamGetPriority, PFN_cuStreamGetPriority);
HEDDLE_POINTER_TYPE(cuStreamGetFlags, PFN_cuStreamGetFlags);
HEDDLE_POINTER_TYPE(cuStreamGetCtx, PFN_cuStreamGetCtx);
HEDDLE_POINTER_TYPE(cuStreamWaitEvent, PFN_cuStreamWaitEvent);
HEDDLE_POINTER_TYPE(cuStreamAddCallback, PFN_cuStreamAddCallback);
HEDDLE_POINTER_TYPE(cuStreamAttachMemAsync, PFN_cuStreamAttachMemAsync);
HEDDLE_POINTER_TYPE(cuStreamQuery, PFN_cuStreamQuery);
HEDDLE_POINTER_TYPE(cuStreamSynchronize, PFN_cuStreamSynchronize);
HEDDLE_POINTER_TYPE(cuStreamDestroy, PFN_cuStreamDestroy);
HEDDLE_POINTER_TYPE(cuEventCreate, PFN_cuEventCreate);
HEDDLE_POINTER_TYPE(cuEventRecord, PFN_cuEventRecord);
HEDDLE_POINTER_TYPE(cuEventRecordWithFlags, PFN_cuEventRecordWithFlags);
HEDDLE_POINTER_TYPE(cuEventQuery, PFN_cuEventQuery);
HEDDLE_POINTER_TYPE(cuEventSynchronize, PFN_cuEventSynchronize);
HEDDLE_POINTER_TYPE(cuEventDestroy, PFN_cuEventDestroy);
HEDDLE_POINTER_TYPE(cuEventElapsedTime, PFN_cuEventElapsedTime);
HEDDLE_POINTER_TYPE(cuFuncGetAttribute, PFN_cuFuncGetAttribute);
HEDDLE_POINTER_TYPE(cuFuncSetAttribute, PFN_cuFuncSetAttribute);
HEDDLE_POINTER_TYPE(cuFuncSetCacheConfig, PFN_cuFuncSetCacheConfig);
HEDDLE_POINTER_TYPE(cuFuncSetSharedMemConfig, PFN_cuFuncSetSharedMemConfig);
HEDDLE_POINTER_TYPE(cuFuncGetModule, PFN_cuFuncGetModule);
HEDDLE_POINTER_TYPE(cuFuncGetName, PFN_cuFuncGetName);
HEDDLE_POINTER_TYPE(cuFuncGetParamInfo, PFN_cuFuncGetParamInfo);
HEDDLE_POINTER_TYPE(cuLaunchKernel, PFN_cuLaunchKernel);
HEDDLE_POINTER_TYPE(cuLaunchKernelEx, PFN_cuLaunchKernelEx);
HEDDLE_POINTER_TYPE(cuLaunchCooperativeKernel, PFN_cuLaunchCooperativeKernel);
HEDDLE_POINTER_TYPE(cuLaunchHostFunc, PFN_cuLaunchHostFunc);
HEDDLE_POINTER_TYPE(cuOccupancyMaxActiveBlocksPerMultiprocessor,
                    PFN_cuOccupancyMaxActiveBlocksPerMultiprocessor);
HEDDLE_POINTER_TYPE(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
                    PFN_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags);
HEDDLE_POINTER_TYPE(cuOccupancyMaxPotentialBlockSize, PFN_cuOccupancyMaxPotentialBlockSize);
HEDDLE_POINTER_TYPE(cuOccupancyMaxPotentialBlockSizeWithFlags,
                    PFN_cuOccupancyMaxPotentialBlockSizeWithFlags);
HEDDLE_POINTER_TYPE(cuOccupancyAvailableDynamicSMemPerBlock,
                    PFN_cuOccupancyAvailableDynamicSMemPerBlock);
HEDDLE_POINTER_TYPE(cuKernelGetAttribute, PFN_cuKernelGetAttribute);
HEDDLE_POINTER_TYPE(cuKernelGetLibrary, PFN_cuKernelGetLibrary);
HEDDLE_POINTER_TYPE(cuKernelGetName, PFN_cuKernelGetName);
HEDDLE_POINTER_TYPE(cuLibraryGetManaged, PFN_cuLibraryGetManaged);
HEDDLE_POINTER_TYPE(cuStreamGetId, PFN_cuStreamGetId);
HEDDLE_POINTER_TYPE(cuStreamGetDevice, PFN_cuStreamGetDevice);
HEDDLE_POINTER_TYPE(cuGreenCtxCreate, PFN_cuGreenCtxCreate);
HEDDLE_POINTER_TYPE(cuGreenCtxDestroy, PFN_cuGreenCtxDestroy);
HEDDLE_POINTER_TYPE(cuCtxFromGreenCtx, PFN_cuCtxFromGreenCtx);
HEDDLE_POINTER_TYPE(cuGraphAddKernelNode, PFN_cuGraphAddKernelNode);
HEDDLE_POINTER_TYPE(cuGraphKernelNodeSetAttribute, PFN_cuGraphKernelNodeSetAttribute);
HEDDLE_POINTER_TYPE(cuTensorMapEncodeTiled, PFN_cuTensorMapEncodeTiled);
HEDDLE_POINTER_TYPE(cuTensorMapEncodeIm2col, PFN_cuTensorMapEncodeIm2col);
HEDDLE_POINTER_TYPE(cuTensorMapReplaceAddress, PFN_cuTensorMapReplaceAddress);
HEDDLE_POINTER_TYPE(cuGetProcAddress, PFN_cuGetProcAddress);
HEDDLE_POINTER_TYPE(cuGetExportTable, PFN_cuGetExportTable);
HEDDLE_POINTER_TYPE(cuProfilerStart, PFN_cuProfilerStart);
HEDDLE_POINTER_TYPE(cuProfilerStop, PFN_cuProfilerStop);

HEDDLE_POINTER_TYPE(cuInit, PFN_cuInit_v2000);
HEDDLE_POINTER_TYPE(cuDriverGetVersion, PFN_cuDriverGetVersion_v2020);
HEDDLE_POINTER_TYPE(cuDeviceGet, PFN_cuDeviceGet_v2000);
HEDDLE_POINTER_TYPE(cuDeviceGetAttribute, PFN_cuDeviceGetAttribute_v2000);
HEDDLE_POINTER_TYPE(cuGetErrorString, PFN_cuGetErrorString_v6000);
HEDDLE_POINTER_TYPE(cuGetErrorName, PFN_cuGetErrorName_v6000);
HEDDLE_POINTER_TYPE(cuGetProcAddress, PFN_cuGetProcAddress_v12000);
HEDDLE_POINTER_TYPE(cuLaunchKernel, PFN_cuLaunchKernel_v4000);
HEDDLE_POINTER_TYPE(cuLaunchKernelEx, PFN_cuLaunchKernelEx_v11060);
HEDDLE_POINTER_TYPE(cuTensorMapEncodeTiled, PFN_cuTensorMapEncodeTiled_v12000);
HEDDLE_POINTER_TYPE(cuTensorMapEncodeIm2col, PFN_cuTensorMapEncodeIm2col_v12000);
HEDDLE_POINTER_TYPE(cuTensorMapReplaceAddress, PFN_cuTensorMapReplaceAddress_v12000);
HEDDLE_POINTER_TYPE(cuModuleLoadData, PFN_cuModuleLoadData_v2000);
HEDDLE_POINTER_TYPE(cuModuleGetFunction, PFN_cuModuleGetFunction_v2000);
HEDDLE_POINTER_TYPE(cuCtxGetCurrent, PFN_cuCtxGetCurrent_v4000);
HEDDLE_POINTER_TYPE(cuCtxSetCurrent, PFN_cuCtxSetCurrent_v4000);

#undef HEDDLE_POINTER_TYPE
#endif
