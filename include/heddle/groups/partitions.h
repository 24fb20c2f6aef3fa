// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups cut into smaller ones: by ranks, labels, and predicates. A part of cooperative_groups.h.
#ifndef HEDDLE_GROUPS_PARTITIONS_H
#define HEDDLE_GROUPS_PARTITIONS_H

namespace cooperative_groups {
namespace __v1 {

template <unsigned Size>
HEDDLE_D thread_block_tile<Size, thread_block> tiled_partition(const thread_block &block) {
  return thread_block_tile<Size, thread_block>(block);
}
template <unsigned Size, unsigned ParentSize, class GrandParent>
HEDDLE_D thread_block_tile<Size, thread_block_tile<ParentSize, GrandParent>>
tiled_partition(const thread_block_tile<ParentSize, GrandParent> &tile) {
  static_assert(Size <= ParentSize,
                "tiled_partition: the tile is larger than what it is a part of");
  return thread_block_tile<Size, thread_block_tile<ParentSize, GrandParent>>(tile);
}

/// By ranks in `g`: the last part may be smaller.
HEDDLE_D coalesced_group tiled_partition(const coalesced_group &g, unsigned size) {
  unsigned part = g.thread_rank() / size, mask = 0, at = 0;
  for (unsigned rest = g.lanes(); rest; rest &= rest - 1, at++)
    mask |= at / size == part ? rest & (0 - rest) : 0;
  return coalesced_group(mask, part, (g.size() + size - 1) / size);
}
/// The size known at run time: a power of two up to 32.
HEDDLE_D thread_group tiled_partition(const thread_group &parent, unsigned size) {
  if (parent.kind_ == details::Kind::Lanes)
    return tiled_partition(coalesced_group(parent.lanes_), size);
  unsigned lane = details::laneId();
  return thread_group(details::Kind::Lanes,
                      size >= 32 ? 0xffffffffu : ((1u << size) - 1) << (lane & ~(size - 1)));
}

namespace details {

/// What warp operations compare, of any integer.
template <class Label> HEDDLE_D unsigned matchLabel(unsigned lanes, Label label) {
  if (sizeof(Label) > sizeof(unsigned))
    return __match_any_sync(lanes, (unsigned long long)label);
  return __match_any_sync(lanes, (unsigned)label);
}

} // namespace details

/// The threads of a tile or of coalesced threads with the same label. The parts are in the order of
/// their first threads.
template <class Group, class Label>
HEDDLE_D coalesced_group labeled_partition(const Group &g, Label label) {
  unsigned part = details::matchLabel(g.lanes(), label), first = part & (0 - part);
  unsigned firsts = __ballot_sync(g.lanes(), first == 1u << details::laneId());
  return coalesced_group(part, (unsigned)__popc(firsts & (first - 1)), (unsigned)__popc(firsts));
}
/// The threads of a tile or of coalesced threads that agree.
template <class Group> HEDDLE_D coalesced_group binary_partition(const Group &g, bool p) {
  // Two votes: a block's last warp may have fewer threads than the mask.
  unsigned with = __ballot_sync(g.lanes(), p), without = __ballot_sync(g.lanes(), !p);
  return coalesced_group(p ? with : without, p, 2);
}

} // namespace __v1
using namespace __v1; // libcu++ declares it so
} // namespace cooperative_groups
#endif
