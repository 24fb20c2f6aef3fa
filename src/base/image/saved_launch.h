// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A launch with all that it works on, as bytes: what `heddle replay` runs again and `heddle diff`
// compares. Addresses are those of the process that launched; who runs it elsewhere moves them.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace heddle {

enum class SavedKind : uint32_t { Device, Managed, Host, Variable };

/// An allocation, or a variable of the module.
struct SavedMemory {
  SavedKind kind = SavedKind::Device;
  uint64_t address = 0;
  std::string name; ///< of a variable, mangled
  std::vector<uint8_t> content;
};

struct SavedParam {
  uint32_t offset, size; ///< in `params`
};

struct SavedLaunch {
  std::string kernel;  ///< mangled
  std::string shown;   ///< demangled
  uint64_t number = 0; ///< of the process's launches, from 1
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, cluster[3] = {0, 0, 0};
  uint32_t sharedBytes = 0, isCooperative = 0;
  std::vector<uint8_t> code; ///< as cuModuleLoadData takes it; empty: it was not asked for
  std::vector<SavedParam> places;
  std::vector<uint8_t> params;
  std::vector<SavedMemory> memory; ///< what the parameters lead to, in that order; then variables
};

std::vector<uint8_t> bytesOf(const SavedLaunch &);
/// Fails for bytes that are cut short, damaged or of another version.
Result<SavedLaunch> parseSavedLaunch(std::span<const uint8_t>);

/// Where saved memory lies now: its address, and the new one.
using NewPlaces = std::map<uint64_t, uint64_t>;
/// The new value of a word: if it is the address of saved memory, or of its end, it is moved.
uint64_t movedWord(const SavedLaunch &, const NewPlaces &, uint64_t word);
/// Moves all aligned words of `bytes` that are such addresses.
void moveWords(const SavedLaunch &, const NewPlaces &, std::span<uint8_t> bytes);

} // namespace heddle
