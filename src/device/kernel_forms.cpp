// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a trial is judged. Chunks go to the two forms in the order of the Thue-Morse sequence (0110
// 1001 ...), so that neither gets all first chunks of launches, all chunks of one worker, or the
// later ones of blocks that take longer and longer. Each chunk is one sample: its time by its
// blocks; time of the processor, not of the clock, so that other programs do not count. They do
// disturb the caches, so that the longest quarter of both series is left out; the means of the rest
// and the medians are compared, and another form must win by both, by some percent: a change for
// nothing would cost the kernel its place in the caches. A form that takes longer by half is given
// up after a few samples, and one that takes several times as long after the first, for each of
// them is lost time: a thread after the other may take thirty times as long as lanes.
#include "device/kernel_forms.h"

#include "device/device.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

namespace heddle::device {

namespace {

constexpr unsigned MostWarmUps = 2; ///< pages and caches of code that has not run yet
constexpr unsigned FewSamples = 3;  ///< that show what is hopeless
constexpr double Hopeless = 1.5;    ///< times as long
constexpr double FarTooLong = 4;    ///< times as long, pages and caches included
constexpr KernelForms::Time LongChunk = 500'000 * 16; ///< of which these are a small part
constexpr double Worthwhile = 1.04;                   ///< the least advantage of long chunks
constexpr double WorthwhileShort = 1.1;               ///< of chunks so short that the clock matters
constexpr KernelForms::Time ShortChunk = 5'000 * 16;

/// The mean of all but the longest quarter, and the median.
struct Middle {
  double mean, median;
};

template <typename Series> Middle middleOf(const Series &series) {
  auto times = series.times;
  std::sort(times.begin(), times.begin() + series.count);
  unsigned kept = series.count - series.count / 4;
  uint64_t sum = std::accumulate(times.begin(), times.begin() + kept, uint64_t(0));
  return {std::max(double(sum) / kept, 1.0), std::max(double(times[series.count / 2]), 1.0)};
}

} // namespace

bool isAligned(const KernelCode &code, const uint8_t *params) {
  for (const uint32_t *pair = code.alignedParams; pair && pair[1]; pair += 2) {
    uint64_t pointer;
    std::memcpy(&pointer, params + pair[0], sizeof(pointer));
    if (pointer & (pair[1] - 1))
      return false;
  }
  return true;
}

bool mayTakeTurns(const KernelCode &a, const KernelCode &b) {
  constexpr uint32_t Never =
      KernelMaySpin | KernelNeedsGrid | KernelNeedsCluster | KernelInOrder | KernelFibers;
  uint32_t differences = a.flags ^ b.flags;
  return !((a.flags | b.flags) & Never) && !(differences & KernelFlushDenormals) &&
         std::max(a.band, 1u) == std::max(b.band, 1u);
}

void KernelForms::askAfter(Time time) {
  askAt_.store(used_.load(std::memory_order_relaxed) + time, std::memory_order_relaxed);
}

void KernelForms::offer(const KernelInfo &candidate) {
  {
    std::lock_guard guard(mutex_);
    current_.count = other_.count = warmUps_ = 0;
    shortest_ = UINT64_MAX;
  }
  candidate_.store(&candidate, std::memory_order_release);
}

KernelForms::Turn KernelForms::next(const KernelInfo &first, const Launch &launch) {
  const KernelInfo *best = best_.load(std::memory_order_acquire);
  const KernelInfo *candidate = candidate_.load(std::memory_order_acquire);
  if (best != &first && !isAligned(*best->code, launch.params))
    return {&first};
  if (!candidate || !isAligned(*candidate->code, launch.params))
    return {best};
  uint32_t turn = turn_.fetch_add(1, std::memory_order_relaxed);
  bool isCandidate = std::popcount(turn) & 1;
  return {isCandidate ? candidate : best, true, isCandidate};
}

KernelForms::Verdict KernelForms::judge() const {
  if (current_.count < FewSamples || other_.count < FewSamples)
    return Verdict::Open;
  Middle current = middleOf(current_), other = middleOf(other_);
  if (current.mean * Hopeless < other.mean)
    return Verdict::Keep;
  if (current_.count < Samples || other_.count < Samples)
    return Verdict::Open;
  double least = shortest_ < ShortChunk ? WorthwhileShort : Worthwhile;
  bool wins = current.mean > least * other.mean && current.median > least * other.median;
  return wins ? Verdict::Change : Verdict::Keep;
}

/// Already the candidate's first chunk shows that it is hopeless.
bool KernelForms::isFarTooLong(Time time, uint64_t blocks) const {
  return current_.count > 0 && time >= LongChunk &&
         double(time) / blocks > FarTooLong * middleOf(current_).mean;
}

void KernelForms::report(const Turn &turn, Time time, uint64_t blocks, uint64_t times) {
  Time used = used_.fetch_add(time * times, std::memory_order_relaxed) + time * times;
  Time askAt = askAt_.load(std::memory_order_relaxed);
  if (used >= askAt && askAt_.compare_exchange_strong(askAt, UINT64_MAX))
    owner_.wantForm(*this);
  if (!turn.isMeasured)
    return;
  {
    std::lock_guard guard(mutex_);
    const KernelInfo *candidate = candidate_.load(std::memory_order_relaxed);
    const KernelInfo *best = best_.load(std::memory_order_relaxed);
    if (!candidate || turn.form != (turn.isCandidate ? candidate : best))
      return; // of a trial that is over
    bool isHopeless = turn.isCandidate && isFarTooLong(time, blocks);
    if (turn.isCandidate && warmUps_ < MostWarmUps && !isHopeless) {
      ++warmUps_;
      return;
    }
    Series &series = turn.isCandidate ? other_ : current_;
    if (series.count < Samples)
      series.times[series.count++] = std::max<Time>(time / blocks, 1);
    shortest_ = std::min(shortest_, time);
    Verdict verdict = isHopeless ? Verdict::Keep : judge();
    if (verdict == Verdict::Open)
      return;
    double ratio = middleOf(current_).mean / middleOf(other_).mean;
    advantage_ = verdict == Verdict::Change ? ratio : 1 / ratio;
    candidate_.store(nullptr, std::memory_order_relaxed);
    // So that the next launch knows how long its blocks take.
    candidate->blockTime.store(best->blockTime.load(std::memory_order_relaxed) / advantage_);
    if (verdict == Verdict::Change)
      best_.store(candidate, std::memory_order_release);
  }
  owner_.decided(*this);
}

} // namespace heddle::device
