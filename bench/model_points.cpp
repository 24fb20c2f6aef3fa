// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads lines "id,class,board,kernel,arguments,unit,value" (bench/model_points.csv) from standard
// input, and prints each with the model's value for it. The kernels are generators of traces
// (src/model/test_kernels.h).
#include "model/test_kernels.h"

#include <cstdio>
#include <iostream>
#include <sstream>

using namespace heddle::model;
using namespace heddle::model::test;

namespace {

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    parts.push_back(part);
  return parts;
}

double valueOf(const std::string &unit, const LaunchTime &time, const TestKernel &kernel,
               const Gpu &gpu) {
  if (unit == "GB/s")
    return kernel.bytes / time.seconds / 1e9;
  if (unit == "GFLOPS")
    return kernel.operations / time.seconds / 1e9;
  if (unit == "us")
    return time.seconds * 1e6;
  if (unit == "cycles") // of each of a chain's steps
    return time.cycles / kernel.operations;
  if (unit == "perclock") // results of a multiprocessor
    return kernel.operations / time.cycles / gpu.multiprocessors;
  return 0;
}

} // namespace

int main(int argc, char **) {
  const bool isLong = argc > 1;
  for (std::string line; std::getline(std::cin, line);) {
    const std::vector<std::string> f = split(line, ',');
    if (line.empty() || line[0] == '#' || f.size() < 7)
      continue;
    const Gpu *gpu = findGpu(f[2]);
    if (!gpu) {
      std::printf("%s,unknown board %s\n", f[0].c_str(), f[2].c_str());
      continue;
    }
    Arguments arguments;
    MemoryState state;
    for (const std::string &argument : split(f[4], ' ')) {
      const size_t equals = argument.find('=');
      arguments[argument.substr(0, equals)] = std::stod(argument.substr(equals + 1));
    }
    if (arguments.count("ecc"))
      state.ecc = int(arguments["ecc"]);
    if (f[3] == "chase")
      state.footprint = uint64_t(arguments["bytes"]);
    if (arguments.count("cold"))
      state.isRepeated = false;
    if (arguments.count("nol1"))
      state.usesL1 = false;
    Gpu board = *gpu;
    if (arguments.count("mhz"))
      board.sustainedKhz = int(arguments["mhz"] * 1000);
    const TestKernel kernel = makeTestKernel(f[3], arguments);
    const MachineCode code = makeMachineCode(kernel.code, board);
    const LaunchTime time = simulate(board, code, kernel.shape, kernel.traces(), state);
    std::printf("%s,%s,%s,%s,%s,%s,%s,%.6g\n", f[0].c_str(), f[1].c_str(), f[2].c_str(),
                f[3].c_str(), f[4].c_str(), f[5].c_str(), f[6].c_str(),
                valueOf(f[5], time, kernel, board));
    if (isLong) {
      std::printf("#  %d registers, occupancy %.2f, bound %s, %.0f instructions, l1 %.2f l2 %.2f, "
                  "camping %.2f, dram %.1f GB/s;",
                  code.registers, time.occupancy.share, std::string(nameOf(time.bound)).c_str(),
                  time.instructions, time.l1Sectors ? time.l1Hits / time.l1Sectors : 0,
                  time.l2Sectors ? time.l2Hits / time.l2Sectors : 0, time.partitionFactor,
                  time.bandwidth() / 1e9);
      for (unsigned r = 0; r < ResourceCount; ++r)
        std::printf(" %s %.2f", std::string(nameOf(static_cast<Resource>(r))).c_str(),
                    time.used[r]);
      std::printf(" |");
      for (unsigned wait = 0; wait < WaitCount; ++wait)
        std::printf(" %s %.2f", std::string(nameOf(static_cast<Wait>(wait))).c_str(),
                    time.waits[wait]);
      std::printf("\n");
    }
  }
}
