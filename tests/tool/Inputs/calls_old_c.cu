// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
extern "C" int helper(int);
int main() {
  helper(42);
  return 0;
}
