// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One function of a mixed table: by the types of its parameters it finds the driver to call.
#pragma once

#include "driver/gpu/mixed_state.h"

#include <type_traits>

namespace heddle::driver {

/// driver.def with a type of its own for devices, which are plain numbers otherwise.
namespace shapes {
enum class CUdevice : int {};
#define HEDDLE_TWIN_None(symbol, parameters)
#define HEDDLE_TWIN_ptds(symbol, parameters) static CUresult symbol##_ptds parameters;
#define HEDDLE_TWIN_ptsz(symbol, parameters) static CUresult symbol##_ptsz parameters;
struct Shapes {
#define HEDDLE_DRIVER(group, symbol, since, twin, needs, state, parameters, arguments)             \
  static CUresult symbol parameters;                                                               \
  HEDDLE_TWIN_##twin(symbol, parameters)
#include "driver/driver.def"
};
#undef HEDDLE_TWIN_None
#undef HEDDLE_TWIN_ptds
#undef HEDDLE_TWIN_ptsz
} // namespace shapes

namespace mixed {

using ShapeDevice = shapes::CUdevice;

template <class S>
constexpr bool isHandle = std::is_pointer_v<S> && std::is_class_v<std::remove_pointer_t<S>> &&
                          !std::is_const_v<std::remove_pointer_t<S>>;
template <class S>
constexpr bool givesHandle = std::is_pointer_v<S> && isHandle<std::remove_pointer_t<S>>;

/// The parameter's type in a Table.
template <class S> struct PlainOf {
  using type = S;
};
template <> struct PlainOf<ShapeDevice> {
  using type = int;
};
template <> struct PlainOf<ShapeDevice *> {
  using type = int *;
};
template <class S> using Plain = typename PlainOf<S>::type;

template <class S> Side sideBy(Plain<S> value) {
  if constexpr (std::is_same_v<S, ShapeDevice>) {
    const Place *place = placeOf(value);
    return place ? place->side : Unknown;
  } else if constexpr (isHandle<S>) {
    return value ? sideOf(value) : Unknown;
  } else {
    return Unknown;
  }
}
template <class S> Side sideByAddress(Plain<S> value) {
  if constexpr (std::is_same_v<S, CUdeviceptr>)
    return ownsAddress(reinterpret_cast<const void *>(value)) ? Cpu : Unknown;
  else
    return Unknown;
}

template <class S> Plain<S> forSide(Plain<S> value, Side side) {
  if constexpr (std::is_same_v<S, ShapeDevice>) {
    const Place *place = placeOf(value);
    return place ? place->number : -1; // no device of either
  } else if constexpr (std::is_same_v<S, CUlibrary> || std::is_same_v<S, CUkernel> ||
                       std::is_same_v<S, CUfunction>) {
    Pair *pair = pairOf(value);
    return pair ? static_cast<S>(partOf(*pair, side)) : value;
  } else {
    return value;
  }
}

/// What the call has given.
template <class S> void takeResult(Plain<S> value, Side side) {
  if constexpr (std::is_same_v<S, ShapeDevice *>) {
    if (value)
      *value = deviceOf(side, *value);
  } else if constexpr (givesHandle<S>) {
    if (value && *value && !pairOf(*value))
      note(*value, side);
  }
}

template <auto Member, class Shape> struct Routed;
template <auto Member, class... S> struct Routed<Member, CUresult(S...)> {
  static CUresult call(Plain<S>... arguments) {
    Side side = Unknown;
    ((side = side == Unknown ? sideBy<S>(arguments) : side), ...);
    ((side = side == Unknown ? sideByAddress<S>(arguments) : side), ...);
    if (side == Unknown)
      side = currentSide();
    CUresult error = (tableOf(side).*Member)(forSide<S>(arguments, side)...);
    if (error == CUDA_SUCCESS)
      (takeResult<S>(arguments, side), ...);
    return error;
  }
};

} // namespace mixed
} // namespace heddle::driver
