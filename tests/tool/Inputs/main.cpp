// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "add.h"

#include <cstdio>

extern "C" int threeFromC(void);

int main() {
  int sum = addOnDevice(threeFromC());
  std::printf("sum %d\n", sum);
  return sum == 36 ? 0 : 1;
}
