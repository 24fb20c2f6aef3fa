// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the surface functions of include/heddle/surface_functions.h call: where an element lies.
// Source: CUDA C++ Programming Guide, "Surface Functions".
#include "base/abi/texture_descriptor.h"
#include "devlib/devlib.h"
#include "texture_texels.h"

using namespace heddle;
using namespace heddle::devlib;

namespace {

/// cudaSurfaceBoundaryMode.
enum class Boundary : u32 { Zero = 0, Clamp = 1, Trap = 2 };

i64 within(i64 index, i64 count) { return index < 0 ? 0 : index < count ? index : count - 1; }

/// A layer or face below 0 is the last one to clamp, as on an H200.
i64 layerWithin(i64 index, i64 count) { return (u64)index < (u64)count ? index : count - 1; }

} // namespace

/// The address of the element of `bytes` bytes at byte x of a row. Null where it lies outside and
/// the boundary mode says zero (then it reads as zero and is not written); for trap an address at
/// which every access faults.
extern "C" __attribute__((nothrow)) u8 *__heddle_surface_at(u64 object, u32 bytes, i32 x, i32 y,
                                                            i32 slice, bool isLayer, u32 mode) {
  constexpr u64 Nowhere = 4096 - 16;
  const auto &d = *reinterpret_cast<const SurfaceDescriptor *>(object);
  const i64 end = (i64)constant(d.rowBytes) - bytes + 1; // of where an element may begin
  const i64 rows = constant(d.rows), slices = constant(d.slices);
  i64 column = x, row = y, z = slice;
  if (Boundary(mode) == Boundary::Clamp) {
    column = within(column, end);
    row = within(row, rows);
    z = isLayer ? layerWithin(z, slices) : within(z, slices);
  } else if ((u64)column >= (u64)end || (u64)row >= (u64)rows || (u64)z >= (u64)slices) {
    return reinterpret_cast<u8 *>(Boundary(mode) == Boundary::Trap ? Nowhere : 0);
  }
  return constant(d.data) + z * (i64)constant(d.sliceBytes) + row * (i64)constant(d.rowBytes) +
         column;
}
