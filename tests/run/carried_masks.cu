// RUN: %heddle cc %s -o %t
// RUN: %widths %t
// RUN: env HEDDLE_CPU=x86-64-v3 HEDDLE_WIDTH=64 %t
// RUN: %cpu(x86-64-v3) %at(256) %t
// RUN: %cpu(x86-64-v3) %t
// RUN: %cpu(x86-64-v3) env HEDDLE_DISABLE=legalize-masks %t
// RUN: %cpu(x86-64) %t
// REQUIRES: x86
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lanes that leave loops one by one, in programs wider than a register of bytes: searches for bytes, loops in loops with
// breaks, branches whose sides meet again.
#include "support.h"

#include <string>

__global__ void find(int n, int length, const char *text, const char *pattern, int *matched) {
  int i = threadInGrid();
  if (i >= n)
    return;
  int k = 0;
  while (k < length && text[i + k] == pattern[k])
    ++k;
  matched[i] = k;
}

__host__ __device__ int wander(unsigned char start, int limit) {
  int steps = 0;
  unsigned char state = start;
  for (int outer = 0; outer < limit; ++outer) {
    for (int inner = 0; inner < 5; ++inner) {
      state = state * 5 + 3;
      if (state % 7 == 0)
        break;
      if (state % 3 == 0)
        steps += inner;
      else
        steps += 2;
    }
    if (state % 11 == 0)
      return -steps;
    ++steps;
  }
  return steps;
}

__global__ void wanderAll(int n, int limit, const unsigned char *starts, int *out) {
  int i = threadInGrid();
  if (i < n)
    out[i] = wander(starts[i], limit);
}

void testFind(int n, int length) {
  Random random(n + length);
  std::string pattern("abcabcabcabcabcab", length), text;
  for (int i = 0; i < n + length; ++i)
    text += char('a' + random.below(3));
  for (int i = 5; i + length < n; i += 61)
    text.replace(i, length, pattern);
  std::vector<int> want(n);
  for (int i = 0; i < n; ++i)
    while (want[i] < length && text[i + want[i]] == pattern[want[i]])
      ++want[i];
  Buffer<char> deviceText(std::vector<char>(text.begin(), text.end())),
      devicePattern(std::vector<char>(pattern.begin(), pattern.end()));
  Buffer<int> matched(n);
  find<<<(n + 255) / 256, 256>>>(n, length, deviceText, devicePattern, matched);
  checkLaunch();
  expectAll("matched", matched.get(), want);
}

void testWander(int n, int limit, int block) {
  std::vector<unsigned char> starts(n);
  std::vector<int> want(n);
  for (int i = 0; i < n; ++i) {
    starts[i] = (unsigned char)(i * 37);
    want[i] = wander(starts[i], limit);
  }
  Buffer<unsigned char> deviceStarts(starts);
  Buffer<int> out(n);
  wanderAll<<<(n + block - 1) / block, block>>>(n, limit, deviceStarts, out);
  checkLaunch();
  expectAll("wandered", out.get(), want);
}

int main() {
  for (int n : {1, 63, 1000, 4096})
    for (int length : {0, 1, 8, 17})
      testFind(n, length);
  for (int block : {33, 128, 256})
    testWander(777, 9, block);
  return finish();
}
