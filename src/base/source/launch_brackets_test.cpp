// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/source/launch_brackets.h"

#include <gtest/gtest.h>

using namespace heddle;

TEST(LaunchBrackets, BlanksMoveBehindThem) {
  EXPECT_EQ(joinLaunchBrackets("k<T> << <g, b >> > (x);"), "k<T> <<< g, b >>>  (x);");
  EXPECT_EQ(joinLaunchBrackets("k<<<f(1 >> 2, v<w<int>> {}), b>> >(x);"),
            "k<<<f(1 >> 2, v<w<int>> {}), b>>> (x);");
}

TEST(LaunchBrackets, AllElseStays) {
  for (std::string_view text :
       {"k<<<1, 2>>>(x);", "a << b; c < d;", "friend S &operator<< <T>(S &, v<w<int>> > x);",
        "// k << <1, 2 >> >()", "s = \"k << <1, 2 >> >\";", "v<w<x<int> > > y; v<w<x<int>> > z;",
        "c = '\"'; n = 1'000;"})
    EXPECT_EQ(joinLaunchBrackets(text), std::nullopt) << text;
}
