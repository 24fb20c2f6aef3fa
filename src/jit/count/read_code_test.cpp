// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "jit/count/library_calls.h"
#include "jit/count/read_code.h"

#include "gtest/gtest.h"

namespace heddle::jit {

using model::CodeOperation;
using model::Operation;
using model::Space;
using model::ValueKind;

/// A loop that adds up what it reads: blocks 0, 1 and 2 of the IR.
constexpr const char *Text = R"(
.version 8.7
.target sm_90
.address_size 64
.visible .entry k(.param .u64 k_param_0)
{
	.reg .pred 	%p<2>;
	.reg .b32 	%r<6>;
	.reg .b64 	%rd<5>;
	.loc	1 1 0
	ld.param.b64 	%rd1, [k_param_0];
	cvta.to.global.u64 	%rd2, %rd1;
	mov.u32 	%r1, %tid.x;
	mov.b32 	%r4, 0f00000000;
$L__BB0_1:
	.loc	1 2 0
	mul.wide.u32 	%rd3, %r1, 4;
	add.s64 	%rd4, %rd2, %rd3;
	.loc	1 3 0
	ld.global.nc.b32 	%r2, [%rd4];
	.loc	1 4 0
	fma.rn.f32 	%r4, %r2, 0f40000000, %r4;
	add.s32 	%r1, %r1, 32;
	setp.lt.u32 	%p1, %r1, 1000;
	.loc	1 5 0
	@%p1 bra 	$L__BB0_1;
	.loc	1 6 0
	st.global.b32 	[%rd2], %r4;
	atom.global.add.u32 	%r3, [%rd2], 1;
	ret;
}
)";

class ReadCode : public ::testing::Test {
protected:
  void SetUp() override {
    code_.blocks.resize(3);
    code_.successors = {{1}, {1, 2}, {}};
    code_.accesses = {{Operation::Load, Space::Generic, 4, 0, model::None},
                      {Operation::Store, Space::Generic, 4, 0, model::None}};
    places_ = {{0}, {1}, {1, 0}, {1}, {1}, {2, 1}};
  }
  const CodeOperation &operation(uint32_t block, uint32_t number) const {
    return code_.operations[code_.blocks[block].first + number];
  }

  model::KernelCode code_;
  std::vector<CodePlace> places_;
};

TEST_F(ReadCode, eachBlockHasItsOperations) {
  ASSERT_FALSE(bool(readCode(Text, places_, code_)));
  ASSERT_EQ(code_.blocks[0].count, 4u);
  ASSERT_EQ(code_.blocks[1].count, 7u);
  ASSERT_EQ(code_.blocks[2].count, 3u);
  EXPECT_EQ(operation(0, 0).operation, Operation::Parameter);
  EXPECT_EQ(operation(0, 1).operation, Operation::Move);
  EXPECT_EQ(operation(0, 2).operation, Operation::SpecialRegister);
  EXPECT_EQ(operation(1, 6).operation, Operation::Branch);
  EXPECT_TRUE(operation(1, 6).flags & model::IsPredicated);
  EXPECT_NE(operation(1, 6).sources[3], model::None);
  EXPECT_EQ(operation(2, 2).operation, Operation::Exit);
}

TEST_F(ReadCode, operationsHaveTypesAndRegisters) {
  ASSERT_FALSE(bool(readCode(Text, places_, code_)));
  const CodeOperation &product = operation(1, 0), &sum = operation(1, 3), &test = operation(1, 5);
  EXPECT_EQ(product.operation, Operation::Multiply);
  EXPECT_EQ(product.flags, model::IsWide | model::HasImmediate | model::IsAddress);
  EXPECT_EQ(code_.registerBits[product.results[0]], 64);
  EXPECT_EQ(code_.registerBits[product.sources[0]], 32);
  EXPECT_EQ(sum.operation, Operation::MultiplyAdd);
  EXPECT_EQ(sum.kind, ValueKind::Float);
  EXPECT_EQ(sum.results[0], sum.sources[1]);
  EXPECT_EQ(test.operation, Operation::Compare);
  EXPECT_EQ(code_.registerBits[test.results[0]], 1);
  EXPECT_EQ(test.results[0], operation(1, 6).sources[3]);
}

TEST_F(ReadCode, accessesAreThoseOfTheText) {
  ASSERT_FALSE(bool(readCode(Text, places_, code_)));
  EXPECT_EQ(operation(1, 2).access, 0u);
  EXPECT_EQ(code_.accesses[0].space, Space::Global);
  EXPECT_EQ(code_.accesses[0].flags, model::IsReadOnly);
  EXPECT_EQ(operation(2, 1).operation, Operation::Reduce);
  EXPECT_TRUE(operation(2, 1).flags & model::IsIncrement);
  // The atomic operation has the place of the store.
  ASSERT_EQ(code_.notes.size(), 1u);
  EXPECT_EQ(code_.notes[0], "an access of memory at no line is 2 instructions");
}

TEST_F(ReadCode, whatIsNoPtxIsRefused) {
  llvm::Error error = readCode("nothing", places_, code_);
  EXPECT_TRUE(bool(error));
  llvm::consumeError(std::move(error));
}

TEST(LibraryFunctions, haveOperations) {
  auto exponential = operationsOfLibrary("__nv_fast_expf");
  ASSERT_EQ(exponential.size(), 2u);
  EXPECT_EQ(exponential[0].operation, Operation::Multiply);
  EXPECT_EQ(exponential[1].operation, Operation::Exponential);
  EXPECT_TRUE(operationsOfLibrary("vprintf").empty());
#define HEDDLE_FUNCTION(NAME, BITS, OPERATIONS)                                                    \
  for (const CodeOperation &operation : operationsOfLibrary(NAME))                                 \
    EXPECT_NE(operation.operation, Operation::Other) << NAME;
#include "jit/count/library_functions.def"
}

} // namespace heddle::jit
