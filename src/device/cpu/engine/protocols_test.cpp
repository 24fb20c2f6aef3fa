// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All interleavings of what the engine's threads do without its lock (protocols.h, grid_parts.h), and
// proof that the checker finds what it is for: protocols with one thing wrong.
#include "device/cpu/engine/protocols.h"

#include "device/cpu/model/model.h"
#include "device/cpu/schedule/grid_parts.h"

#include <gtest/gtest.h>

#include <optional>

using namespace heddle::device::cpu;
using model::Atomic;
using model::Checker;
using model::Outcome;
using model::Plain;
using model::System;

namespace {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HEDDLE_NO_FIBERS // sanitizers must be told of each switch
#endif
#endif

class Protocols : public testing::Test {
protected:
  void SetUp() override {
#ifdef HEDDLE_NO_FIBERS
    GTEST_SKIP() << "the checker's threads are fibers";
#endif
  }

  using Bodies = std::vector<Checker::Body>;

  /// All executions are right.
  void holds(const std::function<Bodies()> &setUp, const Checker::Body &check = [] {}) {
    Outcome outcome = checker.explore(setUp, check);
    EXPECT_EQ(outcome.failure, "");
    EXPECT_TRUE(outcome.isComplete) << outcome.executions;
    EXPECT_GT(outcome.executions, 10u);
  }
  /// One is not, in these words.
  void breaks(
      const std::string &how, const std::function<Bodies()> &setUp,
      const Checker::Body &check = [] {}) {
    Outcome outcome = checker.explore(setUp, check);
    EXPECT_NE(outcome.failure.find(how), std::string::npos)
        << "'" << outcome.failure << "' after " << outcome.executions;
  }
  static void require(bool condition, const char *what) {
    if (!condition)
      Checker::current().fail(what);
  }

  Checker checker;
};

// ---------------------------------------------------------------------------------------------------
// The checker.

struct Message {
  Plain<int> text;
  Atomic<int> flag;
};

TEST_F(Protocols, CheckerSeesOrdersThatAreTooWeak) {
  std::optional<Message> message;
  auto send = [&](std::memory_order store, std::memory_order load) {
    return [&, store, load] {
      message.emplace();
      return Bodies{[&, store] {
                      message->text.set(7);
                      message->flag.store(1, store);
                    },
                    [&, load] {
                      if (message->flag.load(load))
                        require(message->text.get() == 7, "old text");
                    }};
    };
  };
  Outcome good = checker.explore(send(std::memory_order_release, std::memory_order_acquire), [] {});
  EXPECT_EQ(good.failure, "");
  EXPECT_TRUE(good.isComplete);
  breaks("not told", send(std::memory_order_relaxed, std::memory_order_acquire));
  breaks("not told", send(std::memory_order_release, std::memory_order_relaxed));
}

TEST_F(Protocols, CheckerSeesStoreBuffers) {
  struct Two {
    Atomic<int> a, b;
    int sawA = 0, sawB = 0;
  };
  std::optional<Two> two;
  auto dekker = [&](std::memory_order store, std::memory_order load) {
    return [&, store, load] {
      two.emplace();
      return Bodies{[&, store, load] {
                      two->a.store(1, store);
                      two->sawB = two->b.load(load);
                    },
                    [&, store, load] {
                      two->b.store(1, store);
                      two->sawA = two->a.load(load);
                    }};
    };
  };
  auto check = [&] { require(two->sawA || two->sawB, "both were first"); };
  breaks("both were first", dekker(std::memory_order_release, std::memory_order_acquire), check);
  Outcome good =
      checker.explore(dekker(std::memory_order_seq_cst, std::memory_order_seq_cst), check);
  EXPECT_EQ(good.failure, "");
}

TEST_F(Protocols, CheckerSeesLostUpdatesAndDeadlocks) {
  std::optional<Atomic<int>> count;
  auto increment = [&] {
    int old = count->load();
    count->store(old + 1);
  };
  breaks(
      "lost",
      [&] {
        count.emplace(0);
        return Bodies{increment, increment};
      },
      [&] { require(count->last() == 2, "an update is lost"); });
  struct Locks {
    model::Mutex a, b;
  };
  std::optional<Locks> locks;
  breaks("all threads wait", [&] {
    locks.emplace();
    auto both = [&](model::Mutex Locks::*first, model::Mutex Locks::*second) {
      return [&, first, second] {
        (*locks.*first).lock();
        (*locks.*second).lock();
        (*locks.*second).unlock();
        (*locks.*first).unlock();
      };
    };
    return Bodies{both(&Locks::a, &Locks::b), both(&Locks::b, &Locks::a)};
  });
}

// ---------------------------------------------------------------------------------------------------
// Sleeping and waking.

/// One list of sleepers under a lock, and something that they wait for.
struct Sleepers {
  model::Mutex lock;
  Atomic<uint32_t> state[2];
  Plain<int> idle{0}; ///< bits: who is in the list
  Plain<int> work{0};
};

/// A worker that takes one piece of work (EngineThreads::worker, idle).
void workOnce(Sleepers &s, unsigned i, uint64_t doze) {
  s.lock.lock();
  while (s.work.get() == 0) {
    s.idle.set(s.idle.get() | 1 << i);
    s.state[i].store(Dozing, std::memory_order_relaxed);
    s.lock.unlock();
    awaitWaking<System>(s.state[i], doze);
    s.lock.lock();
  }
  s.work.set(s.work.get() - 1);
  s.lock.unlock();
}

/// Adds work and wakes one, as Engine::unlock does: behind the lock.
template <typename Wake> void addWork(Sleepers &s, Wake &&wake) {
  s.lock.lock();
  s.work.set(s.work.get() + 1);
  int idle = s.idle.get(), woken = idle & 1 ? 0 : idle & 2 ? 1 : -1;
  if (woken >= 0)
    s.idle.set(idle & ~(1 << woken));
  s.lock.unlock();
  if (woken >= 0)
    wake(s.state[woken]);
}

TEST_F(Protocols, NoWakingIsLost) {
  std::optional<Sleepers> s;
  checker.preemptions = 1;
  for (uint64_t doze : {0, 1})
    holds([&, doze] {
      s.emplace();
      return Bodies{[&, doze] { workOnce(*s, 0, doze); }, [&, doze] { workOnce(*s, 1, doze); },
                    [&] {
                      addWork(*s, wake<System>);
                      addWork(*s, wake<System>);
                    }};
    });
}

TEST_F(Protocols, ASleeperMaySleepAgainAtOnce) {
  std::optional<Sleepers> s;
  checker.preemptions = 2;
  holds([&] {
    s.emplace();
    return Bodies{[&] {
                    workOnce(*s, 0, 1);
                    workOnce(*s, 0, 0);
                  },
                  [&] { addWork(*s, wake<System>); }, [&] { addWork(*s, wake<System>); }};
  });
}

/// Who looks and then writes may write over what was written in between.
TEST_F(Protocols, AWakingThatOnlyStoresIsLost) {
  std::optional<Sleepers> s;
  breaks("all threads wait", [&] {
    s.emplace();
    auto careless = [](Atomic<uint32_t> &state) {
      bool isAsleep = state.load(std::memory_order_acquire) == Asleep;
      state.store(Awake, std::memory_order_release);
      if (isAsleep)
        System::futexWake(&state);
    };
    return Bodies{[&] { workOnce(*s, 0, 0); }, [&, careless] { addWork(*s, careless); }};
  });
}

struct Waited {
  Atomic<uint32_t> remaining;
  Plain<int> results[2];
  explicit Waited(uint32_t count) : remaining(count) {}
};

TEST_F(Protocols, AHostThreadThatWaitsIsWokenAndMayBeGone) {
  std::optional<Waited> wait;
  auto ends = [&](int i) {
    return [&, i] {
      wait->results[i].set(1);
      const void *address = &wait->remaining;
      if (countDown<System>(wait->remaining))
        System::futexWake(address);
    };
  };
  holds([&] {
    wait.emplace(2u);
    return Bodies{[&] {
                    awaitAll<System>(wait->remaining, 1);
                    require(wait->results[0].get() && wait->results[1].get(), "too early");
                    wait->remaining.retire();
                  },
                  ends(0), ends(1)};
  });
}

// ---------------------------------------------------------------------------------------------------
// Launches.

/// A launch of some blocks; two workers are in it or come to it, as in workers.cpp.
struct Launch {
  static constexpr uint64_t Blocks = 2;
  model::Mutex lock;
  Plain<bool> isActive{true};
  Atomic<uint64_t> next{0};
  Atomic<uint32_t> participants{0};
  Atomic<int> runs[Blocks];
  Atomic<int> ends{0};

  bool hasBlocks() { return next.load(std::memory_order_acquire) < Blocks; }
  void run() {
    for (uint64_t at; (at = next.fetch_add(1, std::memory_order_relaxed)) < Blocks;) {
      runs[at].fetch_add(1, std::memory_order_relaxed);
      if (ends.load(std::memory_order_relaxed))
        Checker::current().fail("a block runs in a launch that has ended");
    }
  }
  /// With the lock held. What all blocks have done must be seen.
  void end() {
    if (isActive.get())
      isActive.set(false);
    ends.fetch_add(1, std::memory_order_relaxed);
    for (auto &run : runs)
      if (run.load(std::memory_order_relaxed) != 1)
        Checker::current().fail("the launch ends before a block");
  }
  void leaveAlone() {
    bool isLast = leaveLaunch<System>(participants);
    if (!isLast)
      return;
    lock.lock();
    end();
    lock.unlock();
  }
  void leaveUnderLock() {
    lock.lock();
    if (leaveLaunch<System>(participants))
      end();
    lock.unlock();
  }
  bool join() {
    lock.lock();
    bool isIn = isActive.get() && joinLaunch<System>(participants, [&] { return hasBlocks(); });
    if (!isIn && isActive.get())
      isActive.set(false);
    lock.unlock();
    return isIn;
  }
};

TEST_F(Protocols, ALaunchEndsOnceBehindAllItsBlocks) {
  std::optional<Launch> launch;
  auto first = [&](void (Launch::*leave)()) {
    return [&, leave] {
      launch->run();
      (*launch.*leave)();
    };
  };
  auto comes = [&](void (Launch::*leave)()) {
    return [&, leave] {
      if (launch->join()) {
        launch->run();
        (*launch.*leave)();
      }
    };
  };
  for (auto a : {&Launch::leaveAlone, &Launch::leaveUnderLock})
    for (auto b : {&Launch::leaveAlone, &Launch::leaveUnderLock})
      holds(
          [&, a, b] {
            launch.emplace();
            launch->participants.store(1);
            return Bodies{first(a), comes(b)};
          },
          [&] { require(launch->ends.last() == 1, "it has not ended once"); });
}

/// Two workers of a team: one waits beside a launch, the other begins the next one.
TEST_F(Protocols, WhoWaitsBesideALaunchIsCountedBeforeItLearnsOfIt) {
  std::optional<Launch> launch;
  std::optional<Atomic<uintptr_t>> word;
  bool wasCalled = false;
  holds(
      [&] {
        launch.emplace();
        launch->participants.store(1);
        word.emplace(NotWaiting);
        wasCalled = false;
        return Bodies{[&] {
                        wasCalled = callToLaunch<System>(launch->participants, *word, FirstOp);
                        launch->run();
                        launch->leaveUnderLock();
                      },
                      [&] {
                        uintptr_t next = awaitNext<System>(*word, 1, [] { return false; });
                        require((next == FirstOp) || next == Waiting, "it got something else");
                        if (next != FirstOp)
                          return;
                        launch->run();
                        launch->leaveAlone();
                      }};
      },
      [&] {
        require(launch->ends.last() == 1, "it has not ended once");
        require(launch->participants.last() == 0, "somebody is still in it");
        require(word->last() == NotWaiting, "a launch is given and not taken");
      });
}

TEST_F(Protocols, WhoIsCountedAfterItLearnsOfALaunchComesTooLate) {
  std::optional<Launch> launch;
  std::optional<Atomic<uintptr_t>> word;
  breaks("the launch ends before a block", [&] {
    launch.emplace();
    launch->participants.store(1);
    word.emplace(NotWaiting);
    return Bodies{[&] {
                    if (giveNext<System>(*word, FirstOp))
                      launch->participants.fetch_add(1, std::memory_order_relaxed);
                    launch->run();
                    launch->leaveUnderLock();
                  },
                  [&] {
                    if (awaitNext<System>(*word, 1, [] { return false; }) != FirstOp)
                      return;
                    launch->leaveAlone();
                    if (launch->ends.last() > 1)
                      Checker::current().fail("it has ended twice");
                  }};
  });
}

TEST_F(Protocols, ADismissedWorkerGoesOn) {
  std::optional<Atomic<uintptr_t>> word;
  holds([&] {
    word.emplace(NotWaiting);
    return Bodies{[&] {
                    giveNext<System>(*word, Dismissed);
                    giveNext<System>(*word, Dismissed);
                  },
                  [&] {
                    for (int i = 0; i < 2; ++i) {
                      uintptr_t next = awaitNext<System>(*word, 1, [] { return false; });
                      require(next == Dismissed || next == Waiting, "it got something else");
                    }
                  }};
  });
}

/// Three workers take chunks of all sizes from their own parts and those of others.
TEST_F(Protocols, PartsOfAGridGiveEachBlockOnce) {
  using Parts = BasicGridParts<Atomic>;
  constexpr uint64_t Blocks = 4;
  checker.preemptions = 1;
  struct Grid {
    Parts parts;
    Atomic<uint64_t> through{0};
    int taken[Blocks] = {};
  };
  std::unique_ptr<Grid> grid;
  auto worker = [&](unsigned home, uint64_t most) {
    return [&, home, most] {
      unsigned part = home;
      while (grid->through.load(std::memory_order_relaxed) < Blocks) {
        typename Parts::Chunk chunk = grid->parts.take(part, most);
        if (!chunk.count)
          return;
        for (uint64_t i = 0; i < chunk.count; ++i)
          ++grid->taken[chunk.first + i];
        if (chunk.through)
          grid->through.fetch_add(chunk.through, std::memory_order_release);
      }
    };
  };
  for (bool isBackwards : {false, true})
    holds(
        [&] {
          grid = std::make_unique<Grid>();
          grid->parts.cut(Blocks, 2, 1, isBackwards);
          return Bodies{worker(0, 1), worker(1, 3), worker(0, 2)};
        },
        [&] {
          require(grid->through.last() == Blocks, "a part is not through");
          for (int count : grid->taken)
            require(count == 1, "a block was not taken once");
        });
}

} // namespace
