// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads and stores with cache hints, address spaces, and the rest of the small device functions:
// traps, sleep, clocks, programmatic dependent launch. A hint means nothing on a CPU, but .cv and
// .wt are volatile. So is .cg of scalars, which programs poll with: it goes past the cache that
// other multiprocessors' stores do not reach. The empty asm keeps such a load in its loop; where
// nothing polls, it is an ordinary load (src/simt/polls.h).
#ifndef HEDDLE_DEVICE_MEMORY_H
#define HEDDLE_DEVICE_MEMORY_H

#pragma push_macro("HEDDLE_D")
#define HEDDLE_D static __device__ __forceinline__

#define HEDDLE_HINTS(T)                                                                            \
  HEDDLE_D T __ldg(const T *p) { return *p; }                                                      \
  HEDDLE_D T __ldca(const T *p) { return *p; }                                                     \
  HEDDLE_D T __ldcs(const T *p) { return *p; }                                                     \
  HEDDLE_D T __ldlu(const T *p) { return *p; }                                                     \
  HEDDLE_D void __stwb(T *p, T v) { *p = v; }                                                      \
  HEDDLE_D void __stcg(T *p, T v) { *p = v; }                                                      \
  HEDDLE_D void __stcs(T *p, T v) { *p = v; }
#define HEDDLE_SCALAR(T)                                                                           \
  HEDDLE_HINTS(T)                                                                                  \
  HEDDLE_D T __ldcg(const T *p) {                                                                  \
    T v = __builtin_nontemporal_load(p);                                                           \
    asm volatile("" ::: "memory");                                                                 \
    return v;                                                                                      \
  }                                                                                                \
  HEDDLE_D T __ldcv(const T *p) { return *(const volatile T *)p; }                                 \
  HEDDLE_D void __stwt(T *p, T v) { *(volatile T *)p = v; }
#define HEDDLE_VECTOR2(T)                                                                          \
  HEDDLE_HINTS(T)                                                                                  \
  HEDDLE_D T __ldcg(const T *p) { return *p; }                                                     \
  HEDDLE_D T __ldcv(const T *p) {                                                                  \
    T v;                                                                                           \
    v.x = __ldcv(&p->x);                                                                           \
    v.y = __ldcv(&p->y);                                                                           \
    return v;                                                                                      \
  }                                                                                                \
  HEDDLE_D void __stwt(T *p, T v) {                                                                \
    __stwt(&p->x, v.x);                                                                            \
    __stwt(&p->y, v.y);                                                                            \
  }
#define HEDDLE_VECTOR4(T)                                                                          \
  HEDDLE_HINTS(T)                                                                                  \
  HEDDLE_D T __ldcg(const T *p) { return *p; }                                                     \
  HEDDLE_D T __ldcv(const T *p) {                                                                  \
    T v;                                                                                           \
    v.x = __ldcv(&p->x);                                                                           \
    v.y = __ldcv(&p->y);                                                                           \
    v.z = __ldcv(&p->z);                                                                           \
    v.w = __ldcv(&p->w);                                                                           \
    return v;                                                                                      \
  }                                                                                                \
  HEDDLE_D void __stwt(T *p, T v) {                                                                \
    __stwt(&p->x, v.x);                                                                            \
    __stwt(&p->y, v.y);                                                                            \
    __stwt(&p->z, v.z);                                                                            \
    __stwt(&p->w, v.w);                                                                            \
  }
HEDDLE_SCALAR(char)
HEDDLE_SCALAR(signed char)
HEDDLE_SCALAR(unsigned char)
HEDDLE_SCALAR(short)
HEDDLE_SCALAR(unsigned short)
HEDDLE_SCALAR(int)
HEDDLE_SCALAR(unsigned)
HEDDLE_SCALAR(long)
HEDDLE_SCALAR(unsigned long)
HEDDLE_SCALAR(long long)
HEDDLE_SCALAR(unsigned long long)
HEDDLE_SCALAR(float)
HEDDLE_SCALAR(double)
HEDDLE_VECTOR2(char2)
HEDDLE_VECTOR2(uchar2)
HEDDLE_VECTOR2(short2)
HEDDLE_VECTOR2(ushort2)
HEDDLE_VECTOR2(int2)
HEDDLE_VECTOR2(uint2)
HEDDLE_VECTOR2(longlong2)
HEDDLE_VECTOR2(ulonglong2)
HEDDLE_VECTOR2(float2)
HEDDLE_VECTOR2(double2)
HEDDLE_VECTOR4(char4)
HEDDLE_VECTOR4(uchar4)
HEDDLE_VECTOR4(short4)
HEDDLE_VECTOR4(ushort4)
HEDDLE_VECTOR4(int4)
HEDDLE_VECTOR4(uint4)
HEDDLE_VECTOR4(float4)
#undef HEDDLE_HINTS
#undef HEDDLE_SCALAR
#undef HEDDLE_VECTOR2
#undef HEDDLE_VECTOR4

HEDDLE_D __attribute__((const)) unsigned __isGlobal(const void *p) {
  return __nvvm_isspacep_global(p);
}
HEDDLE_D __attribute__((const)) unsigned __isShared(const void *p) {
  return __nvvm_isspacep_shared(p);
}
HEDDLE_D __attribute__((const)) unsigned __isConstant(const void *p) {
  return __nvvm_isspacep_const(p);
}
HEDDLE_D __attribute__((const)) unsigned __isLocal(const void *p) {
  return __nvvm_isspacep_local(p);
}

extern "C" __device__ __attribute__((const)) bool __heddle_is_parameter(const void *);
extern "C" __device__ __attribute__((const)) char *__heddle_shared_memory();
HEDDLE_D __attribute__((const)) unsigned __isGridConstant(const void *p) {
  return __heddle_is_parameter(p);
}

// A pointer's number in a state space: for shared memory the offset in it, which fits in 32 bits.
// Where there are clusters it may be the memory of another block.
#if __CUDA_ARCH__ >= 900
extern "C" __device__ __attribute__((const)) __SIZE_TYPE__ __heddle_shared_offset(const void *);
HEDDLE_D __SIZE_TYPE__ __cvta_generic_to_shared(const void *p) { return __heddle_shared_offset(p); }
#else
HEDDLE_D __SIZE_TYPE__ __cvta_generic_to_shared(const void *p) {
  return (__SIZE_TYPE__)((const char *)p - __heddle_shared_memory());
}
#endif
HEDDLE_D void *__cvta_shared_to_generic(__SIZE_TYPE__ p) { return __heddle_shared_memory() + p; }
#define HEDDLE_CVTA(space)                                                                         \
  HEDDLE_D __SIZE_TYPE__ __cvta_generic_to_##space(const void *p) { return (__SIZE_TYPE__)p; }     \
  HEDDLE_D void *__cvta_##space##_to_generic(__SIZE_TYPE__ p) { return (void *)p; }
HEDDLE_CVTA(global)
HEDDLE_CVTA(constant)
HEDDLE_CVTA(local)
HEDDLE_CVTA(grid_constant)
#undef HEDDLE_CVTA

HEDDLE_D void __brkpt() { __heddle_breakpoint(); }
/// Performance-monitor events: nothing counts them here.
#undef __prof_trigger
#define __prof_trigger(counter) ((void)(counter))
HEDDLE_D void __nanosleep(unsigned ns) { __nvvm_nanosleep(ns); }
HEDDLE_D long clock() { return (long)(int)__nvvm_read_ptx_sreg_clock(); }
/// A template, so that a program may have a function of this name.
template <int = 0> HEDDLE_D unsigned long long __globaltimer() {
  return __nvvm_read_ptx_sreg_globaltimer();
}

// Programmatic dependent launch: kernels of a stream run one after the other here, so what the
// earlier one wrote is already visible.
HEDDLE_D void cudaGridDependencySynchronize() { __nvvm_membar_gl(); }
HEDDLE_D void cudaTriggerProgrammaticLaunchCompletion() { __nvvm_membar_gl(); }

#undef HEDDLE_D
#pragma pop_macro("HEDDLE_D")
#endif
