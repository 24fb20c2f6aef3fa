// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random programs as plain C++: each thread of a cluster (of one block, mostly) is a context of its own that runs
// until it waits, at a barrier for all threads that have not ended, at a warp operation for all lanes of its mask, at
// an operation of a tile for all of its threads. So the reference is the program itself, and has no idea of what
// compilers for it do.
//
// Each unit runs twice, with threads and blocks in the opposite order and other garbage in shared memory: what comes
// out must be the same, or the program leaves something open.
#pragma once

#include <ucontext.h>

#include <type_traits>

namespace host {

struct Index {
  unsigned x, y, z;
};

inline Index threadIdx, blockIdx, blockDim, gridDim;

enum class Wait { None, Barrier, Warp, Tile, Cluster, Ended };
constexpr unsigned MostBlocks = 8; ///< of a cluster

/// What a tile's threads gave, taken together; `before`: the sum of those before this one.
struct Together {
  unsigned sum, least, most, odd, before;
};

struct Thread {
  ucontext_t context;
  Index index, block;
  unsigned number, rank; // in its block; of the block in its cluster
  Wait wait;
  bool arrived;                  // at the cluster's barrier
  unsigned tile;                 // how many threads' operation it waits at
  Together together;
  unsigned mask, votes;          // of the warp operation that it waits at; of the barrier's predicate
  unsigned long long value;      // what it gives to it
  unsigned long long seen[32];   // what the lanes of the mask gave
};

inline Thread threads[1024];
inline char *stacks;
inline ucontext_t scheduler;
inline Thread *current;
inline unsigned count;      // of threads in a block
inline unsigned blocks;     // of the cluster
inline bool backwards;      // the second run
inline unsigned long long blockNumber, clearedIn;
inline void (*body)(void *);
inline void *bodyData;
inline Arrays arrays;
inline Results results;
inline Endings endings;
alignas(64) inline unsigned char dynamicShared[64 * 1024];
constexpr size_t StackSize = 128 * 1024;

inline void wait(Wait kind) {
  current->wait = kind;
  swapcontext(&current->context, &scheduler);
}

inline void startThread() {
  body(bodyData);
  wait(Wait::Ended);
}

/// Lets all lanes go on whose masks say that they wait for each other. `end`: of the block.
inline bool releaseWarp(unsigned first, unsigned end) {
  bool any = false;
  for (unsigned i = first; i < first + 32 && i < end; ++i) {
    if (threads[i].wait != Wait::Warp)
      continue;
    unsigned mask = threads[i].mask;
    bool all = true;
    for (unsigned lane = 0; lane < 32; ++lane)
      if (mask >> lane & 1)
        all &= first + lane < end && threads[first + lane].wait == Wait::Warp &&
               threads[first + lane].mask == mask;
    if (!all)
      continue;
    any = true;
    for (unsigned lane = 0; lane < 32; ++lane)
      if (mask >> lane & 1) {
        for (unsigned other = 0; other < 32; ++other)
          if (mask >> other & 1)
            threads[first + lane].seen[other] = threads[first + other].value;
      }
    for (unsigned lane = 0; lane < 32; ++lane)
      if (mask >> lane & 1)
        threads[first + lane].wait = Wait::None;
  }
  return any;
}

/// Lets all threads of the tile that begins at `first` go on, if all wait for it.
inline bool releaseTile(unsigned first, unsigned size) {
  Together all = {0, ~0u, 0, 0, 0};
  for (unsigned i = first; i < first + size; ++i)
    if (threads[i].wait != Wait::Tile || threads[i].tile != size)
      return false;
  for (unsigned i = first; i < first + size; ++i) {
    unsigned v = unsigned(threads[i].value);
    threads[i].together.before = all.sum;
    all = {all.sum + v, v < all.least ? v : all.least, v > all.most ? v : all.most, all.odd ^ v, 0};
  }
  for (unsigned i = first; i < first + size; ++i) {
    all.before = threads[i].together.before;
    threads[i].together = all;
    threads[i].wait = Wait::None;
  }
  return true;
}
inline bool releaseTiles(unsigned block) {
  bool any = false;
  for (unsigned size = 1; size <= 1024; size *= 2)
    for (unsigned t = 0; t + size <= count; t += size)
      any |= threads[block + t].wait == Wait::Tile && threads[block + t].tile == size &&
             releaseTile(block + t, size);
  return any;
}

/// Ends the cluster's barrier if all threads that have not ended have arrived.
inline bool releaseCluster() {
  bool waits = false;
  for (unsigned i = 0; i < count * blocks; ++i) {
    waits |= threads[i].wait == Wait::Cluster;
    if (threads[i].wait != Wait::Ended && !threads[i].arrived)
      return false;
  }
  for (unsigned i = 0; i < count * blocks; ++i) {
    threads[i].arrived = false;
    if (threads[i].wait == Wait::Cluster)
      threads[i].wait = Wait::None;
  }
  return waits;
}

inline bool releaseBarrier(unsigned block) {
  unsigned votes = 0, ended = 0;
  for (unsigned i = block; i < block + count; ++i) {
    if (threads[i].wait == Wait::Ended)
      ++ended;
    else if (threads[i].wait != Wait::Barrier)
      return false;
    else
      votes += threads[i].value != 0;
  }
  for (unsigned i = block; i < block + count; ++i)
    if (threads[i].wait == Wait::Barrier) {
      threads[i].votes = votes;
      threads[i].value = count - ended;
      threads[i].wait = Wait::None;
    }
  return ended < count;
}

/// Where the block of `rank` lies in the grid, if the cluster begins at `first`.
inline Index blockOf(Index first, dim3 cluster, unsigned rank) {
  return {first.x + rank % cluster.x, first.y + rank / cluster.x % cluster.y, first.z + rank / cluster.x / cluster.y};
}

inline void runCluster(Index first, dim3 cluster) {
  if (!stacks)
    stacks = (char *)malloc(1024 * StackSize);
  ++blockNumber;
  memset(dynamicShared, backwards ? 0xa5 : 0x5a, sizeof(dynamicShared));
  for (unsigned i = 0; i < count * blocks; ++i) {
    Thread &thread = threads[i];
    getcontext(&thread.context);
    thread.context.uc_stack.ss_sp = stacks + i * StackSize;
    thread.context.uc_stack.ss_size = StackSize;
    thread.context.uc_link = nullptr;
    makecontext(&thread.context, startThread, 0);
    unsigned t = i % count;
    thread.index = {t % blockDim.x, t / blockDim.x % blockDim.y, t / blockDim.x / blockDim.y};
    thread.number = t;
    thread.rank = i / count;
    thread.block = blockOf(first, cluster, thread.rank);
    thread.wait = Wait::None;
    thread.arrived = false;
  }
  for (bool progress = true; progress;) {
    progress = false;
    for (unsigned k = 0; k < count * blocks; ++k) {
      current = &threads[backwards ? count * blocks - 1 - k : k];
      if (current->wait != Wait::None)
        continue;
      progress = true;
      threadIdx = current->index;
      blockIdx = current->block;
      swapcontext(&scheduler, &current->context);
    }
    for (unsigned block = 0; block < count * blocks; block += count) {
      for (unsigned first = 0; first < count; first += 32)
        progress |= releaseWarp(block + first, block + count);
      progress |= releaseTiles(block);
    }
    for (unsigned block = 0; block < count * blocks && !progress; block += count)
      progress = releaseBarrier(block);
    progress |= !progress && releaseCluster();
  }
  for (unsigned i = 0; i < count * blocks; ++i)
    if (threads[i].wait != Wait::Ended && !results.error)
      results.error = "stuck";
}

} // namespace host

#include "fuzz_host_steps.h"

namespace host {

/// A shared array has no values that a block may count on.
struct Cleared {
  unsigned long long block = 0;
};
inline void clearOnce(Cleared &cleared, void *data, size_t bytes) {
  if (cleared.block == blockNumber)
    return;
  cleared.block = blockNumber;
  memset(data, backwards ? 0xa5 : 0x5a, bytes);
}

template <class T> T *array(size_t count, unsigned limit) {
  T *data = (T *)malloc(count * sizeof(T));
  fill(data, count, limit, arrays.count);
  arrays.list[arrays.count++] = {data, count, sizeof(T), KindOf<T>::kind};
  return data;
}

template <class T> T *nearby(size_t count, unsigned limit, double tolerance) {
  T *data = array<T>(count, limit);
  arrays.list[arrays.count - 1].tolerance = tolerance;
  return data;
}
inline void atEnd(std::function<void()> what) { endings.push_back(std::move(what)); }

inline void result() {
  unsigned long long h = 14695981039346656037ull;
  for (int i = 0; i < arrays.count; ++i) {
    const Array &array = arrays.list[i];
    const auto *values = (const float *)array.data;
    if (dumps)
      printf("host array %d of result %d\n", i, results.count);
    if (array.tolerance && !backwards)
      expected.push_back({values, values + array.count});
    h = array.tolerance ? mixed(h, 0) : digest(array, array.data, h);
  }
  results.digests[results.count++] = h;
}

inline Results runOnce(const Unit &unit) {
  results = Results();
  unit.host();
  finish(endings);
  for (int i = 0; i < arrays.count; ++i)
    free(arrays.list[i].data);
  arrays.count = 0;
  return results;
}

inline Results run(const Unit &unit) {
  backwards = false;
  expected.clear();
  Results first = runOnce(unit);
  backwards = true;
  bool dumped = dumps;
  dumps = false;
  Results second = runOnce(unit);
  dumps = dumped;
  for (int i = 0; i < first.count; ++i)
    if (first.digests[i] != second.digests[i] && !first.error)
      first.error = "open";
  return first;
}

// What kernels call.

inline void __syncthreads() { wait(Wait::Barrier); }
inline unsigned vote(int predicate, unsigned &alive) {
  current->value = predicate != 0;
  Thread &self = *current;
  wait(Wait::Barrier);
  alive = unsigned(self.value);
  return self.votes;
}
inline int __syncthreads_count(int predicate) {
  unsigned alive;
  return int(vote(predicate, alive));
}
inline int __syncthreads_or(int predicate) {
  unsigned alive;
  return vote(predicate, alive) != 0;
}
inline int __syncthreads_and(int predicate) {
  unsigned alive, votes = vote(predicate, alive);
  return votes == alive;
}

/// What the lanes of `mask` gave; of the others nothing is known.
template <class T> const unsigned long long *meet(unsigned mask, T value) {
  static_assert(sizeof(T) <= 8);
  Thread &self = *current;
  self.value = 0;
  memcpy(&self.value, &value, sizeof(T));
  self.mask = mask;
  if (!(mask >> (self.number & 31) & 1) && !results.error)
    results.error = "lane not in mask";
  wait(Wait::Warp);
  return self.seen;
}
inline unsigned laneOf() { return current->number & 31; }
template <class T> T as(unsigned long long bits) {
  T value;
  memcpy(&value, &bits, sizeof(T));
  return value;
}
template <class T> T pick(unsigned mask, T value, unsigned source) {
  const unsigned long long *seen = meet(mask, value);
  if (!(mask >> source & 1) && !results.error)
    results.error = "reads an idle lane";
  return as<T>(seen[source]);
}
template <class T> T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {
  return pick(mask, value, (laneOf() & ~(width - 1)) | (lane & (width - 1)));
}
template <class T> T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  unsigned lane = laneOf(), within = lane & (width - 1);
  return pick(mask, value, within >= delta ? lane - delta : lane);
}
template <class T> T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) {
  unsigned lane = laneOf(), within = lane & (width - 1);
  return pick(mask, value, within + delta < unsigned(width) ? lane + delta : lane);
}
template <class T> T __shfl_xor_sync(unsigned mask, T value, int lanes, int width = 32) {
  unsigned lane = laneOf(), other = lane ^ lanes;
  return pick(mask, value, (other & ~(width - 1)) > (lane & ~(width - 1)) ? lane : other);
}
inline void __syncwarp(unsigned mask = 0xffffffffu) { meet(mask, 0); }
inline unsigned __ballot_sync(unsigned mask, int predicate) {
  const unsigned long long *seen = meet(mask, predicate);
  unsigned result = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    if ((mask >> lane & 1) && unsigned(seen[lane]) != 0)
      result |= 1u << lane;
  return result;
}
inline int __any_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
inline int __all_sync(unsigned mask, int predicate) { return __ballot_sync(mask, predicate) == mask; }
template <class T> unsigned __match_any_sync(unsigned mask, T value) {
  const unsigned long long *seen = meet(mask, value);
  unsigned result = 0;
  for (unsigned lane = 0; lane < 32; ++lane)
    if ((mask >> lane & 1) && as<T>(seen[lane]) == value)
      result |= 1u << lane;
  return result;
}
template <class T> unsigned __match_all_sync(unsigned mask, T value, int *same) {
  unsigned peers = __match_any_sync(mask, value);
  *same = peers == mask;
  return peers == mask ? mask : 0;
}
template <class T, class F> T reduce(unsigned mask, T value, F f) {
  const unsigned long long *seen = meet(mask, value);
  bool first = true;
  T result = value;
  for (unsigned lane = 0; lane < 32; ++lane)
    if (mask >> lane & 1) {
      result = first ? as<T>(seen[lane]) : f(result, as<T>(seen[lane]));
      first = false;
    }
  return result;
}
template <class T> T __reduce_add_sync(unsigned mask, T v) {
  return T(reduce(mask, unsigned(v), [](unsigned a, unsigned b) { return a + b; }));
}
template <class T> T __reduce_min_sync(unsigned mask, T v) {
  return reduce(mask, v, [](T a, T b) { return a < b ? a : b; });
}
template <class T> T __reduce_max_sync(unsigned mask, T v) {
  return reduce(mask, v, [](T a, T b) { return a < b ? b : a; });
}
inline unsigned __reduce_and_sync(unsigned mask, unsigned v) {
  return reduce(mask, v, [](unsigned a, unsigned b) { return a & b; });
}
inline unsigned __reduce_or_sync(unsigned mask, unsigned v) {
  return reduce(mask, v, [](unsigned a, unsigned b) { return a | b; });
}
inline unsigned __reduce_xor_sync(unsigned mask, unsigned v) {
  return reduce(mask, v, [](unsigned a, unsigned b) { return a ^ b; });
}

inline Together together(unsigned size, unsigned value) {
  Thread &self = *current;
  self.value = value;
  self.tile = size;
  wait(Wait::Tile);
  return self.together;
}
inline unsigned tileOf(unsigned size, unsigned value, unsigned Together::*what) { return together(size, value).*what; }
/// Of the lanes with the same label.
inline unsigned labelled(unsigned label, unsigned value, unsigned &rank) {
  unsigned peers = __match_any_sync(0xffffffffu, label), sum = 0;
  const unsigned long long *seen = meet(peers, value);
  for (unsigned lane = 0; lane < 32; ++lane)
    if (peers >> lane & 1)
      sum += unsigned(seen[lane]);
  rank = unsigned(__builtin_popcount(peers & ((1u << laneOf()) - 1)));
  return sum;
}

inline void arriveAtCluster() { current->arrived = true; }
inline void waitForCluster() {
  if (current->arrived)
    wait(Wait::Cluster);
}

template <class T> struct Same {
  using Type = T;
};
template <class T> using Exactly = typename Same<T>::Type;
template <class T, class F> T change(T *place, F f) {
  T old = *place;
  *place = f(old);
  return old;
}
/// Sums of signed integers wrap around.
template <class T> T plus(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return T((unsigned long long)(a) + (unsigned long long)(b));
  else
    return a + b;
}
template <class T> T atomicAdd(T *p, Exactly<T> v) {
  return change(p, [=](T old) { return plus(old, v); });
}
template <class T> T atomicSub(T *p, Exactly<T> v) {
  return change(p, [=](T old) { return T((unsigned)(old) - (unsigned)(v)); });
}
template <class T> T atomicMin(T *p, Exactly<T> v) {
  return change(p, [=](T old) { return v < old ? v : old; });
}
template <class T> T atomicMax(T *p, Exactly<T> v) {
  return change(p, [=](T old) { return old < v ? v : old; });
}
template <class T> T atomicAnd(T *p, Exactly<T> v) {
  return change(p, [=](T old) { return T(old & v); });
}
template <class T> T atomicOr(T *p, Exactly<T> v) {
  return change(p, [=](T old) { return T(old | v); });
}
template <class T> T atomicXor(T *p, Exactly<T> v) {
  return change(p, [=](T old) { return T(old ^ v); });
}
template <class T> T atomicExch(T *p, Exactly<T> v) {
  return change(p, [=](T) { return v; });
}
template <class T> T atomicCAS(T *p, Exactly<T> expected, Exactly<T> v) {
  return change(p, [=](T old) { return old == expected ? v : old; });
}
inline unsigned atomicInc(unsigned *p, unsigned limit) {
  return change(p, [=](unsigned old) { return old >= limit ? 0 : old + 1; });
}

} // namespace host

#include "fuzz_math.h"
#ifdef FUZZ_TEXTURES
#include "fuzz_host_textures.h"
#endif

#undef KERNEL
#undef DEVICE
#undef CONSTANT
#undef SHARED
#undef DYNAMIC
#undef LAUNCH
#undef LAUNCH_CLUSTERS
#undef STEP
#undef CHILD
#undef CHILD_ASIDE
#undef CHILD_LAST
#undef CLUSTER_RANK
#undef CLUSTER_SIZE
#undef CLUSTER_ARRIVE
#undef CLUSTER_WAIT
#undef CLUSTER_OF
#undef TILE_SUM
#undef TILE_LEAST
#undef TILE_MOST
#undef TILE_ODD
#undef TILE_BEFORE
#undef LABELLED
#undef MAD
#define KERNEL static void
#define DEVICE static
#define CONSTANT static
#define SHARED(type, name, dimensions)                                                                                 \
  static struct {                                                                                                      \
    type value dimensions;                                                                                             \
  } name##Of[MostBlocks];                                                                                              \
  static Cleared name##Cleared[MostBlocks];                                                                            \
  auto &name = name##Of[current->rank].value;                                                                          \
  clearOnce(name##Cleared[current->rank], &name, sizeof(name))
#define DYNAMIC(type, name) type *name = (type *)dynamicShared
#define LAUNCH(kernel, grid, block, bytes, ...) launch(grid, block, [&] { kernel(__VA_ARGS__); })
#define LAUNCH_CLUSTERS(kernel, grid, block, cluster, ...) launch(grid, block, [&] { kernel(__VA_ARGS__); }, cluster)
#define STEP(kernel, grid, block, ...) ordered.push_back({gridOf(kernel, grid, block, __VA_ARGS__), {}})
#define CHILD(kernel, grid, block, ...) launching->inStream.push_back(gridOf(kernel, grid, block, __VA_ARGS__))
#define CHILD_ASIDE(kernel, grid, block, ...) launching->aside.push_back(gridOf(kernel, grid, block, __VA_ARGS__))
#define CHILD_LAST(kernel, grid, block, ...) launching->last.push_back(gridOf(kernel, grid, block, __VA_ARGS__))
#define CLUSTER_RANK current->rank
#define CLUSTER_SIZE blocks
#define CLUSTER_ARRIVE() arriveAtCluster()
#define CLUSTER_WAIT() waitForCluster()
#define CLUSTER_OF(name, index, rank) name##Of[rank].value index
#define TILE_SUM(size, v) tileOf(size, v, &Together::sum)
#define TILE_LEAST(size, v) tileOf(size, v, &Together::least)
#define TILE_MOST(size, v) tileOf(size, v, &Together::most)
#define TILE_ODD(size, v) tileOf(size, v, &Together::odd)
#define TILE_BEFORE(size, v) tileOf(size, v, &Together::before)
#define LABELLED(label, v, rank) labelled(label, v, rank)
#define MAD(a, b, c) mad(a, b, c)
