// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What it does: shared_places.h.
#include "simt/form/shared_places.h"

#include "simt/analysis/memory_space.h"
#include "simt/lower/lower_device.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::simt {

/// The numbers of an address that is `shared` plus a number for each thread.
static std::optional<ThreadTable> placesIn(const ThreadSum &sum, const Value &shared) {
  std::optional<ThreadTable> places;
  bool isShared = false;
  for (const auto &[product, table] : sum.products) {
    bool isBase = product.size() == 1 && product.front().value == &shared &&
                  all_of(table, [](int64_t times) { return times == 1; });
    if (!isBase && !product.empty())
      return std::nullopt;
    isShared |= isBase;
    if (!isBase)
      places = table;
  }
  if (isShared && !places)
    places = ThreadTable(sum.products.begin()->second.size(), 0);
  return isShared ? places : std::nullopt;
}

SharedPlaces::SharedPlaces(Function &thread, const Shapes &shapes, const Options &options)
    : registerBytes_(options.registers.bits / 8), tables_(options.blockDim) {
  Argument &shared = *thread.getArg(ParamShared);
  SmallVector<Instruction *, 16> accesses;
  if (shapes.width() < options.threads() || !options.isEnabled("promote-shared") ||
      !findPlainAccesses(shared, /*andAtomics=*/false, accesses))
    return;
  const DataLayout &layout = thread.getDataLayout();
  ThreadSums sums(tables_, shapes, layout);
  int64_t first = INT64_MAX, end = 0;
  for (Instruction *access : accesses) {
    std::optional<ThreadSum> address = sums.modular(*getLoadStorePointerOperand(access));
    std::optional<ThreadTable> places = address ? placesIn(*address, shared) : std::nullopt;
    int64_t size = layout.getTypeStoreSize(getLoadStoreType(access));
    if (!places) {
      places_.clear();
      return;
    }
    first = std::min(first, *min_element(*places));
    end = std::max(end, *max_element(*places) + size);
    places_[access] = std::move(*places);
  }
  if (end - first > 2 * int64_t(options.registers.count) * registerBytes_)
    places_.clear();
}

std::optional<unsigned> SharedPlaces::shuffled(const Instruction &access) const {
  auto found = places_.find(&access);
  if (found == places_.end())
    return std::nullopt;
  const ThreadTable &places = found->second;
  int64_t size =
      access.getDataLayout().getTypeStoreSize(getLoadStoreType(const_cast<Instruction *>(&access)));
  size_t lanes = size_t(std::max<int64_t>(1, registerBytes_ / size));
  unsigned result = 0;
  for (size_t begin = 0; begin < places.size(); begin += lanes) {
    SmallSet<int64_t, 8> from;
    for (size_t lane = begin; lane < std::min(begin + lanes, places.size()); ++lane)
      from.insert(places[lane] / registerBytes_);
    result += from.size();
  }
  return result;
}

bool SharedPlaces::isNumber(const Value &value) const {
  return !places_.empty() && value.getType()->isIntegerTy() &&
         tables_.of(const_cast<Value *>(&value));
}

} // namespace heddle::simt
