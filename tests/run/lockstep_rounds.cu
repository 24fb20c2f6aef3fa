// RUN: %heddle cc -arch=sm_60 %s -o %t
// RUN: %widths timeout 120 %t
// RUN: %at(8) timeout 120 %t
// HARDWARE: undefined
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// More of lockstep_polls.cu: sums and scans without __syncwarp in rounds of a loop in which lanes wait, behind chains,
// tickets and locks of the lanes of one warp, and in functions that stay functions.
#include "waiting.h"
constexpr int Warp = 32;

/// In each lane the sum of the lanes up to it.
__device__ int scan(volatile int *s, int x) {
  const int lane = int(threadIdx.x) % Warp;
  s[lane] = 0;
  s[Warp + lane] = x;
  for (int d = 1; d < Warp; d *= 2)
    s[Warp + lane] = x += s[Warp + lane - d];
  return s[2 * Warp - 1] * 1000 + x;
}
template <class F> int scanned(F f, int lane) {
  int all = 0, own = 0;
  for (int i = 0; i < Warp; i++) {
    all += f(i);
    own += i <= lane ? f(i) : 0;
  }
  return all * 1000 + own;
}
__device__ void work(int turns) {
  for (int i = 0; i < turns; i++)
    __threadfence();
}
struct Places {
  int *flags, *data, *lock, *number;
};
// Warp 0 takes what the others hand to it, one after the other.
struct WarpsInTurn {
  static constexpr int Blocks = 1, Warps = 4;
  static __device__ int run(Places p, volatile int *s) {
    const int t = int(threadIdx.x), lane = t % Warp;
    if (t >= Warp) {
      work(t);
      p.data[t] = t;
      __threadfence_block();
      atomicExch_block(&p.flags[t], 1);
      return 0;
    }
    int mine = 0;
    for (int w = 1; w < int(blockDim.x) / Warp; w++) {
      while (atomicAdd_block(&p.flags[w * Warp + t], 0) != 1)
        ;
      __threadfence_block();
      s[t] = mine = mine + p.data[w * Warp + t];
    }
    if (t < 16)
      s[t] = mine = mine + s[t + 16];
    if (t < 8)
      s[t] = mine = mine + s[t + 8];
    if (t < 4)
      s[t] = mine = mine + s[t + 4];
    if (t < 2)
      s[t] = mine = mine + s[t + 2];
    if (t == 0)
      s[0] = mine + s[1];
    return s[0] + lane;
  }
  static int want(int lane) {
    int sum = 0;
    for (int t = 32; t < 128; t++)
      sum += t;
    return sum + lane;
  }
};
// Each lane waits for the one before it.
struct Chain {
  static constexpr int Blocks = 1, Warps = 1;
  static __device__ int run(Places p, volatile int *s) {
    const int t = int(threadIdx.x);
    int x = 1;
    if (t > 0) {
      while (look(&p.flags[t - 1]) == 0)
        ;
      acquire();
      x = p.data[t - 1] + 1;
    }
    p.data[t] = x;
    release();
    put(&p.flags[t], 1);
    return scan(s, x);
  }
  static int want(int lane) {
    return scanned([](int i) { return i + 1; }, lane);
  }
};
__device__ __noinline__ int waitAndScan(int *flags, int *data, volatile int *s, int depth) {
  if (depth > 0)
    return waitAndScan(flags, data, s, depth - 1);
  const int lane = int(threadIdx.x) % Warp;
  while (look(&flags[lane]) == 0)
    ;
  acquire();
  return scan(s, data[lane]);
}
struct Recursive {
  static constexpr int Blocks = 1, Warps = 2;
  static __device__ int run(Places p, volatile int *s) {
    const int t = int(threadIdx.x), lane = t % Warp;
    if (t >= Warp) {
      work(t);
      p.data[lane] = t;
      release();
      put(&p.flags[lane], 1);
      return 0;
    }
    return waitAndScan(p.flags, p.data, s, 3);
  }
  static int want(int lane) {
    return scanned([](int i) { return i + 32; }, lane);
  }
};
// A function that stays one, and does not wait itself.
__device__ int scanTwice(volatile int *s, int x) { return scan(s, scan(s, x) % 7); }
__device__ int (*const scans[])(volatile int *, int) = {scan, scanTwice};
struct InFunction {
  static constexpr int Blocks = 1, Warps = 2;
  static __device__ int run(Places p, volatile int *s) {
    const int t = int(threadIdx.x), lane = t % Warp;
    s += t / Warp * 64;
    int x = scans[1 - p.flags[0]](s, lane % 5);
    return t < Warp ? x : 0;
  }
  static int want(int lane) {
    return scanned([](int i) { return scanned([](int j) { return j % 5; }, i) % 7; }, lane);
  }
};

// The lanes sleep for longer each time.
struct BackOff {
  static constexpr int Blocks = 1, Warps = 2;
  static __device__ int run(Places p, volatile int *s) {
    const int t = int(threadIdx.x), lane = t % Warp;
    if (t >= Warp) {
      work(t);
      p.data[lane] = t;
      release();
      put(&p.flags[lane], 1);
      return 0;
    }
    unsigned ns = 8;
    while (atomicCAS(&p.flags[lane], 1, 2) != 1) {
      __nanosleep(ns);
      if (ns < 256)
        ns *= 2;
    }
    __threadfence();
    return scan(s, p.data[lane]);
  }
  static int want(int lane) {
    return scanned([](int i) { return i + 32; }, lane);
  }
};
// A scan and the lock of one of several buckets, round after round.
struct Buckets {
  static constexpr int Blocks = 2, Warps = 2;
  static __device__ int run(Places p, volatile int *s) {
    const int t = int(threadIdx.x), lane = t % Warp;
    s += t / Warp * 64;
    int x = lane, sum = 0;
    for (int round = 0; round < 4; round++) {
      x = scan(s, x % 3);
      int b = x % 7;
      take(&p.flags[b]);
      volatile int *d = p.data + b;
      *d = *d + 1;
      give(&p.flags[b]);
      sum += x;
    }
    return blockIdx.x == 0 && t < Warp ? sum % 1000000 : 0;
  }
  static int want(int lane) {
    int x[Warp], sum = 0;
    for (int i = 0; i < Warp; i++)
      x[i] = i;
    for (int round = 0; round < 4; round++) {
      int y[Warp];
      for (int i = 0; i < Warp; i++)
        y[i] = scanned([&](int j) { return x[j] % 3; }, i);
      for (int i = 0; i < Warp; i++)
        x[i] = y[i];
      sum += x[lane];
    }
    return sum % 1000000;
  }
};
// Some lanes take a lock, for which all blocks contend.
struct LockInABranch {
  static constexpr int Blocks = 12, Warps = 2;
  static __device__ int run(Places p, volatile int *s) {
    const int t = int(threadIdx.x), lane = t % Warp;
    s += t / Warp * 64;
    int x = lane;
    for (int round = 0; round < 3; round++) {
      if ((lane + round) % 3 == 0) {
        take(p.flags);
        volatile int *number = p.data;
        *number = *number + 1;
        give(p.flags);
      }
      x = scan(s, x % 11);
    }
    return t < Warp ? x : 0;
  }
  static int want(int lane) {
    int x[Warp];
    for (int i = 0; i < Warp; i++)
      x[i] = i;
    for (int round = 0; round < 3; round++) {
      int y[Warp];
      for (int i = 0; i < Warp; i++)
        y[i] = scanned([&](int j) { return x[j] % 11; }, i);
      std::copy(y, y + Warp, x);
    }
    return x[lane];
  }
};

// A ticket for each lane.
struct Ticket {
  static constexpr int Blocks = 1, Warps = 2;
  static __device__ int run(Places p, volatile int *s) {
    const int t = int(threadIdx.x), lane = t % Warp;
    s += t / Warp * 64;
    int x = scan(s, lane);
    int mine = atomicAdd(&p.flags[0], 1);
    while (look(&p.flags[1]) != mine)
      ;
    acquire();
    p.data[0] += 1;
    release();
    put(&p.flags[1], mine + 1);
    int y = scan(s, x % 7);
    return t < Warp ? y : 0;
  }
  static int want(int lane) {
    return scanned([](int i) { return scanned([](int j) { return j; }, i) % 7; }, lane);
  }
};
// One lane waits for another block and tells the others.
struct LeaderTells {
  static constexpr int Blocks = 2, Warps = 2;
  static __device__ int run(Places p, volatile int *s) {
    const int t = int(threadIdx.x), lane = t % Warp;
    s += t / Warp * 64;
    if (blockIdx.x == 1) {
      work(100);
      if (t == 0) {
        release();
        put(&p.flags[5], 1);
      }
      return 0;
    }
    if (lane == 0) {
      while (look(&p.flags[5]) == 0)
        ;
      s[63] = 77;
    }
    int v = s[63];
    return t < Warp ? scan(s, v + lane) : 0;
  }
  static int want(int lane) {
    return scanned([](int i) { return 77 + i; }, lane);
  }
};

template <class Case, bool Locks> __global__ void kernel(Places p, int *out) {
  __shared__ volatile int s[64 * Case::Warps];
  int x = Case::run(p, s);
  if (blockIdx.x == 0 && threadIdx.x < Warp)
    out[threadIdx.x] = x;
  if (Locks) {
    take(p.lock);
    volatile int *number = p.number;
    *number = *number + 1;
    give(p.lock);
  }
}
template <class Case, bool Locks> void test(const char *name) {
  for (int repeat = 0; repeat < 3; repeat++) {
    Buffer<int> flags(256), data(256), lock(1), number(1), out(Warp);
    kernel<Case, Locks><<<Case::Blocks, Case::Warps * Warp>>>({flags, data, lock, number}, out);
    checkLaunch();
    std::vector<int> want(Warp);
    for (int lane = 0; lane < Warp; lane++)
      want[lane] = Case::want(lane);
    expectAll(name, out.get(), want);
    if (Locks)
      expect(name, -1, number.get()[0], Case::Blocks * Case::Warps * Warp);
  }
}
template <class Case> void both(const char *name) {
  test<Case, false>(name);
  test<Case, true>(name);
}
/// Warps that fetch work, which one lane tells to the others, and keep a list of what is left over. Some of it is done
/// by one warp at a time, for which one lane takes the lock.
__global__ void workers(int items, int *next, int *lock, volatile int *number, int *out) {
  __shared__ volatile int lists[4 * 2 * Warp];
  const int lane = int(threadIdx.x) % Warp;
  volatile int *list = lists + int(threadIdx.x) / Warp * 2 * Warp, *told = list + Warp;
  for (;;) {
    if (lane == 0)
      *told = atomicAdd(next, 1);
    const int item = *told;
    if (item >= items)
      return;
    const bool keep = (item + lane) % 3 == 0;
    const unsigned kept = __ballot_sync(~0u, keep);
    list[lane] = -1;
    if (keep)
      list[__popc(kept & ((1u << lane) - 1))] = lane;
    int sum = list[lane];
    list[lane] = sum = sum + list[lane ^ 16] * (lane < 16);
    if (item % 4 == 0) {
      if (lane == 0)
        while (atomicExch(lock, 1) != 0)
          list[Warp - 1] = 0;
      if (lane == item % Warp)
        *number = *number + 1;
      sum += list[Warp - 1 - lane];
      if (lane == 0)
        atomicExch(lock, 0);
    }
    out[item * Warp + lane] = sum;
  }
}

void testWorkers() {
  constexpr int Items = 100;
  Buffer<int> next(1), lock(1), number(1), out(Items * Warp);
  workers<<<3, 4 * Warp>>>(Items, next, lock, number, out);
  checkLaunch();
  expect("items one by one", -1, number.get()[0], Items / 4);
  std::vector<int> got = out.get();
  for (int item = 0; item < Items; item++) {
    int list[Warp], sums[Warp], count = 0;
    for (int &entry : list)
      entry = -1;
    for (int lane = 0; lane < Warp; lane++)
      if ((item + lane) % 3 == 0)
        list[count++] = lane;
    for (int lane = 0; lane < Warp; lane++)
      sums[lane] = list[lane] + (lane < 16 ? list[lane + 16] : 0);
    for (int lane = 0; lane < Warp; lane++) {
      // The lane that waits may have cleared the last place.
      const int other = sums[Warp - 1 - lane];
      const int sum = sums[lane] + (item % 4 == 0 && lane > 0 ? other : 0);
      if (item % 4 != 0 || lane > 0)
        expect("work", item * Warp + lane, got[item * Warp + lane], sum);
    }
  }
}

int main() {
  testWorkers();
  both<WarpsInTurn>("warps in turn");
  both<Chain>("chain");
  both<Recursive>("recursive");
  both<InFunction>("in a function");
  both<BackOff>("back off");
  both<Buckets>("buckets");
  both<LockInABranch>("lock in a branch");
  both<Ticket>("ticket");
  both<LeaderTells>("leader tells");
  return finish();
}
