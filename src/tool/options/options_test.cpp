// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/options/options.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>

namespace heddle::tool {
namespace {

using Words = std::vector<std::string>;

Options parsed(const Words &words) {
  Result<Options> options = parseOptions(words);
  EXPECT_TRUE(options) << (options ? "" : options.error());
  return options ? std::move(*options) : Options();
}

std::string errorOf(const Words &words) {
  Result<Options> options = parseOptions(words);
  return options ? "" : options.error();
}

std::string valueFor(const OptionInfo &info) {
  return info.argument == Argument::Bool ? "false" : "some-value";
}

bool takesValue(const OptionInfo &info) {
  return info.argument != Argument::None && info.argument != Argument::Maybe;
}

TEST(OptionTable, NoSpellingMeansTwoThings) {
  std::set<std::string_view> seen;
  for (const OptionInfo &info : optionTable()) {
    EXPECT_TRUE(seen.insert(info.longName).second) << info.longName;
    if (info.shortName != info.longName) {
      EXPECT_TRUE(seen.insert(info.shortName).second) << info.shortName;
    }
    EXPECT_FALSE(info.help.empty()) << info.longName;
  }
}

// Every option in every spelling: one dash and two, value after a blank and after '='.
TEST(OptionTable, EverySpellingIsAccepted) {
  for (const OptionInfo &info : optionTable()) {
    if (info.effect == Effect::Refused)
      continue;
    for (std::string_view name : {info.longName, info.shortName})
      for (std::string dashes : {"-", "--"}) {
        std::string word = dashes + std::string(name);
        if (!takesValue(info)) {
          EXPECT_TRUE(parsed({word}).has(info.id)) << word;
          continue;
        }
        EXPECT_EQ(parsed({word, valueFor(info)}).last(info.id), valueFor(info)) << word;
        EXPECT_EQ(parsed({word + "=" + valueFor(info)}).last(info.id), valueFor(info)) << word;
      }
  }
}

TEST(OptionTable, RefusedOptionsSayWhy) {
  for (const OptionInfo &info : optionTable())
    if (info.effect == Effect::Refused) {
      std::string error = errorOf({"--" + std::string(info.longName)});
      EXPECT_NE(error.find(info.longName), error.npos);
      EXPECT_NE(error.find(info.help), error.npos);
    }
}

TEST(Options, ValuesMayFollowOneLetterAtOnce) {
  Options options = parsed({"-Ia/b", "-DX=1,2", "-lm", "-L/x,/y", "-O3", "-ofile", "a.cu"});
  EXPECT_EQ(options.last(Opt::IncludePath), "a/b");
  EXPECT_EQ(options.last(Opt::Define), "X=1,2");
  EXPECT_EQ(options.last(Opt::Optimize), "3");
  EXPECT_EQ(options.last(Opt::Output), "file");
  EXPECT_EQ(options.values(Opt::LibraryPath), (Words{"/x", "/y"}));
  ASSERT_EQ(options.inputs.size(), 2u);
  EXPECT_EQ(options.inputs[0].text, "-lm");
  EXPECT_TRUE(options.inputs[0].isLibrary);
  EXPECT_EQ(options.inputs[1].text, "a.cu");
}

TEST(Options, LongerNamesWinOverJoinedOnes) {
  Options options =
      parsed({"-dc", "-lineinfo", "-odir", "out", "-include", "x.h", "-link", "-Ofc", "1"});
  for (Opt id : {Opt::DeviceC, Opt::LineInfo, Opt::OutputDirectory, Opt::PreInclude, Opt::Link})
    EXPECT_TRUE(options.has(id));
  EXPECT_FALSE(options.has(Opt::Define));
  EXPECT_FALSE(options.has(Opt::Library));
  EXPECT_FALSE(options.has(Opt::Optimize));
}

TEST(Options, ListsSplitAtCommas) {
  Options options = parsed({"-Xcompiler", "-Wall,-O2", "-Xcompiler=-DX=\\,", "--linker-options=a,b",
                            "-Xptxas", "\"-v,-O3\""});
  EXPECT_EQ(options.values(Opt::HostOptions), (Words{"-Wall", "-O2", "-DX=,"}));
  EXPECT_EQ(options.values(Opt::LinkerOptions), (Words{"a", "b"}));
  EXPECT_EQ(options.values(Opt::PtxasOptions), (Words{"-v,-O3"}));
}

TEST(Options, OptionsOfOtherToolsSplitAtBlanksToo) {
  Options options = parsed({"-Xcompiler", "-Wall -O2,-g", "-Xptxas", " -v  -O3 ",
                            "-Xlinker=-z defs", "-Xcompiler", "\"-DX=a b\""});
  EXPECT_EQ(options.values(Opt::HostOptions), (Words{"-Wall", "-O2", "-g", "-DX=a b"}));
  EXPECT_EQ(options.values(Opt::PtxasOptions), (Words{"-v", "-O3"}));
  EXPECT_EQ(options.values(Opt::LinkerOptions), (Words{"-z", "defs"}));
}

TEST(Options, OptionsOfOtherToolsAreQuotedForAShell) {
  auto hostOptions = [](const char *text) {
    return parsed({"-Xcompiler", text}).values(Opt::HostOptions);
  };
  EXPECT_EQ(hostOptions(R"('-fvisibility=hidden')"), Words{"-fvisibility=hidden"});
  EXPECT_EQ(hostOptions(R"(-DX=\"a\")"), Words{"-DX=a"});
  EXPECT_EQ(hostOptions(R"(-DX=\\\"a\\\",-g)"), (Words{R"(-DX="a")", "-g"}));
  EXPECT_EQ(hostOptions(R"(-DX="a,b" -DY='c d')"), (Words{"-DX=a,b", "-DY=c d"}));
  EXPECT_EQ(hostOptions(R"(-Wl\,-rpath\,\$ORIGIN)"), Words{"-Wl,-rpath,$ORIGIN"});
}

TEST(Options, MacrosSplitAtCommas) {
  auto macros = [](const char *text) { return parsed({"-D", text}).values(Opt::Define); };
  EXPECT_EQ(macros("A=1,B"), (Words{"A=1", "B"}));
  EXPECT_EQ(macros(R"(S="a, b",T)"), (Words{R"(S="a, b")", "T"}));
  EXPECT_EQ(macros(R"(S=\"a\")"), Words{R"(S="a")"});
  EXPECT_EQ(macros("F(a,b)=a+b,C=','"), (Words{"F(a,b)=a+b", "C=','"}));
}

TEST(Options, ErrorsNameTheOption) {
  EXPECT_EQ(errorOf({"-foo"}), "Unknown option '-foo'");
  EXPECT_EQ(errorOf({"--foo=1"}), "Unknown option '--foo=1'");
  EXPECT_EQ(errorOf({"-o"}), "argument expected after '-o'");
  EXPECT_EQ(errorOf({"--ptx=3"}), "no argument expected after '--ptx'");
  EXPECT_EQ(errorOf({"-ftz=maybe"}), "'maybe': expected true or false");
}

TEST(Options, UnknownOnesAreForwardedOnRequest) {
  Options options = parsed({"-fPIC", "-forward-unknown-to-host-compiler", "-mavx2"});
  EXPECT_EQ(options.forwarded, (Words{"-fPIC", "-mavx2"}));
}

TEST(Options, FirstInputComesAfterOptionsAndTheirValues) {
  EXPECT_EQ(findFirstInput({"-O3", "-arch", "sm_80", "-Xcompiler", "-Wall", "x.cu", "-n", "5"}),
            5u);
  EXPECT_EQ(findFirstInput({"-arch=sm_80", "-G", "x.cu"}), 2u);
  EXPECT_EQ(findFirstInput({"-o"}), 1u);
}

TEST(Arguments, WordsSplitAsInAShell) {
  EXPECT_EQ(splitWords("-a  'b c' \"d\\\"e\" f\\ g\n''"), (Words{"-a", "b c", "d\"e", "f g", ""}));
}

TEST(Arguments, OptionFilesAndVariablesAreExpanded) {
  std::string path = testing::TempDir() + "/heddle-options-test.txt";
  std::ofstream(path) << "-DX=1\n-I \"a b\"";
  setenv("NVCC_PREPEND_FLAGS", "-G", 1);
  setenv("NVCC_APPEND_FLAGS", "-w -g", 1);
  Result<Words> words = expandArguments({"x.cu", "--options-file", path, "-c"});
  unsetenv("NVCC_PREPEND_FLAGS");
  unsetenv("NVCC_APPEND_FLAGS");
  ASSERT_TRUE(words);
  EXPECT_EQ(*words, (Words{"-G", "x.cu", "-DX=1", "-I", "a b", "-c", "-w", "-g"}));
}

TEST(Arguments, AMissingOptionFileIsAnError) {
  Result<Words> words = expandArguments({"-optf=/no/such/file"});
  ASSERT_FALSE(words);
  EXPECT_EQ(words.error(), "Could not open options file '/no/such/file'");
}

TEST(Arguments, AnOptionFileThatIncludesItselfIsAnError) {
  std::string path = testing::TempDir() + "/heddle-options-loop.txt";
  std::ofstream(path) << "-optf " << path;
  Result<Words> words = expandArguments({"-optf", path});
  ASSERT_FALSE(words);
  EXPECT_NE(words.error().find("includes itself"), std::string::npos);
}

} // namespace
} // namespace heddle::tool
