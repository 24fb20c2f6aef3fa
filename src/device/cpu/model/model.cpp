// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/model/model.h"

#include <algorithm>
#include <utility>

namespace heddle::device::cpu::model {

namespace {

constexpr size_t StackBytes = 64u << 10;
constexpr uint64_t MostSteps = 20'000; ///< of one execution, which has no end then
constexpr uint32_t OldestValues = 2;   ///< that a load may give beside the last one

bool acquires(std::memory_order order) {
  return order == std::memory_order_acquire || order == std::memory_order_consume ||
         order == std::memory_order_acq_rel || order == std::memory_order_seq_cst;
}
bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

} // namespace

// ---------------------------------------------------------------------------------------------------
// Executions.

Outcome Checker::explore(const std::function<std::vector<Body>()> &setUp, const Body &check) {
  Checker *before = std::exchange(current_, this);
  Outcome outcome;
  path_.clear();
  do {
    depth_ = preempted_ = 0;
    writes_ = steps_ = 0;
    locations_.clear();
    setUpView_.clear();
    orderView_.clear();
    std::vector<Body> bodies = setUp();
    execute(bodies);
    running_ = nullptr;
    if (failure_.empty())
      check();
    ++outcome.executions;
    if (!failure_.empty())
      break;
    if (!nextPath()) {
      outcome.isComplete = true;
      break;
    }
  } while (outcome.executions < mostExecutions);
  outcome.failure = std::exchange(failure_, "");
  if (!outcome.failure.empty()) {
    outcome.failure += " in execution " + std::to_string(outcome.executions) + ", path";
    for (const Choice &choice : path_)
      outcome.failure += " " + std::to_string(choice.taken);
  }
  current_ = before;
  return outcome;
}

void Checker::runThread(void *argument) {
  auto *thread = static_cast<Thread *>(argument);
  thread->body();
  thread->state = State::Done;
  current().leave();
  __builtin_trap();
}

void Checker::execute(const std::vector<Body> &bodies) {
  threads_.clear();
  for (const Body &body : bodies) {
    auto thread = std::make_unique<Thread>();
    thread->body = body;
    thread->view = setUpView_;
    thread->stack = std::make_unique_for_overwrite<uint8_t[]>(StackBytes);
    prepareStack(thread->context, thread->stack.get(), thread->stack.get() + StackBytes, runThread,
                 thread.get());
    threads_.push_back(std::move(thread));
  }
  for (int next; failure_.empty() && (next = pickThread()) >= 0;) {
    running_ = threads_[static_cast<size_t>(next)].get();
    running_->state = State::Runnable;
    switchStack(scheduler_, running_->context);
    if (++steps_ > MostSteps)
      note("there is no end");
  }
}

bool Checker::isEnabled(const Thread &thread) const {
  switch (thread.state) {
  case State::Runnable:
    return true;
  case State::Spinning:
    return thread.writesSeen != writes_;
  case State::OnLock:
    return locations_[thread.lock].history.back().value == 0;
  case State::OnFutex:
  case State::Done:
    return false;
  }
  return false;
}

/// Who goes on; -1: nobody, as all have ended.
int Checker::pickThread() {
  std::vector<int> enabled;
  bool couldGoOn = false, isOver = true;
  for (int i = 0; i < static_cast<int>(threads_.size()); ++i) {
    const Thread &thread = *threads_[static_cast<size_t>(i)];
    isOver &= thread.state == State::Done;
    if (!isEnabled(thread))
      continue;
    bool isRunning = &thread == running_ && !thread.yields;
    couldGoOn |= isRunning;
    enabled.insert(isRunning ? enabled.begin() : enabled.end(), i);
  }
  if (isOver)
    return -1;
  for (int i = 0; enabled.empty() && i < static_cast<int>(threads_.size()); ++i) {
    Thread &thread = *threads_[static_cast<size_t>(i)];
    if (thread.state == State::Spinning && thread.hasEnd) {
      thread.isTimeOver = true;
      return i;
    }
  }
  if (enabled.empty()) {
    note("all threads wait: one was not woken");
    return -1;
  }
  // Who yields lets others go first.
  if (running_ && running_->yields && enabled.size() > 1)
    std::erase_if(enabled,
                  [&](int i) { return threads_[static_cast<size_t>(i)].get() == running_; });
  if (running_)
    running_->yields = false;
  if (couldGoOn && preempted_ == preemptions)
    return enabled.front();
  unsigned chosen = choose(static_cast<unsigned>(enabled.size()));
  preempted_ += couldGoOn && chosen != 0;
  return enabled[chosen];
}

unsigned Checker::choose(unsigned count) {
  if (count < 2)
    return 0;
  if (depth_ == path_.size())
    path_.push_back({0, count});
  return path_[depth_++].taken;
}

bool Checker::nextPath() {
  while (!path_.empty() && path_.back().taken + 1 == path_.back().count)
    path_.pop_back();
  if (path_.empty())
    return false;
  ++path_.back().taken;
  return true;
}

void Checker::leave() { switchStack(running_->context, scheduler_); }

void Checker::step() {
  if (!running_)
    return;
  leave();
}

void Checker::note(const std::string &why) {
  if (failure_.empty())
    failure_ = why;
}

/// A thread never goes on after a failure.
void Checker::fail(const std::string &why) {
  note(why);
  if (running_ && running_->state != State::Done) {
    Thread *thread = running_;
    thread->state = State::Done;
    switchStack(thread->context, scheduler_);
  }
}

// ---------------------------------------------------------------------------------------------------
// Memory.

View &Checker::view() { return running_ ? running_->view : setUpView_; }

void Checker::join(View &to, const View &from) {
  to.resize(std::max(to.size(), from.size()));
  for (size_t i = 0; i < from.size(); ++i)
    to[i] = std::max(to[i], from[i]);
}

uint32_t &Checker::seen(uint32_t location) {
  View &mine = view();
  if (mine.size() <= location)
    mine.resize(location + 1);
  return mine[location];
}

Checker::Location &Checker::at(uint32_t location) {
  if (locations_[location].isRetired)
    fail("memory is used that is gone");
  return locations_[location];
}

uint32_t Checker::addLocation(uint64_t value) {
  locations_.push_back({{{value, {}}}, false});
  return static_cast<uint32_t>(locations_.size() - 1);
}

void Checker::retire(uint32_t location) {
  step();
  at(location).isRetired = true;
}

uint64_t Checker::load(uint32_t location, std::memory_order order) {
  step();
  const Location &memory = at(location);
  if (order == std::memory_order_seq_cst)
    join(view(), orderView_);
  auto last = static_cast<uint32_t>(memory.history.size() - 1);
  uint32_t oldest = std::max(seen(location), last - std::min(last, OldestValues));
  uint32_t index = last - choose(last - oldest + 1);
  seen(location) = index;
  if (acquires(order))
    join(view(), memory.history[index].view);
  return memory.history[index].value;
}

void Checker::store(uint32_t location, uint64_t value, std::memory_order order) {
  step();
  Location &memory = at(location);
  seen(location) = static_cast<uint32_t>(memory.history.size());
  if (order == std::memory_order_seq_cst) {
    join(view(), orderView_);
    join(orderView_, view());
  }
  memory.history.push_back({value, releases(order) ? view() : View()});
  ++writes_;
}

uint64_t Checker::modify(uint32_t location, std::memory_order order,
                         const std::function<bool(uint64_t &)> &change) {
  step();
  Location &memory = at(location);
  if (order == std::memory_order_seq_cst)
    join(view(), orderView_);
  const Message old = memory.history.back();
  if (acquires(order))
    join(view(), old.view);
  seen(location) = static_cast<uint32_t>(memory.history.size() - 1);
  uint64_t value = old.value;
  if (!change(value))
    return old.value;
  seen(location) = static_cast<uint32_t>(memory.history.size());
  if (order == std::memory_order_seq_cst)
    join(orderView_, view());
  View told = old.view; // a release sequence goes on
  if (releases(order))
    join(told, view());
  memory.history.push_back({value, std::move(told)});
  ++writes_;
  return old.value;
}

void Checker::fence(std::memory_order order) {
  if (order != std::memory_order_seq_cst)
    return fail("the model has no such fence");
  step();
  join(view(), orderView_);
  join(orderView_, view());
}

void Checker::checkPlain(uint32_t location, const char *what) {
  if (seen(location) + 1 != at(location).history.size())
    fail(std::string("memory is ") + what + " by a thread that was not told of the last write");
}

// ---------------------------------------------------------------------------------------------------
// Waiting.

void Checker::futexWait(const void *address, uint32_t location, uint64_t value) {
  step();
  seen(location) = static_cast<uint32_t>(at(location).history.size() - 1); // the system has looked
  if (at(location).history.back().value != value)
    return;
  running_->state = State::OnFutex;
  running_->futex = address;
  leave();
}

/// The word may be gone.
void Checker::futexWake(const void *address) {
  step();
  std::vector<Thread *> waiting;
  for (auto &thread : threads_)
    if (thread->state == State::OnFutex && thread->futex == address)
      waiting.push_back(thread.get());
  if (!waiting.empty())
    waiting[choose(static_cast<unsigned>(waiting.size()))]->state = State::Runnable;
}

void Checker::lock(uint32_t location) {
  step();
  while (locations_[location].history.back().value != 0) {
    running_->state = State::OnLock;
    running_->lock = location;
    leave();
  }
  Location &memory = locations_[location];
  join(view(), memory.history.back().view);
  memory.history.push_back({1, {}});
  memory.history.erase(memory.history.begin());
}

void Checker::unlock(uint32_t location) {
  Location &memory = locations_[location];
  memory.history.push_back({0, view()});
  memory.history.erase(memory.history.begin());
  ++writes_;
  step();
}

/// A thread that looks again and again sees in the end what others have stored. One that has seen all
/// waits for more.
void Checker::spin(bool hasEnd) {
  Thread &thread = *running_;
  thread.hasEnd = hasEnd;
  for (uint32_t i = 0; i < locations_.size(); ++i)
    seen(i) = std::max(seen(i), static_cast<uint32_t>(locations_[i].history.size() - 1));
  if (thread.writesSeen == writes_)
    thread.state = State::Spinning;
  thread.writesSeen = writes_;
  thread.yields = true;
  leave();
}

} // namespace heddle::device::cpu::model
