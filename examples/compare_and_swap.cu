// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// RUN: %heddle run %s
//
// Illustrates: lecture 2, "Compare and Swap" (the most general atomic operation emulates all
// others).
//
// One loop around atomicCAS makes an atomic operation of any function of the old value. Each
// emulation is compared with the built-in operation, under contention of all threads on few
// locations.
#include "common.h"

template <class Function> __device__ unsigned emulate(unsigned *location, Function next) {
  unsigned seen = *location, assumed;
  do {
    assumed = seen;
    seen = atomicCAS(location, assumed, next(assumed));
  } while (seen != assumed); // somebody else was faster: try again with what it left
  return seen;
}

enum Operation { Add, Sub, Min, Max, Inc, Dec, And, Or, Xor, Operations };
static const char *const names[] = {"add", "sub", "min", "max", "inc", "dec", "and", "or", "xor"};

__device__ void builtIn(Operation operation, unsigned *location, unsigned value) {
  switch (operation) {
  case Add:
    atomicAdd(location, value);
    break;
  case Sub:
    atomicSub(location, value);
    break;
  case Min:
    atomicMin(location, value);
    break;
  case Max:
    atomicMax(location, value);
    break;
  case Inc:
    atomicInc(location, 1000);
    break;
  case Dec:
    atomicDec(location, 1000);
    break;
  case And:
    atomicAnd(location, value);
    break;
  case Or:
    atomicOr(location, value);
    break;
  default:
    atomicXor(location, value);
    break;
  }
}

__device__ void emulated(Operation operation, unsigned *location, unsigned value) {
  emulate(location, [=](unsigned old) -> unsigned {
    switch (operation) {
    case Add:
      return old + value;
    case Sub:
      return old - value;
    case Min:
      return old < value ? old : value;
    case Max:
      return old > value ? old : value;
    case Inc:
      return old >= 1000 ? 0 : old + 1;
    case Dec:
      return old == 0 || old > 1000 ? 1000 : old - 1;
    case And:
      return old & value;
    case Or:
      return old | value;
    default:
      return old ^ value;
    }
  });
}

__global__ void applyAll(const unsigned *values, int n, unsigned *direct, unsigned *byCas,
                         int cells) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  for (int operation = 0; operation < Operations; ++operation) {
    int cell = operation * cells + i % cells;
    builtIn(Operation(operation), &direct[cell], values[i]);
    emulated(Operation(operation), &byCas[cell], values[i]);
  }
}

/// atomicExch: the values that come back and the one that stays are the first one and all stored
/// ones.
__global__ void exchangeAll(const unsigned *values, int n, unsigned *location, unsigned *returned) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    returned[i] = emulate(location, [=](unsigned) { return values[i]; });
}

static unsigned serial(int operation, unsigned old, unsigned value) {
  switch (operation) {
  case Add:
    return old + value;
  case Sub:
    return old - value;
  case Min:
    return old < value ? old : value;
  case Max:
    return old > value ? old : value;
  case Inc:
    return old >= 1000 ? 0 : old + 1;
  case Dec:
    return old == 0 || old > 1000 ? 1000 : old - 1;
  case And:
    return old & value;
  case Or:
    return old | value;
  default:
    return old ^ value;
  }
}

static void run(int n, int cells) {
  Random random(27);
  std::vector<unsigned> values(n), start(Operations * cells);
  for (unsigned &value : values)
    value = random.next() | 0x10;
  for (unsigned &value : start)
    value = random.next();
  std::vector<unsigned> want = start;
  for (int operation = 0; operation < Operations; ++operation)
    for (int i = 0; i < n; ++i) {
      unsigned &cell = want[operation * cells + i % cells];
      cell = serial(operation, cell, values[i]);
    }
  unsigned *in = toDevice(values), *direct = toDevice(start), *byCas = toDevice(start);
  applyAll<<<(n + 95) / 96, 96>>>(in, n, direct, byCas, cells);
  std::vector<unsigned> gotDirect = toHost(direct, start.size()),
                        gotByCas = toHost(byCas, start.size());
  for (int operation = 0; operation < Operations; ++operation) {
    bool right = true;
    for (int cell = operation * cells; cell < (operation + 1) * cells; ++cell)
      right = right && gotDirect[cell] == want[cell] && gotByCas[cell] == want[cell];
    check(right, "%s, built in and by compare and swap, %d threads on %d cells", names[operation],
          n, cells);
  }

  unsigned *location = zerosOnDevice<unsigned>(1), *returned = zerosOnDevice<unsigned>(n);
  exchangeAll<<<(n + 95) / 96, 96>>>(in, n, location, returned);
  uint64_t in64 = 0, out64 = toHost(location, 1)[0];
  for (unsigned value : values)
    in64 += value;
  for (unsigned value : toHost(returned, n))
    out64 += value;
  check(in64 == out64, "exchange by compare and swap loses nothing, %d threads", n);
  for (unsigned *array : {in, direct, byCas, location, returned})
    CUDA_CHECK(cudaFree(array));
}

int main() {
  run(1, 1);
  run(100, 1);
  run(1000, 7);
  run(4001, 32);
  return exitCode();
}
