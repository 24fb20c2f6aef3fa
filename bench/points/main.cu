// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// points EXPERIMENT [name=value...]: runs an experiment, and prints its work.
#include "points.h"

namespace points {
std::map<std::string, Experiment> &experiments() {
  static std::map<std::string, Experiment> all;
  return all;
}
} // namespace points

int main(int argc, char **argv) {
  points::Arguments arguments;
  for (int i = 2; i < argc; ++i) {
    const std::string word = argv[i];
    const size_t equals = word.find('=');
    arguments.values[word.substr(0, equals)] = equals == word.npos ? "1" : word.substr(equals + 1);
  }
  const auto found = points::experiments().find(argc > 1 ? argv[1] : "");
  if (found == points::experiments().end()) {
    std::fprintf(stderr, "usage: points EXPERIMENT [name=value...]; experiments:");
    for (const auto &[name, run] : points::experiments())
      std::fprintf(stderr, " %s", name.c_str());
    std::fprintf(stderr, "\n");
    return 2;
  }
  const points::Work work = found->second(arguments);
  std::printf("work %.0f %.0f\n", work.bytes, work.operations);
  return 0;
}
