// RUN: %heddle cc %s -o %t
// RUN: %widths timeout 120 %t
// RUN: %at(8) timeout 120 %t
// HARDWARE: undefined
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes part in a loop that polls, and go together before and behind it: sums and scans without __syncwarp, as programs
// from before compute capability 7.0 have them, in kernels that poll flags of other warps and blocks, by all lanes and
// by one, in nested loops, in functions, in one arm of a branch, with several exits. Each with and without a lock for
// every lane further down, for which lanes must part. From compute capability 7.0 on a GPU promises none of it: an
// H200 gives some of these sums.
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

int scanned(int (*f)(int), int lane) {
  int all = 0, own = 0;
  for (int i = 0; i < Warp; i++) {
    all += f(i);
    own += i <= lane ? f(i) : 0;
  }
  return all * 1000 + own;
}

/// Each thread counts, one after the other.
__device__ void count(int *lock, volatile int *number) {
  take(lock);
  *number = *number + 1;
  give(lock);
}

__device__ void waitFor(int *flag, int number) {
  while (look(flag) != number) {
  }
  acquire();
}

__device__ void work(int turns) {
  for (int i = 0; i < turns; i++)
    __threadfence();
}

struct Places {
  int *flags, *data, *lock, *number;
};

// Warp 1 raises a flag for each lane of warp 0, one after the other.
struct FlagsOfAWarp {
  static constexpr int Blocks = 1;
  static __device__ int run(Places p, volatile int *s) {
    const int lane = int(threadIdx.x) % Warp;
    if (threadIdx.x >= Warp) {
      p.data[lane] = lane + 1;
      work(lane);
      __threadfence();
      atomicExch(&p.flags[lane], 1);
      return 0;
    }
    while (atomicAdd(&p.flags[lane], 0) != 1) {
    }
    __threadfence();
    return scan(s, p.data[lane]);
  }
  static int want(int lane) {
    return scanned([](int i) { return i + 1; }, lane);
  }
};

// The last block does, for the first; the scan is before the loop, too.
struct FlagsOfABlock {
  static constexpr int Blocks = 3;
  static __device__ int run(Places p, volatile int *s) {
    const int lane = int(threadIdx.x) % Warp;
    if (threadIdx.x >= Warp || blockIdx.x == 1)
      return 0;
    int x = scan(s, lane);
    if (blockIdx.x == 2) {
      p.data[lane] = x % 1000;
      work(20 * lane);
      release();
      put(&p.flags[lane], 1);
      return 0;
    }
    waitFor(&p.flags[lane], 1);
    return scan(s, p.data[lane] % 7);
  }
  static int want(int lane) {
    return scanned([](int i) { return i * (i + 1) / 2 % 7; }, lane);
  }
};

// One lane waits for all.
struct OneLaneWaits {
  static constexpr int Blocks = 2;
  static __device__ int run(Places p, volatile int *s) {
    const int lane = int(threadIdx.x) % Warp;
    if (threadIdx.x >= Warp)
      return 0;
    volatile int *data = p.data;
    if (blockIdx.x == 1) {
      work(300);
      data[lane] = 3 * lane;
      __threadfence();
      if (lane == 0)
        put(p.flags, 1);
      return 0;
    }
    if (lane == 0)
      waitFor(p.flags, 1);
    return scan(s, data[Warp - 1 - lane]);
  }
  static int want(int lane) {
    return scanned([](int i) { return 3 * (Warp - 1 - i); }, lane);
  }
};

// Warps that hand on to each other, round after round.
struct NestedLoops {
  static constexpr int Blocks = 1;
  static __device__ int run(Places p, volatile int *s) {
    const int lane = int(threadIdx.x) % Warp, warp = int(threadIdx.x) / Warp;
    int x = lane, sum = 0;
    for (int round = 0; round < 6; round++) {
      if (round % 2 == warp)
        waitFor(&p.flags[lane], round);
      else
        while (look(&p.flags[Warp - 1 - lane]) < round) {
        }
      x = scan(s + 64 * warp, x % 5);
      sum += x;
      if (round % 2 == warp) {
        release();
        put(&p.flags[lane], round + 1);
      }
    }
    return warp == 0 ? sum % 1000000 : 0;
  }
  static int want(int lane) {
    int x[Warp], sum = 0;
    for (int i = 0; i < Warp; i++)
      x[i] = i;
    for (int round = 0; round < 6; round++) {
      int all = 0, own[Warp];
      for (int i = 0; i < Warp; i++)
        own[i] = all += x[i] % 5;
      for (int i = 0; i < Warp; i++)
        x[i] = all * 1000 + own[i];
      sum += x[lane];
    }
    return sum % 1000000;
  }
};

// Lanes leave by different ways.
struct SeveralExits {
  static constexpr int Blocks = 1;
  static __device__ int run(Places p, volatile int *s) {
    const int lane = int(threadIdx.x) % Warp;
    if (threadIdx.x >= Warp) {
      work(10 * (Warp - lane));
      put(&p.flags[lane], 1 + lane % 3);
      return 0;
    }
    int way = 0, turns = 0;
    for (;; turns++) {
      int seen = look(&p.flags[lane]);
      if (seen == 1)
        break;
      if (seen == 2) {
        way = 10;
        goto out;
      }
      if (seen == 3) {
        way = 20;
        s[Warp + lane] = turns;
        break;
      }
    }
    way++;
  out:
    return scan(s, way);
  }
  static int want(int lane) {
    return scanned([](int i) { return i % 3 == 0 ? 1 : i % 3 == 1 ? 10 : 21; }, lane);
  }
};

// Half of the warp waits; what the halves have written is there behind the branch.
struct LoopInABranch {
  static constexpr int Blocks = 1;
  static __device__ int run(Places p, volatile int *s) {
    const int lane = int(threadIdx.x) % Warp;
    if (threadIdx.x >= Warp) {
      work(5 * lane);
      put(&p.flags[lane], 1);
      return 0;
    }
    if (lane % 2) {
      waitFor(&p.flags[lane], 1);
      s[lane] = lane;
    } else {
      s[lane] = 100;
    }
    int other = s[lane ^ 1];
    return scan(s, other);
  }
  static int want(int lane) {
    return scanned([](int i) { return i % 2 ? 100 : i + 1; }, lane);
  }
};

// A lock in the loop, one lane a turn. In one block, for lanes also part where another block has the lock.
struct LockInALoop {
  static constexpr int Blocks = 1;
  static __device__ int run(Places p, volatile int *s) {
    const int lane = int(threadIdx.x) % Warp;
    s += threadIdx.x / Warp * 64;
    int x = scan(s, lane % 3);
    volatile int *sum = p.data;
    for (bool done = false; !done;)
      if (atomicCAS(p.flags, 0, 1) == 0) {
        __threadfence();
        *sum = *sum + 1;
        __threadfence();
        atomicExch(p.flags, 0);
        done = true;
      }
    x = scan(s, x % 7);
    return blockIdx.x == 0 && threadIdx.x < Warp ? x : 0;
  }
  static int want(int lane) {
    return scanned([](int i) { return scanned([](int j) { return j % 3; }, i) % 7; }, lane);
  }
};

template <class Case, bool Locks> __global__ void kernel(Places p, int *out) {
  __shared__ volatile int s[128];
  int x = Case::run(p, s);
  if (blockIdx.x == 0 && threadIdx.x < Warp)
    out[threadIdx.x] = x;
  if (Locks)
    count(p.lock, p.number);
}

template <class Case, bool Locks> void test(const char *name) {
  for (int repeat = 0; repeat < 5; repeat++) {
    Buffer<int> flags(Warp), data(Warp), lock(1), number(1), out(Warp);
    kernel<Case, Locks><<<Case::Blocks, 2 * Warp>>>({flags, data, lock, number}, out);
    checkLaunch();
    std::vector<int> want(Warp);
    for (int lane = 0; lane < Warp; lane++)
      want[lane] = Case::want(lane);
    expectAll(name, out.get(), want);
    if (Locks)
      expect(name, -1, number.get()[0], Case::Blocks * 2 * Warp);
  }
}

template <class Case> void both(const char *name) {
  test<Case, false>(name);
  test<Case, true>(name);
}

int main() {
  both<FlagsOfAWarp>("flags of a warp");
  both<FlagsOfABlock>("flags of a block");
  both<OneLaneWaits>("one lane waits");
  both<NestedLoops>("nested loops");
  both<SeveralExits>("several exits");
  both<LoopInABranch>("loop in a branch");
  both<LockInALoop>("lock in a loop");
  return finish();
}
