// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The copies and moves of optional, expected and variant: trivial where their members' are, so that
// such objects are parameters of kernels and go by cudaMemcpy, deleted where their members' are, and
// else what the storage does.
//
// A storage S has a constructor from NothingYet, which holds nothing, `take(const S &)` and
// `take(S &&)`, which construct what the other holds in one that holds nothing, and
// `become(const S &)` and `become(S &&)`, which assign. SpecialMembers<S, Traits> adds one layer for
// each of the four functions; Traits says of each what it is to be.
#ifndef HEDDLE_CUDA_STD_SPECIAL_MEMBERS_H
#define HEDDLE_CUDA_STD_SPECIAL_MEMBERS_H

#include <type_traits>
#include <utility>

#ifdef __CUDA__
#pragma clang force_cuda_host_device begin
#endif

namespace cuda {
namespace std {
namespace __heddle {

template <class T> using Bare = ::std::remove_cv_t<::std::remove_reference_t<T>>;

struct NothingYet {};

enum class Member { Trivial, Own, Deleted };

constexpr Member memberKind(bool exists, bool trivial) {
  return !exists ? Member::Deleted : trivial ? Member::Trivial : Member::Own;
}

/// What the special members of something that holds one of Ts are to be.
template <class... Ts> struct MembersOf {
  static constexpr bool TrivialEnd = (::std::is_trivially_destructible_v<Ts> && ...);
  static constexpr bool Copies = (::std::is_copy_constructible_v<Ts> && ...);
  static constexpr bool Moves = (::std::is_move_constructible_v<Ts> && ...);
  static constexpr Member Copy =
      memberKind(Copies, TrivialEnd && (::std::is_trivially_copy_constructible_v<Ts> && ...));
  static constexpr Member Move =
      memberKind(Moves, TrivialEnd && (::std::is_trivially_move_constructible_v<Ts> && ...));
  static constexpr Member CopyAssign = memberKind(
      Copies && (::std::is_copy_assignable_v<Ts> && ...),
      TrivialEnd &&Copy == Member::Trivial && (::std::is_trivially_copy_assignable_v<Ts> && ...));
  static constexpr Member MoveAssign = memberKind(
      Moves && (::std::is_move_assignable_v<Ts> && ...),
      TrivialEnd &&Move == Member::Trivial && (::std::is_trivially_move_assignable_v<Ts> && ...));
  static constexpr bool NothrowMove = (::std::is_nothrow_move_constructible_v<Ts> && ...);
  static constexpr bool NothrowMoveAssign =
      NothrowMove && (::std::is_nothrow_move_assignable_v<Ts> && ...);
};

// Each layer names the other special members as defaulted, for a declaration of one hides the rest.
#define HEDDLE_LAYER(LAYER, COPY, MOVE, COPY_ASSIGN, MOVE_ASSIGN)                                  \
  using Base::Base;                                                                                \
  LAYER() = default;                                                                               \
  LAYER(const LAYER &other) = COPY;                                                                \
  LAYER(LAYER &&other) = MOVE;                                                                     \
  LAYER &operator=(const LAYER &other) = COPY_ASSIGN;                                              \
  LAYER &operator=(LAYER &&other) = MOVE_ASSIGN

template <class Base, class Traits, Member> struct CopyLayer : Base {
  HEDDLE_LAYER(CopyLayer, default, default, default, default);
};
template <class Base, class Traits> struct CopyLayer<Base, Traits, Member::Deleted> : Base {
  HEDDLE_LAYER(CopyLayer, delete, default, default, default);
};
template <class Base, class Traits> struct CopyLayer<Base, Traits, Member::Own> : Base {
  using Base::Base;
  CopyLayer() = default;
  constexpr CopyLayer(const CopyLayer &other) : Base(NothingYet()) {
    this->take(static_cast<const Base &>(other));
  }
  CopyLayer(CopyLayer &&other) = default;
  CopyLayer &operator=(const CopyLayer &other) = default;
  CopyLayer &operator=(CopyLayer &&other) = default;
};

template <class Base, class Traits, Member> struct MoveLayer : Base {
  HEDDLE_LAYER(MoveLayer, default, default, default, default);
};
template <class Base, class Traits> struct MoveLayer<Base, Traits, Member::Deleted> : Base {
  HEDDLE_LAYER(MoveLayer, default, delete, default, default);
};
template <class Base, class Traits> struct MoveLayer<Base, Traits, Member::Own> : Base {
  using Base::Base;
  MoveLayer() = default;
  MoveLayer(const MoveLayer &other) = default;
  constexpr MoveLayer(MoveLayer &&other) noexcept(Traits::NothrowMove) : Base(NothingYet()) {
    this->take(static_cast<Base &&>(other));
  }
  MoveLayer &operator=(const MoveLayer &other) = default;
  MoveLayer &operator=(MoveLayer &&other) = default;
};

template <class Base, class Traits, Member> struct CopyAssignLayer : Base {
  HEDDLE_LAYER(CopyAssignLayer, default, default, default, default);
};
template <class Base, class Traits> struct CopyAssignLayer<Base, Traits, Member::Deleted> : Base {
  HEDDLE_LAYER(CopyAssignLayer, default, default, delete, default);
};
template <class Base, class Traits> struct CopyAssignLayer<Base, Traits, Member::Own> : Base {
  using Base::Base;
  CopyAssignLayer() = default;
  CopyAssignLayer(const CopyAssignLayer &other) = default;
  CopyAssignLayer(CopyAssignLayer &&other) = default;
  constexpr CopyAssignLayer &operator=(const CopyAssignLayer &other) {
    this->become(static_cast<const Base &>(other));
    return *this;
  }
  CopyAssignLayer &operator=(CopyAssignLayer &&other) = default;
};

template <class Base, class Traits, Member> struct MoveAssignLayer : Base {
  HEDDLE_LAYER(MoveAssignLayer, default, default, default, default);
};
template <class Base, class Traits> struct MoveAssignLayer<Base, Traits, Member::Deleted> : Base {
  HEDDLE_LAYER(MoveAssignLayer, default, default, default, delete);
};
template <class Base, class Traits> struct MoveAssignLayer<Base, Traits, Member::Own> : Base {
  using Base::Base;
  MoveAssignLayer() = default;
  MoveAssignLayer(const MoveAssignLayer &other) = default;
  MoveAssignLayer(MoveAssignLayer &&other) = default;
  MoveAssignLayer &operator=(const MoveAssignLayer &other) = default;
  constexpr MoveAssignLayer &
  operator=(MoveAssignLayer &&other) noexcept(Traits::NothrowMoveAssign) {
    this->become(static_cast<Base &&>(other));
    return *this;
  }
};
#undef HEDDLE_LAYER

template <class S, class Traits> using WithCopy = CopyLayer<S, Traits, Traits::Copy>;
template <class S, class Traits>
using WithMove = MoveLayer<WithCopy<S, Traits>, Traits, Traits::Move>;
template <class S, class Traits>
using WithCopyAssign = CopyAssignLayer<WithMove<S, Traits>, Traits, Traits::CopyAssign>;
template <class S, class Traits>
using SpecialMembers = MoveAssignLayer<WithCopyAssign<S, Traits>, Traits, Traits::MoveAssign>;

} // namespace __heddle
} // namespace std
} // namespace cuda

#ifdef __CUDA__
#pragma clang force_cuda_host_device end
#endif

#endif
