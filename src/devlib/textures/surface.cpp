// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the surface functions of include/heddle/surface_functions.h call: where an element lies; and
// PTX's stores by format (sust.p). Source: CUDA C++ Programming Guide, "Surface Functions".
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

/// The channels of a surface's elements: OpenCL's numbers (ResourceFacts).
u32 channelsOf(u32 order) { return order == 0x10b0 ? 1 : order == 0x10b2 ? 2 : 4; }
u32 channelBytes(u32 type) {
  constexpr u32 Snorm8 = 0x10d0, Unorm8 = 0x10d2, Signed8 = 0x10d7, Unsigned8 = 0x10da;
  constexpr u32 Signed32 = 0x10d9, Unsigned32 = 0x10dc, Float = 0x10de;
  if (type == Snorm8 || type == Unorm8 || type == Signed8 || type == Unsigned8)
    return 1;
  return type == Signed32 || type == Unsigned32 || type == Float ? 4 : 2;
}

/// A number between `least` and `most`, from one between -1 or 0 and 1.
u32 scaled(float value, float least, float most) {
  const float v = value > 1 ? 1 : value < least ? least : value == value ? value : 0;
  return (u32)(i32)__builtin_rintf(v * most);
}

u32 clampedTo(u32 word, i32 least, i32 most) {
  const i32 value = (i32)word;
  return (u32)(value < least ? least : value > most ? most : value);
}
u32 clampedTo(u32 word, u32 most) { return word > most ? most : word; }

/// A register's word as a channel of a format: of floats, also those of numbers between 0 and 1, it
/// is one; integers are clamped to those that the channel holds.
u32 channelOf(u32 type, u32 word) {
  switch (type) {
  case 0x10d0:
    return scaled(fromBits(word), -1, 127);
  case 0x10d1:
    return scaled(fromBits(word), -1, 32767);
  case 0x10d2:
    return scaled(fromBits(word), 0, 255);
  case 0x10d3:
    return scaled(fromBits(word), 0, 65535);
  case 0x10d7:
    return clampedTo(word, -128, 127);
  case 0x10d8:
    return clampedTo(word, -32768, 32767);
  case 0x10da:
    return clampedTo(word, 255);
  case 0x10db:
    return clampedTo(word, 65535);
  case 0x10dd:
    return __builtin_bit_cast(u16, (_Float16)fromBits(word));
  default:
    return word;
  }
}

} // namespace

/// The address of the element of `bytes` bytes at byte x of a row. Null where it lies outside and
/// the boundary mode says zero (then it reads as zero and is not written); for trap an address at
/// which every access faults.
extern "C" __attribute__((nothrow)) u8 *__heddle_surface_at(u64 object, u32 bytes, i32 x, i32 y,
                                                            i32 slice, bool isLayer, u32 how) {
  constexpr u64 Nowhere = 4096 - 16;
  const auto &d = *reinterpret_cast<const SurfaceDescriptor *>(object);
  const auto mode = Boundary(how & 0xff);                // above it a GPU's geometry
  const i64 end = (i64)constant(d.rowBytes) - bytes + 1; // of where an element may begin
  const i64 rows = constant(d.rows), slices = constant(d.slices);
  i64 column = x, row = y, z = slice;
  if (mode == Boundary::Clamp) {
    column = within(column, end);
    row = within(row, rows);
    z = isLayer ? layerWithin(z, slices) : within(z, slices);
  } else if ((u64)column >= (u64)end || (u64)row >= (u64)rows || (u64)z >= (u64)slices) {
    return reinterpret_cast<u8 *>(mode == Boundary::Trap ? Nowhere : 0);
  }
  return constant(d.data) + z * (i64)constant(d.sliceBytes) + row * (i64)constant(d.rowBytes) +
         column;
}

/// The same of an element that lies inside.
extern "C" __attribute__((nothrow, pure)) const u8 *__heddle_surface_inside(u64 object, u32 x,
                                                                            u32 y, u32 slice) {
  const auto &d = *reinterpret_cast<const SurfaceDescriptor *>(object);
  return constant(d.data) + (u64)slice * (u64)constant(d.sliceBytes) +
         (u64)y * (u64)constant(d.rowBytes) + x;
}

/// The bytes of an element.
extern "C" __attribute__((nothrow, pure)) u32 __heddle_surface_element_bytes(u64 object) {
  const auto &facts = reinterpret_cast<const SurfaceDescriptor *>(object)->facts;
  return channelBytes(constant(facts.dataType)) * channelsOf(constant(facts.channelOrder));
}

/// Whether its integers are signed.
extern "C" __attribute__((nothrow, pure)) bool __heddle_surface_is_signed(u64 object) {
  const u32 type = constant(reinterpret_cast<const SurfaceDescriptor *>(object)->facts.dataType);
  return type >= 0x10d7 && type <= 0x10d9;
}

/// Stores words as the element at `to`; channels that it does not have are left out.
extern "C" __attribute__((nothrow)) void __heddle_surface_put(u64 object, u8 *to, u32 x, u32 y,
                                                              u32 z, u32 w) {
  const auto &facts = reinterpret_cast<const SurfaceDescriptor *>(object)->facts;
  const u32 type = constant(facts.dataType), channels = channelsOf(constant(facts.channelOrder));
  const u32 bytes = channelBytes(type), words[4] = {x, y, z, w};
  for (u32 c = 0; c < 4; ++c) {
    if (c >= channels)
      break;
    const u32 channel = channelOf(type, words[c]);
    if (bytes == 1)
      to[c] = (u8)channel;
    else if (bytes == 2)
      reinterpret_cast<Texel16 *>(to)[c] = (u16)channel;
    else
      reinterpret_cast<Texel32 *>(to)[c] = channel;
  }
}
