// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests of tensor copies share: random tensors and maps of them, the instructions for each
// rank, and where an element of a box lies in shared memory.
#pragma once

#include "support.h"

#include <cudaTypedefs.h>

using u8 = unsigned char;
using u16 = uint16_t;
using u32 = uint32_t;
using u64 = uint64_t;

inline void *driverFunction(const char *name) {
  void *function = nullptr;
  cudaDriverEntryPointQueryResult found;
  CUDA_OK(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &found));
  expectTrue(name, found == cudaDriverEntryPointSuccess && function);
  return function;
}

inline const u32 ElementBytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};

/// A tensor in global memory, with what its map is made of. `box` and `steps` are of a tiled map.
struct Tensor {
  CUtensorMapDataType type;
  u32 rank;
  cuuint64_t sizes[5], strides[4];
  cuuint32_t box[5], steps[5];
  CUtensorMapSwizzle swizzle;
  CUtensorMapFloatOOBfill fill;

  u32 bytes() const { return ElementBytes[type]; }
  u64 stride(u32 d) const { return d == 0 ? bytes() : strides[d - 1]; }
  u32 taken(u32 d) const { return d == 0 ? box[0] : (box[d] + steps[d] - 1) / steps[d]; }
  u64 total() const { return rank == 1 ? sizes[0] * bytes() : sizes[rank - 1] * strides[rank - 2]; }
  u32 boxElements() const {
    u32 n = 1;
    for (u32 d = 0; d < rank; ++d)
      n *= taken(d);
    return n;
  }
  /// From row to row in shared memory: with a swizzle rows fill its width, as on an H200.
  u32 pitch() const { return swizzle ? 16u << swizzle : box[0] * bytes(); }
  /// Bytes of so many rows there, in whole lines, for a swizzle moves pieces within these.
  u32 roomOf(u32 rows) const { return (rows * pitch() + 127) / 128 * 128; }
  u32 room() const { return roomOf(boxElements() / box[0]); }
};

/// Sizes whose rows do not fill their strides, boxes that stick out, all swizzles that fit.
inline Tensor randomTensor(Random &random, u32 rank, CUtensorMapDataType type, u32 mostBoxBytes) {
  Tensor t = {};
  t.type = type;
  t.rank = rank;
  u32 bytes = ElementBytes[type];
  for (u32 d = 0; d < rank; ++d)
    t.sizes[d] = d == 0 ? 1 + random.below(70) : 1 + random.below(rank > 3 ? 5 : 19);
  u64 rowBytes = (t.sizes[0] * bytes + 15) / 16 * 16 + 16 * random.below(3);
  for (u32 d = 1; d < rank; ++d) {
    t.strides[d - 1] = rowBytes;
    rowBytes = rowBytes * t.sizes[d] + 16 * random.below(2);
  }
  do {
    t.swizzle = CUtensorMapSwizzle(random.below(4));
    u32 mostPieces = t.swizzle == 0 ? 256 * bytes / 16 : 1u << t.swizzle;
    t.box[0] = 16 / bytes * (1 + random.below(mostPieces > 12 ? 12 : mostPieces));
    for (u32 d = 1; d < rank; ++d) {
      t.box[d] = 1 + random.below(rank > 3 ? 6 : 24);
      t.steps[d] = random.below(2) ? 1 : 1 + random.below(8);
    }
    t.steps[0] = 1;
  } while (t.room() > mostBoxBytes);
  bool isFloat = type >= CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
  t.fill = CUtensorMapFloatOOBfill(isFloat ? random.below(2) : 0);
  return t;
}

inline CUtensorMap tiledMap(const Tensor &t, void *address) {
  static const auto encode = PFN_cuTensorMapEncodeTiled_v12000(driverFunction("cuTensorMapEncodeTiled"));
  CUtensorMap map;
  CUresult result = encode(&map, t.type, t.rank, address, t.sizes, t.strides, t.box, t.steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                           t.swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B, t.fill);
  expect("cuTensorMapEncodeTiled", t.rank, int(result), 0);
  return map;
}

/// Where element i of a box lies in shared memory (PTX ISA, "Swizzling Modes"), written as the tables there are: pieces
/// of 16 bytes trade places within groups of 2, 4 or 8, by the number of the line of 128 bytes.
inline u32 placeInShared(const Tensor &t, u32 i) {
  static const u32 group[] = {1, 2, 4, 8};
  u32 at = i / t.box[0] * t.pitch() + i % t.box[0] * t.bytes();
  u32 piece = at / 16 % 8, line = at / 128, n = group[t.swizzle];
  u32 moved = piece / n * n + ((piece % n) ^ (line % n));
  return at / 128 * 128 + moved * 16 + at % 16;
}

/// A coordinate of the innermost dimension where pieces of 16 bytes begin; others an H200 refuses.
inline int alignedCoordinate(const Tensor &t, int at) { return at / int(16 / t.bytes()) * int(16 / t.bytes()); }

/// Stores on an H200 write pieces of 16 bytes as wholes, beyond the row's last element too: it counts as equal there.
inline void ignoreRowEnds(const Tensor &t, std::vector<u8> &got, const std::vector<u8> &want) {
  const u64 end = t.sizes[0] * t.bytes();
  u64 at[5] = {};
  for (u32 d = 0; d < t.rank;) {
    u64 row = 0;
    for (u32 outer = 1; outer < t.rank; ++outer)
      row += at[outer] * t.stride(outer);
    for (u64 byte = row + end; byte < row + (end + 15) / 16 * 16 && byte < want.size(); ++byte)
      got[byte] = want[byte];
    for (d = 1; d < t.rank && ++at[d] == t.sizes[d]; ++d)
      at[d] = 0;
  }
}

/// Calls `body(index in the box, offset in the tensor's memory or -1)` for each element of a tiled box.
template <class Body> void eachElement(const Tensor &t, const int *coordinates, Body body) {
  for (u32 i = 0, count = t.boxElements(); i < count; ++i) {
    u32 rest = i;
    long long offset = 0;
    bool isInside = true;
    for (u32 d = 0; d < t.rank; ++d) {
      long long index = coordinates[d] + (long long)(rest % t.taken(d)) * t.steps[d];
      rest /= t.taken(d);
      isInside &= index >= 0 && index < (long long)(t.sizes[d]);
      offset += index * (long long)(t.stride(d));
    }
    body(i, isInside ? offset : -1);
  }
}

/// What an element outside of the tensor is; of NaNs only that they are.
inline bool isFill(const Tensor &t, u64 bits) {
  if (t.fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
    return bits == 0;
  int mantissa = t.type == CU_TENSOR_MAP_DATA_TYPE_FLOAT16 ? 10 : t.type == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 ? 7 : t.bytes() == 4 ? 23 : 52;
  u64 exponent = (u64(1) << (t.bytes() * 8 - 1 - mantissa)) - 1;
  return (bits >> mantissa & exponent) == exponent && (bits & ((u64(1) << mantissa) - 1)) != 0;
}

struct Coordinates {
  int at[5];
};

__device__ inline u32 windowOf(const void *p) { return u32(__cvta_generic_to_shared(p)); }

__device__ inline void initBarrier(u64 *barrier, u32 count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n fence.mbarrier_init.release.cluster;" ::"r"(windowOf(barrier)), "r"(count) : "memory");
}
__device__ inline void expectBytes(u64 *barrier, u32 bytes) {
  asm volatile("{ .reg .b64 state; mbarrier.arrive.expect_tx.shared::cta.b64 state, [%0], %1; }" ::"r"(windowOf(barrier)), "r"(bytes) : "memory");
}
__device__ inline void waitFor(u64 *barrier, u32 parity) {
  asm volatile("{\n .reg .pred done;\n"
               "again_%=:\n mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
               " @!done bra again_%=;\n }" ::"r"(windowOf(barrier)), "r"(parity) : "memory");
}

#define TENSOR_1 "[%0, {%2}]"
#define TENSOR_2 "[%0, {%2, %3}]"
#define TENSOR_3 "[%0, {%2, %3, %4}]"
#define TENSOR_4 "[%0, {%2, %3, %4, %5}]"
#define TENSOR_5 "[%0, {%2, %3, %4, %5, %6}]"

/// text1 to text5 for the rank, with %0 the map, %1 the address in shared memory, %2 to %6 the coordinates, %7 `more`.
#define BY_RANK(form, rank, map, shared, c, more)                                                                        \
  switch (rank) {                                                                                                        \
  case 1: FOR_RANK(form, 1, map, shared, c, more); break;                                                                \
  case 2: FOR_RANK(form, 2, map, shared, c, more); break;                                                                \
  case 3: FOR_RANK(form, 3, map, shared, c, more); break;                                                                \
  case 4: FOR_RANK(form, 4, map, shared, c, more); break;                                                                \
  default: FOR_RANK(form, 5, map, shared, c, more);                                                                      \
  }
#define FOR_RANK(form, rank, map, shared, c, more)                                                                       \
  asm volatile(form(#rank "d", TENSOR_##rank)                                                                            \
               ::"l"(map), "r"(windowOf(shared)), "r"(c.at[0]), "r"(c.at[1]), "r"(c.at[2]), "r"(c.at[3]), "r"(c.at[4]),  \
               "r"(more)                                                                                                 \
               : "memory")
#define LOAD_FORM(rank, tensor)                                                                                          \
  "cp.async.bulk.tensor." rank ".shared::cluster.global.tile.mbarrier::complete_tx::bytes [%1], " tensor ", [%7];"
#define STORE_FORM(rank, tensor) "cp.async.bulk.tensor." rank ".global.shared::cta.tile.bulk_group " tensor ", [%1];"
