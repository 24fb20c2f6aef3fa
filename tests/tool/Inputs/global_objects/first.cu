// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An object whose constructor launches a kernel of a file that is linked later.
#include <cstdio>
#include <cstdlib>

int launchOther(int);

struct Object {
  int value;
  Object() : value(launchOther(20)) {}
  ~Object() {
    if (launchOther(30) != 31)
      std::abort();
  }
} object __attribute__((init_priority(150)));

int main() { std::printf("value %d\n", object.value); }
