// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/boards/machine.h"

#include <gtest/gtest.h>
#include <set>

namespace heddle::driver {
namespace {

using Keys = std::vector<std::string>;

Keys keysOf(const char *devices, const char *visible, const char *order = nullptr) {
  auto machine = makeMachine(devices);
  Keys keys;
  if (!machine)
    return {"error"};
  for (const Gpu *gpu : visibleGpus(*machine, order, visible))
    keys.push_back(gpu->board->key);
  return keys;
}

TEST(Machine, selection) {
  EXPECT_EQ(keysOf(nullptr, nullptr), Keys{"cpu"});
  EXPECT_EQ(keysOf("", nullptr), Keys{"cpu"});
  EXPECT_EQ(keysOf("K20, cpu,h200", nullptr), (Keys{"k20", "cpu", "h200"}));
  EXPECT_EQ(keysOf("k20/cpu / h200", nullptr), (Keys{"k20", "cpu", "h200"}));
  EXPECT_EQ(keysOf("k20,k10,cpu", nullptr), (Keys{"k20", "k10", "k10", "cpu"}));
  EXPECT_EQ(keysOf("k20,cpu,h200", "2,0"), (Keys{"h200", "k20"}));
  EXPECT_EQ(keysOf("k20,cpu", ""), Keys{});
  EXPECT_EQ(keysOf("k20,cpu", "-1"), Keys{});
  EXPECT_EQ(keysOf("k20,cpu", "1,7,0"), Keys{"cpu"}) << "the list ends at the first that is none";
  EXPECT_EQ(keysOf("k20,cpu", "1,1"), Keys{}) << "no device twice";
  EXPECT_EQ(keysOf("k20,,cpu", nullptr), Keys{"error"});
  EXPECT_EQ(keysOf("k20//cpu", nullptr), Keys{"error"});
}

TEST(Machine, order) {
  EXPECT_EQ(keysOf("k20,k10,h200", nullptr, "FASTEST_FIRST"), (Keys{"h200", "k20", "k10", "k10"}));
  EXPECT_EQ(keysOf("k20,k10,h200", nullptr, "PCI_BUS_ID"), (Keys{"k20", "k10", "k10", "h200"}));
  EXPECT_EQ(keysOf("k20,k10,h200", "0", "FASTEST_FIRST"), Keys{"h200"});
}

TEST(Machine, unknownNameIsExplained) {
  auto machine = makeMachine("k20,voodoo2");
  ASSERT_FALSE(machine);
  EXPECT_NE(machine.error().find("'voodoo2'"), std::string::npos);
  EXPECT_NE(machine.error().find(" k20 "), std::string::npos);
}

TEST(Machine, uuids) {
  auto machine = makeMachine("k20,k10,k20,cpu");
  ASSERT_TRUE(machine);
  std::set<std::string> texts;
  for (const Gpu &gpu : *machine) {
    const std::string text = uuidText(gpu);
    texts.insert(text);
    EXPECT_EQ(text.size(), 40u);
    EXPECT_TRUE(text.starts_with("GPU-"));
    EXPECT_EQ(text[12], '-');
    EXPECT_EQ(text[27], '-');
  }
  EXPECT_EQ(texts.size(), machine->size());
  EXPECT_EQ(uuidText(*makeMachine("k10,c2050/k20")->rbegin()), uuidText(machine->front()))
      << "of the board, wherever it sits";
}

TEST(Machine, visibleByUuid) {
  auto machine = makeMachine("k20,h200,k20");
  ASSERT_TRUE(machine);
  const std::string last = uuidText((*machine)[2]), middle = uuidText((*machine)[1]);
  auto keys = [&](const std::string &visible) { return keysOf("k20,h200,k20", visible.c_str()); };
  EXPECT_EQ(keys(middle), Keys{"h200"});
  EXPECT_EQ(keys(middle.substr(0, 12)), Keys{"h200"}) << "enough digits";
  EXPECT_EQ(keys(middle.substr(0, 12) + "," + last), (Keys{"h200", "k20"}));
  EXPECT_EQ(keys("GPU-"), Keys{}) << "any of them";
  EXPECT_EQ(keys(middle + "0"), Keys{});
  EXPECT_EQ(keys(last + ",GPU-nonsense," + middle), Keys{"k20"});
  EXPECT_EQ(keys(last + ",2"), Keys{}) << "the same twice";
  EXPECT_EQ(keysOf("h200", "GPU-"), Keys{});
}

TEST(Machine, places) {
  auto made = makeMachine("k10,k20/k10,c2050");
  ASSERT_TRUE(made);
  const Machine &machine = *made;
  ASSERT_EQ(machine.size(), 6u);
  EXPECT_EQ(pciText(machine[0]), "0000:01:00.0");
  EXPECT_EQ(pciText(machine[2]), "0000:03:00.0");
  EXPECT_EQ(pciText(machine[3]), "0000:41:00.0");
  EXPECT_EQ(machine[0].card, machine[1].card);
  EXPECT_NE(machine[1].card, machine[2].card);
  EXPECT_NE(machine[0].card, machine[3].card);
  EXPECT_EQ(machine[0].serial, machine[1].serial);
  EXPECT_NE(machine[0].serial, machine[3].serial) << "another K10";
  EXPECT_EQ(machine[0].serial.size(), 13u);
  EXPECT_TRUE(makeMachine("gtx480")->front().serial.empty());
  EXPECT_EQ(pciText(makeMachine("k20/k20/k20/k20/k20")->back()), "0001:01:00.0");
}

/// Two Tesla K10 on different hubs, as a book has them, and an S2050 on one.
TEST(Machine, peers) {
  auto tens = makeMachine("k10/k10");
  ASSERT_TRUE(tens);
  for (const Gpu &a : *tens)
    for (const Gpu &b : *tens)
      EXPECT_EQ(arePeers(a, b), &a != &b && a.card == b.card);
  auto four = makeMachine("s2050");
  ASSERT_EQ(four->size(), 4u);
  for (const Gpu &a : *four)
    for (const Gpu &b : *four)
      EXPECT_EQ(arePeers(a, b), &a != &b);
  auto mixed = makeMachine("k20,c2050,cpu,cpu,h200,c1060,c1060");
  EXPECT_FALSE(arePeers((*mixed)[0], (*mixed)[1])) << "of different generations";
  EXPECT_TRUE(arePeers((*mixed)[2], (*mixed)[3]));
  EXPECT_FALSE(arePeers((*mixed)[2], (*mixed)[4]));
  EXPECT_FALSE(arePeers((*mixed)[5], (*mixed)[6])) << "no unified addressing";
}

TEST(Machine, aHubIsFull) {
  std::string list = "cpu";
  for (int i = 1; i < 63; ++i)
    list += ",cpu";
  EXPECT_TRUE(makeMachine(list.c_str()));
  EXPECT_TRUE(makeMachine((list + "/cpu").c_str()));
  EXPECT_FALSE(makeMachine((list + ",cpu").c_str()));
}

TEST(Machine, everyBoardHasACard) {
  for (std::string_view key : boardKeys()) {
    const Board &board = *findBoard(key);
    EXPECT_EQ(board.pciDevice != 0, !isCpu(board)) << key;
    EXPECT_GE(board.gpus, 1u);
  }
}

} // namespace
} // namespace heddle::driver
