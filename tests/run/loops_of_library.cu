// RUN: %nvcc %s -o %t
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that do what functions of the C library do stay loops, in the first kernel that a program compiles and in
// those behind it: LLVM would make calls of strlen and memset of them, which no kernel has.
#include "support.h"

/// The length of a string, `Kernel` to have more than one.
template <int Kernel> __global__ void lengths(const char *text, const int *starts, int *out) {
  const char *from = text + starts[threadIdx.x];
  size_t length = 0;
  while (!(from[length] == char()))
    ++length;
  char room[24];
  for (int i = 0; i < int(length) % 24; ++i)
    room[i] = char(Kernel);
  out[threadIdx.x] = int(length) + Kernel * 100 + (length % 24 ? room[length % 24 - 1] : 0);
}

template <int Kernel> void test(const std::string &text, const std::vector<int> &starts) {
  Buffer<char> deviceText(std::vector<char>(text.c_str(), text.c_str() + text.size() + 1));
  Buffer<int> deviceStarts(starts), out(starts.size());
  lengths<Kernel><<<1, unsigned(starts.size())>>>(deviceText, deviceStarts, out);
  checkLaunch();
  std::vector<int> want;
  for (int start : starts) {
    int length = int(std::strlen(text.c_str() + start));
    want.push_back(length + Kernel * 100 + (length % 24 ? Kernel : 0));
  }
  expectAll("lengths", out.get(), want);
}

int main() {
  std::string text;
  std::vector<int> starts;
  Random random(5);
  for (int i = 0; i < 40; ++i) {
    starts.push_back(int(text.size()));
    text += std::string(size_t(random.below(40)), 'x');
    text += '\0';
  }
  test<1>(text, starts);
  test<2>(text, starts);
  test<3>(text, starts);
  return finish();
}
