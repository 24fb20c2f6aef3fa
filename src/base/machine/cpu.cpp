// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/machine/cpu.h"

#include <cstdint>
#include <cstdio>

#if defined(__x86_64__)
#include <cpuid.h>
#else
#include <fstream>
#include <sys/auxv.h>
#endif

namespace heddle {

namespace {

void append(std::string &text, uint64_t value) {
  char digits[20];
  std::snprintf(digits, sizeof(digits), "-%llx", static_cast<unsigned long long>(value));
  text += digits;
}

#if defined(__x86_64__)

struct Registers {
  unsigned a = 0, b = 0, c = 0, d = 0;
};

/// All zero where the CPU has no such leaf.
Registers cpuid(unsigned leaf, unsigned subleaf) {
  Registers r;
  __get_cpuid_count(leaf, subleaf, &r.a, &r.b, &r.c, &r.d);
  return r;
}

/// XCR0: which vector registers the operating system saves. Legal only where OSXSAVE is set.
uint64_t enabledState(const Registers &features) {
  if (!(features.c & bit_OSXSAVE))
    return 0;
  unsigned low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t(high) << 32) | low;
}

/// Leaf 1's EBX and others hold the number of the core that asks; they are left out.
std::string identify() {
  std::string text = "x86";
  Registers features = cpuid(1, 0);
  Registers seven = cpuid(7, 0), sevenOne = cpuid(7, 1), extended = cpuid(0x80000001, 0);
  for (uint64_t part :
       {uint64_t(features.a), uint64_t(features.c), uint64_t(features.d), enabledState(features),
        uint64_t(seven.b), uint64_t(seven.c), uint64_t(seven.d), uint64_t(sevenOne.a),
        uint64_t(sevenOne.d), uint64_t(extended.c), uint64_t(extended.d)})
    append(text, part);
  return text;
}

#else

std::string identify() {
  std::string text = "cpu";
  append(text, getauxval(AT_HWCAP));
  append(text, getauxval(AT_HWCAP2));
  std::string model;
  std::ifstream file("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1");
  std::getline(file, model);
  return text + "-" + model;
}

#endif

} // namespace

std::string identifyCpu() { return identify(); }

const std::string &cpuIdentity() {
  static const std::string &identity = *new std::string(identifyCpu());
  return identity;
}

} // namespace heddle
