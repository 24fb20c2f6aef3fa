// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/profile_options.h"

#include <gtest/gtest.h>

using namespace heddle;

namespace {

using Words = std::vector<std::string>;

ProfileOptions parse(ProfileTool tool, const Words &words, Words rest = {}) {
  Words left;
  auto options = parseProfileOptions(tool, words, left);
  EXPECT_TRUE(options) << (options ? "" : options.error());
  EXPECT_EQ(left, rest);
  return options ? *options : ProfileOptions();
}

std::string complaintOf(ProfileTool tool, const Words &words) {
  Words rest;
  auto options = parseProfileOptions(tool, words, rest);
  return options ? "" : options.error();
}

TEST(ProfileOptions, Nvprof) {
  ProfileOptions options =
      parse(ProfileTool::Nvprof,
            {"--print-gpu-trace", "--csv", "-m", "gld_efficiency,achieved_occupancy", "--kernels",
             "::copy:2", "--profile-from-start", "off", "-u", "us", "./a", "--csv"},
            {"./a", "--csv"});
  EXPECT_TRUE(options.gpuTrace && options.asCsv && !options.fromStart && !options.isSummaryOnly());
  EXPECT_EQ(options.metrics, (Words{"gld_efficiency", "achieved_occupancy"}));
  ASSERT_EQ(options.kernels.size(), 1u);
  EXPECT_EQ(options.kernels[0].text, "copy");
  EXPECT_EQ(options.unit, ProfileOptions::Unit::Microseconds);
  EXPECT_TRUE(parse(ProfileTool::Nvprof, {"--concurrent-kernels", "off"}).isSummaryOnly());
  EXPECT_FALSE(parse(ProfileTool::Nvprof, {}).withChildren);
}

TEST(ProfileOptions, Ncu) {
  ProfileOptions options =
      parse(ProfileTool::Ncu,
            {"--csv", "--metrics", "a.sum,b.avg", "-k", "regex:^x", "-c", "3", "./a"}, {"./a"});
  EXPECT_EQ(options.metrics.size(), 2u);
  EXPECT_EQ(options.launchCount, 3u);
  EXPECT_EQ(options.kernels.at(0).how, KernelFilter::How::Pattern);
}

TEST(ProfileOptions, Complaints) {
  EXPECT_EQ(complaintOf(ProfileTool::Nvprof, {"--odd"}), "there is no option '--odd'");
  EXPECT_EQ(complaintOf(ProfileTool::Nvprof, {"-u", "h"}),
            "'h' of '-u' is none of auto, s, ms, us and ns");
  EXPECT_EQ(complaintOf(ProfileTool::Ncu, {"-k", "regex:("}),
            "'regex:(' of '-k' is no regular expression");
  EXPECT_EQ(complaintOf(ProfileTool::Ncu, {"--set", "all"}),
            "'all' of '--set' is none of basic, default, detailed, full and roofline");
  EXPECT_EQ(complaintOf(ProfileTool::Nvprof, {"--concurrent-kernels", "maybe"}),
            "'--concurrent-kernels' cannot be 'maybe': on|off");
  Words rest;
  EXPECT_FALSE(parseProfileTool("gprof"));
  EXPECT_TRUE(parseProfileTool("ncu"));
}

} // namespace
