// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which sums go through a slice together (register_block_sums.cpp), and in which order their
// products come.
//
// A vector of a structure's members is several registers wide. Where few such sums would fit at a
// time, each is cut, so that a group is some registers' width of several sums: 4 sums by 3
// registers load 7 factors for 12 products, one sum of 8 registers loads 9 for 8.
//
// A group is no larger than what keeps the multipliers busy. More sums would share more factors,
// but load and store more at once where groups meet: 64 sums in groups of 16, 24 and 8 take longer
// than in groups of 12.
//
// Where the factors of a step fit beside the sums in one order only, the fewer ones kept and the
// others one by one, the products come in that order, and stay in it: with 16 registers, 12 sums
// of 3 rows and 4 columns want all four columns and a row if they come by rows, but three rows and
// a column by columns. The machine scheduler would mix both.
#include "jit/schedule/chain_groups.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/VectorUtils.h"

namespace heddle::jit {

using namespace llvm;

SmallVector<std::pair<SumChain *, unsigned>, 16> ChainGroup::inOrder() const {
  SmallVector<std::pair<SumChain *, unsigned>, 16> order;
  bool isByChains = end - first <= chains.size();
  size_t many = isByChains ? chains.size() : end - first;
  size_t few = isByChains ? end - first : chains.size();
  for (size_t i = 0; i < many; ++i)
    for (size_t j = 0; j < few; ++j)
      order.push_back({chains[isByChains ? i : j], first + unsigned(isByChains ? j : i)});
  return order;
}

namespace {

/// The factor that is no broadcast.
Value *wideFactor(const SumChain &chain) {
  IntrinsicInst *product = chain.products.front();
  Value *a = product->getArgOperand(0), *b = product->getArgOperand(1);
  return getSplatValue(a) ? b : a;
}

bool isCuttable(const SumChain &chain, const RegisterFile &file) {
  auto *type = cast<FixedVectorType>(chain.first()->getType());
  return type->getPrimitiveSizeInBits().getFixedValue() == chain.registers * file.bits &&
         type->getNumElements() % chain.registers == 0;
}

/// Chains of so many registers in a group.
unsigned roomFor(unsigned registers, const RegisterFile &file) {
  return std::max(1u, file.room() / std::max(1u, registers));
}

/// Into how many parts to cut each of so many chains that share a factor, so that their groups
/// load the least in all.
unsigned partsOf(const SumChain &chain, unsigned chains, const RegisterFile &file) {
  unsigned registers = chain.registers, best = 1, least = ~0u;
  for (unsigned parts = 1; parts <= (isCuttable(chain, file) ? registers : 1); ++parts) {
    unsigned each = divideCeil(registers, parts);
    if ((parts - 1) * each >= registers)
      continue; // one would be empty
    unsigned groups = divideCeil(chains, roomFor(each, file));
    unsigned loads = groups * registers + parts * chains;
    if (loads < least)
      best = parts, least = loads;
  }
  return best;
}

/// Adds groups of at most `room` chains, of equal sizes, which are like `registers` else.
void addGroups(ArrayRef<SumChain *> chains, unsigned room, const ChainGroup &registers,
               SmallVectorImpl<ChainGroup> &groups) {
  unsigned parts = divideCeil(chains.size(), room), each = divideCeil(chains.size(), parts);
  for (; !chains.empty(); chains = chains.drop_front(std::min<size_t>(each, chains.size()))) {
    groups.push_back(registers);
    groups.back().chains.assign(chains.take_front(each).begin(), chains.take_front(each).end());
  }
}

/// Chains that are whole stay so, unless the order of their products matters.
void settle(ChainGroup &group, const RegisterFile &file) {
  if (!group.isCut())
    return;
  unsigned registers = group.end - group.first, chains = group.chains.size();
  unsigned sums = registers * chains;
  group.isTight = registers > 1 && isCuttable(*group.chains.front(), file) &&
                  sums + std::max(registers, chains) + 1 > file.count &&
                  sums + std::min(registers, chains) + 1 <= file.count;
  if (registers == group.chains.front()->registers && !group.isTight)
    group.first = group.end = 0;
}

} // namespace

SmallVector<ChainGroup, 8> groupChains(MutableArrayRef<SumChain> chains, const RegisterFile &file) {
  MapVector<Value *, SmallVector<SumChain *, 16>> shared;
  for (SumChain &chain : chains)
    shared[wideFactor(chain)].push_back(&chain);
  SmallVector<ChainGroup, 8> groups;
  SmallVector<SumChain *, 8> rest; // of factors that few chains share
  for (auto &[factor, sharing] : shared) {
    const SumChain &chain = *sharing.front();
    if (sharing.size() * 2 <= roomFor(chain.registers, file)) {
      rest.append(sharing.begin(), sharing.end());
      continue;
    }
    unsigned each = divideCeil(chain.registers, partsOf(chain, sharing.size(), file));
    for (unsigned first = 0; first < chain.registers; first += each)
      addGroups(sharing, roomFor(each, file), {{}, first, std::min(chain.registers, first + each)},
                groups);
  }
  if (!rest.empty())
    addGroups(rest, roomFor(rest.front()->registers, file), {}, groups);
  for (ChainGroup &group : groups)
    settle(group, file);
  return groups;
}

} // namespace heddle::jit
