// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/ptx/opcodes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace llvm;

namespace heddle::frontend::ptx {

#define PTX_OPCODE(NAME, LOWER, EFFECTS) void LOWER(Emitter &);
#include "frontend/ptx/opcodes.def"

namespace {

StringMap<Opcode> makeTable() {
  StringMap<Opcode> table;
#define PTX_OPCODE(NAME, LOWER, EFFECTS)                                                           \
  table[NAME] = {NAME, LOWER, Effects::EFFECTS, unsigned(StringRef(NAME).count('.') + 1)};
#include "frontend/ptx/opcodes.def"
  return table;
}

StringSet<> makeFirstWords() {
  StringSet<> words;
#define PTX_OPCODE(NAME, LOWER, EFFECTS) words.insert(StringRef(NAME).split('.').first);
#define PTX_ABSENT(NAME) words.insert(NAME);
#include "frontend/ptx/opcodes.def"
  return words;
}

} // namespace

bool isInstruction(StringRef word) {
  static const StringSet<> words = makeFirstWords();
  return words.contains(word);
}

const Opcode *findOpcode(ArrayRef<StringRef> parts) {
  static const StringMap<Opcode> &table = *new StringMap<Opcode>(makeTable());
  for (size_t words = std::min<size_t>(parts.size(), 5); words > 0; --words)
    if (auto found = table.find(join(parts.take_front(words), ".")); found != table.end())
      return &found->second;
  return nullptr;
}

} // namespace heddle::frontend::ptx
