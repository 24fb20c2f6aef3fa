// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launches of random programs as plain C++: grids, the grids that kernels launch, steps that say what they come after.
// Of each order that is open the second run takes the opposite one.
#pragma once

#include <algorithm>
#include <tuple>

namespace host {

using Grid = std::function<void()>;

/// What the blocks of a grid launch. The grids of one block's stream run in order, and those of different blocks do not
/// matter to each other; those aside do not matter to any other; the last ones come behind all of them, in order.
struct Children {
  std::vector<Grid> inStream, aside, last;

  /// The grids that these launch run before the next one.
  void run() const {
    auto all = [](const std::vector<Grid> &grids) {
      for (const Grid &grid : grids)
        grid();
    };
    if (!backwards)
      all(aside);
    all(inStream);
    if (backwards)
      all({aside.rbegin(), aside.rend()});
    all(last);
  }
};
inline Children *launching; ///< of the grid that runs

template <class F> void launch(dim3 grid, dim3 block, F f, dim3 cluster = dim3(1)) {
  Children children;
  launching = &children;
  gridDim = {grid.x, grid.y, grid.z};
  blockDim = {block.x, block.y, block.z};
  count = block.x * block.y * block.z;
  body = [](void *data) { (*(F *)data)(); };
  bodyData = &f;
  blocks = cluster.x * cluster.y * cluster.z;
  unsigned x = grid.x / cluster.x, y = grid.y / cluster.y, clusters = x * y * (grid.z / cluster.z);
  for (unsigned k = 0; k < clusters; ++k) {
    unsigned c = backwards ? clusters - 1 - k : k;
    runCluster({c % x * cluster.x, c / x % y * cluster.y, c / x / y * cluster.z}, cluster);
  }
  children.run();
}

/// With the arguments as they are now.
template <class... Params, class... Args>
Grid gridOf(void (*kernel)(Params...), dim3 grid, dim3 block, const Args &...args) {
  std::tuple<std::remove_const_t<Params>...> values(args...);
  return [=] { launch(grid, block, [&] { std::apply(kernel, values); }); };
}

struct Step {
  Grid run;
  std::vector<int> after;
};
inline std::vector<Step> ordered;

inline void copyBytes(void *to, const void *from, size_t bytes) {
  ordered.push_back({[=] { memcpy(to, from, bytes); }, {}});
}
inline void fillBytes(void *to, int value, size_t bytes) {
  ordered.push_back({[=] { memset(to, value, bytes); }, {}});
}
inline void after(std::initializer_list<int> before) { ordered.back().after = before; }

/// In the order in which they are there; backwards, always the last one that may run.
inline void playOnce() {
  std::vector<bool> done(ordered.size());
  auto isReady = [&](size_t i) {
    return !done[i] && std::all_of(ordered[i].after.begin(), ordered[i].after.end(), [&](int k) { return done[k]; });
  };
  for (size_t round = 0; round < ordered.size(); ++round) {
    size_t next = backwards ? ordered.size() - 1 : round;
    while (!isReady(next))
      --next;
    ordered[next].run();
    done[next] = true;
  }
}
inline void playSteps(int times) {
  for (int k = 0; k < times; ++k)
    playOnce();
  ordered.clear();
}

} // namespace host
