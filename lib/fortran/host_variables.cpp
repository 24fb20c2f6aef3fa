// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables of the host that device code names, with -gpu=mem:unified
// (src/frontend/fortran/host_variables.cpp). Each device is told their addresses before the first
// launch there.
#include "fortran/entry.h"

#include <mutex>
#include <set>
#include <vector>

namespace heddle::fortran {

namespace {

/// Filled by constructors, in any order.
std::vector<const void *> &addresses() {
  static auto *all = new std::vector<const void *>;
  return *all;
}

} // namespace

void tellHostVariables() {
  static std::mutex mutex;
  static auto *told = new std::set<int>;
  int device = 0;
  if (addresses().empty() || cudaGetDevice(&device) != cudaSuccess)
    return;
  std::lock_guard guard(mutex);
  if (!told->insert(device).second)
    return;
  for (const void *address : addresses())
    check(cudaMemcpyToSymbol(address, address, sizeof(void *), 0, cudaMemcpyHostToDevice),
          "the address of a variable of the host", {nullptr, 0});
}

} // namespace heddle::fortran

/// `address` is a variable that stands for the device's, and has the value that this gets.
HEDDLE_FORTRAN void heddleFortranHostVariable(const void *address) {
  heddle::fortran::addresses().push_back(address);
}
