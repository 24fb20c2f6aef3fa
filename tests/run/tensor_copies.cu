// RUN: %nvcc -arch=sm_90 %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiled tensor copies of all ranks and element types: loads, stores and reductions of boxes that stick out, with
// element strides and all swizzles, against plain C++.
// NVCC: -arch=sm_90
#include "tensor.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

constexpr u32 MostBoxBytes = 16 << 10;

/// The box as it lies in shared memory, goes to `out`.
__global__ void load(const __grid_constant__ CUtensorMap map, u32 rank, Coordinates c, u32 bytes, u32 room, u8 *out) {
  __shared__ alignas(1024) u8 box[MostBoxBytes];
  __shared__ u64 barrier;
  if (threadIdx.x == 0)
    initBarrier(&barrier, 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
    BY_RANK(LOAD_FORM, rank, &map, box, c, windowOf(&barrier));
    expectBytes(&barrier, bytes);
  }
  waitFor(&barrier, 0);
  for (u32 i = threadIdx.x; i < room; i += blockDim.x)
    out[i] = box[i];
}

#define REDUCTION(op)                                                                                                    \
  struct Reduce_##op {                                                                                                   \
    static __device__ void run(const CUtensorMap *map, u32 rank, const u8 *box, const Coordinates &c) {                  \
      BY_RANK(REDUCE_##op, rank, map, box, c, 0);                                                                        \
    }                                                                                                                    \
  };
#define REDUCE_FORM(op, rank, tensor)                                                                                    \
  "cp.reduce.async.bulk.tensor." rank ".global.shared::cta." op ".tile.bulk_group " tensor ", [%1];"
#define REDUCE_add(rank, tensor) REDUCE_FORM("add", rank, tensor)
#define REDUCE_min(rank, tensor) REDUCE_FORM("min", rank, tensor)
#define REDUCE_max(rank, tensor) REDUCE_FORM("max", rank, tensor)
#define REDUCE_inc(rank, tensor) REDUCE_FORM("inc", rank, tensor)
#define REDUCE_dec(rank, tensor) REDUCE_FORM("dec", rank, tensor)
#define REDUCE_and(rank, tensor) REDUCE_FORM("and", rank, tensor)
#define REDUCE_or(rank, tensor) REDUCE_FORM("or", rank, tensor)
#define REDUCE_xor(rank, tensor) REDUCE_FORM("xor", rank, tensor)
REDUCTION(add)
REDUCTION(min)
REDUCTION(max)
REDUCTION(inc)
REDUCTION(dec)
REDUCTION(and)
REDUCTION(or)
REDUCTION(xor)
struct Store {
  static __device__ void run(const CUtensorMap *map, u32 rank, const u8 *box, const Coordinates &c) {
    BY_RANK(STORE_FORM, rank, map, box, c, 0);
  }
};

/// `in` is the box as it lies in shared memory. Each block does the same.
template <class Action>
__global__ void store(const __grid_constant__ CUtensorMap map, u32 rank, Coordinates c, u32 room, const u8 *in) {
  extern __shared__ __align__(1024) u8 dynamicBox[];
  for (u32 i = threadIdx.x; i < room; i += blockDim.x)
    dynamicBox[i] = in[i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    Action::run(&map, rank, dynamicBox, c);
    asm volatile("cp.async.bulk.commit_group;\n cp.async.bulk.wait_group 0;" ::: "memory");
  }
}

/// Only loads begin before the tensor: an H200 refuses stores that do.
Coordinates randomPlace(Random &random, const Tensor &t, bool isLoad) {
  Coordinates c = {};
  for (u32 d = 0; d < t.rank; ++d) {
    int low = isLoad ? -int(t.box[d]) - 1 : 0, high = int(t.sizes[d]) + 2;
    c.at[d] = random.below(4) == 0 ? 0 : low + random.below(high - low);
  }
  c.at[0] = alignedCoordinate(t, c.at[0]);
  return c;
}

u64 readBits(const u8 *from, u32 bytes) {
  u64 bits = 0;
  std::memcpy(&bits, from, bytes);
  return bits;
}

/// What a load makes of an element. An H200 flushes nothing to zero then.
u64 loaded(CUtensorMapDataType type, u64 bits) {
  bool isTf32 = type == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32 || type == CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ;
  if (isTf32 && (bits & 0x7fffffff) > 0x7f800000)
    return 0x7fffe000;
  if (isTf32 && (bits & 0x7f800000) != 0x7f800000) {
    u64 low = bits & 0x1fff, up = low > 0x1000 || (low == 0x1000 && (bits & 0x2000));
    return (bits - low + (up ? 0x2000 : 0)) & 0xffffffff;
  }
  return bits;
}

void testLoad(Random &random, const Tensor &t) {
  std::vector<u8> memory(t.total());
  for (u8 &byte : memory)
    byte = u8(random.bits());
  Buffer<u8> tensor(memory), out(MostBoxBytes);
  CUtensorMap map = tiledMap(t, tensor);
  Coordinates c = randomPlace(random, t, true);
  u32 size = t.bytes();
  load<<<1, 33 + random.below(60)>>>(map, t.rank, c, t.boxElements() * size, t.room(), out);
  CUDA_OK(cudaGetLastError());
  std::vector<u8> box = out.get();
  eachElement(t, c.at, [&](u32 i, long long offset) {
    u64 got = readBits(&box[placeInShared(t, i)], size);
    if (offset < 0)
      expectTrue("fill", isFill(t, got));
    else
      expect("load", i, got, loaded(t.type, readBits(&memory[offset], size)));
  });
}

void testStore(Random &random, const Tensor &t) {
  std::vector<u8> memory(t.total()), box(MostBoxBytes);
  for (u8 &byte : memory)
    byte = u8(random.bits());
  for (u8 &byte : box)
    byte = u8(random.bits());
  Buffer<u8> tensor(memory), in(box);
  CUtensorMap map = tiledMap(t, tensor);
  Coordinates c = randomPlace(random, t, false);
  store<Store><<<1, 64, t.room()>>>(map, t.rank, c, t.room(), in);
  CUDA_OK(cudaGetLastError());
  eachElement(t, c.at, [&](u32 i, long long offset) {
    if (offset >= 0)
      std::memcpy(&memory[offset], &box[placeInShared(t, i)], t.bytes());
  });
  std::vector<u8> got = tensor.get();
  ignoreRowEnds(t, got, memory);
  expectAll("store", got, memory);
}

constexpr int Blocks = 3;

/// Several blocks reduce into one tensor of T, each with the same box.
template <class Action, class T, class Make, class Combine>
void testReduction(const char *name, Random &random, u32 rank, CUtensorMapDataType type, Make make, Combine combine) {
  Tensor t = randomTensor(random, rank, type, MostBoxBytes / 4);
  std::vector<u8> memory(t.total()), box(MostBoxBytes);
  for (std::vector<u8> *bytes : {&memory, &box})
    for (size_t at = 0; at + sizeof(T) <= bytes->size(); at += sizeof(T)) {
      T value = make();
      std::memcpy(&(*bytes)[at], &value, sizeof(T));
    }
  Buffer<u8> tensor(memory), in(box);
  CUtensorMap map = tiledMap(t, tensor);
  Coordinates c = randomPlace(random, t, false);
  store<Action><<<Blocks, 32, t.room()>>>(map, rank, c, t.room(), in);
  CUDA_OK(cudaGetLastError());
  eachElement(t, c.at, [&](u32 i, long long offset) {
    if (offset < 0)
      return;
    T value, with;
    std::memcpy(&value, &memory[offset], sizeof(T));
    std::memcpy(&with, &box[placeInShared(t, i)], sizeof(T));
    for (int block = 0; block < Blocks; ++block)
      value = combine(value, with);
    std::memcpy(&memory[offset], &value, sizeof(T));
  });
  std::vector<u8> got = tensor.get();
  ignoreRowEnds(t, got, memory);
  expectAll(name, got, memory);
}

template <class T> void testIntegers(Random &random, CUtensorMapDataType type) {
  auto make = [&] { return T(random.next() >> random.below(8 * sizeof(T))); };
  auto each = [&](u32 rank) {
    using Bits = std::make_unsigned_t<T>;
    testReduction<Reduce_min, T>("min", random, rank, type, make, [](T a, T b) { return a < b ? a : b; });
    testReduction<Reduce_max, T>("max", random, rank, type, make, [](T a, T b) { return a > b ? a : b; });
    if (type == CU_TENSOR_MAP_DATA_TYPE_INT64) // has no others
      return;
    testReduction<Reduce_add, T>("add", random, rank, type, make, [](T a, T b) { return T(Bits(a) + Bits(b)); });
    testReduction<Reduce_and, T>("and", random, rank, type, make, [](T a, T b) { return T(a & b); });
    testReduction<Reduce_or, T>("or", random, rank, type, make, [](T a, T b) { return T(a | b); });
    testReduction<Reduce_xor, T>("xor", random, rank, type, make, [](T a, T b) { return T(a ^ b); });
  };
  each(1 + random.below(5));
  each(1 + random.below(5));
}

/// Of numbers whose sums are exact, for the order of the blocks is open.
template <class T> void testFloats(Random &random, CUtensorMapDataType type) {
  auto make = [&] { return T(float(random.below(33) - 16) * 0.25f); };
  for (u32 rank = 1; rank <= 5; ++rank)
    testReduction<Reduce_add, T>("float add", random, rank, type, make, [](T a, T b) { return T(float(a) + float(b)); });
}

template <class T> void testSmallFloats(Random &random, CUtensorMapDataType type) {
  auto make = [&] { return T(float(random.below(2001) - 1000) * 0.125f); };
  testReduction<Reduce_min, T>("float min", random, 2, type, make, [](T a, T b) { return float(b) < float(a) ? b : a; });
  testReduction<Reduce_max, T>("float max", random, 3, type, make, [](T a, T b) { return float(a) < float(b) ? b : a; });
}

int main() {
  Random random(9020);
  for (int type = 0; type <= CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ; ++type)
    for (u32 rank = 1; rank <= 5; ++rank) {
      testLoad(random, randomTensor(random, rank, CUtensorMapDataType(type), MostBoxBytes));
      testStore(random, randomTensor(random, rank, CUtensorMapDataType(type), MostBoxBytes));
    }
  for (int i = 0; i < 40; ++i)
    testLoad(random, randomTensor(random, 1 + random.below(5), CUtensorMapDataType(random.below(13)), MostBoxBytes));
  testIntegers<u32>(random, CU_TENSOR_MAP_DATA_TYPE_UINT32);
  testIntegers<int>(random, CU_TENSOR_MAP_DATA_TYPE_INT32);
  testIntegers<u64>(random, CU_TENSOR_MAP_DATA_TYPE_UINT64);
  testIntegers<int64_t>(random, CU_TENSOR_MAP_DATA_TYPE_INT64);
  auto few = [&] { return u32(random.below(5)); };
  testReduction<Reduce_inc, u32>("inc", random, 3, CU_TENSOR_MAP_DATA_TYPE_UINT32, few, [](u32 a, u32 b) { return a >= b ? 0 : a + 1; });
  testReduction<Reduce_dec, u32>("dec", random, 2, CU_TENSOR_MAP_DATA_TYPE_UINT32, few, [](u32 a, u32 b) { return a == 0 || a > b ? b : a - 1; });
  testFloats<float>(random, CU_TENSOR_MAP_DATA_TYPE_FLOAT32);
  testFloats<double>(random, CU_TENSOR_MAP_DATA_TYPE_FLOAT64);
  testFloats<__half>(random, CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
  testFloats<__nv_bfloat16>(random, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
  testSmallFloats<__half>(random, CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
  testSmallFloats<__nv_bfloat16>(random, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
  return finish();
}
