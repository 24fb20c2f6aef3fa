// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The examples of the programming guide, and of the texts on coalescing and bank conflicts.
#include "model/transactions.h"

#include <gtest/gtest.h>

#include <functional>

namespace heddle::model {
namespace {

constexpr uint64_t Base = 0x10000;

class TransactionsTest : public testing::Test {
protected:
  uint64_t addresses[32];
  WarpAccess access = {~0u, 4, addresses};

  void put(uint32_t bytes, const std::function<uint64_t(uint64_t)> &elementOf,
           uint32_t lanes = ~0u) {
    access.bytes = bytes, access.lanes = lanes;
    for (uint64_t lane = 0; lane < 32; ++lane)
      addresses[lane] = Base + elementOf(lane) * bytes;
  }
  MemoryCost load(MemoryRules rules, bool usesL1 = true) {
    return globalCost(rules, access, Operation::Load, usesL1);
  }
  uint32_t shared(MemoryRules rules, bool wide = false) {
    return sharedCost(rules, access, Operation::Load, wide).passes;
  }
};

TEST_F(TransactionsTest, InOrder) {
  put(4, [](uint64_t lane) { return lane; });
  EXPECT_EQ(load(MemoryRules::InOrder).transactions, 2u);
  EXPECT_EQ(load(MemoryRules::InOrder).bytes, 128u);
  put(8, [](uint64_t lane) { return lane; });
  EXPECT_EQ(load(MemoryRules::InOrder).bytes, 256u);
  put(16, [](uint64_t lane) { return lane; });
  EXPECT_EQ(load(MemoryRules::InOrder).transactions, 4u);
  put(4, [](uint64_t lane) { return lane; }, 0xfff0fff0); // some are not active
  EXPECT_EQ(load(MemoryRules::InOrder).transactions, 2u);
  put(4, [](uint64_t lane) { return lane + 1; }); // misaligned
  EXPECT_EQ(load(MemoryRules::InOrder).transactions, 32u);
  EXPECT_EQ(load(MemoryRules::InOrder).bytes, 1024u);
  put(4, [](uint64_t lane) { return lane ^ 1; }); // permuted
  EXPECT_EQ(load(MemoryRules::InOrder).transactions, 32u);
  put(1, [](uint64_t lane) { return lane; }); // no words
  EXPECT_EQ(load(MemoryRules::InOrder).transactions, 32u);
}

TEST_F(TransactionsTest, Segments) {
  put(4, [](uint64_t lane) { return lane; });
  EXPECT_EQ(load(MemoryRules::Segments).transactions, 2u);
  EXPECT_EQ(load(MemoryRules::Segments).bytes, 128u);
  put(4, [](uint64_t lane) { return lane ^ 5; });
  EXPECT_EQ(load(MemoryRules::Segments).transactions, 2u);
  put(4, [](uint64_t lane) { return lane + 8; }); // the text on offsets: 192 bytes in 3
  EXPECT_EQ(load(MemoryRules::Segments).transactions, 3u);
  EXPECT_EQ(load(MemoryRules::Segments).bytes, 192u);
  put(4, [](uint64_t lane) { return lane * 32; }); // each its own, of 32 bytes
  EXPECT_EQ(load(MemoryRules::Segments).transactions, 32u);
  EXPECT_EQ(load(MemoryRules::Segments).bytes, 1024u);
  put(4, [](uint64_t lane) { return lane * 2; });
  EXPECT_EQ(load(MemoryRules::Segments).transactions, 2u);
  EXPECT_EQ(load(MemoryRules::Segments).bytes, 256u);
  put(1, [](uint64_t lane) { return lane; });
  EXPECT_EQ(load(MemoryRules::Segments).bytes, 64u);
}

TEST_F(TransactionsTest, Lines) {
  put(4, [](uint64_t lane) { return lane; });
  EXPECT_EQ(load(MemoryRules::Lines).transactions, 1u);
  put(4, [](uint64_t lane) { return lane + 1; });
  EXPECT_EQ(load(MemoryRules::Lines).transactions, 2u);
  EXPECT_EQ(load(MemoryRules::Lines).bytes, 256u);
  EXPECT_EQ(load(MemoryRules::Lines, false).bytes, 160u);
  EXPECT_EQ(globalCost(MemoryRules::Lines, access, Operation::Store, true).bytes, 160u);
  put(8, [](uint64_t lane) { return lane; });
  EXPECT_EQ(load(MemoryRules::Lines).transactions, 2u);
  put(16, [](uint64_t lane) { return lane; });
  EXPECT_EQ(load(MemoryRules::Lines).transactions, 4u);
  put(4, [](uint64_t) { return uint64_t(7); });
  EXPECT_EQ(load(MemoryRules::Lines).transactions, 1u);
}

TEST_F(TransactionsTest, SectorsAndL2Segments) {
  for (MemoryRules rules : {MemoryRules::L2, MemoryRules::Sectors}) {
    put(4, [](uint64_t lane) { return lane; });
    EXPECT_EQ(load(rules).transactions, 4u);
    EXPECT_EQ(load(rules).passes, 1u);
    put(4, [](uint64_t lane) { return lane + 1; });
    EXPECT_EQ(load(rules).transactions, 5u);
    put(4, [](uint64_t lane) { return lane * 8; });
    EXPECT_EQ(load(rules).transactions, 32u);
    put(4, [](uint64_t lane) { return lane * 1000; });
    EXPECT_EQ(load(rules).transactions, 32u);
    EXPECT_EQ(load(rules).wanted, 128u);
    put(16, [](uint64_t lane) { return lane; });
    EXPECT_EQ(load(rules).transactions, 16u);
    put(4, [](uint64_t lane) { return lane; }, 0);
    EXPECT_EQ(load(rules).requests, 0u);
  }
  // Cycles of a load with a stride, as measured on a V100.
  for (uint64_t stride : {1, 2, 4, 8, 16, 32}) {
    put(4, [&](uint64_t lane) { return lane * stride; });
    EXPECT_EQ(load(MemoryRules::Sectors).passes, stride);
  }
}

TEST_F(TransactionsTest, BanksOfHalfWarps) {
  MemoryRules rules = MemoryRules::Segments;
  for (uint64_t stride : {1, 3, 17}) {
    put(4, [&](uint64_t lane) { return lane * stride; });
    EXPECT_EQ(shared(rules), 2u) << stride;
  }
  put(4, [](uint64_t lane) { return lane * 2; });
  EXPECT_EQ(shared(rules), 4u);
  put(4, [](uint64_t lane) { return lane * 32; }); // a column of a tile
  EXPECT_EQ(shared(rules), 32u);
  put(4, [](uint64_t) { return uint64_t(3); }); // one word for all
  EXPECT_EQ(shared(rules), 2u);
  put(1, [](uint64_t lane) { return lane; }); // bytes: four ways
  EXPECT_EQ(shared(rules), 8u);
  put(8, [](uint64_t lane) { return lane; }); // doubles: two requests, two ways each
  EXPECT_EQ(shared(rules), 8u);
  EXPECT_EQ(sharedCost(rules, access, Operation::Load).conflicts(), 4u);
}

TEST_F(TransactionsTest, BanksOfWarps) {
  for (MemoryRules rules : {MemoryRules::Lines, MemoryRules::Sectors}) {
    put(4, [](uint64_t lane) { return lane * 33; });
    EXPECT_EQ(shared(rules), 1u);
    put(4, [](uint64_t lane) { return lane * 32; });
    EXPECT_EQ(shared(rules), 32u);
    put(4, [](uint64_t lane) { return lane * 2; });
    EXPECT_EQ(shared(rules), 2u);
    put(4, [](uint64_t lane) { return lane / 2 * 32; }); // any number of words for several
    EXPECT_EQ(shared(rules), 16u);
    put(1, [](uint64_t lane) { return lane; });
    EXPECT_EQ(shared(rules), 1u);
    put(8, [](uint64_t lane) { return lane; });
    EXPECT_EQ(shared(rules), 2u);
    EXPECT_EQ(sharedCost(rules, access, Operation::Load).conflicts(), 0u);
  }
  put(16, [](uint64_t lane) { return lane; });
  EXPECT_EQ(shared(MemoryRules::Sectors), 4u);
  EXPECT_EQ(shared(MemoryRules::Lines), 8u);
  put(8, [](uint64_t lane) { return lane / 2; }); // pairs with one address
  EXPECT_EQ(shared(MemoryRules::Sectors), 1u);
}

TEST_F(TransactionsTest, BanksOfEightBytes) {
  put(4, [](uint64_t lane) { return lane * 32; }); // words i and i + 32 of a row
  EXPECT_EQ(shared(MemoryRules::L2), 16u);
  EXPECT_EQ(shared(MemoryRules::L2, true), 16u);
  put(4, [](uint64_t lane) { return lane * 2; });
  EXPECT_EQ(shared(MemoryRules::L2), 1u);
  EXPECT_EQ(shared(MemoryRules::L2, true), 1u);
  put(8, [](uint64_t lane) { return lane; });
  EXPECT_EQ(shared(MemoryRules::L2), 1u);
  put(16, [](uint64_t lane) { return lane; });
  EXPECT_EQ(shared(MemoryRules::L2), 2u);
}

TEST_F(TransactionsTest, OneAfterTheOther) {
  put(4, [](uint64_t lane) { return lane / 8; });
  EXPECT_EQ(constantPasses(access), 4u);
  EXPECT_EQ(atomicCost(access).addresses, 4u);
  EXPECT_EQ(atomicCost(access).deepest, 8u);
  EXPECT_EQ(atomicCost(access).steps, 29u); // three lanes go with the one before
  put(4, [](uint64_t lane) { return lane; });
  EXPECT_EQ(atomicCost(access).steps, 4u); // a sector each
  put(4, [](uint64_t lane) { return lane / 8; });
  EXPECT_EQ(sharedCost(MemoryRules::Sectors, access, Operation::Atomic).passes, 8u);
  EXPECT_EQ(shared(MemoryRules::Sectors), 1u);
}

} // namespace
} // namespace heddle::model
