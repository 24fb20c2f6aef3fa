// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With -Xcompiler -Werror, or -Werror all-warnings, what g++ warns of is an error; what only clang warns of stays a warning.
//
// RUN: %nvcc -Xcompiler -Wall,-Wextra,-Werror %s -o %t 2>&1 | FileCheck %s
// RUN: %t
// RUN: %nvcc -Xcompiler -Wall,-Wextra -Werror all-warnings -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: cp %s %t.cpp && %nvcc -Xcompiler=-Wall,-Wextra -Xcompiler -Werror -c %t.cpp -o %t.o 2>&1 | FileCheck %s
// RUN: not %nvcc -Xcompiler -Wall,-Werror -DOTHER -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not %nvcc -Xcompiler -Wall,-Werror -DOTHER -c %t.cpp -o %t.o 2>&1 | FileCheck %s --check-prefix=OTHER
#include <utility>

class Sizes {
public:
  explicit Sizes(int n) : n_(n) {}
  int count() const { return 2; }

private:
  int n_; // CHECK-DAG: warning: private field 'n_' is not used
};
static const int Unused = 3; // CHECK-DAG: warning: unused variable 'Unused'

int main() {
  int k = Sizes(1).count();
  k = k; // CHECK-DAG: warning: explicitly assigning
#ifdef OTHER
  int lost; // OTHER: error: unused variable 'lost'
#endif
  return k - 2;
}
