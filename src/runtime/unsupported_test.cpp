// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/test_support.h"

#include <dlfcn.h>
#include <string>
#include <vector>

HEDDLE_TEST_DEVICES("cpu")

namespace {

struct Row {
  const char *name;
  bool done;
};

const std::vector<Row> table = {
#define HEDDLE_Done true
#define HEDDLE_Driver true
#define HEDDLE_Unsupported false
#define HEDDLE_SYMBOL(symbol, state) {#symbol, HEDDLE_##state},
#include "runtime/symbols.inc"
};

TEST(Table, everySymbolExists) {
  ASSERT_GT(table.size(), 400u);
  for (const Row &row : table)
    EXPECT_NE(dlsym(RTLD_DEFAULT, row.name), nullptr) << row.name;
}

TEST(Table, unsupportedFunctionsSaySoOnce) {
  for (const Row &row : table) {
    if (row.done)
      continue;
    auto function = reinterpret_cast<cudaError_t (*)()>(dlsym(RTLD_DEFAULT, row.name));
    ASSERT_NE(function, nullptr);
    testing::internal::CaptureStderr();
    EXPECT_CUDA(cudaErrorNotSupported, function());
    EXPECT_CUDA(cudaErrorNotSupported, function());
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              std::string("heddle: ") + row.name + ": not supported\n");
  }
}

} // namespace
