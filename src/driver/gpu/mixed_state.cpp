// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/gpu/mixed_state.h"

#include "device/cpu/memory/allocator.h"

#include <mutex>

namespace heddle::driver::mixed {

State &all() {
  static State &one = *new State;
  return one;
}
static thread_local std::vector<Side> contexts; ///< of the thread: the current one is the last

Side currentSide() {
  if (!contexts.empty())
    return contexts.back();
  return all().devices.empty() ? Cpu : all().devices[0].side;
}
void setCurrent(Side side) {
  if (contexts.empty())
    contexts.push_back(side);
  else
    contexts.back() = side;
}

void pushContext(Side side) { contexts.push_back(side); }
void popContext() {
  if (!contexts.empty())
    contexts.pop_back();
}

Side sideOf(const void *handle) {
  std::shared_lock guard(all().mutex);
  auto place = all().handles.find(handle);
  return place == all().handles.end() ? Unknown : place->second;
}
void note(const void *handle, Side side) {
  std::unique_lock guard(all().mutex);
  all().handles[handle] = side;
}
bool ownsAddress(const void *p) { return device::cpu::Allocator::get().owns(p); }

Pair *pairOf(const void *handle) {
  std::shared_lock guard(all().mutex);
  return all().pairs.contains(handle) ? static_cast<Pair *>(const_cast<void *>(handle)) : nullptr;
}
Pair *newPair() {
  auto *pair = new Pair; // for good: handles of kernels stay in programs
  std::unique_lock guard(all().mutex);
  all().pairs.insert(pair);
  return pair;
}

void *partOf(Pair &pair, Side side) {
  if (!pair.made[side] && pair.library && pair.library->made[side]) {
    CUkernel kernel = nullptr;
    if (tableOf(side).cuLibraryGetKernel(&kernel, static_cast<CUlibrary>(pair.library->made[side]),
                                         pair.name.c_str()) == CUDA_SUCCESS)
      pair.made[side] = kernel;
  }
  return pair.made[side];
}

const Place *placeOf(int device) {
  return device >= 0 && size_t(device) < all().devices.size() ? &all().devices[size_t(device)]
                                                              : nullptr;
}
int deviceOf(Side side, int number) {
  for (size_t i = 0; i < all().devices.size(); ++i)
    if (all().devices[i].side == side && all().devices[i].number == number)
      return int(i);
  return -1;
}

} // namespace heddle::driver::mixed
