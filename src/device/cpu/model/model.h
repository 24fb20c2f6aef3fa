// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model checker for the small parts of the engine that share memory without a lock: it goes through
// all executions of a few threads, up to a number of preemptions (in the manner of relacy and CHESS).
// The parts are templates of a system (engine/protocols.h), and here is one, `System`, whose atomics,
// futexes and time are the checker's.
//
// Threads are fibers of one thread. Before each operation on shared memory the checker chooses who
// goes on. What was chosen is a path; the next execution takes the same path up to the last choice
// that has another outcome left. So executions are repeated from their start, and a failure is told
// with its path.
//
// Memory is that of C++ without the promises of compilers: each atomic has a history of its values,
// and each thread a view, the oldest value of each atomic that it may still read. A load may give any
// value from there on, which is a choice, too. What is stored with release carries the view along,
// and a load with acquire takes it. A read-modify-write reads the last value. Orders that are too
// weak show: the thread behind reads what was before.
//
// A thread that spins goes on when another has stored something. Where all threads wait, one has been
// forgotten: a lost wake-up.
#pragma once

#include "device/cpu/block/stack_switch.h"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace heddle::device::cpu::model {

/// By atomics: the index of the oldest value in its history that may be read.
using View = std::vector<uint32_t>;

struct Outcome {
  std::string failure; ///< empty: none was found
  uint64_t executions = 0;
  bool isComplete = false; ///< all were looked at
};

class Checker {
public:
  using Body = std::function<void()>;

  unsigned preemptions = 3;            ///< of threads that could go on; in one execution at most
  uint64_t mostExecutions = 3'000'000; ///< gives up behind them

  /// `setUp` makes what an execution shares, and gives the threads; `check` looks at the end.
  Outcome explore(const std::function<std::vector<Body>()> &setUp, const Body &check);

  /// The one that explores.
  static Checker &current() { return *current_; }

  // For what follows.
  uint32_t addLocation(uint64_t value);
  void retire(uint32_t location);
  uint64_t load(uint32_t location, std::memory_order);
  void store(uint32_t location, uint64_t value, std::memory_order);
  /// `change` gives the new value, or false to leave the old one.
  uint64_t modify(uint32_t location, std::memory_order,
                  const std::function<bool(uint64_t &)> &change);
  void fence(std::memory_order);
  uint64_t peek(uint32_t location) const { return locations_[location].history.back().value; }
  void futexWait(const void *address, uint32_t location, uint64_t value);
  void futexWake(const void *address);
  void lock(uint32_t location);
  void unlock(uint32_t location);
  /// Waits until another thread has stored something; with an end also until the time is over.
  void spin(bool hasEnd = false);
  /// Time goes at any speed, but if all wait for it it is over.
  bool isTimeOver() { return running_->isTimeOver || choose(2) != 0; }
  void fail(const std::string &why);
  /// Plain memory: only the last value may be seen, and by who has been told of it.
  void checkPlain(uint32_t location, const char *what);

private:
  struct Message {
    uint64_t value;
    View view;
  };
  struct Location {
    std::vector<Message> history;
    bool isRetired = false;
  };
  enum class State { Runnable, Spinning, OnFutex, OnLock, Done };
  struct Thread {
    Body body;
    State state = State::Runnable;
    View view;
    uint64_t writesSeen = ~uint64_t(0); ///< at its last turn of a spin
    const void *futex = nullptr;
    uint32_t lock = 0;
    bool yields = false, hasEnd = false, isTimeOver = false;
    StackContext context;
    std::unique_ptr<uint8_t[]> stack;
  };
  struct Choice {
    unsigned taken, count;
  };

  static void runThread(void *);
  unsigned choose(unsigned count);
  void execute(const std::vector<Body> &bodies);
  int pickThread();
  bool isEnabled(const Thread &) const;
  void step(); ///< others may go first
  void leave();
  bool nextPath();
  void note(const std::string &why);
  View &view();
  Location &at(uint32_t location);
  static void join(View &, const View &);
  uint32_t &seen(uint32_t location);

  static inline Checker *current_ = nullptr;
  std::vector<Choice> path_;
  size_t depth_ = 0;
  std::vector<Location> locations_;
  std::vector<std::unique_ptr<Thread>> threads_;
  View setUpView_, orderView_; ///< of the code outside threads; of seq_cst operations
  Thread *running_ = nullptr;
  StackContext scheduler_;
  unsigned preempted_ = 0;
  uint64_t writes_ = 0, steps_ = 0;
  std::string failure_;
};

/// std::atomic as the checker has it.
template <typename T> class Atomic {
public:
  Atomic(T value = T()) : location_(Checker::current().addLocation(bits(value))) {}
  Atomic(const Atomic &) = delete;
  Atomic &operator=(const Atomic &) = delete;

  using Order = std::memory_order;
  static constexpr Order Sc = std::memory_order_seq_cst;
  T load(Order order = Sc) const { return value(checker().load(location_, order)); }
  void store(T to, Order order = Sc) { checker().store(location_, bits(to), order); }
  T exchange(T to, Order order = Sc) {
    return change(order, [&](T) { return to; });
  }
  T fetch_add(T by, Order order = Sc) {
    return change(order, [&](T old) { return static_cast<T>(old + by); });
  }
  T fetch_sub(T by, Order order = Sc) {
    return change(order, [&](T old) { return static_cast<T>(old - by); });
  }
  T fetch_or(T with, Order order = Sc) {
    return change(order, [&](T old) { return static_cast<T>(old | with); });
  }
  bool compare_exchange_strong(T &expected, T to, Order order = Sc) {
    bool isSame = false;
    uint64_t old = checker().modify(location_, order, [&](uint64_t &now) {
      isSame = now == bits(expected);
      now = isSame ? bits(to) : now;
      return isSame;
    });
    if (!isSame)
      expected = value(old);
    return isSame;
  }

  /// Whoever uses it from now on uses memory that is gone.
  void retire() { checker().retire(location_); }
  T last() const { return value(checker().peek(location_)); } ///< for checks at the end
  uint32_t location() const { return location_; }

private:
  static Checker &checker() { return Checker::current(); }
  static uint64_t bits(T value) {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
  }
  static T value(uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    return value;
  }
  template <typename F> T change(Order order, F &&f) {
    return value(checker().modify(location_, order, [&](uint64_t &now) {
      now = bits(f(value(now)));
      return true;
    }));
  }

  uint32_t location_;
};

/// Memory that is no atomic: a thread that reads or writes it must know of the last write.
template <typename T> class Plain {
public:
  explicit Plain(T value = T()) : location_(Checker::current().addLocation(0)), value_(value) {}
  const T &get() const {
    Checker::current().checkPlain(location_, "read");
    return value_;
  }
  void set(T value) {
    Checker::current().checkPlain(location_, "written");
    Checker::current().store(location_, 0, std::memory_order_relaxed);
    value_ = value;
  }

private:
  uint32_t location_;
  T value_;
};

class Mutex {
public:
  Mutex() : location_(Checker::current().addLocation(0)) {}
  void lock() { Checker::current().lock(location_); }
  void unlock() { Checker::current().unlock(location_); }

private:
  uint32_t location_;
};

/// What protocols.h wants of a system.
struct System {
  template <typename T> using Atomic = model::Atomic<T>;

  static void futexWait(Atomic<uint32_t> &word, uint32_t value) {
    Checker::current().futexWait(&word, word.location(), value);
  }
  static void futexWake(const void *word) { Checker::current().futexWake(word); }

  /// Time may be over at any look.
  class Patience {
  public:
    explicit Patience(uint64_t nanoseconds) : hasEnd_(nanoseconds != 0) {}
    bool isOver() { return hasEnd_ && Checker::current().isTimeOver(); }
    void turn() { Checker::current().spin(hasEnd_); }
    void pause() { turn(); }

  private:
    bool hasEnd_;
  };
};

} // namespace heddle::device::cpu::model
