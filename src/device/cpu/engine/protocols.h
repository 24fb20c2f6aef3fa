// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the engine's threads tell each other without its lock, apart from all else. `System` is what
// they run on: atomics, futexes and time of this machine (`Machine`), or a model that goes through all
// interleavings (model/model.h, protocols_test.cpp).
#pragma once

#include "device/cpu/futex.h"

#include <atomic>
#include <cstdint>

namespace heddle::device::cpu {

struct Machine {
  template <typename T> using Atomic = std::atomic<T>;

  static void futexWait(Atomic<uint32_t> &word, uint32_t value) { cpu::futexWait(word, value); }
  static void futexWake(const void *word) { cpu::futexWake(word); }

  /// How long somebody looks at a word again and again; of 0 ns: without an end.
  class Patience {
  public:
    explicit Patience(uint64_t nanoseconds)
        : end_(nanoseconds ? nowNanoseconds() + nanoseconds : 0) {}
    bool isOver() const { return end_ && nowNanoseconds() >= end_; }
    void turn() { spin_.turn(); } ///< lets others run in between
    void pause() { pauseCpu(); }  ///< stays on its processor

  private:
    uint64_t end_;
    Spin spin_;
  };
};

/// Sleeper::state.
enum SleepState : uint32_t {
  Awake,
  Dozing, ///< it still looks at its state all the time
  Asleep
};

/// Waits until who has taken the sleeper off its list wakes it. Its state is Dozing since before it
/// came onto the list. `dozeNanoseconds` 0: sleeps at once. False if it did not sleep.
template <typename System>
bool awaitWaking(typename System::template Atomic<uint32_t> &state, uint64_t dozeNanoseconds) {
  if (dozeNanoseconds) {
    typename System::Patience patience(dozeNanoseconds);
    while (state.load(std::memory_order_acquire) == Dozing && !patience.isOver())
      patience.turn();
  }
  uint32_t dozing = Dozing;
  if (!state.compare_exchange_strong(dozing, Asleep, std::memory_order_acquire))
    return false;
  while (state.load(std::memory_order_acquire) == Asleep)
    System::futexWait(state, Asleep);
  return true;
}

/// The sleeper may sleep again right after it.
template <typename System> void wake(typename System::template Atomic<uint32_t> &state) {
  if (state.exchange(Awake, std::memory_order_release) == Asleep)
    System::futexWake(&state);
}

/// In HostWait::remaining.
inline constexpr uint32_t HostSleeps = 1u << 31;

/// Waits until all that is counted in `remaining` has come.
template <typename System>
void awaitAll(typename System::template Atomic<uint32_t> &remaining, uint64_t spinNanoseconds) {
  typename System::Patience patience(spinNanoseconds);
  for (; !patience.isOver(); patience.turn())
    if (remaining.load(std::memory_order_acquire) == 0)
      return;
  for (;;) {
    uint32_t value = remaining.fetch_or(HostSleeps, std::memory_order_acq_rel);
    if ((value & ~HostSleeps) == 0)
      return;
    System::futexWait(remaining, value | HostSleeps);
  }
}

/// One of them has come. True if the word's address is to be woken; the word may be gone by then.
template <typename System> bool countDown(typename System::template Atomic<uint32_t> &remaining) {
  return remaining.fetch_sub(1, std::memory_order_acq_rel) == (HostSleeps | 1);
}

/// What Worker::nextLaunch holds but for an Op (team.cpp).
enum NextLaunch : uintptr_t { NotWaiting, Waiting, Dismissed, FirstOp };

/// Gives a worker that waits beside a launch the next one, or dismisses it. False if it does not wait.
template <typename System>
bool giveNext(typename System::template Atomic<uintptr_t> &next, uintptr_t what) {
  uintptr_t waiting = next.load(std::memory_order_relaxed);
  return waiting == Waiting &&
         next.compare_exchange_strong(waiting, what, std::memory_order_acq_rel);
}

/// The same, for a launch: the worker counts as a participant before it learns of it.
template <typename System>
bool callToLaunch(typename System::template Atomic<uint32_t> &participants,
                  typename System::template Atomic<uintptr_t> &next, uintptr_t op) {
  participants.fetch_add(1, std::memory_order_relaxed); // first: it may be gone at once
  if (giveNext<System>(next, op))
    return true;
  participants.fetch_sub(1, std::memory_order_relaxed);
  return false;
}

/// Waits beside a launch, which somebody else ends, until something is given, the time is over or
/// isEnough().
template <typename System, typename Enough>
uintptr_t awaitNext(typename System::template Atomic<uintptr_t> &next, uint64_t nanoseconds,
                    Enough &&isEnough) {
  next.store(Waiting, std::memory_order_release);
  typename System::Patience patience(nanoseconds);
  while (next.load(std::memory_order_acquire) == Waiting && !isEnough() && !patience.isOver())
    patience.pause();
  return next.exchange(NotWaiting, std::memory_order_acq_rel);
}

/// Counts as a participant of a launch that is in the list of active ones. False if the launch has no
/// blocks left, or is about to be ended: its last participant may leave it without the lock, once all
/// blocks are taken; who counts itself before that is seen by who leaves after it.
template <typename System, typename HasBlocks>
bool joinLaunch(typename System::template Atomic<uint32_t> &participants, HasBlocks &&hasBlocks) {
  if (!hasBlocks())
    return false;
  if (participants.fetch_add(1, std::memory_order_acq_rel) > 0 || hasBlocks())
    return true;
  participants.fetch_sub(1, std::memory_order_relaxed);
  return false;
}

/// True for the last one.
template <typename System>
bool leaveLaunch(typename System::template Atomic<uint32_t> &participants) {
  return participants.fetch_sub(1, std::memory_order_acq_rel) == 1;
}

} // namespace heddle::device::cpu
