// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What memory_fuzz_test.cpp knows of memory.
#pragma once

#include "driver/api/work_test.h"

#include <array>
#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace {

using Bytes = std::vector<unsigned char>;

enum Kind { Linear, Pitched, Managed, Pinned, InStream, OfPool };
constexpr unsigned KindCount = 6;

/// One allocation.
struct Range {
  Kind kind;
  CUdeviceptr at;
  Bytes holds; ///< behind all that the stream has to do
  CUmemoryPool pool = nullptr;
};

constexpr size_t Unit = 2 << 20, Units = 6;

/// Memory to map, by the first byte of each of its units.
struct Handle {
  CUmemGenericAllocationHandle handle = 0;
  Bytes firstBytes;
};
/// What one unit of the reserved addresses shows, and the mapping that it belongs to, in units.
struct Mapped {
  std::shared_ptr<Handle> handle;
  size_t unit = 0, start = 0, units = 0;
};

struct Array {
  CUarray handle = nullptr;
  size_t pitch = 0, height = 0; ///< height 0: of one dimension
  Bytes holds;
  std::vector<CUtexObject> textures;
};

inline CUDA_MEMCPY2D boxOf(const Array &array) {
  CUDA_MEMCPY2D copy = {};
  copy.WidthInBytes = array.pitch;
  copy.Height = std::max<size_t>(array.height, 1);
  return copy;
}

struct Module {
  CUmodule handle = nullptr;
  CUfunction add = nullptr, none = nullptr;
  CUdeviceptr addend = 0;
};

constexpr const char *AddText = R"(
.version 8.0
.target sm_80
.address_size 64
.global .u32 addend;
.visible .entry add(.param .u64 bytes, .param .u32 count) {
  .reg .pred %p;
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %tid.x;
  shl.b32 %r1, %r1, 6;
  add.u32 %r1, %r1, %r2;
  ld.param.u32 %r3, [count];
  setp.ge.u32 %p, %r1, %r3;
  @%p ret;
  ld.param.u64 %rd1, [bytes];
  cvt.u64.u32 %rd2, %r1;
  add.u64 %rd1, %rd1, %rd2;
  ld.global.u32 %r4, [addend];
  ld.u8 %r5, [%rd1];
  add.u32 %r5, %r5, %r4;
  st.u8 [%rd1], %r5;
  ret;
}
)";

/// What a thread has.
class Model {
public:
  Model(CUcontext context, CUstream stream, unsigned seed)
      : context_(context), stream_(stream), random_(seed) {}

protected:
  unsigned below(size_t count) { return static_cast<unsigned>(random_() / 7 % count); }
  unsigned char next() { return static_cast<unsigned char>(below(256)); }
  Bytes noise(size_t bytes) {
    Bytes text(bytes);
    for (unsigned char &byte : text)
      byte = next();
    return text;
  }

  Range *someRange() { return ranges_.empty() ? nullptr : &ranges_[below(ranges_.size())]; }
  /// A start and a length of at least 1 within so many bytes.
  std::pair<size_t, size_t> part(size_t bytes) {
    const size_t start = below(bytes);
    return {start, 1 + below(bytes - start)};
  }

  void expectHeld(CUdeviceptr at, const Bytes &holds) {
    Bytes seen(holds.size());
    EXPECT_OK(cu.cuMemcpyDtoHAsync_v2(seen.data(), at, seen.size(), stream_));
    EXPECT_OK(cu.cuStreamSynchronize(stream_));
    EXPECT_EQ(seen, holds);
  }

  CUcontext context_;
  CUstream stream_;
  std::vector<Range> ranges_;
  std::vector<CUmemoryPool> pools_;
  std::set<CUmemoryPool> managedPools_;
  std::vector<std::shared_ptr<Handle>> handles_;
  CUdeviceptr addresses_ = 0; ///< Units units, once something is mapped
  std::array<Mapped, Units> mapped_;
  std::vector<Array> arrays_;
  std::vector<Module> modules_;

private:
  std::minstd_rand random_;
};

} // namespace
