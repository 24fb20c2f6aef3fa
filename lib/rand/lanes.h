// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Engines of many streams that take turns: XORWOW and MRG32k3a.
//
// cuRAND's host API runs some thousands of generators, a subsequence apart (guide, 2.2.3). Each
// result, or pair of normal ones, takes as many words as it needs from one stream, and the next
// result is the next stream's. So the numbers of calls of all kinds follow each other as those of
// one call do, and a stream is behind its neighbours only where a call ended. Here a block of
// streams makes a row of results at a time in loops over its streams, which are vectors' lanes.
#pragma once

#include "convert.h"
#include "parallel.h"
#include "poisson_table.h"

#include <algorithm>
#include <type_traits>
#include <vector>

namespace heddle::rand {

/// The streams of a block.
constexpr size_t BlockLanes = 256;
/// The most words that a result takes.
constexpr int MaxWords = 4;
using Words = uint32_t[MaxWords][BlockLanes];

/// `Streams` has: a type Block of BlockLanes streams with `void next(uint32_t *words, size_t first,
/// size_t last)`; a vector `blocks` of them; and conversions of words, all static: bits, uniform,
/// uniformDouble(words, first, ...).
template <typename Streams> class LaneEngine final : public Engine {
public:
  explicit LaneEngine(const Settings &settings)
      : streams(settings), next(streams.start(settings)) {}

  void generate(const Request &r) override {
    switch (r.distribution) {
    case Distribution::Bits:
      return run<uint32_t>(r, 1, 1,
                           [](Words &w, size_t n, uint32_t *out) { Streams::bits(w, n, out); });
    case Distribution::Uniform:
      return run<float>(r, 1, 1,
                        [](Words &w, size_t n, float *out) { Streams::uniform(w[0], n, out); });
    case Distribution::UniformDouble:
      return run<double>(r, Streams::DoubleWords, 1, [](Words &w, size_t n, double *out) {
        Streams::uniformDouble(w, 0, n, out);
      });
    case Distribution::Normal:
      return run<float>(r, 2, 2, [shape = Shape(r)](Words &w, size_t n, float *out) {
        float u[BlockLanes], angle[BlockLanes];
        Streams::uniform(w[0], n, u);
        Streams::uniform(w[1], n, angle);
        toNormalPairs(u, angle, out, n, shape);
      });
    case Distribution::NormalDouble:
      return run<double>(r, 2 * Streams::DoubleWords, 2,
                         [shape = Shape(r)](Words &w, size_t n, double *out) {
                           double u[BlockLanes], angle[BlockLanes];
                           Streams::uniformDouble(w, 0, n, u);
                           Streams::uniformDouble(w, Streams::DoubleWords, n, angle);
                           toNormalPairs(u, angle, out, n, shape);
                         });
    case Distribution::Poisson:
      if (r.poisson->method() == PoissonMethod::Normal)
        return runPoissonOfNormal(r);
      return run<uint32_t>(r, 1, 1, [table = r.poisson](Words &w, size_t n, uint32_t *out) {
        double u[BlockLanes];
        Streams::oneWordDouble(w[0], n, u);
        table->sample(u, out, n);
      });
    case Distribution::Bits64:
      break;
    }
  }

private:
  /// Poisson numbers of normal ones take one of a stream's pair; the other waits for the stream's
  /// next Poisson number.
  void runPoissonOfNormal(const Request &r) {
    waiting.resize(streams.blocks.size() * BlockLanes);
    size_t streamsAll = waiting.size();
    inParallel(streams.blocks.size(), r.count, [&](size_t first, size_t last) {
      for (size_t b = first; b < last; ++b)
        forEachRow(b * BlockLanes, r.count, [&](size_t from, size_t to, size_t unit) {
          poissonRow(streams.blocks[b], &waiting[b * BlockLanes], from, to, *r.poisson,
                     r.to<uint32_t>() + unit);
        });
    });
    for (auto &block : streams.blocks)
      block.settle();
    next = (next + r.count) % streamsAll;
  }

  /// Makes the numbers of lanes [first, last), where those that have a number and those that have
  /// none take turns.
  static void poissonRow(typename Streams::Block &block, float *waiting, size_t first, size_t last,
                         const PoissonTable &table, uint32_t *out) {
    while (first < last) {
      bool had = waiting[first] != 0;
      size_t end = first;
      while (end < last && (waiting[end] != 0) == had)
        ++end;
      size_t n = end - first;
      float normal[BlockLanes];
      if (had) {
        std::copy_n(waiting + first, n, normal);
        std::fill_n(waiting + first, n, 0.0f);
      } else {
        Words w;
        float u[BlockLanes], angle[BlockLanes], pairs[2 * BlockLanes];
        block.next(w[0], first, end);
        block.next(w[1], first, end);
        Streams::uniform(w[0], n, u);
        Streams::uniform(w[1], n, angle);
        toNormalPairs(u, angle, pairs, n, Shape(Request{}));
        for (size_t i = 0; i < n; ++i)
          normal[i] = pairs[2 * i], waiting[first + i] = pairs[2 * i + 1];
      }
      table.sampleNormal(normal, out, n);
      out += n, first = end;
    }
  }

  /// Makes the request's units, of `words` words to `results` results each.
  template <typename T, typename F>
  void run(const Request &r, int words, int results, F &&convert) {
    size_t units = r.count / results, streamsAll = streams.blocks.size() * BlockLanes;
    inParallel(streams.blocks.size(), r.count, [&](size_t first, size_t last) {
      for (size_t b = first; b < last; ++b)
        runBlock(streams.blocks[b], b * BlockLanes, units, words,
                 [&](Words &w, size_t n, size_t unit) {
                   convert(w, n, r.template to<T>() + unit * results);
                 });
    });
    next = (next + units) % streamsAll;
  }

  /// The units of one block's streams.
  template <typename F>
  void runBlock(typename Streams::Block &block, size_t firstStream, size_t units, int words,
                F &&emit) {
    Words w;
    forEachRow(firstStream, units, [&](size_t first, size_t last, size_t unit) {
      for (int i = 0; i < words; ++i)
        block.next(w[i], first, last);
      emit(w, last - first, unit);
    });
    block.settle();
  }

  /// Calls row(first, last, unit) for the block's lanes [first, last), of which the first makes
  /// that unit: unit u is the one of stream (next + u) mod all.
  template <typename F> void forEachRow(size_t firstStream, size_t units, F &&row) const {
    size_t all = streams.blocks.size() * BlockLanes;
    for (size_t base = firstStream; base < next + units; base += all) {
      size_t first = std::clamp(next, base, base + BlockLanes) - base;
      size_t last = std::clamp(next + units, base, base + BlockLanes) - base;
      if (first < last)
        row(first, last, base + first - next);
    }
  }

  Streams streams;
  size_t next;                ///< the stream whose turn it is
  std::vector<float> waiting; ///< of each stream, a normal number for Poisson's; 0 for none
};

} // namespace heddle::rand
