// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/messages/output.h"
#include "check/conclusion.h"
#include "check/records.h"
#include "check/reports.h"
#include "check/suppressions.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::check;

namespace {

Finding example(uint32_t line = 12) {
  Finding finding;
  finding.tool = "memcheck", finding.kind = "out-of-bounds-access";
  finding.text = "Invalid global write of 4 bytes";
  finding.frames = {{"scale", "/no/scale.cu", line, 10}, {"apply<float>", "/no/apply.cuh", 3, 1}};
  finding.kernel = "apply<float>(float*)";
  finding.hasThread = true;
  finding.thread = {{3, 0, 0}, {128, 0, 0}};
  finding.threads = 128;
  finding.notes = {{"0 bytes behind \"it\"", {{"main", "/no/a.out", 0, 0, 0x1234}}}};
  return finding;
}

TEST(Findings, Text) {
  EXPECT_EQ(textOf(example()),
            "========= Invalid global write of 4 bytes, in kernel apply<float>(float*)\n"
            "=========     at /no/scale.cu:12:10 in scale\n"
            "=========     called at /no/apply.cuh:3:1 in apply<float>\n"
            "=========     by thread (128,0,0) in block (3,0,0), and 127 more\n"
            "=========     0 bytes behind \"it\"\n"
            "=========         at /no/a.out+0x1234 in main\n");
  EXPECT_EQ(summaryText(1), "========= ERROR SUMMARY: 1 error\n");
  EXPECT_EQ(summaryText(0), "========= ERROR SUMMARY: 0 errors\n");
  EXPECT_NE(textOf(example(), true).find("\033[1;31mInvalid"), std::string::npos);
}

TEST(Findings, CallsWithinLibrariesAreCounted) {
  Finding finding = example();
  finding.kernel =
      "void cub::Scan<" + std::string(100, 'P') + ", &cub::T<int>::at>(int*, int (*)(int))";
  finding.frames.clear();
  for (const char *name : {"load", "a", "b", "c"})
    finding.frames.push_back({name, "/usr/include/cub/load.cuh", 1, 1});
  finding.frames.push_back({"mine", "/no/mine.cu", 7, 3});
  EXPECT_EQ(textOf(finding).substr(0, textOf(finding).find("by thread")),
            "========= Invalid global write of 4 bytes, in kernel void cub::Scan<...>(...)\n"
            "=========     at /usr/include/cub/load.cuh:1:1 in load\n"
            "=========     ... 3 calls in headers of libraries\n"
            "=========     called at /no/mine.cu:7:3 in mine\n"
            "=========     ");
}

TEST(Findings, RecordsOfSeveralProcesses) {
  std::string bytes = recordOf(1, 1, example()) + recordOf(1, 2, example(13)) +
                      recordOf(2, 1, example()) + countRecordOf(1, 1, 200, 1) +
                      countRecordOf(7, 1, 9, 9);
  Records records = parseRecords(bytes + toldRecordOf(2, 1) + bytes.substr(0, 40));
  const std::vector<Finding> &findings = records.findings;
  ASSERT_EQ(findings.size(), 2u);
  EXPECT_EQ(findings[0].threads, 328u);
  EXPECT_EQ(findings[1].threads, 128u);
  ASSERT_EQ(records.untold.size(), 1u);
  EXPECT_EQ(records.untold[0].key(), example(13).key());
  Finding again = findings[1];
  EXPECT_EQ(textOf(again), textOf(example(13)));
  EXPECT_EQ(again.tool, "memcheck");
  EXPECT_EQ(again.notes[0].frames[0].offset, 0x1234u);
}

TEST(Findings, LaterRecordsHaveMore) {
  Finding more = example();
  more.notes.push_back({"launched by cudaLaunchKernel", {}});
  more.threads = 130;
  Records records = parseRecords(recordOf(1, 1, example()) + recordOf(1, 1, more));
  ASSERT_EQ(records.findings.size(), 1u);
  EXPECT_EQ(records.findings[0].notes.size(), 2u);
  EXPECT_EQ(records.findings[0].threads, 130u);
}

TEST(Findings, DamagedRecords) {
  std::string whole = recordOf(1, 1, example());
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x81);
    EXPECT_LE(parseRecords(damaged).findings.size(), 1u);
    EXPECT_EQ(parseRecords(whole.substr(0, i)).findings.size(), 0u);
  }
}

TEST(Findings, Suppressions) {
  auto suppresses = [](const std::string &text) {
    auto all = parseSuppressions(text);
    return all && isSuppressed(example(), *all);
  };
  EXPECT_TRUE(suppresses("# of old code\n\n memcheck scale.cu:12\n"));
  EXPECT_TRUE(suppresses("out-of-bounds-access */apply.cuh"));
  EXPECT_TRUE(suppresses("* apply<float>*"));
  EXPECT_TRUE(suppresses(suppressionOf(example())));
  EXPECT_FALSE(suppresses("racecheck scale.cu:12"));
  EXPECT_FALSE(suppresses("memcheck scale.cu:13"));
  auto bad = parseSuppressions("\nmemcheck\n");
  ASSERT_FALSE(bad);
  EXPECT_EQ(bad.error(), "line 2: 'memcheck' has no pattern behind the kind");
}

TEST(Findings, NamesOfLogFiles) {
  setenv("HEDDLE_TEST_NAME", "job", 1);
  EXPECT_EQ(expandLogName("a-%p-%q{HEDDLE_TEST_NAME}-%%-%x%", 7), "a-7-job-%-%x%");
}

TEST(Findings, Formats) {
  std::string json = jsonOf({example()});
  EXPECT_NE(json.find("\"kind\": \"out-of-bounds-access\""), std::string::npos) << json;
  EXPECT_NE(json.find("0 bytes behind \\\"it\\\""), std::string::npos) << json;
  EXPECT_NE(xmlOf({example()}).find("<kernel>apply&lt;float&gt;(float*)</kernel>"),
            std::string::npos);
  std::string sarif = sarifOf({example()});
  EXPECT_NE(sarif.find("\"uri\": \"file:///no/scale.cu\""), std::string::npos) << sarif;
}

} // namespace
