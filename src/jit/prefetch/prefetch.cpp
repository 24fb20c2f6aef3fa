// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Software prefetches.
//
// Problem. Hardware prefetchers follow an array that is read from one end to the other. They stop
// at the end of a page, see no pattern in accesses that are far apart, and forget a row before its
// neighbour is read. A program knows what it will access next, in its loops and in later blocks.
//
// Method. A source of accesses says which are worth a prefetch and how far ahead: a constant number
// of bytes, or iterations of a loop, by how much each moves the address (simt/analysis/strides.h).
// The rest is common (fetches.h): which lines these are, each once per block, and the prefetches in
// front of the access. Below is what each source fetches, into which cache, and how far ahead:
//
//     source                   ahead                            into
//     prefetch-grid-strides    four iterations of the loop      first cache
//     prefetch-next-tile       the next block of the grid       second cache
//     prefetch-later-blocks    a page, or less of many arrays   first cache
//     prefetch-stores          nothing: right before them       first cache, for writing
//
// Two earlier passes concern lanes: simt/thread/prefetch_next_round.cpp (the next iteration of a
// loop with barriers) and simt/widen/memory/row_prefetches.cpp (the starts of rows).
//
// Legality (prefetch-loads): none: it only runs the sources above, which have names of their own.
#include "jit/prefetch/prefetch.h"

#include "simt/analysis/launch_facts.h"

namespace heddle::jit {

using namespace llvm;

namespace {

struct Source {
  StringLiteral name;
  FetchRange range;
  FetchInto into;
  FetchFor what;
  void (*find)(const FetchedFunction &, Fetches &);
};

constexpr Source Loads[] = {
    {"prefetch-grid-strides", FetchRange::All, FetchInto::First, FetchFor::Reading,
     findGridStrides},
    {"prefetch-next-tile", FetchRange::ToLastByte, FetchInto::Second, FetchFor::Reading,
     findNextTile},
    {"prefetch-later-blocks", FetchRange::WholeLines, FetchInto::First, FetchFor::Reading,
     findLaterBlocks},
};

constexpr Source Stores[] = {
    {"prefetch-stores", FetchRange::ToLastByte, FetchInto::First, FetchFor::Writing, findStores},
};

PreservedAnalyses prefetch(Function &function, FunctionAnalysisManager &analyses,
                           ArrayRef<Source> sources) {
  const auto &options = analyses.getResult<simt::LaunchFactsAnalysis>(function).options;
  FetchedFunction where = {function, analyses.getResult<LoopAnalysis>(function),
                           analyses.getResult<ScalarEvolutionAnalysis>(function)};
  std::deque<Fetches> all;
  for (const Source &source : sources)
    if (options.isEnabled(source.name))
      source.find(where, all.emplace_back(where.evolution, source.range, source.into, source.what));
  std::set<Fetches::Fetched> fetched;
  bool isChanged = false;
  for (Fetches &fetches : all)
    isChanged |= fetches.emit(fetched);
  return simt::changedInBlocks(isChanged);
}

} // namespace

PreservedAnalyses PrefetchLoads::run(Function &function, FunctionAnalysisManager &analyses) {
  return prefetch(function, analyses, Loads);
}

PreservedAnalyses PrefetchStores::run(Function &function, FunctionAnalysisManager &analyses) {
  return prefetch(function, analyses, Stores);
}

} // namespace heddle::jit
