// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/boards/ledger.h"
#include "driver_types.h"

#include <csignal>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

namespace heddle::driver {
namespace {

class LedgerTest : public testing::Test {
protected:
  void TearDown() override { unlink(path_.c_str()); }

  /// Runs `body` in a process of its own, which then waits until it is killed. Returns its number.
  template <typename F> pid_t begin(F body) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    const pid_t child = fork();
    if (child == 0) {
      Ledger ledger(path_);
      const char answer = body(ledger) ? 'y' : 'n';
      if (write(ends[1], &answer, 1) == 1)
        pause();
      _exit(0);
    }
    char answer = 0;
    EXPECT_EQ(read(ends[0], &answer, 1), 1);
    EXPECT_EQ(answer, 'y');
    close(ends[0]);
    close(ends[1]);
    return child;
  }

  void end(pid_t child) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }

  const std::string path_ = "/dev/shm/heddle-ledger-test-" + std::to_string(getpid());
  const Uuid a_ = {1}, b_ = {2};
};

TEST_F(LedgerTest, countsOtherProcesses) {
  Ledger ledger(path_);
  Ledger::Entry *own = ledger.enter(a_);
  ASSERT_TRUE(own);
  own->used = 5;
  const pid_t child = begin([&](Ledger &its) {
    Ledger::Entry *entry = its.enter(a_), *other = its.enter(b_);
    if (!entry || !other)
      return false;
    entry->used = 100;
    other->used = 7;
    return its.usedByOthers(*entry) == 5;
  });
  EXPECT_EQ(ledger.usedByOthers(*own), 100u);
  ASSERT_EQ(ledger.users(a_).size(), 2u);
  ASSERT_EQ(ledger.users(b_).size(), 1u);
  EXPECT_EQ(ledger.users(b_)[0].process, child);
  EXPECT_EQ(ledger.users(b_)[0].used, 7u);
  end(child);
  EXPECT_EQ(ledger.usedByOthersNow(*own), 0u) << "killed, it could not say that it ended";
  EXPECT_EQ(ledger.users(b_).size(), 0u);
  ledger.leave(*own);
  EXPECT_EQ(ledger.users(a_).size(), 0u);
}

TEST_F(LedgerTest, modes) {
  Ledger ledger(path_);
  EXPECT_EQ(ledger.computeMode(a_), cudaComputeModeDefault);
  EXPECT_TRUE(ledger.setComputeMode(a_, cudaComputeModeExclusiveProcess));
  EXPECT_TRUE(ledger.setComputeMode(b_, cudaComputeModeProhibited));
  EXPECT_FALSE(ledger.enter(b_));
  const pid_t child = begin([&](Ledger &its) {
    return its.computeMode(a_) == cudaComputeModeExclusiveProcess && its.enter(a_);
  });
  EXPECT_FALSE(ledger.enter(a_)) << "it is the child's";
  EXPECT_TRUE(ledger.setComputeMode(b_, cudaComputeModeDefault));
  EXPECT_TRUE(ledger.enter(b_));
  end(child);
  EXPECT_TRUE(ledger.enter(a_));
}

TEST_F(LedgerTest, privateOnesShareNothing) {
  Ledger ledger("");
  Ledger::Entry *own = ledger.enter(a_);
  ASSERT_TRUE(own);
  const pid_t child = begin([&](Ledger &its) { return its.users(a_).empty(); });
  end(child);
  EXPECT_EQ(ledger.usedByOthersNow(*own), 0u);
}

TEST_F(LedgerTest, timesOfProcesses) {
  EXPECT_GT(timesOf(getpid()).started, 0u);
  EXPECT_EQ(timesOf(getpid()).started, timesOf(getpid()).started);
  const pid_t child = fork();
  if (child == 0)
    _exit(0);
  siginfo_t info;
  EXPECT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(timesOf(child).started, 0u) << "a zombie";
  waitpid(child, nullptr, 0);
  EXPECT_EQ(timesOf(child).started, 0u);
}

} // namespace
} // namespace heddle::driver
