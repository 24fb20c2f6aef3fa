// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The command loop of a peer. run.py starts all peers and drives them by lines, so that it can let
// them take turns: noise of the machine then falls on all alike, and ratios stay right where times
// do not. One process a peer keeps their thread pools and their copies of LLVM apart, and a crash
// costs one cell of the table.
//
//   list              -> "list NAME..."
//   open NAME         -> "open FIRST_SECONDS UNIT WORK"        arrays made, one run (compiles) done
//   time SECONDS      -> "time LEAST CPU RUNS"                 runs until the time is up: the shortest by the clock, and a run's
//                                                          share of all threads' processor time
//                                                          (which the system counts in ticks, too
//                                                          coarse for one run)
//   batch COUNT       -> "batch SECONDS"                       one of so many runs that are waited for together; the best of five
//   save FILE         -> "save"                                the outputs of one run from the start values
//   check FILE        -> "check WORST TOLERANCE"               the same, against another peer's file
//   close             -> "close"
// Any error is one line "error TEXT", and the process ends.
#include "bench.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <sstream>

namespace bench {

std::vector<Benchmark> &benchmarks() {
  static std::vector<Benchmark> all;
  return all;
}

void fail(const std::string &message) {
  std::cout << "error " << message << std::endl;
  std::_Exit(1);
}

namespace {

/// The benchmark that is open.
struct Open {
  const Benchmark *benchmark = nullptr;
  Problem problem;
  Data data;
};

double now() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

/// Processor time of all threads of this process.
double cpuNow() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}

double secondsOfOneRun(Open &open) {
  double start = now();
  open.benchmark->run(open.data);
  synchronize();
  return now() - start;
}

void resetArrays(Open &open) {
  for (size_t i = 0; i < open.problem.arrays.size(); ++i) {
    const Array &array = open.problem.arrays[i];
    std::vector<unsigned char> zeros;
    if (array.initial.empty())
      zeros.resize(array.bytes);
    upload(open.data.arrays[i], array.initial.empty() ? zeros.data() : array.initial.data(), array.bytes);
  }
}

void openBenchmark(Open &open, const std::string &name) {
  for (const Benchmark &benchmark : benchmarks())
    if (name == benchmark.name)
      open.benchmark = &benchmark;
  if (!open.benchmark)
    fail("no benchmark " + name);
  open.problem = open.benchmark->problem();
  for (const Array &array : open.problem.arrays)
    open.data.arrays.push_back(allocate(array.bytes));
  resetArrays(open);
  const char *units[] = {"flops", "bytes", "items"};
  double first = secondsOfOneRun(open);
  std::cout << "open " << first << ' ' << units[int(open.problem.unit)] << ' ' << open.problem.work << std::endl;
}

void closeBenchmark(Open &open) {
  for (void *array : open.data.arrays)
    release(array);
  open = Open();
  std::cout << "close" << std::endl;
}

/// The run before the clock starts brings caches and thread pools back after another peer's turn.
/// The least is kept: what else runs on the machine only ever adds.
void timeRuns(Open &open, double seconds) {
  double least = INFINITY, end = now() + seconds;
  int runs = 0;
  secondsOfOneRun(open);
  double cpu = cpuNow();
  do {
    least = std::min(least, secondsOfOneRun(open));
    ++runs;
  } while (now() < end);
  std::cout << "time " << least << ' ' << (cpuNow() - cpu) / runs << ' ' << runs << std::endl;
}

/// For devices on which a wait takes longer than a run.
void timeBatch(Open &open, int count) {
  double least = INFINITY;
  for (int round = 0; round < 5; ++round) {
    const double start = now();
    for (int i = 0; i < count; ++i)
      open.benchmark->run(open.data);
    synchronize();
    least = std::min(least, (now() - start) / count);
  }
  std::cout << "batch " << least << std::endl;
}

/// The output arrays, one after the other, after one run from the start values.
std::vector<unsigned char> outputs(Open &open) {
  resetArrays(open);
  secondsOfOneRun(open);
  std::vector<unsigned char> all;
  for (size_t i = 0; i < open.problem.arrays.size(); ++i) {
    const Array &array = open.problem.arrays[i];
    if (!array.isOutput)
      continue;
    all.resize(all.size() + array.bytes);
    download(all.data() + all.size() - array.bytes, open.data.arrays[i], array.bytes);
  }
  return all;
}

void save(Open &open, const std::string &path) {
  std::vector<unsigned char> bytes = outputs(open);
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  std::cout << "save" << std::endl;
}

template <class T> double worstFloat(const T *got, const T *expected, size_t count) {
  double squares = 0, worst = 0;
  for (size_t i = 0; i < count; ++i)
    squares += double(expected[i]) * expected[i];
  double rms = std::sqrt(squares / count) + 1e-30;
  for (size_t i = 0; i < count; ++i) {
    double error = std::fabs(double(got[i]) - expected[i]) / (std::fabs(double(expected[i])) + rms);
    worst = error >= 0 ? std::max(worst, error) : INFINITY; // a NaN is never right
  }
  return worst;
}

template <class T> double shareOfDifferent(const T *got, const T *expected, size_t count) {
  size_t different = 0;
  for (size_t i = 0; i < count; ++i)
    different += got[i] != expected[i];
  return double(different) / count;
}

double worstOf(const Array &array, const unsigned char *got, const unsigned char *expected) {
  switch (array.element) {
  case Element::Float:
    return worstFloat(reinterpret_cast<const float *>(got), reinterpret_cast<const float *>(expected),
                      array.bytes / sizeof(float));
  case Element::Double:
    return worstFloat(reinterpret_cast<const double *>(got), reinterpret_cast<const double *>(expected),
                      array.bytes / sizeof(double));
  case Element::Int:
    return shareOfDifferent(reinterpret_cast<const int *>(got), reinterpret_cast<const int *>(expected),
                            array.bytes / sizeof(int));
  case Element::Byte:
    return shareOfDifferent(got, expected, array.bytes);
  }
  return INFINITY;
}

void check(Open &open, const std::string &path) {
  std::vector<unsigned char> got = outputs(open);
  std::ifstream file(path, std::ios::binary);
  std::stringstream buffer;
  buffer << file.rdbuf();
  std::string expected = buffer.str();
  if (expected.size() != got.size())
    fail("the reference result has " + std::to_string(expected.size()) + " bytes, ours " +
         std::to_string(got.size()));
  double worst = 0;
  size_t offset = 0;
  for (const Array &array : open.problem.arrays) {
    if (!array.isOutput)
      continue;
    const unsigned char *reference = reinterpret_cast<const unsigned char *>(expected.data());
    worst = std::max(worst, worstOf(array, got.data() + offset, reference + offset));
    offset += array.bytes;
  }
  std::cout << "check " << worst << ' ' << open.problem.tolerance << std::endl;
}

void obey(Open &open, const std::string &line) {
  std::istringstream words(line);
  std::string command, argument;
  words >> command >> argument;
  if (command == "list") {
    std::cout << "list";
    for (const Benchmark &benchmark : benchmarks())
      std::cout << ' ' << benchmark.name;
    std::cout << std::endl;
  } else if (command == "open")
    openBenchmark(open, argument);
  else if (command == "time")
    timeRuns(open, std::atof(argument.c_str()));
  else if (command == "batch")
    timeBatch(open, std::atoi(argument.c_str()));
  else if (command == "save")
    save(open, argument);
  else if (command == "check")
    check(open, argument);
  else if (command == "close")
    closeBenchmark(open);
  else
    fail("unknown command " + line);
}

} // namespace
} // namespace bench

int main() {
  bench::Open open;
  for (std::string line; std::getline(std::cin, line);)
    bench::obey(open, line);
}
