// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integer, packed, warp and atomic functions in a kernel, against loops on the host.
// RUN: %heddle run %s
#include <cstdio>
#include <cstdlib>
#include <cstring>

constexpr int N = 256, Results = 40;
struct alignas(16) Wide {
  unsigned long long low, high;
};
__device__ Wide wide;

__global__ void run(const unsigned *in, unsigned *out) {
  int i = threadIdx.x;
  unsigned a = in[i], b = in[N + i], c = in[2 * N + i];
  unsigned *o = out + i * Results;
  int k = 0;
  o[k++] = __vadd2(a, b);
  o[k++] = __vsub4(a, b);
  o[k++] = __vaddss4(a, b);
  o[k++] = __vsubus2(a, b);
  o[k++] = __vabsdiffu4(a, b);
  o[k++] = __vabsdiffs2(a, b);
  o[k++] = __vavgu4(a, b);
  o[k++] = __vhaddu2(a, b);
  o[k++] = __vmaxs4(a, b);
  o[k++] = __vminu2(a, b);
  o[k++] = __vcmpgts4(a, b);
  o[k++] = __vseteq4(a, b);
  o[k++] = __vsadu4(a, b);
  o[k++] = __vneg2(a);
  o[k++] = __funnelshift_l(a, b, c);
  o[k++] = __funnelshift_rc(a, b, c % 40);
  o[k++] = __dp4a((int)a, (int)b, (int)c);
  o[k++] = __dp4a(a, b, c);
  o[k++] = __dp2a_hi((int)a, (int)b, (int)c);
  o[k++] = __byte_perm(a, b, c);
  o[k++] = __viaddmax_s16x2(a, b, c);
  o[k++] = __vimin3_u16x2(a, b, c);
  o[k++] = (unsigned)__viaddmin_s32((int)a, (int)b, (int)c);
  o[k++] = __umulhi(a, b);
  o[k++] = (unsigned)__mulhi((int)a, (int)b);
  o[k++] =
      (unsigned)(__umul64hi((unsigned long long)a << 32 | b, (unsigned long long)c << 32 | a) >>
                 16);
  o[k++] = __brev(a);
  o[k++] = __clz(a >> (c & 31)) + 100 * __popc(b) + 10000 * __ffs(c);
  o[k++] = __usad(a, b, c);
  o[k++] = (unsigned)__shfl_xor_sync(~0u, (unsigned long long)a << 20, 5);
  o[k++] = (unsigned)__shfl_up_sync(~0u, (double)(a >> 12), 3, 8);
  o[k++] = __match_any_sync(~0u, a % 3);
  o[k++] = __reduce_max_sync(~0u, a);
  o[k++] = __ballot_sync(~0u, a & 1);
  // A ticket by 16-byte compare-and-swap: low counts, high must follow.
  Wide seen = wide;
  for (;;) {
    Wide next = {seen.low + 1, seen.high + 3}, before = atomicCAS(&wide, seen, next);
    if (before.low == seen.low && before.high == seen.high)
      break;
    seen = before;
  }
}

typedef long long Long;
template <class Part, class F> unsigned each(unsigned a, unsigned b, F f) {
  Part x[4 / sizeof(Part)], y[4 / sizeof(Part)];
  memcpy(x, &a, 4), memcpy(y, &b, 4);
  for (unsigned i = 0; i < 4 / sizeof(Part); i++)
    x[i] = (Part)f((Long)x[i], (Long)y[i]);
  memcpy(&a, x, 4);
  return a;
}
Long clamp(Long v, Long least, Long most) { return v < least ? least : v > most ? most : v; }
typedef unsigned char U8;
typedef unsigned short U16;
typedef signed char S8;
typedef short S16;

int bit(unsigned v, bool last) {
  int at = last ? 31 : 0;
  while (at >= 0 && at < 32 && !(v >> at & 1))
    at += last ? -1 : 1;
  return at;
}

void expected(const unsigned *in, int i, unsigned *o) {
  unsigned a = in[i], b = in[N + i], c = in[2 * N + i];
  const S8 *sa = (const S8 *)&a, *sb = (const S8 *)&b;
  const U8 *ua = (const U8 *)&a, *ub = (const U8 *)&b;
  int k = 0;
  o[k++] = each<U16>(a, b, [](Long x, Long y) { return x + y; });
  o[k++] = each<U8>(a, b, [](Long x, Long y) { return x - y; });
  o[k++] = each<S8>(a, b, [](Long x, Long y) { return clamp(x + y, -128, 127); });
  o[k++] = each<U16>(a, b, [](Long x, Long y) { return clamp(x - y, 0, 65535); });
  o[k++] = each<U8>(a, b, [](Long x, Long y) { return llabs(x - y); });
  o[k++] = each<S16>(a, b, [](Long x, Long y) { return llabs(x - y); });
  o[k++] = each<U8>(a, b, [](Long x, Long y) { return (x + y + 1) / 2; });
  o[k++] = each<U16>(a, b, [](Long x, Long y) { return (x + y) / 2; });
  o[k++] = each<S8>(a, b, [](Long x, Long y) { return x > y ? x : y; });
  o[k++] = each<U16>(a, b, [](Long x, Long y) { return x < y ? x : y; });
  o[k++] = each<S8>(a, b, [](Long x, Long y) { return x > y ? -1 : 0; });
  o[k++] = each<U8>(a, b, [](Long x, Long y) { return x == y; });
  o[k] = 0;
  for (int j = 0; j < 4; j++)
    o[k] += (unsigned)abs(ua[j] - ub[j]);
  k++;
  o[k++] = each<S16>(a, 0, [](Long x, Long) { return -x; });
  unsigned long long both = (unsigned long long)b << 32 | a;
  o[k++] = (unsigned)(both << (c & 31) >> 32);
  o[k++] = (unsigned)(c % 40 >= 32 ? b : both >> c % 40);
  int dot = 0, dot2 = 0;
  unsigned udot = 0;
  for (int j = 0; j < 4; j++)
    dot += sa[j] * sb[j], udot += (unsigned)ua[j] * ub[j];
  for (int j = 0; j < 2; j++)
    dot2 += ((const S16 *)&a)[j] * sb[2 + j];
  o[k++] = c + (unsigned)dot;
  o[k++] = c + udot;
  o[k++] = c + (unsigned)dot2;
  unsigned perm = 0;
  for (int j = 0; j < 4; j++)
    perm |= (unsigned)(both >> (c >> 4 * j & 7) * 8 & 255) << 8 * j;
  o[k++] = perm;
  o[k++] = each<S16>(each<S16>(a, b, [](Long x, Long y) { return x + y; }), c,
                     [](Long x, Long y) { return x > y ? x : y; });
  auto least = [](Long x, Long y) { return x < y ? x : y; };
  o[k++] = each<U16>(each<U16>(a, b, least), c, least);
  int wrapped = (int)(a + b);
  o[k++] = (unsigned)(wrapped < (int)c ? wrapped : (int)c);
  o[k++] = (unsigned)((unsigned long long)a * b >> 32);
  o[k++] = (unsigned)((Long)(int)a * (int)b >> 32);
  unsigned __int128 product = ((unsigned __int128)a << 32 | b) * ((unsigned __int128)c << 32 | a);
  o[k++] = (unsigned)(product >> 80);
  unsigned reversed = 0, ones = 0;
  for (int j = 0; j < 32; j++)
    reversed |= (a >> j & 1) << (31 - j), ones += b >> j & 1;
  o[k++] = reversed;
  o[k++] = 31 - bit(a >> (c & 31), true) + 100 * ones + 10000 * (c ? bit(c, false) + 1 : 0);
  o[k++] = (a > b ? a - b : b - a) + c;
  o[k++] = in[i ^ 5] << 20;
  o[k++] = in[i % 8 < 3 ? i : i - 3] >> 12;
  unsigned match = 0, most = 0, odd = 0;
  for (int j = 0; j < 32; j++) {
    unsigned other = in[i / 32 * 32 + j];
    match |= (unsigned)(other % 3 == a % 3) << j;
    most = other > most ? other : most;
    odd |= (other & 1) << j;
  }
  o[k++] = match;
  o[k++] = most;
  o[k++] = odd;
}

int main() {
  unsigned *in, *out;
  cudaMallocManaged(&in, 3 * N * sizeof(unsigned));
  cudaMallocManaged(&out, N * Results * sizeof(unsigned));
  srand(1);
  for (int i = 0; i < 3 * N; i++)
    in[i] = (unsigned)rand() * 2654435761u + (unsigned)rand();
  in[0] = 0, in[1] = 0x80008000u, in[N + 1] = 0x80807fffu, in[2] = in[N + 2] = 0x7f7f8080u;
  run<<<1, N>>>(in, out);
  int bad = cudaDeviceSynchronize() != cudaSuccess;
  for (int i = 0; i < N; i++) {
    unsigned want[Results] = {};
    expected(in, i, want);
    for (int k = 0; k < 34; k++)
      if (out[i * Results + k] != want[k] && bad++ < 10)
        printf("result %d of thread %d (%08x %08x %08x): %08x, expected %08x\n", k, i, in[i],
               in[N + i], in[2 * N + i], out[i * Results + k], want[k]);
  }
  Wide total;
  cudaMemcpyFromSymbol(&total, wide, sizeof total);
  bad += total.low != N || total.high != 3 * N;
  printf("%d bad\n", bad);
  return bad != 0;
}
