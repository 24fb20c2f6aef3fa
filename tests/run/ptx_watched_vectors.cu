// RUN: %nvcc %s -o %t
// RUN: %widths env HEDDLE_WORKERS=4 %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors of up to 16 bytes are read and written at once where other threads may look on, as the look-back of scans
// counts on: half of the blocks write vectors whose parts belong together, the others read them meanwhile.
#include "ptx.h"

constexpr unsigned Slots = 64, Rounds = 3000;

struct VolatileLongs {
  static constexpr unsigned Bytes = 16;
  __device__ static void store(void *p, uint64_t x, uint64_t y) {
    asm volatile("st.volatile.global.v2.u64 [%0], {%1, %2};" ::"l"(p), "l"(x), "l"(y) : "memory");
  }
  __device__ static void load(const void *p, uint64_t &x, uint64_t &y) {
    asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];"
                 : "=l"(x), "=l"(y)
                 : "l"(p)
                 : "memory");
  }
};
struct CachedLongs {
  static constexpr unsigned Bytes = 16;
  __device__ static void store(void *p, uint64_t x, uint64_t y) {
    asm volatile("st.global.cg.v2.f64 [%0], {%1, %2};" ::"l"(p), "d"(__longlong_as_double(x)),
                 "d"(__longlong_as_double(y))
                 : "memory");
  }
  __device__ static void load(const void *p, uint64_t &x, uint64_t &y) {
    asm volatile("ld.global.cg.v2.u64 {%0, %1}, [%2];" : "=l"(x), "=l"(y) : "l"(p) : "memory");
  }
};
struct OrderedLongs {
  static constexpr unsigned Bytes = 16;
  __device__ static void store(void *p, uint64_t x, uint64_t y) {
    asm volatile("st.release.gpu.global.v2.b64 [%0], {%1, %2};" ::"l"(p), "l"(x), "l"(y)
                 : "memory");
  }
  __device__ static void load(const void *p, uint64_t &x, uint64_t &y) {
    asm volatile("ld.acquire.gpu.global.v2.b64 {%0, %1}, [%2];"
                 : "=l"(x), "=l"(y)
                 : "l"(p)
                 : "memory");
  }
};
struct Quads {
  static constexpr unsigned Bytes = 16;
  __device__ static void store(void *p, uint64_t x, uint64_t y) {
    asm volatile("st.relaxed.gpu.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(uint32_t(x)),
                 "r"(uint32_t(x >> 32)), "r"(uint32_t(y)), "r"(uint32_t(y >> 32))
                 : "memory");
  }
  __device__ static void load(const void *p, uint64_t &x, uint64_t &y) {
    uint32_t a, b, c, d;
    asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "l"(p)
                 : "memory");
    x = uint64_t(b) << 32 | a, y = uint64_t(d) << 32 | c;
  }
};
struct Wide {
  static constexpr unsigned Bytes = 16;
  __device__ static void store(void *p, uint64_t x, uint64_t y) {
    asm volatile(
        "{ .reg .b128 q; mov.b128 q, {%1, %2}; st.relaxed.gpu.global.b128 [%0], q; }" ::"l"(p),
        "l"(x), "l"(y)
        : "memory");
  }
  __device__ static void load(const void *p, uint64_t &x, uint64_t &y) {
    asm volatile("{ .reg .b128 q; ld.relaxed.gpu.global.b128 q, [%2]; mov.b128 {%0, %1}, q; }"
                 : "=l"(x), "=l"(y)
                 : "l"(p)
                 : "memory");
  }
};
struct Words2 {
  static constexpr unsigned Bytes = 8;
  __device__ static void store(void *p, uint64_t x, uint64_t y) {
    asm volatile("st.global.cg.v2.u32 [%0], {%1, %2};" ::"l"(p), "r"(uint32_t(x)), "r"(uint32_t(y))
                 : "memory");
  }
  __device__ static void load(const void *p, uint64_t &x, uint64_t &y) {
    uint32_t a, b;
    asm volatile("ld.global.cg.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(p) : "memory");
    x = a, y = b;
  }
};
struct Halves {
  static constexpr unsigned Bytes = 4;
  __device__ static void store(void *p, uint64_t x, uint64_t y) {
    asm volatile("st.volatile.global.v2.u16 [%0], {%1, %2};" ::"l"(p), "h"(uint16_t(x)),
                 "h"(uint16_t(y))
                 : "memory");
  }
  __device__ static void load(const void *p, uint64_t &x, uint64_t &y) {
    uint16_t a, b;
    asm volatile("ld.volatile.global.v2.u16 {%0, %1}, [%2];"
                 : "=h"(a), "=h"(b)
                 : "l"(p)
                 : "memory");
    x = a, y = b;
  }
};
struct Bytes4 {
  static constexpr unsigned Bytes = 4;
  __device__ static void store(void *p, uint64_t x, uint64_t y) {
    asm volatile("st.volatile.global.v4.u8 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(uint32_t(x)),
                 "r"(uint32_t(x >> 8)), "r"(uint32_t(y)), "r"(uint32_t(y >> 8))
                 : "memory");
  }
  __device__ static void load(const void *p, uint64_t &x, uint64_t &y) {
    uint32_t a, b, c, d;
    asm volatile("ld.volatile.global.v4.u8 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "l"(p)
                 : "memory");
    x = b << 8 | a, y = d << 8 | c;
  }
};

/// What belongs to x, in as many bits.
__device__ uint64_t partnerOf(uint64_t x, unsigned bits) {
  return (x * 0x9e3779b97f4a7c15ull ^ x) & (~0ull >> (64 - bits));
}

/// Errors: vectors that nobody wrote. The slots begin as zeros, whose partner is 0.
template <class Access> __global__ void writeAndRead(uint8_t *slots, unsigned *errors) {
  constexpr unsigned Bits = 4 * Access::Bytes;
  const unsigned t = threadIdx.x, slot = Slots - 1 - t % Slots; // backwards, as a look-back reads
  uint8_t *place = slots + slot * Access::Bytes;
  unsigned wrong = 0;
  for (unsigned i = 0; i < Rounds; i++) {
    if (blockIdx.x % 2) {
      uint64_t x = (uint64_t(i + 1) * 0x100010001ull + t * 77) & (~0ull >> (64 - Bits));
      Access::store(place, x, partnerOf(x, Bits));
    } else {
      uint64_t x, y;
      Access::load(place, x, y);
      wrong += y != partnerOf(x, Bits);
    }
  }
  if (wrong)
    atomicAdd(errors, wrong);
}

template <class Access> void test(const char *name) {
  for (unsigned threads : {64u, 45u}) { // a partial warp, too
    Buffer<uint8_t> slots(Slots * Access::Bytes);
    Buffer<unsigned> errors(1);
    writeAndRead<Access><<<8, threads>>>(slots, errors);
    checkLaunch();
    expect(name, threads, errors.get()[0], 0u);
  }
}

int main() {
  test<VolatileLongs>("volatile.v2.u64");
  test<CachedLongs>("cg.v2.u64");
  test<OrderedLongs>("acquire.v2.b64");
  test<Quads>("relaxed.v4.u32");
  test<Wide>("relaxed.b128");
  test<Words2>("cg.v2.u32");
  test<Halves>("volatile.v2.u16");
  test<Bytes4>("volatile.v4.u8");
  return finish();
}
