// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nccl/flags.h"

#include <cuda_runtime_api.h>

#include <mutex>
#include <vector>

namespace heddle::nccl {

namespace {

class Flags {
public:
  int *take() {
    std::lock_guard lock(mutex_);
    if (free_.empty() && !grow())
      return nullptr;
    int *flag = free_.back();
    free_.pop_back();
    __atomic_store_n(flag, 0, __ATOMIC_RELEASE);
    return flag;
  }
  void giveBack(int *flag) {
    std::lock_guard lock(mutex_);
    free_.push_back(flag);
  }

private:
  bool grow() {
    constexpr size_t Count = 256, Apart = 16; // a cache line each
    int *memory;
    if (cudaHostAlloc(reinterpret_cast<void **>(&memory), Count * Apart * sizeof(int),
                      cudaHostAllocPortable | cudaHostAllocMapped) != cudaSuccess)
      return false;
    for (size_t i = 0; i < Count; ++i)
      free_.push_back(memory + i * Apart);
    return true;
  }
  std::mutex mutex_;
  std::vector<int *> free_;
};

Flags &flags() {
  static Flags &instance = *new Flags;
  return instance;
}

} // namespace

int *takeFlag() { return flags().take(); }
void giveFlagBack(int *flag) { flags().giveBack(flag); }
void openGate(int *flag) { __atomic_store_n(flag, 1, __ATOMIC_RELEASE); }

} // namespace heddle::nccl
