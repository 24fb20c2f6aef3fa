// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions over a tile or a coalesced group (CUDA guide, "Reduce"), and the function objects. The
// operation is taken to be associative and commutative. `Atomic` is cuda::atomic or
// cuda::atomic_ref; only members that both have are called.
#ifndef HEDDLE_COOPERATIVE_GROUPS_REDUCE_H
#define HEDDLE_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

#if defined(__CUDACC__) && defined(__CUDA__)
#pragma push_macro("HEDDLE_D")
#define HEDDLE_D __device__ __forceinline__

namespace cooperative_groups {
namespace __v1 {

#define HEDDLE_OPERATION(name, expression)                                                         \
  template <class T> struct name {                                                                 \
    HEDDLE_D T operator()(T a, T b) const { return expression; }                                   \
  };
HEDDLE_OPERATION(plus, a + b)
HEDDLE_OPERATION(less, b < a ? b : a)
HEDDLE_OPERATION(greater, a < b ? b : a)
HEDDLE_OPERATION(bit_and, a &b)
HEDDLE_OPERATION(bit_or, a | b)
HEDDLE_OPERATION(bit_xor, a ^ b)
#undef HEDDLE_OPERATION

namespace details {

/// The type of results: what the operation gives for a group's values.
template <class Op, class T> struct ResultOf {
  static __device__ T value();
  static __device__ Op operation();
  using Raw = decltype(operation()(value(), value()));
  using Type = __remove_cvref(Raw);
};

/// A warp instruction for some operations on some types: reduceLanes(group, v, op, 0).
#define HEDDLE_LANES(Op, T, name)                                                                  \
  template <class Group> HEDDLE_D T reduceLanes(const Group &g, T v, const Op<T> &, int) {         \
    return (T)__nvvm_redux_sync_##name((int)v, (int)g.lanes());                                    \
  }
#define HEDDLE_LANES_BOTH(Op, name, unsignedName)                                                  \
  HEDDLE_LANES(Op, int, name)                                                                      \
  HEDDLE_LANES(Op, unsigned, unsignedName)
HEDDLE_LANES_BOTH(plus, add, add)
HEDDLE_LANES_BOTH(less, min, umin)
HEDDLE_LANES_BOTH(greater, max, umax)
HEDDLE_LANES_BOTH(bit_and, and, and)
HEDDLE_LANES_BOTH(bit_or, or, or)
HEDDLE_LANES_BOTH(bit_xor, xor, xor)
#undef HEDDLE_LANES_BOTH
#undef HEDDLE_LANES

/// The others by pairs, those that lie farthest apart first.
template <class Group, class T, class Op>
HEDDLE_D T reduceLanes(const Group &g, T v, const Op &op, long) {
  const unsigned n = g.size(), rank = g.thread_rank();
  for (unsigned by = 16; by > 0; by /= 2) {
    T other = g.shfl_down(v, by);
    if (rank + by < n)
      v = op(v, other);
  }
  return g.shfl(v, 0);
}

template <unsigned Size, class T, class Op>
HEDDLE_D T reduceTile(const WarpTile<Size> &g, T v, const Op &op) {
#pragma unroll
  for (unsigned by = Size / 2; by > 0; by /= 2)
    v = op(v, g.shfl_xor(v, by));
  return v;
}
template <unsigned Size, class T, class Op>
HEDDLE_D T reduceTile(const WideTile<Size> &g, T v, const Op &op) {
  v = reduceLanes(WholeWarp(), v, op, 0);
  T result = v;
  g.visit(v, [&](unsigned warp, const T &one) { result = warp == 0 ? one : op(result, one); });
  return result;
}
template <class T, class Op> HEDDLE_D T reduceTile(const coalesced_group &g, T v, const Op &op) {
  return reduceLanes(g, v, op, 0);
}

/// atomic = op(atomic, v), and what was there before.
template <class Atomic, class T, class Op>
HEDDLE_D T updateAtomic(Atomic &atomic, T v, const Op &op) {
  T before = atomic.load();
  while (!atomic.compare_exchange_weak(before, op(before, v)))
    ;
  return before;
}

} // namespace details

/// The result in every thread.
template <class Group, class T, class Op>
HEDDLE_D auto reduce(const Group &g, T v, Op &&op) -> typename details::ResultOf<Op, T>::Type {
  return details::reduceTile(g, typename details::ResultOf<Op, T>::Type(v), op);
}
/// One thread adds the result to `atomic`, by `op`.
template <class Group, class Atomic, class T, class Op>
HEDDLE_D void reduce_update_async(const Group &g, Atomic &atomic, T v, Op &&op) {
  auto result = reduce(g, v, op);
  if (g.thread_rank() == 0)
    details::updateAtomic(atomic, result, op);
}
/// One thread stores the result.
template <class Group, class Atomic, class T, class Op>
HEDDLE_D void reduce_store_async(const Group &g, Atomic &atomic, T v, Op &&op) {
  auto result = reduce(g, v, op);
  if (g.thread_rank() == 0)
    atomic.store(result);
}

} // namespace __v1
using namespace __v1; // libcu++ declares it so
} // namespace cooperative_groups

#undef HEDDLE_D
#pragma pop_macro("HEDDLE_D")
#endif
#endif
