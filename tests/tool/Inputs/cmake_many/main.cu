// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

bool objectTwice();
bool sharedTwice();
bool fixedTwice();

int main() {
  bool right = objectTwice();
#ifndef ONLY_OBJECT
  right = sharedTwice() && fixedTwice() && right;
#endif
  puts(right ? "right" : "wrong");
  return right ? 0 : 1;
}
