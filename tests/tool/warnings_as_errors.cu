// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kinds of warnings that nvcc's -Werror takes: those that clang has are errors, and only those that were named; the
// others are taken without an effect.
//
// RUN: %nvcc --extended-lambda -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=NONE
// NONE-NOT: lambda function
// NONE: warning: 'old' is deprecated
// NONE-NOT: will be initialized after
// NONE-NOT: lambda function
// RUN: not %nvcc --extended-lambda -Werror reorder -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=REORDER
// REORDER: error: field 'b' will be initialized after
// REORDER: warning: 'old' is deprecated
// RUN: not %nvcc --extended-lambda --Werror=deprecated-declarations,reorder -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: error: field 'b' will be initialized after
// TWO: error: 'old' is deprecated
// RUN: not %nvcc --extended-lambda -Werror ext-lambda-captures-this -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=THIS
// THIS: [[@LINE+21]]:{{.*}}error: capture host side class data member by this pointer in device or host device lambda function
// RUN: %nvcc --extended-lambda -Wext-lambda-captures-this -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=WARN
// WARN: [[@LINE+19]]:{{.*}}warning: capture host side class data member by this pointer in device or host device lambda function
// RUN: %nvcc --extended-lambda -Werror cross-execution-space-call,default-stream-launch,missing-launch-bounds -c %s -o %t.o
// RUN: not %nvcc -Werror conversions -c %s -o %t.o 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: nvcc fatal   : Value 'conversions' is not defined for option 'Werror'
struct Pair {
  int a, b;
  Pair() : b(1), a(2) {}
};

[[deprecated]] int old();

template <typename F> __global__ void run(F f, int *p) {
  *p = f();
}

struct Owner {
  int value;
  void start(int *p) {
    // nvcc's warning is of `this`, which the host's memory is behind; a copy is none.
    run<<<1, 1>>>([=] __device__() { return value; }, p);
    run<<<1, 1>>>([=, *this] __device__() { return value + 1; }, p);
  }
};

int main() {
  Pair pair;
  Owner{1}.start(nullptr);
  return old() + pair.a;
}
