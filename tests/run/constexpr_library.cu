// RUN: %heddle cc -std=c++20 --expt-relaxed-constexpr %s -o %t
// RUN: %widths %t
// RUN: %heddle cc -std=c++20 --expt-relaxed-constexpr -G %s -o %t.debug
// RUN: %t.debug
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// constexpr functions of the standard library in kernels: those that throw if they are used wrongly, and those that
// libstdc++ makes of memcmp, memchr and strlen. A use that would throw ends the kernel.
#include "support.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

__device__ constexpr std::string_view words[] = {"warp", "weft", "heddle", "weave"};

__host__ __device__ int mix(int i, const int *in, std::string_view word) {
  int h = 0;
  auto add = [&h](long long v) { h = int(h * 31u + unsigned(v)); };
  std::array<int, 8> a{1, 2, 3, 4, 5, 6, 7, i};
  add(a.at(i & 7));

  std::optional<int> o;
  if (i % 3)
    o = i;
  if (o)
    add(o.value());
  add(o.value_or(17));

  std::variant<int, float, char> v = i;
  if (i & 1)
    v = 2.5f * float(i);
  else if (i & 2)
    v.emplace<char>(char(i));
  add(std::visit([](auto x) { return int(x) + int(sizeof x); }, v));
  add(std::holds_alternative<int>(v) ? std::get<int>(v) : int(v.index()));
  std::variant<int, float, char> w(v);
  w = 'x';
  std::swap(v, w);
  add(std::visit([](auto x, auto y) { return int(x) * 3 + int(y); }, v, w));

  add((long long)word.substr(unsigned(i) & 3).size());
  add((long long)word.find("ed"));
  add((long long)word.find('e', 2));
  add(word.compare("weave") < 0);
  add(word == "weft");
  add(word.starts_with("we"));
  add((long long)std::char_traits<char>::length(word.data()));
  std::array<char, 6> bytes{'w', 'e', char('a' + i % 4), 'v', 'e', 0};
  add(std::equal(bytes.begin(), bytes.begin() + 4, word.begin()));
  add(std::equal(in, in + 3, in + i % 5));
  add(std::span<const int>(in, 8).subspan(unsigned(i) & 3).first(4).back());
  return h;
}

__global__ void uses(const int *in, int *out, int n) {
  int i = threadInGrid();
  if (i < n)
    out[i] = mix(i, in, words[i & 3]);
}

__global__ void misuses(int *out, int n) {
  std::array<int, 4> a{1, 2, 3, 4};
  *out = a.at(n);
}

int main() {
  const int n = 300;
  const std::string_view hostWords[] = {"warp", "weft", "heddle", "weave"};
  std::vector<int> in(16);
  for (int i = 0; i < 16; ++i)
    in[i] = i % 4;
  Buffer<int> deviceIn(in), out(n);
  uses<<<3, 128>>>(deviceIn, out, n);
  std::vector<int> got = out.get();
  for (int i = 0; i < n; ++i)
    expect("mix", i, got[i], mix(i, in.data(), hostWords[i & 3]));
  int status = finish();
  misuses<<<1, 1>>>(out, 4);
  return cudaDeviceSynchronize() == cudaSuccess ? 1 : status;
}
