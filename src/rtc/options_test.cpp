// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVRTC's options, damaged: each list is read, or refused with a line. (What they do is tested by
// tests/nvrtc/options.cpp.)
#include "rtc/options.h"

#include "base/test_inputs.h"

using namespace heddle;

namespace {

class OptionLists {
public:
  std::string make(test::Random &random) const {
    std::string list;
    for (size_t count = 1 + test::below(random, 6); count; --count) {
      list += list.empty() ? "" : "\n";
      list += test::below(random, 4) ? damage_.text(random) : whole(random);
    }
    return list;
  }

  bool take(const std::string &list) const {
    std::vector<std::string> words;
    for (size_t start = 0; start <= list.size();) {
      const size_t end = std::min(list.find('\n', start), list.size());
      words.push_back(list.substr(start, end - start));
      start = end + 1;
    }
    bool isGood = false;
    for (unsigned release : {11080u, 12080u, 13000u}) {
      Result<rtc::Options> options = rtc::Options::parse(release, words);
      if (!options) {
        if (options.error().empty())
          std::abort();
        continue;
      }
      isGood = true;
      options->code();
      options->precompile(1000);
      if (options->isRelocatable() && options->target().number == 0)
        std::abort();
    }
    return isGood;
  }

private:
  static std::string whole(test::Random &random) {
    return std::string(Texts[test::below(random, Texts.size())]);
  }

  static inline const std::vector<std::string_view> Texts = {
#define OPTION(id, longName, shortName, kind, since)                                               \
  longName, longName "=true", longName "=1,177", shortName, shortName "=x y",
#include "rtc/options.def"
      "-arch=sm_90a",
      "--gpu-architecture=compute_75",
      "-arch=lto_80",
      "-std=c++17",
      "--std=c++03",
      "-Ox",
      "-D=",
      "-I",
      "-include",
      "--",
      "-",
      "",
      "-maxrregcount=64"};
  test::Damage damage_{Texts};
};

} // namespace

int main(int argc, char **argv) { return test::tryAll<OptionLists>(argc, argv, 20'000); }
