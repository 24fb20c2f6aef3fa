// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a variant is made of (<cuda/std/variant>): a union of the first alternative and a union of
// the others, and the number of the one that it holds. What is done with the alternative goes down
// the union, comparing the number at each step: a table of functions would be pointers, which
// kernels call slowly, if the host made the object not at all.
#ifndef HEDDLE_CUDA_STD_VARIANT_STORAGE_H
#define HEDDLE_CUDA_STD_VARIANT_STORAGE_H

#include <cuda/std/cstddef>
#include <cuda/std/utility>
#include <heddle/cuda_std/special_members.h>

#include <memory>
#include <new>

#ifdef __CUDA__
#pragma clang force_cuda_host_device begin
#endif

namespace cuda {
namespace std {

inline constexpr size_t variant_npos = static_cast<size_t>(-1);

namespace __heddle {

template <size_t I> using Index = ::std::integral_constant<size_t, I>;

template <size_t I, class First, class... Others> struct NthOf : NthOf<I - 1, Others...> {};
template <class First, class... Others> struct NthOf<0, First, Others...> { using type = First; };
template <size_t I, class... Ts> using Nth = typename NthOf<I, Ts...>::type;

template <bool Trivial, class... Ts> union VariantUnion {
  constexpr VariantUnion(NothingYet) noexcept {}
};

#define HEDDLE_VARIANT_UNION                                                                       \
  char none_;                                                                                      \
  First first_;                                                                                    \
  Rest rest_;                                                                                      \
  constexpr VariantUnion(NothingYet) noexcept : none_() {}                                         \
  template <class... Arguments>                                                                    \
  constexpr VariantUnion(Index<0>, Arguments &&...arguments)                                       \
      : first_(::std::forward<Arguments>(arguments)...) {}                                         \
  template <size_t I, class... Arguments>                                                          \
  constexpr VariantUnion(Index<I>, Arguments &&...arguments)                                       \
      : rest_(Index<I - 1>(), ::std::forward<Arguments>(arguments)...) {}

template <class First, class... Others> union VariantUnion<true, First, Others...> {
  using Rest = VariantUnion<true, Others...>;
  HEDDLE_VARIANT_UNION
};
template <class First, class... Others> union VariantUnion<false, First, Others...> {
  using Rest = VariantUnion<false, Others...>;
  HEDDLE_VARIANT_UNION
  ~VariantUnion() {}
};
#undef HEDDLE_VARIANT_UNION

/// The alternative with number I of a union, which may be const or an rvalue.
template <size_t I, class Union> constexpr auto &&pick(Union &&from) {
  if constexpr (I == 0)
    return ::std::forward<Union>(from).first_;
  else
    return pick<I - 1>(::std::forward<Union>(from).rest_);
}

/// Calls f(Index<I>()) where `index` is I, one of First to Count - 1.
template <size_t First, size_t Count, class F>
constexpr decltype(auto) atIndex(size_t index, F &&f) {
  if constexpr (First + 1 < Count)
    if (index != First)
      return atIndex<First + 1, Count>(index, ::std::forward<F>(f));
  return f(Index<First>());
}

template <bool Trivial, class... Ts> struct VariantMemory {
  static constexpr size_t Count = sizeof...(Ts);
  VariantUnion<true, Ts...> union_;
  unsigned index_;
  constexpr VariantMemory(NothingYet) noexcept : union_(NothingYet()), index_(unsigned(-1)) {}
  template <size_t I, class... Arguments>
  constexpr explicit VariantMemory(Index<I> index, Arguments &&...arguments)
      : union_(index, ::std::forward<Arguments>(arguments)...), index_(I) {}
  constexpr void clear() noexcept { index_ = unsigned(-1); }
};
template <class... Ts> struct VariantMemory<false, Ts...> {
  static constexpr size_t Count = sizeof...(Ts);
  VariantUnion<false, Ts...> union_;
  unsigned index_;
  constexpr VariantMemory(NothingYet) noexcept : union_(NothingYet()), index_(unsigned(-1)) {}
  template <size_t I, class... Arguments>
  constexpr explicit VariantMemory(Index<I> index, Arguments &&...arguments)
      : union_(index, ::std::forward<Arguments>(arguments)...), index_(I) {}
  ~VariantMemory() { clear(); }
  constexpr void clear() noexcept {
    if (index_ != unsigned(-1))
      atIndex<0, Count>(index_, [this](auto at) {
        using T = Nth<decltype(at)::value, Ts...>;
        pick<decltype(at)::value>(union_).~T();
      });
    index_ = unsigned(-1);
  }
};

template <class... Ts>
struct VariantStorage : VariantMemory<(::std::is_trivially_destructible_v<Ts> && ...), Ts...> {
  using Memory = VariantMemory<(::std::is_trivially_destructible_v<Ts> && ...), Ts...>;
  using Memory::Count;
  using Memory::Memory;

  constexpr bool empty() const noexcept { return this->index_ == unsigned(-1); }
  template <size_t I> constexpr auto &get() noexcept { return pick<I>(this->union_); }
  template <size_t I> constexpr auto &get() const noexcept { return pick<I>(this->union_); }

  template <size_t I, class... Arguments> constexpr auto &construct(Arguments &&...arguments) {
    using T = Nth<I, Ts...>;
    auto &place = pick<I>(this->union_);
    ::new (static_cast<void *>(::std::addressof(place))) T(::std::forward<Arguments>(arguments)...);
    this->index_ = I;
    return place;
  }
  template <class Other> constexpr void take(Other &&other) {
    if (!other.empty())
      atIndex<0, Count>(other.index_, [&](auto at) {
        constexpr size_t I = decltype(at)::value;
        this->template construct<I>(pick<I>(::std::forward<Other>(other).union_));
      });
  }
  template <size_t I, class U> constexpr void becomeValue(U &&value) {
    if (this->index_ == I) {
      this->template get<I>() = ::std::forward<U>(value);
      return;
    }
    Nth<I, Ts...> made(::std::forward<U>(value)); // what fails, fails before the old one is gone
    this->clear();
    this->template construct<I>(::std::move(made));
  }
  template <class Other> constexpr void become(Other &&other) {
    if (other.empty())
      return this->clear();
    atIndex<0, Count>(other.index_, [&](auto at) {
      constexpr size_t I = decltype(at)::value;
      this->template becomeValue<I>(pick<I>(::std::forward<Other>(other).union_));
    });
  }
};

} // namespace __heddle
} // namespace std
} // namespace cuda

#ifdef __CUDA__
#pragma clang force_cuda_host_device end
#endif

#endif
