// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What both sources of as_cxx have: the linker merges it.
#pragma once
#include <cstdio>
#include <stdexcept>

template <class T> int &counter() {
  static int count = 0;
  return count;
}

template <class T> __global__ void fill(T *p, T value) { p[threadIdx.x] = value + threadIdx.x; }

struct Registered {
  explicit Registered(const char *name) { std::printf("\"%s\"\tis number %d?\?!\n", name, ++counter<Registered>()); }
};

int sumOf(int value); // part.cu
