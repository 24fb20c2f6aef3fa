// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where elements of multidimensional arrays lie, for <cuda/std/mdspan> (C++23, [mdspan.layout]): by
// columns (layout_left), by rows (layout_right), or with any distances (layout_stride).
#ifndef HEDDLE_CUDA_STD_LAYOUTS_H
#define HEDDLE_CUDA_STD_LAYOUTS_H

#include <heddle/cuda_std/extents.h>

#ifdef __CUDA__
#pragma clang force_cuda_host_device begin
#endif

namespace cuda {
namespace std {

struct layout_left {
  template <class Extents> class mapping;
};
struct layout_right {
  template <class Extents> class mapping;
};
struct layout_stride {
  template <class Extents> class mapping;
};

namespace __heddle {

/// What layout_left and layout_right have in common: the distances follow from the extents.
template <class Layout, class Extents, bool FirstIsNearest> class PackedMapping {
public:
  using extents_type = Extents;
  using index_type = typename Extents::index_type;
  using size_type = typename Extents::size_type;
  using rank_type = typename Extents::rank_type;
  using layout_type = Layout;

  constexpr PackedMapping() noexcept = default;
  constexpr PackedMapping(const Extents &sizes) noexcept : sizes_(sizes) {}

  constexpr const Extents &extents() const noexcept { return sizes_; }
  constexpr index_type required_span_size() const noexcept {
    return productOf(sizes_, 0, Extents::rank());
  }
  constexpr index_type stride(rank_type i) const noexcept {
    return FirstIsNearest ? productOf(sizes_, 0, i) : productOf(sizes_, i + 1, Extents::rank());
  }

  template <class... Indices, ::std::enable_if_t<sizeof...(Indices) == Extents::rank() &&
                                                     AreIndices<index_type, Indices...>,
                                                 int> = 0>
  constexpr index_type operator()(Indices... indices) const noexcept {
    const index_type all[] = {static_cast<index_type>(indices)..., 0};
    index_type place = 0;
    for (size_t i = 0; i < Extents::rank(); ++i) {
      size_t dimension = FirstIsNearest ? Extents::rank() - 1 - i : i;
      place = place * sizes_.extent(dimension) + all[dimension];
    }
    return place;
  }

  static constexpr bool is_always_unique() noexcept { return true; }
  static constexpr bool is_always_exhaustive() noexcept { return true; }
  static constexpr bool is_always_strided() noexcept { return true; }
  static constexpr bool is_unique() noexcept { return true; }
  static constexpr bool is_exhaustive() noexcept { return true; }
  static constexpr bool is_strided() noexcept { return true; }

private:
  Extents sizes_{};
};

} // namespace __heddle

#define HEDDLE_PACKED_MAPPING(LAYOUT, FIRST_IS_NEAREST, OTHER)                                     \
  template <class Extents>                                                                         \
  class LAYOUT::mapping : public __heddle::PackedMapping<LAYOUT, Extents, FIRST_IS_NEAREST> {      \
    using Base = __heddle::PackedMapping<LAYOUT, Extents, FIRST_IS_NEAREST>;                       \
                                                                                                   \
  public:                                                                                          \
    constexpr mapping() noexcept = default;                                                        \
    constexpr mapping(const Extents &sizes) noexcept : Base(sizes) {}                              \
    template <class Others,                                                                        \
              ::std::enable_if_t<::std::is_constructible_v<Extents, Others>, int> = 0>             \
    constexpr mapping(const mapping<Others> &other) noexcept : Base(Extents(other.extents())) {}   \
    template <class Others,                                                                        \
              ::std::enable_if_t<                                                                  \
                  Extents::rank() <= 1 && ::std::is_constructible_v<Extents, Others>, int> = 0>    \
    constexpr mapping(const OTHER::mapping<Others> &other) noexcept                                \
        : Base(Extents(other.extents())) {}                                                        \
    template <class Others,                                                                        \
              ::std::enable_if_t<::std::is_constructible_v<Extents, Others>, int> = 0>             \
    constexpr explicit mapping(const layout_stride::mapping<Others> &other) noexcept               \
        : Base(Extents(other.extents())) {}                                                        \
    template <class Others>                                                                        \
    friend constexpr bool operator==(const mapping &a, const mapping<Others> &b) noexcept {        \
      return a.extents() == b.extents();                                                           \
    }                                                                                              \
    template <class Others>                                                                        \
    friend constexpr bool operator!=(const mapping &a, const mapping<Others> &b) noexcept {        \
      return !(a == b);                                                                            \
    }                                                                                              \
  };
HEDDLE_PACKED_MAPPING(layout_left, true, layout_right)
HEDDLE_PACKED_MAPPING(layout_right, false, layout_left)
#undef HEDDLE_PACKED_MAPPING

template <class Extents> class layout_stride::mapping {
public:
  using extents_type = Extents;
  using index_type = typename Extents::index_type;
  using size_type = typename Extents::size_type;
  using rank_type = typename Extents::rank_type;
  using layout_type = layout_stride;

  constexpr mapping() noexcept : mapping(layout_right::mapping<Extents>()) {}
  template <class From>
  constexpr mapping(const Extents &sizes, const array<From, Extents::rank()> &strides) noexcept
      : sizes_(sizes), strides_{} {
    setStrides([&](size_t i) { return strides[i]; });
  }
  template <class From>
  constexpr mapping(const Extents &sizes, span<From, Extents::rank()> strides) noexcept
      : sizes_(sizes), strides_{} {
    setStrides([&](size_t i) { return strides[i]; });
  }
  /// Any other layout whose elements lie at even distances.
  template <
      class Mapping,
      ::std::enable_if_t<Mapping::is_always_strided() &&
                             ::std::is_constructible_v<Extents, typename Mapping::extents_type>,
                         int> = 0>
  constexpr mapping(const Mapping &other) noexcept : sizes_(other.extents()), strides_{} {
    setStrides([&](size_t i) { return other.stride(i); });
  }

  constexpr const Extents &extents() const noexcept { return sizes_; }
  constexpr array<index_type, Extents::rank()> strides() const noexcept {
    array<index_type, Extents::rank()> all{};
    for (size_t i = 0; i < Extents::rank(); ++i)
      all[i] = strides_.get(i);
    return all;
  }
  constexpr index_type stride(rank_type i) const noexcept { return strides_.get(i); }
  constexpr index_type required_span_size() const noexcept {
    index_type size = 1;
    for (size_t i = 0; i < Extents::rank(); ++i) {
      if (sizes_.extent(i) == 0)
        return 0;
      size += (sizes_.extent(i) - 1) * strides_.get(i);
    }
    return size;
  }

  template <class... Indices, ::std::enable_if_t<sizeof...(Indices) == Extents::rank() &&
                                                     __heddle::AreIndices<index_type, Indices...>,
                                                 int> = 0>
  constexpr index_type operator()(Indices... indices) const noexcept {
    size_t i = 0;
    index_type place = 0;
    ((place += static_cast<index_type>(indices) * strides_.get(i++)), ...);
    return place;
  }

  static constexpr bool is_always_unique() noexcept { return true; }
  static constexpr bool is_always_exhaustive() noexcept { return false; }
  static constexpr bool is_always_strided() noexcept { return true; }
  static constexpr bool is_unique() noexcept { return true; }
  static constexpr bool is_strided() noexcept { return true; }
  constexpr bool is_exhaustive() const noexcept {
    return required_span_size() == __heddle::productOf(sizes_, 0, Extents::rank());
  }

  template <class Mapping>
  friend constexpr auto operator==(const mapping &a, const Mapping &b) noexcept
      -> decltype(a.extents() == b.extents() && a.stride(0) == b.stride(0)) {
    if (!(a.extents() == b.extents()))
      return false;
    for (size_t i = 0; i < Extents::rank(); ++i)
      if (a.stride(i) != static_cast<index_type>(b.stride(i)))
        return false;
    return true;
  }

private:
  template <class StrideOf> constexpr void setStrides(StrideOf strideOf) noexcept {
    for (size_t i = 0; i < Extents::rank(); ++i)
      strides_.set(i, static_cast<index_type>(strideOf(i)));
  }

  Extents sizes_;
  __heddle::Numbers<index_type, Extents::rank()> strides_;
};

} // namespace std
} // namespace cuda

#ifdef __CUDA__
#pragma clang force_cuda_host_device end
#endif

#endif
