// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model/code_bytes.h"

#include "gtest/gtest.h"

namespace heddle::model {

static KernelCode someCode() {
  KernelCode code;
  code.name = "k";
  code.operations.resize(3);
  code.operations[1].operation = Operation::Load;
  code.operations[1].access = 0;
  code.blocks = {{0, 2}, {2, 1}};
  code.accesses = {{Operation::Load, Space::Global, 4, IsReadOnly, 0}};
  code.lines = {{"a.cu", 7, "k(int)"}, {"", 0, ""}};
  code.registerBits = {32, 1, 64};
  code.successors = {{1, 0}, {}};
  code.staticShared = 48;
  code.maxRegisters = 32;
  code.notes = {"a note"};
  return code;
}

TEST(CodeBytes, comeBackAsTheyWere) {
  KernelCode code = someCode();
  Result<KernelCode> back = codeOf(bytesOf(code));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->name, "k");
  ASSERT_EQ(back->operations.size(), 3u);
  EXPECT_EQ(back->operations[1].operation, Operation::Load);
  EXPECT_EQ(back->blocks[1].first, 2u);
  EXPECT_EQ(back->accesses[0].flags, IsReadOnly);
  EXPECT_EQ(back->lines[0].function, "k(int)");
  EXPECT_EQ(back->registerBits, code.registerBits);
  EXPECT_EQ(back->successors, code.successors);
  EXPECT_EQ(back->staticShared, 48u);
  EXPECT_EQ(back->maxRegisters, 32u);
  EXPECT_EQ(back->notes, code.notes);
}

TEST(CodeBytes, damageIsSeen) {
  std::vector<uint8_t> bytes = bytesOf(someCode());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(codeOf({bytes.data(), size})) << size;
  bytes.push_back(0);
  EXPECT_FALSE(codeOf(bytes));
  bytes.assign(16, 0xff);
  EXPECT_FALSE(codeOf(bytes));
}

} // namespace heddle::model
