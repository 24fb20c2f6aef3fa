// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CUDA's language keywords. Under clang's CUDA mode they are attributes; in plain C and C++ they
// vanish, so that a header shared by .cu and .cpp files compiles in both.
#ifndef HEDDLE_HOST_DEFINES_H
#define HEDDLE_HOST_DEFINES_H
#define __HOST_DEFINES_H__

#if defined(__CUDA__) && defined(__clang__)
#pragma clang system_header
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
// The device side sees the variable through a slot that the annotation asks for (see
// module_image.h); the host uses its own shadow, whose storage is the managed memory itself.
#define __managed__ __attribute__((device)) __attribute__((annotate("heddle_managed")))
#ifdef __CUDA_ARCH__
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#else // the host half has no GPU that could have clusters, of which the third number is
#define __launch_bounds__(...)
#endif
// clang checks cluster_dims but keeps nothing of it in the bitcode; the annotation tells pack.
#define __cluster_dims__(...)                                                                      \
  __attribute__((cluster_dims(__VA_ARGS__), annotate("heddle_cluster_dims", __VA_ARGS__)))
// __block_size__((x, y, z)): the only block that the kernel is launched with.
#define HEDDLE_THREADS(...) __VA_ARGS__
#define __block_size__(threads)                                                                    \
  __attribute__((annotate("heddle_block_size", HEDDLE_THREADS threads)))
#define __grid_constant__ __attribute__((grid_constant))
// A limit on registers means nothing on a CPU.
#define __maxnreg__(...)
#define __device_builtin__
// A function of the runtime that device code may call, too (cuda_device_runtime_api.h).
#define __cudart_builtin__ __attribute__((host)) __attribute__((device))
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __nv_pure__ __attribute__((pure))
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __managed__
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __block_size__(threads)
#define __grid_constant__
#define __maxnreg__(...)
#define __device_builtin__
#define __cudart_builtin__
#define __device_builtin_texture_type__
#define __device_builtin_surface_type__
#define __nv_pure__ __attribute__((pure))
#endif

// __noinline__ is a keyword in clang's CUDA mode. It is not defined elsewhere: libstdc++ spells the
// GNU attribute that way.
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __no_return__ __attribute__((noreturn))
#define __thread__ __thread
#define __import__
#define __export__
#define __cdecl
#define __annotate__(a) __attribute__((a))
#define __location__(a) __annotate__(a)
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __align__(n)
#define CUDARTAPI
#define CUDARTAPI_CDECL
#define CUDA_CB
#define __specialization_static static

#ifdef __cplusplus
#define __dv(v) = v
#else
#define __dv(v)
#endif

#endif
