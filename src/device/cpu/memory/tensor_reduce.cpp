// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What cp.reduce.async.bulk does with an element of global memory (PTX ISA,
// "cp.reduce.async.bulk", table of operations and types). Sums of half and bfloat16 are rounded to
// nearest even and keep denormal numbers (.noftz); float has enough bits to round them once.
#include "device/cpu/memory/tensor_reduce.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <type_traits>

namespace heddle::device::cpu {

namespace {

/// bfloat16 as its bits.
struct Brain {
  uint16_t bits;
  explicit operator float() const { return std::bit_cast<float>(uint32_t(bits) << 16); }
  static Brain of(float value) {
    uint32_t word = std::bit_cast<uint32_t>(value);
    if (value != value)
      return {0x7fff};
    return {uint16_t((word + 0x7fff + (word >> 16 & 1)) >> 16)};
  }
};

template <class T> constexpr bool IsSmall = std::is_same_v<T, _Float16> || std::is_same_v<T, Brain>;

template <class T> T narrow(float value) {
  if constexpr (std::is_same_v<T, Brain>)
    return Brain::of(value);
  else
    return T(value);
}

/// The smaller of two, or the one that is a number.
template <class T> T least(T a, T b) {
  float x = float(a), y = float(b);
  return x != x ? b : y != y ? a : y < x ? b : a;
}
template <class T> T greatest(T a, T b) {
  float x = float(a), y = float(b);
  return x != x ? b : y != y ? a : x < y ? b : a;
}

template <class T> T combined(TensorAction action, T a, T b) {
  if constexpr (IsSmall<T>) {
    return action == TensorAction::Add   ? narrow<T>(float(a) + float(b))
           : action == TensorAction::Min ? least(a, b)
                                         : greatest(a, b);
  } else if constexpr (std::is_floating_point_v<T>) {
    return a + b;
  } else {
    using Bits = std::make_unsigned_t<T>;
    switch (action) {
    case TensorAction::Add:
      return T(Bits(a) + Bits(b));
    case TensorAction::Min:
      return std::min(a, b);
    case TensorAction::Max:
      return std::max(a, b);
    case TensorAction::Inc:
      return a >= b ? T(0) : T(a + 1);
    case TensorAction::Dec:
      return a == 0 || a > b ? b : T(a - 1);
    case TensorAction::And:
      return a & b;
    case TensorAction::Or:
      return a | b;
    default:
      return a ^ b;
    }
  }
}

template <class T> void reduce(TensorAction action, void *to, const void *from, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    std::atomic_ref<T> place(static_cast<T *>(to)[i]);
    T before = place.load(std::memory_order_relaxed), with = static_cast<const T *>(from)[i];
    while (!place.compare_exchange_weak(before, combined(action, before, with),
                                        std::memory_order_relaxed))
      ;
  }
}

} // namespace

bool canReduce(TensorType type, TensorAction action) {
  if (action == TensorAction::Load || action == TensorAction::Store)
    return true;
  switch (type) {
  case TensorType::UInt32:
    return true;
  case TensorType::Int32:
  case TensorType::UInt64:
    return action != TensorAction::Inc && action != TensorAction::Dec;
  case TensorType::Int64:
    return action == TensorAction::Min || action == TensorAction::Max;
  case TensorType::Float16:
  case TensorType::BFloat16:
    return action == TensorAction::Add || action == TensorAction::Min ||
           action == TensorAction::Max;
  case TensorType::Float32:
  case TensorType::Float64:
  case TensorType::Float32Flushed:
    return action == TensorAction::Add;
  default:
    return false;
  }
}

void reduceElements(TensorType type, TensorAction action, void *to, const void *from,
                    uint32_t count) {
  switch (type) {
  case TensorType::UInt32:
    return reduce<uint32_t>(action, to, from, count);
  case TensorType::Int32:
    return reduce<int32_t>(action, to, from, count);
  case TensorType::UInt64:
    return reduce<uint64_t>(action, to, from, count);
  case TensorType::Int64:
    return reduce<int64_t>(action, to, from, count);
  case TensorType::Float16:
    return reduce<_Float16>(action, to, from, count);
  case TensorType::BFloat16:
    return reduce<Brain>(action, to, from, count);
  case TensorType::Float64:
    return reduce<double>(action, to, from, count);
  default:
    return reduce<float>(action, to, from, count);
  }
}

} // namespace heddle::device::cpu
