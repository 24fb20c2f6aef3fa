// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers of a thread by compute capability.
#pragma once

namespace heddle {

/// The generations of GPUs that ImageKernel::registers has a count for: 1.x, 2.x, 3.x to 6.x, and
/// those from 7.0 on.
inline constexpr unsigned RegisterGenerations = 4;
constexpr unsigned registerGeneration(unsigned major) {
  return major <= 1 ? 0 : major == 2 ? 1 : major < 7 ? 2 : 3;
}

/// The most that a thread may have (CUDA guide, "Compute Capabilities"; earlier editions for 1.x).
constexpr unsigned mostRegisters(unsigned sm) {
  if (sm < 20)
    return 124;
  return sm < 32 ? 63 : 255;
}

/// The least that -maxrregcount may ask for: what calls need. Smaller numbers are raised to it
/// (nvcc's documentation; ptxas 13 says 24 from 7.0 on).
constexpr unsigned leastRegisterLimit(unsigned sm) { return sm < 70 ? 16 : 24; }

/// The limit of a kernel's -maxrregcount or __maxnreg__ on a compute capability. 0: none.
constexpr unsigned registerLimit(unsigned sm, unsigned asked) {
  unsigned most = mostRegisters(sm), least = leastRegisterLimit(sm);
  return asked == 0 || asked > most ? most : asked < least ? least : asked;
}

} // namespace heddle
