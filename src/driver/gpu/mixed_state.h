// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the parts of a mixed table share (the essay is in mixed_table.cpp).
#pragma once

#include "driver/table.h"

#include <array>
#include <map>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace heddle::driver::mixed {

enum Side { Cpu, Gpu, Unknown };

/// A library or a kernel on both sides.
struct Pair {
  std::array<void *, 2> made = {nullptr, nullptr};
  Pair *library = nullptr; ///< of a kernel
  std::string name;        ///< of a kernel
};

struct Place {
  Side side;
  int number; ///< for its driver
};

struct State {
  const Table *tables[2] = {nullptr, nullptr}; ///< by Side
  std::vector<Place> devices;
  std::shared_mutex mutex;
  std::unordered_map<const void *, Side> handles;
  std::unordered_set<const void *> pairs;
  std::map<std::pair<Pair *, std::string>, Pair *> kernels;
};
State &all();
inline const Table &tableOf(Side side) { return *all().tables[side]; }

/// The side of the thread's current context.
Side currentSide();
void setCurrent(Side);
void pushContext(Side);
void popContext();

/// Of a pointer that either driver has given.
Side sideOf(const void *handle);
void note(const void *handle, Side);
/// Whether the address is of our allocator's.
bool ownsAddress(const void *);

Pair *pairOf(const void *handle);
Pair *newPair();
/// The part of a pair for one side; null if there is none.
void *partOf(Pair &, Side);

/// Of a CUDA device; null if there is no such.
const Place *placeOf(int device);
/// The CUDA device of a driver's own number; -1: none.
int deviceOf(Side, int number);

// Each part of the table.
void interceptContexts(Table &);
void interceptKernels(Table &);
void interceptMemory(Table &);

} // namespace heddle::driver::mixed
