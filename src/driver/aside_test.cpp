// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/aside.h"

#include "gtest/gtest.h"

#include <csignal>

#include <sys/wait.h>
#include <unistd.h>

namespace heddle::driver {
namespace {

/// How a process ends that `prepare`s, sends itself SIGTERM aside and exits with 0 if it comes back.
template <typename F> int statusOf(F prepare) {
  const pid_t child = fork();
  if (child == 0) {
    prepare();
    bool isOver = false;
    runAside([&] {
      kill(getpid(), SIGTERM);
      isOver = true;
    });
    _exit(isOver ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

TEST(Aside, EndsWithTheProgram) {
  const int status = statusOf([] { signal(SIGTERM, SIG_DFL); });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

bool isHandled = false;

TEST(Aside, HandlersRunAfterIt) {
  isHandled = false;
  struct sigaction action = {}, old;
  action.sa_handler = [](int) { isHandled = true; };
  sigaction(SIGTERM, &action, &old);
  bool wasHandled = true;
  runAside([&] {
    kill(getpid(), SIGTERM);
    wasHandled = isHandled;
  });
  EXPECT_FALSE(wasHandled);
  EXPECT_TRUE(isHandled);
  sigaction(SIGTERM, &old, nullptr);
}

TEST(Aside, WhatIsBlockedStaysBlocked) {
  const int status = statusOf([] {
    signal(SIGTERM, SIG_DFL);
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &one, nullptr);
  });
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

} // namespace
} // namespace heddle::driver
