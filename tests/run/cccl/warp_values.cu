// RUN: %nvcc -std=c++17 %s -o %t
// RUN: %widths %t
// RUN: %all %nvcc -std=c++20 %s -o %t && %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// <cuda/warp>: shuffles and matches of values of any size, masks of lanes.
#include "../support.h"

#include <cuda/warp>

struct Point {
  double x;
  int y;
  char tag;
};

__global__ void exchange(int *out) {
  using namespace cuda::device;
  unsigned lane = threadIdx.x;
  Point mine = {lane * 0.5, int(lane) - 3, char(lane)};
  auto next = warp_shuffle_down(mine, 1);
  auto before = warp_shuffle_up<8>(mine, 2);
  auto turned = warp_shuffle_xor(lane, 5);
  Point first = warp_shuffle_idx(mine, 3, cuda::std::integral_constant<int, 16>());
  lane_mask same = warp_match_any(Point{double(lane / 4), 0, 0}.x);
  int *to = out + 8 * lane;
  to[0] = int(next.data.x * 2) + 100 * next.pred;
  to[1] = before.data.y + 100 * before.pred;
  to[2] = int(turned.data) + 100 * turned.pred;
  to[3] = first.tag;
  to[4] = int(same.value());
  to[5] = warp_match_all(7ull) + 2 * warp_match_all(lane) +
          4 * warp_match_all(lane / 8, lane_mask(0xff) << int(lane / 8 * 8));
  to[6] = int((lane_mask::all_less() | lane_mask::this_lane()).value() ^ lane_mask::all_greater().value());
  to[7] = lane_mask::all_less_equal() == ~lane_mask::all_greater() && lane_mask::all_active() == lane_mask::all();
}

int main() {
  Buffer<int> out(8 * 32);
  exchange<<<1, 32>>>(out);
  checkLaunch();
  std::vector<int> want;
  for (int lane = 0; lane < 32; ++lane) {
    bool last = lane == 31, low = lane % 8 < 2;
    want.push_back((last ? 31 : lane + 1) + 100 * !last);
    want.push_back((low ? lane : lane - 2) - 3 + 100 * !low);
    want.push_back((lane ^ 5) + 100);
    want.push_back(lane / 16 * 16 + 3);
    want.push_back(int(0xfu << (lane / 4 * 4)));
    want.push_back(5);
    want.push_back(-1);
    want.push_back(1);
  }
  expectAll("exchange", out.get(), want);
  return finish();
}
