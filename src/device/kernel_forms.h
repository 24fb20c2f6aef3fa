// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of a kernel's compiled forms is the fastest, by measurement.
//
// A kernel can be compiled for any number of lanes. The compiler's cost model names the first form;
// others are measured against it while the program runs: as soon as one is offered, chunks of
// blocks of the kernel's launches go to one and the other, and the time of a block decides. All
// forms give the same results, so that a launch may begin in one and end in another.
//
// Who compiles the forms, and when, is the owner's matter (driver/forms/forms.h).
#pragma once

#include "base/abi/kernel_abi.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>

namespace heddle::device {

struct KernelInfo;

/// Whether the pointers among a launch's parameters are multiples of what the code counts on
/// (KernelCode::alignedParams).
bool isAligned(const KernelCode &, const uint8_t *params);

/// Whether blocks of one launch may run in either form, and measuring them harms nobody: no block
/// waits for another one, or prints, and they come in the same order.
bool mayTakeTurns(const KernelCode &, const KernelCode &);

/// The forms of one kernel, for launches of one size class. Never destroyed: launches may be on
/// their way.
class KernelForms {
public:
  /// Both are called on a worker that runs a launch, and must return soon.
  struct Owner {
    virtual void wantForm(KernelForms &) = 0; ///< as much time was used as askAfter said
    virtual void decided(KernelForms &) = 0;  ///< on what was offered last

  protected:
    ~Owner() = default;
  };

  /// The form that a chunk of blocks runs in.
  struct Turn {
    const KernelInfo *form;
    bool isMeasured = false, isCandidate = false;
  };

  /// Nanoseconds that workers have spent, or a block takes, in sixteenths.
  using Time = uint64_t;

  KernelForms(Owner &owner, const KernelInfo &first) : owner_(owner), best_(&first) {}

  const KernelInfo &best() const { return *best_.load(std::memory_order_acquire); }
  /// wantForm is called once, when the kernel has used so much more time. Not while a trial runs.
  void askAfter(Time);
  /// Begins a trial. `candidate` may take turns with the best one, and there is no other trial.
  void offer(const KernelInfo &candidate);
  /// Takes this form without a trial, as an earlier process found it.
  void take(const KernelInfo &form) { best_.store(&form, std::memory_order_release); }
  /// After decided: how many times as long as a block of the best form one of the other took.
  double advantage() const { return advantage_; }
  Time used() const { return used_.load(std::memory_order_relaxed); }

  /// For the next chunk of a launch that was begun in `first`.
  Turn next(const KernelInfo &first, const Launch &launch);
  /// What the chunk took, all its blocks together. It stands for so many like it.
  void report(const Turn &, Time time, uint64_t blocks, uint64_t times = 1);

private:
  static constexpr unsigned Samples = 32; ///< of each form, at most
  struct Series {
    std::array<Time, Samples> times; ///< of one block
    unsigned count = 0;
  };
  enum class Verdict { Open, Keep, Change };
  Verdict judge() const;
  bool isFarTooLong(Time time, uint64_t blocks) const;

  Owner &owner_;
  std::atomic<const KernelInfo *> best_, candidate_{nullptr};
  std::atomic<uint32_t> turn_{0};
  std::atomic<Time> used_{0}, askAt_{UINT64_MAX};
  double advantage_ = 1;
  std::mutex mutex_; ///< guards what follows
  Series current_, other_;
  unsigned warmUps_ = 0; ///< of the candidate, not counted
  Time shortest_ = 0;    ///< chunk that was measured
};

} // namespace heddle::device
