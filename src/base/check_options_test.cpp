// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/check_options.h"

#include "base/command_options.h"

#include <gtest/gtest.h>

using namespace heddle;

namespace {

using Words = std::vector<std::string>;

CheckOptions parse(const Words &words, Words rest = {}) {
  Words left;
  auto options = parseCheckOptions(words, left);
  EXPECT_TRUE(options) << (options ? "" : options.error());
  EXPECT_EQ(left, rest);
  return options ? *options : CheckOptions();
}

std::string complaintOf(const Words &words) {
  Words rest;
  auto options = parseCheckOptions(words, rest);
  return options ? "" : options.error();
}

TEST(CheckOptions, OptionsEndAtTheProgram) {
  CheckOptions options =
      parse({"--tool", "synccheck,memcheck", "-s", "2", "--launch-count=3", "./a", "--tool", "x"},
            {"./a", "--tool", "x"});
  EXPECT_EQ(options.checks, CheckSync | CheckMemory);
  EXPECT_EQ(options.launchSkip, 2u);
  EXPECT_EQ(options.launchCount, 3u);
  EXPECT_EQ(parse({"./a"}, {"./a"}).checks, CheckMemory);
  parse({"--xml", "--", "-odd", "--"}, {"-odd", "--"});
}

TEST(CheckOptions, Lists) {
  EXPECT_EQ(parse({"--tool", "all"}).checks,
            CheckMemory | CheckRaces | CheckInit | CheckSync | CheckFloat);
  EXPECT_EQ(namesOfChecks(CheckMemory | CheckFloat), "memcheck,floatcheck");
  EXPECT_EQ(complaintOf({"--tool", "memcheck,"}), "'memcheck,' of '--tool': there is no check ''");
}

TEST(CheckOptions, FlagsNeedNoValue) {
  EXPECT_TRUE(parse({"--xml", "./a"}, {"./a"}).asXml);
  EXPECT_FALSE(parse({"--xml", "no", "./a"}, {"./a"}).asXml);
  EXPECT_FALSE(parse({"--check-api-memory-access=no"}).checksApiMemory);
  EXPECT_EQ(complaintOf({"--xml=maybe"}), "'--xml' cannot be 'maybe': yes|no");
}

TEST(CheckOptions, WhatChangesNothingHere) {
  parse({"--force-blocking-launches", "--num-callers-host", "3", "--launch-timeout=20",
         "--require-cuda-init", "no", "./a"},
        {"./a"});
}

TEST(CheckOptions, Complaints) {
  EXPECT_EQ(complaintOf({"--nothing", "1"}), "there is no option '--nothing'");
  EXPECT_EQ(complaintOf({"--log-file"}), "'--log-file' wants a value: file");
  EXPECT_EQ(complaintOf({"--print-limit", "1x"}), "'1x' of '--print-limit' is no number");
  EXPECT_EQ(complaintOf({"--launch-skip", "-1"}), "'-1' of '--launch-skip' is no number");
  EXPECT_EQ(complaintOf({"--leak-check", "some"}),
            "'some' of '--leak-check' is neither full nor no");
  EXPECT_EQ(complaintOf({"--kernel-regex", "regex=["}),
            "'regex=[' of '--kernel-regex' is no regular expression");
  EXPECT_EQ(complaintOf({"--kernel-regex", "x=y"}),
            "'x=y' of '--kernel-regex' does not begin with kns=, kne= or regex=");
  EXPECT_EQ(complaintOf({"--demangle", "no"}), "'--demangle' cannot be 'no': full");
}

TEST(CheckOptions, Kernels) {
  const char *mangled = "_ZN1a5scaleIfEEvPT_", *shown = "void a::scale<float>(float*)";
  auto chooses = [&](const Words &words) { return isChosen(parse(words), mangled, shown); };
  EXPECT_TRUE(chooses({}));
  EXPECT_TRUE(chooses({"--kernel-regex", "kns=scale"}));
  EXPECT_TRUE(chooses({"--kernel-regex", "regex:sc.le"}));
  EXPECT_TRUE(chooses({"--kernel-regex", "kne=a::scale"}));
  EXPECT_TRUE(chooses({"--kernel-name", mangled}));
  EXPECT_TRUE(chooses({"-k", "regex=^_ZN1a.*scale"}));
  EXPECT_TRUE(chooses({"--filter", "kernel_name=other,kernel_substring=cal"}));
  EXPECT_FALSE(chooses({"--kernel-regex", "kne=scal"}));
  EXPECT_FALSE(chooses({"--kernel-regex", "kns=scale", "--kernel-regex-exclude", "kns=float"}));
}

TEST(CheckOptions, Words) {
  Words words = {"--log-file", "a b", "--xml"};
  EXPECT_EQ(splitLines(joinLines(words).c_str()), words);
  EXPECT_TRUE(splitLines(nullptr).empty());
}

} // namespace
