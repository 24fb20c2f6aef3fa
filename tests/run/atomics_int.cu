// RUN: %heddle cc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every integer atomic in global and in shared memory, with contention (few cells) and without; what an atomic
// returns: the old values of one cell must form a chain.
#include "support.h"

template <class T> struct Values {
  T add, sub, least, most, conjunction, disjunction, parity, exchanged;
};

// There is no atomicAdd of long long: the unsigned one adds the same bits.
__device__ int *asAddable(int *p) { return p; }
__device__ unsigned *asAddable(unsigned *p) { return p; }
__device__ unsigned long long *asAddable(long long *p) { return reinterpret_cast<unsigned long long *>(p); }
__device__ unsigned long long *asAddable(unsigned long long *p) { return p; }

template <class T> __device__ void apply(Values<T> *v, T x) {
  atomicAdd(asAddable(&v->add), x);
  atomicMin(&v->least, x);
  atomicMax(&v->most, x);
  atomicAnd(&v->conjunction, x | T(0xff00ff));
  atomicOr(&v->disjunction, x & T(0x123456));
  atomicXor(&v->parity, x);
  atomicExch(asAddable(&v->exchanged), T(77));
  if constexpr (sizeof(T) == 4)
    atomicSub(&v->sub, x);
}

template <class T> __global__ void global(const T *in, Values<T> *cells, int count, int n) {
  int i = threadInGrid();
  if (i < n)
    apply(cells + i % count, in[i]);
}

template <class T> __global__ void shared(const T *in, Values<T> *cells, int count, int n, Values<T> first) {
  __shared__ Values<T> part[8];
  int i = threadInGrid(), t = threadInBlock();
  if (t < count)
    part[t] = first;
  __syncthreads();
  if (i < n)
    apply(part + i % count, in[i]);
  __syncthreads();
  if (t < count) {
    Values<T> p = part[t];
    atomicAdd(asAddable(&cells[t].add), p.add);
    atomicMin(&cells[t].least, p.least);
    atomicMax(&cells[t].most, p.most);
    atomicAnd(&cells[t].conjunction, p.conjunction);
    atomicOr(&cells[t].disjunction, p.disjunction);
    atomicXor(&cells[t].parity, p.parity);
    if (p.exchanged == 77)
      atomicExch(asAddable(&cells[t].exchanged), T(77));
    if constexpr (sizeof(T) == 4)
      atomicAdd(&cells[t].sub, p.sub);
  }
}

template <class T> void check(const std::string &name) {
  Random random(60);
  const int n = 1503;
  std::vector<T> in(n);
  for (T &v : in)
    v = T(random.next());
  Buffer<T> deviceIn(in);
  for (int count : {1, 3, 8}) {
    Values<T> first = {0, 0, std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest(), T(~T(0)), 0, 0, 5};
    std::vector<Values<T>> want(count, first);
    for (int i = 0; i < n; i++) {
      Values<T> &w = want[i % count];
      typedef std::make_unsigned_t<T> U;
      w.add = T(U(w.add) + U(in[i]));
      if (sizeof(T) == 4)
        w.sub = T(U(w.sub) - U(in[i]));
      w.least = std::min(w.least, in[i]), w.most = std::max(w.most, in[i]);
      w.conjunction &= in[i] | T(0xff00ff), w.disjunction |= in[i] & T(0x123456), w.parity ^= in[i];
      w.exchanged = 77;
    }
    for (int block : {128, 50}) {
      Buffer<Values<T>> cells(std::vector<Values<T>>(count, first));
      global<<<(n + block - 1) / block, block>>>(deviceIn.data, cells.data, count, n);
      checkLaunch();
      expectAll(name + " global", cells.get(), want);
      cells.put(std::vector<Values<T>>(count, first));
      shared<<<(n + block - 1) / block, block>>>(deviceIn.data, cells.data, count, n, first);
      checkLaunch();
      expectAll(name + " shared", cells.get(), want);
    }
  }
}

// The old values that n additions of 1 return are 0 ... n - 1, each once.
template <bool Shared> __global__ void tickets(int *counter, int *seen) {
  __shared__ int local;
  if (threadInBlock() == 0)
    local = 0;
  __syncthreads();
  int ticket = Shared ? atomicAdd(&local, 1) : atomicAdd(counter, 1);
  atomicAdd(&seen[ticket], 1);
}

int main() {
  check<int>("int");
  check<unsigned>("unsigned");
  check<long long>("long long");
  check<unsigned long long>("unsigned long long");
  Buffer<int> counter(1), seen(1000);
  tickets<false><<<10, 100>>>(counter, seen);
  checkLaunch();
  expectAll("tickets", seen.get(), std::vector<int>(1000, 1));
  Buffer<int> seenShared(100);
  tickets<true><<<3, 100>>>(counter, seenShared);
  checkLaunch();
  expectAll("tickets of a block", seenShared.get(), std::vector<int>(100, 3));
  return finish();
}
