// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the threads of a launch have places of their own in what they write (ProvenUse).
#include "device/launch_proof.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace heddle::device {

using Wide = __int128;
constexpr int64_t Least = INT64_MIN, Most = INT64_MAX;

/// Of a dimension of threads in this launch.
uint64_t LaunchProver::countOf(uint32_t thread) const {
  if (isPartDim(thread))
    return countOf(proof_.parts[thread - FirstPartDim]);
  return thread < 3 ? launch_.blockDim[thread] : launch_.gridDim[thread - 3];
}

uint64_t LaunchProver::countOf(const PartOfDims &part) const {
  uint64_t all = 1, divisor = divisorOf(part);
  for (uint32_t order = part.order; order; order >>= 4)
    if (__builtin_mul_overflow(all, countOf((order & 15) - 1), &all))
      all = UINT64_MAX;
  return part.isHigh ? (all - 1) / divisor + 1 : std::min(all, divisor);
}

/// At least 1.
uint64_t LaunchProver::divisorOf(const PartOfDims &part) const {
  return static_cast<uint64_t>(std::max<int64_t>(values_[part.divisor].low, 1));
}

bool LaunchProver::isPart(const PartOfDims &part) const {
  const Interval &divisor = values_[part.divisor];
  return divisor.isOne() && divisor.low >= 1 &&
         (!part.isMask || std::has_single_bit(static_cast<uint64_t>(divisor.low)));
}

/// A number that lies anywhere between its bounds.
bool LaunchProver::readValue(const ProvenDim &dim, std::vector<Dim> &dims) const {
  const Interval &value = values_[dim.count];
  if (value.isEmpty() || value.isOne())
    return true;
  unsigned zeros = std::min(value.zeros, 30u);
  int64_t step;
  uint64_t most = (static_cast<uint64_t>(value.high) - static_cast<uint64_t>(value.low)) >> zeros;
  if (most >= uint64_t(1) << 31 ||
      __builtin_mul_overflow(values_[dim.step].low, int64_t(1) << zeros, &step))
    return false;
  dims.push_back({step, most + 1, dim.thread});
  return true;
}

bool LaunchProver::readDims(const ProvenUse &use, std::vector<Dim> &dims) const {
  for (uint32_t i = 0; i < use.dims; ++i) {
    const ProvenDim &dim = proof_.dims[use.firstDim + i];
    Interval step = values_[dim.step], count = values_[dim.count];
    bool isOfThreads = dim.thread < FirstLoopDim;
    if (!step.isOne() || step.low == Least || (dim.isCounted && count.high == Most))
      return false;
    if (isPartDim(dim.thread) && !isPart(proof_.parts[dim.thread - FirstPartDim]))
      return false;
    if (dim.thread >= FirstValueDim) {
      if (!readValue(dim, dims))
        return false;
      continue;
    }
    bool isFinite = isOfThreads || dim.isCounted;
    uint64_t most = isOfThreads     ? countOf(dim.thread)
                    : dim.isCounted ? static_cast<uint64_t>(std::max<int64_t>(count.high, 1))
                                    : 0;
    if (step.low == 0 && !isOfThreads)
      continue;
    if (isFinite && most > (uint64_t(1) << 31))
      return false;
    dims.push_back({step.low, most, dim.thread});
  }
  return true;
}

/// Several bases are steps of a loop that goes over them, and maybe over more.
bool LaunchProver::readBases(const ProvenUse &use, std::vector<Dim> &dims) const {
  Wide low = 0, high = 0;
  uint64_t step = 0;
  for (uint32_t i = 0; i < use.bases; ++i) {
    const Interval &base = values_[proof_.bases[use.firstBase + i]];
    const Interval &first = values_[proof_.bases[use.firstBase]];
    if (!base.isOne())
      return use.bases == 1; // whatever it is
    Wide distance = Wide(base.low) - first.low;
    if (distance > INT32_MAX || distance < INT32_MIN)
      return false;
    step = std::gcd(step, static_cast<uint64_t>(distance < 0 ? -distance : distance));
    low = std::min(low, distance), high = std::max(high, distance);
  }
  if (step)
    dims.push_back(
        {static_cast<int64_t>(step), static_cast<uint64_t>((high - low) / step) + 1, NoProofParam});
  return true;
}

/// The whole number is there, or both of its parts.
bool LaunchProver::tellsApart(const std::vector<Dim> &dims, uint32_t thread) const {
  auto isThere = [&](uint32_t number) {
    return std::any_of(dims.begin(), dims.end(),
                       [&](const Dim &dim) { return dim.thread == number && dim.step != 0; });
  };
  auto isOtherThere = [&](PartOfDims part) {
    part.isHigh = !part.isHigh;
    return countOf(part) == 1 || std::any_of(dims.begin(), dims.end(), [&](const Dim &dim) {
             if (!isPartDim(dim.thread) || dim.step == 0)
               return false;
             const PartOfDims &other = proof_.parts[dim.thread - FirstPartDim];
             return other.order == part.order && other.isHigh == part.isHigh &&
                    divisorOf(other) == divisorOf(part);
           });
  };
  auto isOf = [&](uint32_t order) {
    while (order && (order & 15) - 1 != thread)
      order >>= 4;
    return order != 0;
  };
  return isThere(thread) || std::any_of(dims.begin(), dims.end(), [&](const Dim &dim) {
           if (!isPartDim(dim.thread) || dim.step == 0)
             return false;
           const PartOfDims &part = proof_.parts[dim.thread - FirstPartDim];
           return isOf(part.order) && isOtherThere(part);
         });
}

/// All threads that access anything have the same number there.
bool LaunchProver::isOneThread(const ProvenUse &use, uint32_t thread) const {
  for (uint32_t i = 0; i < use.limits; ++i) {
    const ProvenLimit &limit = proof_.limits[use.firstLimit + i];
    const ProvenFactor &factor = proof_.factors[limit.first];
    const Interval &most = values_[limit.limit];
    bool isOne = limit.isOne || (most.low == 1 && most.high == 1);
    if (limit.count == 1 && factor.thread == thread && values_[factor.factor].low >= 1 && isOne)
      return true;
  }
  return false;
}

/// Where all dimensions of a limit are among the first `done` ones, and go along with it: their
/// reach all together lies with the last one. A dimension counts for one limit.
void LaunchProver::applyLimits(const ProvenUse &use, std::vector<Dim> &dims, size_t done) const {
  for (uint32_t i = 0; i < use.limits; ++i) {
    const ProvenLimit &limit = proof_.limits[use.firstLimit + i];
    Interval most = values_[limit.limit];
    uint64_t sum = 0;
    int64_t times = 0; // steps by factors
    bool goAlong = !most.isEmpty() && most.high >= 1 && most.high <= INT32_MAX;
    std::vector<Dim *> parts;
    for (uint32_t f = 0; goAlong && f < limit.count; ++f) {
      const ProvenFactor &factor = proof_.factors[limit.first + f];
      Interval value = values_[factor.factor];
      if (factor.thread < ThreadDims && countOf(factor.thread) == 1)
        continue;
      auto at = std::find_if(dims.begin(), dims.begin() + ptrdiff_t(done),
                             [&](const Dim &dim) { return dim.thread == factor.thread; });
      goAlong = at != dims.begin() + ptrdiff_t(done) && value.isOne() && value.low > 0 &&
                at->step % value.low == 0 && at->step / value.low > 0 &&
                at->step / value.low <= INT32_MAX && !at->isLimited &&
                (!times || at->step / value.low == times);
      if (goAlong) {
        times = at->step / value.low;
        sum += at->reach;
        parts.push_back(&*at);
      }
    }
    uint64_t reach = static_cast<uint64_t>(times) * static_cast<uint64_t>(most.high - 1);
    if (!goAlong || parts.empty() || sum <= reach)
      continue;
    for (Dim *part : parts)
      part->reach = 0, part->isLimited = true;
    parts.back()->reach = reach;
  }
}

bool LaunchProver::areSumsRight(const ProvenUse &use) const {
  const ProvenFit *fits = proof_.fits + use.firstFit;
  return std::all_of(fits, fits + use.fits, [&](const ProvenFit &fit) {
    const Interval &value = values_[fit.node];
    int64_t least = fit.bits & ProofNotNegative ? 0 : leastOf(fit.bits & 255);
    return value.isEmpty() || (value.low >= least && value.high <= mostOf(fit.bits & 255));
  });
}

bool LaunchProver::haveOwn(const ProvenUse &use) const {
  std::vector<Dim> dims;
  if (!use.isOwn || !areSumsRight(use) || !readDims(use, dims) || !readBases(use, dims))
    return false;
  for (uint32_t thread = 0; thread < ThreadDims; ++thread)
    if (countOf(thread) > 1 && !tellsApart(dims, thread) && !isOneThread(use, thread))
      return false;
  std::erase_if(dims, [](const Dim &dim) { return dim.step == 0 || dim.count == 1; });
  for (Dim &dim : dims)
    if (dim.step < 0)
      dim.step = -dim.step, dim.thread = NoProofParam; // limits do not count
  std::ranges::sort(dims, {}, &Dim::step);
  uint64_t window = static_cast<uint64_t>(use.high - use.low);
  for (size_t i = 0; i < dims.size(); ++i) {
    Wide reach = window;
    for (size_t j = 0; j < i; ++j)
      reach += dims[j].reach;
    bool isEndless = dims[i].count == 0;
    if (dims[i].step < reach || (isEndless && i + 1 < dims.size()))
      return false;
    Wide own = isEndless ? 0 : Wide(dims[i].step) * (dims[i].count - 1);
    if (own > Most)
      return false;
    dims[i].reach = static_cast<uint64_t>(own);
    applyLimits(use, dims, i + 1);
  }
  return true;
}

/// What is written lies in another allocation than all else.
bool LaunchProver::isApart(uint32_t use) const {
  Bounds bounds = boundsAt_(pointerAt(proof_.uses[use].param));
  bool isWritten = proof_.uses[use].isWritten;
  if (!bounds.bytes ||
      (isWritten && launch_.globals && uint64_t(launch_.globals - bounds.low) < bounds.bytes))
    return false;
  for (uint32_t i = 0; i < proof_.useCount; ++i) {
    if (i == use || (!isWritten && !proof_.uses[i].isWritten))
      continue;
    Bounds other = boundsAt_(pointerAt(proof_.uses[i].param));
    if (!other.bytes || other.low == bounds.low)
      return false;
  }
  return true;
}

bool LaunchProver::isRight(uint32_t i) const {
  const ProvenUse &use = proof_.uses[i];
  return !use.isWritten || (isApart(i) && (use.isAtomic || haveOwn(use)));
}

bool LaunchProver::areRacesRight() const {
  for (uint32_t i = 0; i < proof_.useCount; ++i)
    if (!isRight(i))
      return false;
  return true;
}

std::vector<uint32_t> LaunchProver::paramsWithoutRaces() const {
  std::vector<uint32_t> params;
  if (!launch_.isAlone || !(proof_.flags & ProvesRaces))
    return params;
  for (uint32_t i = 0; i < proof_.useCount; ++i)
    if (isApart(i) && isRight(i))
      params.push_back(proof_.uses[i].param);
  return params;
}

} // namespace heddle::device
