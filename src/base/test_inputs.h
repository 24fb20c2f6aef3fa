// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The main function of a program that tries inputs made at random, any number of them, in several
// processes. An input is made of a seed and its number alone. One that ends its process is told, with
// the command that tries it again, and the others go on.
//
//     PROGRAM [--count N] [--seed S] [--first N] [--jobs N] [--print]
//
// HEDDLE_FUZZ (test_fuzz.h) holds too.
#pragma once

#include "base/test_damage.h"
#include "base/test_fuzz.h"

#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cstring>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace heddle::test {

/// What a process says of its work to the one that started it.
struct Progress {
  uint64_t next; ///< the input that it is at
  uint64_t taken;
  double slowest; ///< in seconds
  uint64_t slowestInput;
};

struct InputRange {
  uint64_t seed, first, end, step;
};

/// `Inputs` has `std::string make(Random &)` and `bool take(const std::string &)`, whether it was good.
template <typename Inputs>
void tryInputs(const InputRange &range, bool prints, Progress &progress) {
  using Clock = std::chrono::steady_clock;
  Inputs inputs;
  for (uint64_t &number = progress.next; number < range.end; number += range.step) {
    Random random(range.seed * 0x9e3779b97f4a7c15 + number);
    const std::string input = inputs.make(random);
    if (prints)
      std::fwrite(input.data(), 1, input.size(), stdout), std::fflush(stdout);
    const auto start = Clock::now();
    progress.taken += inputs.take(input);
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    if (seconds > progress.slowest)
      progress.slowest = seconds, progress.slowestInput = number;
  }
}

template <typename Inputs> int tryAll(int argc, char **argv, uint64_t count) {
  constexpr unsigned MostJobs = 1024, MostFailures = 100;
  const FuzzRun run;
  uint64_t seed = run.seed, first = 0, jobs = 1;
  bool prints = false;
  count *= run.factor;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const auto number = [&] { return i + 1 < argc ? std::strtoull(argv[++i], nullptr, 0) : 0; };
    if (word == "--count")
      count = number();
    else if (word == "--seed")
      seed = number();
    else if (word == "--first")
      first = number();
    else if (word == "--jobs")
      jobs = std::clamp<uint64_t>(number(), 1, MostJobs);
    else if (word == "--print")
      prints = true;
    else
      return std::fprintf(stderr, "unknown option %s\n", argv[i]), 2;
  }
  auto *progress =
      static_cast<Progress *>(mmap(nullptr, MostJobs * sizeof(Progress), PROT_READ | PROT_WRITE,
                                   MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  std::vector<pid_t> children(jobs);
  const auto begin = [&](uint64_t job) {
    if ((children[job] = fork()) != 0)
      return;
    tryInputs<Inputs>({seed, first, first + count, jobs}, prints, progress[job]);
    std::exit(0); // with a sanitizer's check of leaks
  };
  const auto started = std::chrono::steady_clock::now();
  for (uint64_t job = 0; job < jobs; ++job) {
    progress[job].next = first + job;
    begin(job);
  }
  unsigned failures = 0;
  int status = 0;
  for (pid_t child; (child = wait(&status)) > 0;) {
    if (status == 0)
      continue;
    const auto job =
        uint64_t(std::find(children.begin(), children.end(), child) - children.begin());
    std::fprintf(stderr, "FAILED: %s --seed %" PRIu64 " --first %" PRIu64 " --count 1 --print\n",
                 argv[0], seed, progress[job].next);
    progress[job].next += jobs;
    if (++failures < MostFailures)
      begin(job);
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  const Progress *slowest =
      std::max_element(progress, progress + jobs, [](const Progress &one, const Progress &other) {
        return one.slowest < other.slowest;
      });
  uint64_t taken = 0;
  for (uint64_t job = 0; job < jobs; ++job)
    taken += progress[job].taken;
  std::printf("%" PRIu64 " inputs, %" PRIu64 " good ones, in %.1f s; the slowest, %" PRIu64
              ", took %.3f s; %u ended their process\n",
              count, taken, seconds, slowest->slowestInput, slowest->slowest, failures);
  return failures ? 1 : 0;
}

} // namespace heddle::test
