// RUN: %nvcc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads, stores, state spaces, asynchronous copies and atomic operations of inline PTX.
#include "ptx.h"

using i32 = int32_t;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;

/// Every kind of load adds to the sum; `from` has 32 words for each thread.
__global__ void loads(const u32 *from, u64 *sums, unsigned n) {
  unsigned i = threadInGrid();
  if (i >= n)
    return;
  const u32 *p = from + 32 * i;
  u64 sum = 0, wide;
  u32 a, b, c, d;
  u16 h;
  float f;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(a) : "l"(p));
  sum += a;
  asm volatile("ld.global.nc.u32 %0, [%1+4];" : "=r"(a) : "l"(p));
  sum = 3 * sum + a;
  asm volatile("ld.u32 %0, [%1+%2];" : "=r"(a) : "l"(p), "n"(8));
  sum = 3 * sum + a;
  asm volatile("ld.volatile.global.u32 %0, [%1+12];" : "=r"(a) : "l"(p) : "memory");
  sum = 3 * sum + a;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1+16];" : "=r"(a) : "l"(p) : "memory");
  sum = 3 * sum + a;
  asm volatile("ld.acquire.sys.global.u32 %0, [%1+20];" : "=r"(a) : "l"(p) : "memory");
  sum = 3 * sum + a;
  asm volatile("ld.global.cg.u32 %0, [%1+24];" : "=r"(a) : "l"(p));
  sum = 3 * sum + a;
  asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4+32];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p));
  sum = 3 * sum + u32(a + 5 * b + 7 * c + 11 * d);
  asm volatile("ld.global.nc.L1::no_allocate.L2::128B.v2.u32 {%0, %1}, [%2+48];" : "=r"(a), "=r"(b) : "l"(p));
  sum = 3 * sum + u32(a + 5 * b);
  asm volatile("ld.global.u64 %0, [%1+56];" : "=l"(wide) : "l"(p));
  sum = 3 * sum + wide;
  asm volatile("ld.global.s8 %0, [%1+65];" : "=r"(a) : "l"(p));
  sum = 3 * sum + a;
  asm volatile("ld.global.u8 %0, [%1+66];" : "=r"(a) : "l"(p));
  sum = 3 * sum + a;
  asm volatile("ld.global.s16 %0, [%1+68];" : "=l"(wide) : "l"(p));
  sum = 3 * sum + wide;
  asm volatile("ld.global.b16 %0, [%1+70];" : "=h"(h) : "l"(p));
  sum = 3 * sum + h;
  asm volatile("{ .reg .u64 q; cvta.to.global.u64 q, %1; add.u64 q, q, 72; ld.global.f32 %0, [q]; }" : "=f"(f) : "l"(p));
  sum = 3 * sum + __float_as_uint(f);
  asm volatile("prefetch.global.L2 [%0]; prefetchu.L1 [%0+64];" ::"l"(p));
  asm volatile("ldu.global.u32 %0, [%1+76];" : "=r"(a) : "l"(p));
  sum = 3 * sum + a;
  a = 17;
  asm volatile("{ .reg .pred p; setp.gt.u32 p, %1, 100; @p ld.global.u32 %0, [%2+80]; }" : "+r"(a) : "r"(b), "l"(p));
  sum = 3 * sum + a;
  sums[i] = sum;
}

__global__ void stores(u32 *to, unsigned n) {
  unsigned i = threadInGrid();
  if (i >= n)
    return;
  u32 *p = to + 16 * i, x = i * 2654435761u;
  asm volatile("st.global.u32 [%0], %1;" ::"l"(p), "r"(x) : "memory");
  asm volatile("st.global.cs.v2.u32 [%0+8], {%1, %2};" ::"l"(p), "r"(x + 2), "r"(x + 3) : "memory");
  asm volatile("st.global.v4.b32 [%0+16], {%1, %2, %3, %4};" ::"l"(p), "r"(x + 4), "r"(x + 5), "r"(x + 6), "r"(x + 7) : "memory");
  asm volatile("st.release.gpu.global.u32 [%0+32], %1;" ::"l"(p), "r"(x + 8) : "memory");
  asm volatile("st.relaxed.sys.u32 [%0+36], %1;" ::"l"(p), "r"(x + 9) : "memory");
  asm volatile("st.volatile.u32 [%0+40], %1;" ::"l"(p), "r"(x + 10) : "memory");
  asm volatile("st.u8 [%0+44], %1; st.u16 [%0+46], %1;" ::"l"(p), "r"(x + 11) : "memory");
  asm volatile("st.global.u64 [%0+48], %1;" ::"l"(p), "l"(u64(x) << 32 | x) : "memory");
  asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 0x80000000; @!p st.global.wt.u32 [%0+56], %1; }" ::"l"(p), "r"(x) : "memory");
}

/// A block reverses words through shared memory, by addresses of 32 bits.
/// Inputs are registers, too: what is written to them is there for the rest of the statement.
__global__ void writtenInputs(u32 *to, unsigned n) {
  unsigned i = threadInGrid();
  if (i >= n)
    return;
  u32 *p = to + 2 * i, x = 0, y;
  asm volatile("ld.global.u32 %1, [%0]; add.u32 %1, %1, 1; st.global.u32 [%0], %1; add.u64 %0, %0, 4;"
               " st.global.u32 [%0], %2;" ::"l"(p), "r"(x), "r"(i) : "memory");
  asm("mul.lo.u32 %1, %1, 3; add.u32 %0, %1, %2;" : "=r"(y) : "r"(i), "n"(5));
  p[0] += y;
}

__global__ void reverse(const u32 *in, u32 *out) {
  __shared__ alignas(16) u32 tile[96 * 4];
  extern __shared__ u32 more[];
  u32 t = threadIdx.x, address = u32(__cvta_generic_to_shared(tile)), a, b, c, d;
  u64 generic;
  asm volatile("cvta.shared.u64 %0, %1;" : "=l"(generic) : "l"(u64(address)));
  out += 6 * 96 * blockIdx.x;
  if (generic != reinterpret_cast<u64>(tile))
    out[0] = 1;
  const u32 *p = in + 4 * (96 * blockIdx.x + t);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address + 16 * t), "l"(p) : "memory");
  asm volatile("{ .reg .u64 s; .reg .u32 w; cvta.to.shared.u64 s, %0; cvt.u32.u64 w, s; cp.async.ca.shared.global.L2::128B [w], [%1], 4, %2; }"
               ::"l"(more + t), "l"(p), "r"(t % 3 ? 4 : 0) : "memory");
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.wait_group %0;" ::"n"(0));
  asm volatile("cp.async.wait_all;");
  asm volatile("bar.sync 0;" ::: "memory");
  u32 from = 95 - t;
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(address + 16 * from));
  out[6 * t] = a, out[6 * t + 1] = b, out[6 * t + 2] = c, out[6 * t + 3] = d;
  asm volatile("ld.shared.u32 %0, [%1+4];" : "=r"(a) : "l"(__cvta_generic_to_shared(tile + from)));
  out[6 * t + 4] = from == 95 ? 0 : a;
  asm volatile("barrier.sync 1, 96;" ::: "memory");
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(address + 4 * t), "r"(more[from]) : "memory");
  asm volatile("barrier.cta.sync.aligned 0;" ::: "memory");
  out[6 * t + 5] = tile[t];
}

/// 1: what the pointer points into.
__global__ void spaces(u32 *out, const u32 *global) {
  __shared__ u32 word;
  u32 local = threadIdx.x;
  auto ask = [](const void *p) {
    u32 r;
    asm("{ .reg .pred a, b, c; isspacep.global a, %1; isspacep.shared b, %1; isspacep.local c, %1;"
        "  selp.u32 %0, 1, 0, a; @b add.u32 %0, %0, 2; @c add.u32 %0, %0, 4; }" : "=r"(r) : "l"(p));
    return r;
  };
  word = 1;
  out[3 * threadIdx.x] = ask(global);
  out[3 * threadIdx.x + 1] = ask(&word);
  out[3 * threadIdx.x + 2] = ask(&local) + 0 * local;
}

struct Cells {
  u32 add, min, max, low, high, exchanged, swapped, inc, dec, reduced, and_, or_, xor_, pad;
  i32 smin, smax;
  float f;
  u32 halves;
  u32 brains, more;
  u64 wide, wideMax;
  double d;
};

__global__ void atomics(Cells *cells, u32 *old, unsigned n) {
  __shared__ u32 counter;
  unsigned i = threadInGrid();
  if (threadInBlock() == 0)
    counter = 0;
  __syncthreads();
  if (i < n) {
    u32 r, s;
    asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(r) : "l"(&cells->add), "r"(1) : "memory");
    old[i] = r;
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(&cells->reduced), "r"(i) : "memory");
    asm volatile("atom.relaxed.gpu.global.min.u32 %0, [%1], %2;" : "=r"(r) : "l"(&cells->min), "r"(1000 + i * 9 % n) : "memory");
    asm volatile("red.max.u32 [%0], %1;" ::"l"(&cells->max), "r"(i * 9 % n) : "memory");
    asm volatile("red.relaxed.sys.global.min.s32 [%0], %1;" ::"l"(&cells->smin), "r"(-int(i)) : "memory");
    asm volatile("red.global.max.s32 [%0], %1;" ::"l"(&cells->smax), "r"(-int(i) - 5) : "memory");
    asm volatile("red.release.cta.global.and.b32 [%0], %1;" ::"l"(&cells->and_), "r"(~(1u << (i % 32))) : "memory");
    asm volatile("red.global.or.b32 [%0], %1;" ::"l"(&cells->or_), "r"(1u << (i % 32)) : "memory");
    asm volatile("red.global.xor.b32 [%0], %1;" ::"l"(&cells->xor_), "r"(i) : "memory");
    asm volatile("atom.global.inc.u32 %0, [%1], 10;" : "=r"(s) : "l"(&cells->inc) : "memory");
    asm volatile("atom.global.dec.u32 %0, [%1], 10;" : "=r"(s) : "l"(&cells->dec) : "memory");
    asm volatile("red.global.add.f32 [%0], %1;" ::"l"(&cells->f), "f"(0.5f) : "memory");
    asm volatile("red.global.add.f64 [%0], %1;" ::"l"(&cells->d), "d"(0.25) : "memory");
    asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(&cells->halves), "r"(0x3c003800) : "memory");
    if (i < 100)
      asm volatile("red.global.add.noftz.bf16x2 [%0], %1;" ::"l"(&cells->brains), "r"(0x3f803f00) : "memory");
    asm volatile("red.global.add.u64 [%0], %1;" ::"l"(&cells->wide), "l"(u64(i) << 30) : "memory");
    asm volatile("red.global.max.u64 [%0], %1;" ::"l"(&cells->wideMax), "l"(u64(i) << 33) : "memory");
    asm volatile("atom.acq_rel.gpu.global.exch.b32 %0, [%1], %2;" : "=r"(s) : "l"(&cells->exchanged), "r"(i + 1) : "memory");
    asm volatile("red.global.add.u32 [%0], %1;" ::"l"(&cells->low), "r"(s) : "memory");
    asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;" : "=r"(s) : "l"(&cells->swapped), "r"(0), "r"(i + 1) : "memory");
    asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, 0; @p red.global.add.u32 [%0], 1; }" ::"l"(&cells->high), "r"(s) : "memory");
    u32 shared = u32(__cvta_generic_to_shared(&counter));
    asm volatile("red.shared.add.u32 [%0], 2;" ::"r"(shared) : "memory");
  }
  __syncthreads();
  if (threadInBlock() == 0)
    atomicAdd(&cells->pad, counter);
}

static void checkAtomics() {
  const u32 n = 700;
  Cells start = {};
  start.min = ~0u, start.smin = 1, start.smax = INT32_MIN, start.and_ = ~0u;
  Buffer<Cells> cells(std::vector<Cells>{start});
  Buffer<u32> old(n);
  atomics<<<8, 96>>>(cells, old, n);
  checkLaunch();
  Cells got = cells.get()[0];
  std::vector<u32> numbers = old.get(), seen(n);
  for (u32 x : numbers)
    if (x < n)
      ++seen[x];
  for (u32 i = 0; i < n; ++i)
    expect("each number once", i, seen[i], 1u);
  u32 sum = 0, all = 0, exclusive = 0;
  for (u32 i = 0; i < n; ++i)
    sum += i, all += i + 1, exclusive ^= i;
  expect("add", 0, got.add, n);
  expect("reduced", 0, got.reduced, sum);
  expect("min", 0, got.min, 1000u);
  expect("max", 0, got.max, n - 1);
  expect("smin", 0, got.smin, 1 - i32(n));
  expect("smax", 0, got.smax, -5);
  expect("and", 0, got.and_, 0u);
  expect("or", 0, got.or_, ~0u);
  expect("xor", 0, got.xor_, exclusive);
  expect("inc", 0, got.inc, n % 11);
  expect("dec", 0, got.dec, (11 - n % 11) % 11);
  expect("float", 0, got.f, n * 0.5f);
  expect("double", 0, got.d, n * 0.25);
  expect("halves", 0, got.halves, 0x61785d78u); // 700 and 350
  expect("brains", 0, got.brains, 0x42c84248u); // 100 and 50
  expect("wide", 0, got.wide, u64(sum) << 30);
  expect("wideMax", 0, got.wideMax, u64(n - 1) << 33);
  expect("exchanged", 0, got.low + got.exchanged, all);
  expect("one swapped", 0, got.high, 1u);
  expect("shared", 0, got.pad, 2 * n);
}

static void checkLoads() {
  const unsigned n = 333;
  Random random(8);
  std::vector<u32> words(32 * n);
  for (u32 &w : words)
    w = random.bits();
  Buffer<u32> from(words);
  Buffer<u64> sums(n);
  loads<<<4, 96>>>(from, sums, n);
  checkLaunch();
  std::vector<u64> got = sums.get();
  for (unsigned i = 0; i < n; ++i) {
    const u32 *p = words.data() + 32 * i;
    const auto *bytes = reinterpret_cast<const unsigned char *>(p);
    u64 sum = p[0], wide;
    memcpy(&wide, p + 14, 8);
    for (int k = 1; k < 7; ++k)
      sum = 3 * sum + p[k];
    sum = 3 * sum + u32(p[8] + 5 * p[9] + 7 * p[10] + 11 * p[11]);
    sum = 3 * sum + u32(p[12] + 5 * p[13]);
    sum = 3 * sum + wide;
    sum = 3 * sum + u32(i32(int8_t(bytes[65])));
    sum = 3 * sum + bytes[66];
    sum = 3 * sum + u64(int64_t(int16_t(p[17])));
    sum = 3 * sum + (p[17] >> 16);
    sum = 3 * sum + p[18];
    sum = 3 * sum + p[19];
    sum = 3 * sum + (p[13] > 100 ? p[20] : 17);
    expect("loads", i, got[i], sum);
  }
}

static void checkStores() {
  const unsigned n = 200;
  Buffer<u32> to(16 * n);
  stores<<<3, 96>>>(to, n);
  checkLaunch();
  std::vector<u32> got = to.get();
  for (unsigned i = 0; i < n; ++i) {
    u32 x = i * 2654435761u, w = x + 11;
    u32 want[16] = {x, 0, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7, x + 8, x + 9, x + 10, (w & 255) | w << 16,
                    x, x, x >= 0x80000000 ? x : 0, 0};
    for (int k = 0; k < 16; ++k)
      expect("stores", 16 * i + k, got[16 * i + k], want[k]);
  }
}

static void checkWrittenInputs() {
  const unsigned n = 200;
  std::vector<u32> words(2 * n);
  for (unsigned i = 0; i < n; ++i)
    words[2 * i] = 1000 * i;
  Buffer<u32> to(words);
  writtenInputs<<<3, 96>>>(to, n);
  checkLaunch();
  std::vector<u32> got = to.get();
  for (unsigned i = 0; i < n; ++i) {
    expect("written inputs", 2 * i, got[2 * i], 1000 * i + 1 + 3 * i + 5);
    expect("written inputs", 2 * i + 1, got[2 * i + 1], i);
  }
}

static void checkShared() {
  std::vector<u32> words(4 * 96 * 2);
  Random random(10);
  for (u32 &w : words)
    w = random.bits();
  Buffer<u32> in(words), out(6 * 96 * 2);
  reverse<<<2, 96, 96 * 4>>>(in, out);
  checkLaunch();
  std::vector<u32> got = out.get();
  for (u32 block = 0; block < 2; ++block)
    for (u32 t = 0; t < 96; ++t) {
      const u32 *base = words.data() + 4 * 96 * block, from = 95 - t;
      for (u32 k = 0; k < 4; ++k)
        expect("reverse", t, got[6 * (96 * block + t) + k], base[4 * from + k]);
      expect("unaligned", t, got[6 * (96 * block + t) + 4], from == 95 ? 0 : base[from + 1]);
      expect("filled", t, got[6 * (96 * block + t) + 5], from % 3 ? base[4 * from] : 0);
    }
  Buffer<u32> kinds(3 * 40);
  spaces<<<1, 40>>>(kinds, in);
  checkLaunch();
  std::vector<u32> kind = kinds.get();
  for (u32 t = 0; t < 40; ++t) {
    expect("global", t, kind[3 * t], 1u);
    expect("shared", t, kind[3 * t + 1], 2u);
    expect("local", t, kind[3 * t + 2], 4u);
  }
}

int main() {
  checkLoads();
  checkStores();
  checkWrittenInputs();
  checkShared();
  checkAtomics();
  return finish();
}
