// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sizes of multidimensional arrays for <cuda/std/mdspan> (C++23, [mdspan.extents]). Only extents that
// the type does not have are kept in the object.
#ifndef HEDDLE_CUDA_STD_EXTENTS_H
#define HEDDLE_CUDA_STD_EXTENTS_H

#include <cuda/std/array>
#include <cuda/std/span>

#include <type_traits>
#include <utility>

#ifdef __CUDA__
#pragma clang force_cuda_host_device begin
#endif

namespace cuda {
namespace std {

namespace __heddle {

/// N numbers, none of which takes room if N is 0.
template <class T, size_t N> struct Numbers {
  T values_[N];
  constexpr T get(size_t i) const noexcept { return values_[i]; }
  constexpr void set(size_t i, T value) noexcept { values_[i] = value; }
};
template <class T> struct Numbers<T, 0> {
  constexpr T get(size_t) const noexcept { return 0; }
  constexpr void set(size_t, T) noexcept {}
};

template <class Index, class... From>
inline constexpr bool AreIndices = (::std::is_convertible_v<From, Index> && ...);

} // namespace __heddle

template <class Index, size_t... Extents> class extents {
  template <class, size_t...> friend class extents;
  static constexpr size_t Rank = sizeof...(Extents);
  static constexpr size_t Dynamic = (0 + ... + (Extents == dynamic_extent));
  using Dynamics = __heddle::Numbers<Index, Dynamic>;

  /// The place of dimension i among the dynamic ones.
  static constexpr size_t placeOf(size_t i) noexcept {
    const bool dynamic[] = {(Extents == dynamic_extent)..., false};
    size_t place = 0;
    for (size_t j = 0; j < i; ++j)
      place += dynamic[j];
    return place;
  }
  template <size_t... OtherExtents> static constexpr bool matches() {
    if constexpr (sizeof...(OtherExtents) != Rank)
      return false;
    else
      return ((OtherExtents == dynamic_extent || Extents == dynamic_extent ||
               OtherExtents == Extents) &&
              ...);
  }

public:
  using index_type = Index;
  using size_type = ::std::make_unsigned_t<Index>;
  using rank_type = size_t;

  static constexpr rank_type rank() noexcept { return Rank; }
  static constexpr rank_type rank_dynamic() noexcept { return Dynamic; }
  static constexpr size_t static_extent(rank_type i) noexcept {
    const size_t all[] = {Extents..., 0};
    return all[i];
  }
  constexpr index_type extent(rank_type i) const noexcept {
    size_t known = static_extent(i);
    return known != dynamic_extent ? static_cast<index_type>(known) : dynamics_.get(placeOf(i));
  }

  constexpr extents() noexcept : dynamics_{} {}

  /// All extents, or the dynamic ones.
  template <class... From,
            ::std::enable_if_t<__heddle::AreIndices<Index, From...> &&
                                   (sizeof...(From) == Rank || sizeof...(From) == Dynamic) &&
                                   sizeof...(From) != 0,
                               int> = 0>
  constexpr explicit extents(From... values) noexcept : dynamics_{} {
    const Index all[] = {static_cast<Index>(values)...};
    setFrom<sizeof...(From)>(all);
  }
  template <class From, size_t N,
            ::std::enable_if_t<(N == Rank || N == Dynamic) && N == Dynamic, int> = 0>
  constexpr extents(const array<From, N> &values) noexcept : dynamics_{} {
    setFrom<N>(values);
  }
  template <class From, size_t N,
            ::std::enable_if_t<(N == Rank || N == Dynamic) && N != Dynamic, int> = 0>
  constexpr explicit extents(const array<From, N> &values) noexcept : dynamics_{} {
    setFrom<N>(values);
  }
  template <class From, size_t N, ::std::enable_if_t<N == Rank || N == Dynamic, int> = 0>
  constexpr explicit extents(span<From, N> values) noexcept : dynamics_{} {
    setFrom<N>(values);
  }
  template <class OtherIndex, size_t... OtherExtents,
            ::std::enable_if_t<matches<OtherExtents...>(), int> = 0>
  constexpr extents(const extents<OtherIndex, OtherExtents...> &other) noexcept : dynamics_{} {
    for (size_t i = 0; i < Rank; ++i)
      if (static_extent(i) == dynamic_extent)
        dynamics_.set(placeOf(i), static_cast<Index>(other.extent(i)));
  }

  template <class OtherIndex, size_t... OtherExtents>
  friend constexpr bool operator==(const extents &a,
                                   const extents<OtherIndex, OtherExtents...> &b) noexcept {
    if (a.rank() != b.rank())
      return false;
    for (size_t i = 0; i < Rank; ++i)
      if (static_cast<size_t>(a.extent(i)) != static_cast<size_t>(b.extent(i)))
        return false;
    return true;
  }
  template <class OtherIndex, size_t... OtherExtents>
  friend constexpr bool operator!=(const extents &a,
                                   const extents<OtherIndex, OtherExtents...> &b) noexcept {
    return !(a == b);
  }

private:
  template <size_t N, class Values> constexpr void setFrom(const Values &values) noexcept {
    for (size_t i = 0; i < Rank; ++i)
      if (static_extent(i) == dynamic_extent)
        dynamics_.set(placeOf(i), static_cast<Index>(values[N == Rank ? i : placeOf(i)]));
  }

  Dynamics dynamics_;
};

namespace __heddle {

template <class Index, class> struct AllDynamic;
template <class Index, size_t... I> struct AllDynamic<Index, ::std::index_sequence<I...>> {
  using type = extents<Index, (static_cast<void>(I), dynamic_extent)...>;
};

template <class> inline constexpr bool IsExtents = false;
template <class Index, size_t... Extents>
inline constexpr bool IsExtents<extents<Index, Extents...>> = true;

/// The product of the extents of dimensions First to Last - 1.
template <class Extents>
constexpr typename Extents::index_type productOf(const Extents &sizes, size_t first, size_t last) {
  typename Extents::index_type product = 1;
  for (size_t i = first; i < last; ++i)
    product *= sizes.extent(i);
  return product;
}

template <class> using DynamicFor = ::std::integral_constant<size_t, dynamic_extent>;

} // namespace __heddle

template <class Index, size_t Rank>
using dextents = typename __heddle::AllDynamic<Index, ::std::make_index_sequence<Rank>>::type;
template <size_t Rank, class Index = size_t> using dims = dextents<Index, Rank>;

template <class... Sizes>
extents(Sizes...) -> extents<size_t, __heddle::DynamicFor<Sizes>::value...>;

} // namespace std
} // namespace cuda

#ifdef __CUDA__
#pragma clang force_cuda_host_device end
#endif

#endif
