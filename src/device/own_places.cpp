// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether no thread of a launch comes to where another one writes (ProvenUse). Two places meet if a sum
// makes up for the distance of their begins: of steps of threads and iterations of both. Where the steps
// of threads are the same, their numbers' difference counts, and differences of 0 are one thread.
#include "device/launch_proof.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <numeric>
#include <utility>

namespace heddle::device {

using Wide = __int128;
constexpr int64_t Most = INT64_MAX, MostStep = int64_t(1) << 50;

namespace {

/// Numbers of what joinLimited makes, and the limit.
constexpr uint32_t FirstJoinedDim = 1u << 30;
bool isOfThreads(uint32_t dim) { return dim < FirstLoopDim || dim >= FirstJoinedDim; }

Wide floorDivided(Wide a, Wide b) { return a / b - (a % b < 0); }

/// Looks for a sum of step * x between `low` and `high`, not included. The largest step comes first: only
/// few of its x leave the rest within reach.
class Distances {
public:
  /// `looks`: how many numbers have been looked at.
  Distances(Wide low, Wide high, unsigned &looks) : low_(low), high_(high), looks_(looks) {}
  /// Of two threads: the difference of their numbers.
  void addThreads(Wide step, uint64_t count) {
    if (count != 1 && step)
      terms_.push_back({step < 0 ? -step : step, -last(count), last(count), true});
  }
  /// Of one of them.
  void add(Wide step, uint64_t count) {
    if (count == 1 || !step)
      return;
    Wide size = step < 0 ? -step : step, low = step < 0 ? -last(count) : 0;
    Wide high = low + last(count);
    auto same = std::ranges::find_if(
        terms_, [&](const Term &term) { return term.step == size && !term.isOfThreads; });
    if (same != terms_.end())
      same->low += low, same->high += high;
    else
      terms_.push_back({size, low, high, false});
  }
  /// Whether there is such a sum, or it takes too long to find out. `areTold`: those do not count where all
  /// differences of threads are 0.
  bool find(bool areTold) {
    std::ranges::sort(terms_, std::greater(), &Term::step);
    rest_.assign(terms_.size() + 1, {0, 0, 0});
    for (size_t i = terms_.size(); i--;) {
      const Term &term = terms_[i];
      rest_[i] = {rest_[i + 1].low + term.step * term.low,
                  rest_[i + 1].high + term.step * term.high, gcd(rest_[i + 1].common, term.step)};
    }
    for (threadTerms_ = terms_.size(); threadTerms_ && !terms_[threadTerms_ - 1].isOfThreads;)
      --threadTerms_;
    return find(0, 0, !areTold);
  }

private:
  struct Term {
    Wide step, low, high;
    bool isOfThreads;
  };
  struct Rest { ///< of the terms from one on
    Wide low, high, common;
  };
  static constexpr unsigned MostLooks = 8192;
  static Wide last(uint64_t count) { return count ? Wide(count) - 1 : Wide(1) << 62; }
  static Wide gcd(Wide a, Wide b) {
    while (b)
      a = std::exchange(b, a % b);
    return a;
  }
  bool isInReach(Wide sum, const Rest &rest) const {
    Wide least = low_ + 1 - sum, most = high_ - 1 - sum; // of the rest
    if (!rest.common)
      return least <= 0 && most >= 0;
    return floorDivided(most, rest.common) * rest.common >= least;
  }
  bool find(size_t i, Wide sum, bool areOthers) {
    if (!areOthers && i >= threadTerms_)
      return false;
    if (i == terms_.size())
      return isInReach(sum, rest_[i]);
    const Term &term = terms_[i];
    const Rest &rest = rest_[i + 1];
    Wide least = low_ + 1 - sum - rest.high, most = high_ - 1 - sum - rest.low;
    Wide first = std::max(term.low, -floorDivided(-least, term.step));
    Wide last = std::min(term.high, floorDivided(most, term.step));
    for (Wide x = first; x <= last; ++x) {
      if (++looks_ > MostLooks)
        return true;
      Wide next = sum + term.step * x;
      bool isOther = areOthers || (term.isOfThreads && x != 0);
      if (isInReach(next, rest) && find(i + 1, next, isOther))
        return true;
    }
    return false;
  }

  Wide low_, high_;
  std::vector<Term> terms_;
  std::vector<Rest> rest_;
  size_t threadTerms_ = 0; ///< behind the last one
  unsigned &looks_;
};

} // namespace

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
bool LaunchProver::readValue(const ProvenDim &dim, Sum &sum) const {
  const Interval &value = values_[dim.count];
  if (value.isEmpty())
    return true;
  if (value.low < -MostStep || value.low > MostStep)
    return false;
  sum.start += Wide(values_[dim.step].low) * value.low;
  if (value.isOne())
    return true;
  unsigned zeros = std::min(value.zeros, 30u);
  int64_t step;
  uint64_t most = (static_cast<uint64_t>(value.high) - static_cast<uint64_t>(value.low)) >> zeros;
  if (most >= uint64_t(1) << 31 ||
      __builtin_mul_overflow(values_[dim.step].low, int64_t(1) << zeros, &step))
    return false;
  sum.dims.push_back({step, most + 1, dim.thread});
  return true;
}

bool LaunchProver::readDims(const ProvenPlace &place, Sum &sum) const {
  for (uint32_t i = 0; i < place.dims; ++i) {
    const ProvenDim &dim = proof_.dims[place.firstDim + i];
    Interval step = values_[dim.step], count = values_[dim.count];
    bool isOfThreads = dim.thread < FirstLoopDim;
    if (!step.isOne() || step.low < -MostStep || step.low > MostStep ||
        (dim.isCounted && count.high == Most))
      return false;
    if (isPartDim(dim.thread) && !isPart(proof_.parts[dim.thread - FirstPartDim]))
      return false;
    if (dim.thread >= FirstValueDim) {
      if (!readValue(dim, sum))
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
    sum.dims.push_back({step.low, most, dim.thread});
  }
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

/// Dimensions whose sum has a limit become one, that of the sum, if that tells them apart.
void LaunchProver::joinLimited(const ProvenUse &use, std::vector<Dim> &dims) const {
  for (uint32_t i = 0; i < use.limits; ++i) {
    const ProvenLimit &limit = proof_.limits[use.firstLimit + i];
    const Interval &most = values_[limit.limit];
    bool goAlong = !limit.isOne && !most.isEmpty() && most.high >= 1 && most.high <= INT32_MAX;
    std::vector<std::pair<int64_t, size_t>> parts; // factors, and of which dimensions
    for (uint32_t f = 0; goAlong && f < limit.count; ++f) {
      const ProvenFactor &factor = proof_.factors[limit.first + f];
      const Interval &value = values_[factor.factor];
      if (factor.thread < ThreadDims && countOf(factor.thread) == 1)
        continue;
      auto at = std::ranges::find(dims, factor.thread, &Dim::thread);
      goAlong = at != dims.end() && value.isOne() && value.low > 0 && at->step % value.low == 0;
      if (goAlong)
        parts.push_back({value.low, size_t(at - dims.begin())});
    }
    std::ranges::sort(parts);
    Wide reach = 0;
    int64_t times = 0, common = 0;
    for (auto [factor, at] : parts) {
      times = reach ? times : dims[at].step / factor;
      goAlong &= dims[at].step / factor == times && factor > reach;
      reach += Wide(factor) * (dims[at].count - 1);
      common = std::gcd(common, factor);
    }
    if (!goAlong || !times || reach < most.high)
      continue;
    std::vector<Dim> joined = {
        {times * common, uint64_t((most.high - 1) / common) + 1, FirstJoinedDim + i}};
    for (size_t d = 0; d < dims.size(); ++d)
      if (std::ranges::find(parts, d, &std::pair<int64_t, size_t>::second) == parts.end())
        joined.push_back(dims[d]);
    dims = std::move(joined);
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

/// Two places, by two threads that access them or the same one.
bool LaunchProver::mayMeet(const ProvenUse &use, const ProvenPlace &first,
                           const ProvenPlace &second, unsigned &looks) const {
  Sum dims, others;
  const Interval &base = values_[first.base], &otherBase = values_[second.base];
  bool areBasesKnown = base.isOne() && otherBase.isOne();
  if (!areBasesKnown || !readDims(first, dims) || !readDims(second, others))
    return true;
  bool areTold = true;
  for (uint32_t thread = 0; thread < ThreadDims; ++thread)
    areTold &= countOf(thread) <= 1 || tellsApart(dims.dims, thread) || isOneThread(use, thread);
  joinLimited(use, dims.dims);
  joinLimited(use, others.dims);
  Wide between = Wide(otherBase.low) - base.low + others.start - dims.start;
  Distances distances(first.low - second.high - between, first.high - second.low - between, looks);
  for (const Dim &dim : dims.dims) {
    auto same = std::ranges::find_if(others.dims, [&](const Dim &other) {
      return isOfThreads(dim.thread) && other.thread == dim.thread && other.step == dim.step;
    });
    if (same != others.dims.end()) {
      distances.addThreads(dim.step, dim.count);
      others.dims.erase(same);
    } else {
      distances.add(-Wide(dim.step), dim.count);
      areTold &= !isOfThreads(dim.thread) || dim.step == 0;
    }
  }
  for (const Dim &dim : others.dims) {
    distances.add(dim.step, dim.count);
    areTold &= !isOfThreads(dim.thread) || dim.step == 0;
  }
  return distances.find(areTold);
}

bool LaunchProver::haveOwn(const ProvenUse &use) const {
  if (!use.isOwn || !areSumsRight(use))
    return false;
  const ProvenPlace *places = proof_.places + use.firstPlace;
  unsigned looks = 0;
  for (uint32_t i = 0; i < use.places; ++i)
    for (uint32_t j = i; j < use.places; ++j)
      if ((places[i].isWritten || places[j].isWritten) && mayMeet(use, places[i], places[j], looks))
        return false;
  return true;
}

/// What is written lies in another allocation than all else.
bool LaunchProver::isApart(uint32_t use) const {
  Bounds bounds = boundsAt_(pointerAt(proof_.uses[use].param));
  bool isWritten = proof_.uses[use].isWritten;
  if (!bounds.bytes ||
      (isWritten && launch_.globals && uint64_t(launch_.globals - bounds.low) < bounds.bytes))
    return false;
  if (isWritten && proof_.flags & ReadsTexels && (!launch_.isSampled || launch_.isSampled(bounds)))
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
