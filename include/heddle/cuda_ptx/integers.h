// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers, shuffles and other single instructions (<cuda/ptx>).
#ifndef HEDDLE_CUDA_PTX_INTEGERS_H
#define HEDDLE_CUDA_PTX_INTEGERS_H

#include <heddle/cuda_ptx/tags.h>

namespace cuda {
namespace ptx {

namespace __heddle {
template <class T>
inline constexpr bool IsSigned = ::std::is_integral_v<T> && ::std::is_signed_v<T>;
} // namespace __heddle

// The place of the highest bit that is set, or that differs from the sign.
#define HEDDLE_PTX_BFIND(NAME, TEXT)                                                               \
  template <class T,                                                                               \
            enable_if_t<::std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8), int> = 0>   \
  __device__ static inline uint32_t NAME(T value) {                                                \
    uint32_t place;                                                                                \
    if constexpr (sizeof(T) == 4 && ::std::is_signed_v<T>)                                         \
      asm(TEXT ".s32 %0, %1;" : "=r"(place) : "r"(value));                                         \
    else if constexpr (sizeof(T) == 4)                                                             \
      asm(TEXT ".u32 %0, %1;" : "=r"(place) : "r"(value));                                         \
    else if constexpr (::std::is_signed_v<T>)                                                      \
      asm(TEXT ".s64 %0, %1;" : "=r"(place) : "l"(value));                                         \
    else                                                                                           \
      asm(TEXT ".u64 %0, %1;" : "=r"(place) : "l"(value));                                         \
    return place;                                                                                  \
  }
HEDDLE_PTX_BFIND(bfind, "bfind")
HEDDLE_PTX_BFIND(bfind_shiftamt, "bfind.shiftamt")
#undef HEDDLE_PTX_BFIND

__device__ static inline uint32_t bmsk_clamp(uint32_t start, uint32_t width) {
  uint32_t mask;
  asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(mask) : "r"(start), "r"(width));
  return mask;
}
__device__ static inline uint32_t bmsk_wrap(uint32_t start, uint32_t width) {
  uint32_t mask;
  asm("bmsk.wrap.b32 %0, %1, %2;" : "=r"(mask) : "r"(start), "r"(width));
  return mask;
}

#define HEDDLE_PTX_PRMT(NAME, MODE)                                                                \
  template <class T, __heddle::IfSize<T, 4> = 0>                                                   \
  __device__ static inline uint32_t NAME(T a, T b, uint32_t selectors) {                           \
    uint32_t bytes;                                                                                \
    asm("prmt.b32" MODE " %0, %1, %2, %3;"                                                         \
        : "=r"(bytes)                                                                              \
        : "r"(__heddle::bits<uint32_t>(a)), "r"(__heddle::bits<uint32_t>(b)), "r"(selectors));     \
    return bytes;                                                                                  \
  }
HEDDLE_PTX_PRMT(prmt, "")
HEDDLE_PTX_PRMT(prmt_f4e, ".f4e")
HEDDLE_PTX_PRMT(prmt_b4e, ".b4e")
HEDDLE_PTX_PRMT(prmt_rc8, ".rc8")
HEDDLE_PTX_PRMT(prmt_ecl, ".ecl")
HEDDLE_PTX_PRMT(prmt_ecr, ".ecr")
HEDDLE_PTX_PRMT(prmt_rc16, ".rc16")
#undef HEDDLE_PTX_PRMT

// Shifts by more bits than there are give what a shift by all of them gives.
#define HEDDLE_PTX_SHIFT(TEXT, BITS, REGISTER)                                                     \
  {                                                                                                \
    auto in = __heddle::bits<uint##BITS##_t>(value);                                               \
    uint##BITS##_t out;                                                                            \
    asm(TEXT " %0, %1, %2;" : "=" REGISTER(out) : REGISTER(in), "r"(by));                          \
    return __heddle::bits<T>(out);                                                                 \
  }
template <class T> __device__ static inline T shl(T value, uint32_t by) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8, "16, 32 or 64 bits");
  if constexpr (sizeof(T) == 2)
    HEDDLE_PTX_SHIFT("shl.b16", 16, "h")
  else if constexpr (sizeof(T) == 4)
    HEDDLE_PTX_SHIFT("shl.b32", 32, "r")
  else
    HEDDLE_PTX_SHIFT("shl.b64", 64, "l")
}
template <class T> __device__ static inline T shr(T value, uint32_t by) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8, "16, 32 or 64 bits");
  if constexpr (__heddle::IsSigned<T>) {
    if constexpr (sizeof(T) == 2)
      HEDDLE_PTX_SHIFT("shr.s16", 16, "h")
    else if constexpr (sizeof(T) == 4)
      HEDDLE_PTX_SHIFT("shr.s32", 32, "r")
    else
      HEDDLE_PTX_SHIFT("shr.s64", 64, "l")
  } else {
    if constexpr (sizeof(T) == 2)
      HEDDLE_PTX_SHIFT("shr.b16", 16, "h")
    else if constexpr (sizeof(T) == 4)
      HEDDLE_PTX_SHIFT("shr.b32", 32, "r")
    else
      HEDDLE_PTX_SHIFT("shr.b64", 64, "l")
  }
}
#undef HEDDLE_PTX_SHIFT

#define HEDDLE_PTX_SHUFFLE(NAME, MODE)                                                             \
  template <class T, __heddle::IfSize<T, 4> = 0>                                                   \
  [[nodiscard]] __device__ static inline T NAME(T data, bool &found, uint32_t lane,                \
                                                uint32_t clamp, uint32_t lanes) noexcept {         \
    uint32_t out, valid;                                                                           \
    asm volatile("{\n .reg .pred p;\n shfl.sync." MODE                                             \
                 ".b32 %0|p, %2, %3, %4, %5;\n selp.u32 %1, 1, 0, p;\n}"                           \
                 : "=r"(out), "=r"(valid)                                                          \
                 : "r"(__heddle::bits<uint32_t>(data)), "r"(lane), "r"(clamp), "r"(lanes));        \
    found = valid != 0;                                                                            \
    return __heddle::bits<T>(out);                                                                 \
  }                                                                                                \
  template <class T, __heddle::IfSize<T, 4> = 0>                                                   \
  [[nodiscard]] __device__ static inline T NAME(T data, uint32_t lane, uint32_t clamp,             \
                                                uint32_t lanes) noexcept {                         \
    uint32_t out;                                                                                  \
    asm volatile("shfl.sync." MODE ".b32 %0, %1, %2, %3, %4;"                                      \
                 : "=r"(out)                                                                       \
                 : "r"(__heddle::bits<uint32_t>(data)), "r"(lane), "r"(clamp), "r"(lanes));        \
    return __heddle::bits<T>(out);                                                                 \
  }
HEDDLE_PTX_SHUFFLE(shfl_sync_idx, "idx")
HEDDLE_PTX_SHUFFLE(shfl_sync_up, "up")
HEDDLE_PTX_SHUFFLE(shfl_sync_down, "down")
HEDDLE_PTX_SHUFFLE(shfl_sync_bfly, "bfly")
#undef HEDDLE_PTX_SHUFFLE

__device__ static inline bool elect_sync(const uint32_t &lanes) {
  uint32_t elected;
  asm volatile("{\n .reg .pred p;\n elect.sync _|p, %1;\n selp.u32 %0, 1, 0, p;\n}"
               : "=r"(elected)
               : "r"(lanes)
               : "memory");
  return elected != 0;
}

template <int N> __device__ static inline void setmaxnreg_inc(n32_t<N>) {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(N));
}
template <int N> __device__ static inline void setmaxnreg_dec(n32_t<N>) {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(N));
}

__device__ static inline void exit() { asm volatile("exit;"); }
__device__ static inline void trap() { asm volatile("trap;"); }

} // namespace ptx
} // namespace cuda

#endif
