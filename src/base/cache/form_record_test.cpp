// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/cache/form_record.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

namespace heddle {
namespace {

/// A file that is gone in the end.
struct TemporaryFile {
  char path[32] = "/tmp/heddle-form-XXXXXX";
  explicit TemporaryFile(const std::string &content) {
    close(mkstemp(path));
    std::ofstream(path) << content;
  }
  ~TemporaryFile() { unlink(path); }
};

TEST(FormRecord, ReadsWhatItWrote) {
  FormRecord record = {"void k<int, 3>(float const*)", {16, 8, 2}, 7, 8, 1ull << 40, {}};
  record.sizes.push_back({UINT64_MAX, 256, 63, 1.25});
  record.sizes.push_back({0, 0, 0, 1});
  TemporaryFile file(record.text() + "a trailer\nsize 1 width 1 tried 1 advantage 1\n");
  auto read = FormRecord::read(file.path);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->kernel, record.kernel);
  EXPECT_EQ(read->blockDim, record.blockDim);
  EXPECT_EQ(read->used, 7u);
  EXPECT_EQ(read->spent, 8u);
  EXPECT_EQ(read->compilation, 1ull << 40);
  ASSERT_EQ(read->sizes.size(), 2u);
  EXPECT_EQ(read->sizes[0].key, UINT64_MAX);
  EXPECT_EQ(read->sizes[0].width, 256u);
  EXPECT_EQ(read->sizes[0].tried, 63u);
  EXPECT_EQ(read->sizes[0].advantage, 1.25);
  EXPECT_EQ(read->sizes[1].width, 0u);
}

TEST(FormRecord, LeavesOutWhatItDoesNotUnderstand) {
  TemporaryFile file("heddle forms 1\nsize x width 8 tried 1 advantage 1\nhue 3\nend\n");
  auto read = FormRecord::read(file.path);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->sizes.empty());
}

TEST(FormRecord, KnowsItsFiles) {
  EXPECT_FALSE(FormRecord::read("/tmp/heddle-there-is-none"));
  TemporaryFile other("\177ELF");
  EXPECT_FALSE(FormRecord::read(other.path));
}

} // namespace
} // namespace heddle
