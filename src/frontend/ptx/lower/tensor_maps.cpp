// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Changes of tensor maps by device code (PTX ISA, "tensormap.replace",
// "tensormap.cp_fenceproxy"): stores to the fields of base/abi/tensor_map.h. Nothing is checked, as in
// hardware; a copy checks what it needs.
#include "frontend/ptx/memory_modifiers.h"

#include "base/abi/tensor_map.h"

#include <cstddef>

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

/// What PTX's numbers of element types (table "Elemtype") are here, and the elements' bytes.
struct ElementType {
  TensorType type;
  unsigned bytes;
};
constexpr ElementType ElementTypes[] = {
    {TensorType::UInt8, 1},           {TensorType::UInt16, 2},   {TensorType::UInt32, 4},
    {TensorType::Int32, 4},           {TensorType::UInt64, 8},   {TensorType::Int64, 8},
    {TensorType::Float16, 2},         {TensorType::Float32, 4},  {TensorType::Float32Flushed, 4},
    {TensorType::Float64, 8},         {TensorType::BFloat16, 2}, {TensorType::TFloat32, 4},
    {TensorType::TFloat32Flushed, 4},
};

class Replacement {
public:
  explicit Replacement(Emitter &e) : e_(e) {
    e.failUnless(e.take("tile"), "expected .tile");
    field_ = e.takeOneOf({"global_address", "rank", "box_dim", "global_dim", "global_stride",
                          "element_stride", "elemtype", "interleave_layout", "swizzle_mode",
                          "fill_mode"});
    StringRef space = takeSpace(e);
    e.failUnless(e.take("b1024"), "expected .b1024");
    is64_ = e.take("b64");
    e.failUnless(is64_ != e.take("b32"), "expected .b32 or .b64");
    e.failUnless(is64_ == (field_ == "global_address" || field_ == "global_stride"),
                 "expected another type");
    map_ = e.address(0, space);
  }

  void run() {
    if (field_ == "global_address")
      store(offsetof(TensorMap, address), e_.bits(1, 64), 64);
    else if (field_ == "rank") // one less than it is
      store(offsetof(TensorMap, rank), e_.b.CreateAdd(e_.bits(1, 32), e_.number(1)), 8);
    else if (field_ == "box_dim")
      store(offsetof(TensorMap, box) + 2 * ordinal(5), e_.bits(2, 32), 16);
    else if (field_ == "global_dim")
      store(offsetof(TensorMap, last) + 4 * ordinal(5),
            e_.b.CreateSub(e_.bits(2, 32), e_.number(1)), 32);
    else if (field_ == "global_stride") // the first is that of the second dimension
      store(offsetof(TensorMap, strides) + 8 * (ordinal(4) + 1), e_.bits(2, 64), 64);
    else if (field_ == "element_stride")
      store(offsetof(TensorMap, steps) + ordinal(5), e_.bits(2, 32), 8);
    else
      setMode(uint64_t(e_.constant(1)));
  }

private:
  /// Fields whose new value is a number known at compile time.
  void setMode(uint64_t value) {
    if (field_ == "elemtype") {
      e_.failUnless(value < std::size(ElementTypes), "an element type that is not supported");
      const ElementType &type = ElementTypes[value < std::size(ElementTypes) ? value : 0];
      store(offsetof(TensorMap, type), e_.number(unsigned(type.type)), 8);
      store(offsetof(TensorMap, strides), e_.number(type.bytes, 64), 64);
    } else if (field_ == "swizzle_mode") {
      e_.failUnless(value <= 3, "a swizzle mode that is not supported");
      store(offsetof(TensorMap, swizzle), e_.number(value), 8);
    } else if (field_ == "fill_mode") {
      e_.failUnless(value <= 1, "expected 0 or 1");
      store(offsetof(TensorMap, fillsWithNan), e_.number(value), 8);
    } else {
      e_.failUnless(field_ == "interleave_layout", "expected a field");
      e_.failUnless(value == 0, "an interleaved layout is not supported");
    }
  }

  uint64_t ordinal(int64_t count) {
    int64_t number = e_.constant(1);
    e_.failUnless(number >= 0 && number < count, "expected 0 to " + Twine(count - 1));
    return uint64_t(number);
  }

  void store(uint64_t offset, Value *value, unsigned bits) {
    Value *place = e_.b.CreateConstInBoundsGEP1_64(e_.b.getInt8Ty(), map_, offset);
    e_.b.CreateAlignedStore(e_.b.CreateTrunc(value, e_.b.getIntNTy(bits)), place, Align(bits / 8));
  }

  Emitter &e_;
  StringRef field_;
  bool is64_;
  Value *map_;
};

} // namespace

/// tensormap.replace.tile.FIELD.SPACE.b1024.b32 [map], {ordinal,} value;
void lowerTensormapReplace(Emitter &e) { Replacement(e).run(); }

/// tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned
///     [to], [from], 128;
void lowerTensormapCopy(Emitter &e) {
  StringRef to = takeSpace(e), from = takeSpace(e);
  e.failUnless(to == "global" && from == "shared", "expected .global and .shared");
  e.failUnless(e.take("tensormap::generic") && e.take("release"),
               "expected .tensormap::generic.release");
  takeScope(e);
  e.failUnless(e.take("sync") && e.take("aligned"), "expected .sync.aligned");
  e.failUnless(e.constant(2) == 128, "expected 128 bytes");
  e.b.CreateMemCpy(e.address(0, to), Align(16), e.address(1, from), Align(16), 128);
  e.b.CreateFence(AtomicOrdering::Release);
}

} // namespace heddle::frontend::ptx
