// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuGraphExecUpdate. The two graphs' nodes are paired from their ends: the last nodes in the
// order in which they were added, then what each of a pair depends on, in the order of its edges.
// That is what CUDA asks programs to keep the same ("Graph Update Limitations"), whatever order the
// rest was added in. Nothing is changed before all pairs are known to fit.
#include "driver/executable/executable.h"
#include "driver/functions.h"

#include <algorithm>

namespace heddle::driver {

namespace {

using Info = cudaGraphExecUpdateResultInfo;

Info outcome(cudaGraphExecUpdateResult result, Node *node = nullptr, Node *from = nullptr) {
  return {result, node ? handleOf(node) : nullptr, from ? handleOf(from) : nullptr};
}

class Pairing {
public:
  /// Pairs the nodes of two graphs, and of what is inside of them.
  Info pair(const Graph &to, const Graph &from) {
    Info info = start(to, from);
    for (size_t i = 0; !info.result && i < pairs_.size(); ++i) // pairs are added while we walk
      info = follow(pairs_[i]);
    return info;
  }

  void apply() {
    for (auto &[to, from] : pairs_)
      if (from->operation->inside().empty())
        to->operation = from->operation->clone();
  }

private:
  struct Pair {
    Node *to, *from;
  };

  static std::vector<Node *> endsOf(const Graph &graph) {
    std::vector<Node *> ends;
    std::ranges::copy_if(graph.nodes, std::back_inserter(ends),
                         [](const Node *node) { return node->after.empty(); });
    return ends;
  }

  /// Pairs the last nodes of two graphs.
  Info start(const Graph &to, const Graph &from) {
    std::vector<Node *> toEnds = endsOf(to), fromEnds = endsOf(from);
    if (to.nodes.size() != from.nodes.size())
      return outcome(cudaGraphExecUpdateErrorTopologyChanged);
    if (toEnds.size() != fromEnds.size())
      return outcome(cudaGraphExecUpdateErrorTopologyChanged,
                     fromEnds.empty() ? nullptr : fromEnds.front());
    Info info = outcome(cudaGraphExecUpdateSuccess);
    for (size_t i = 0; !info.result && i < toEnds.size(); ++i)
      info = add(toEnds[i], fromEnds[i]);
    return info;
  }

  Info add(Node *to, Node *from) {
    auto [known, isNew] = partners_.try_emplace(from, to);
    if (!isNew)
      return known->second == to ? outcome(cudaGraphExecUpdateSuccess)
                                 : outcome(cudaGraphExecUpdateErrorTopologyChanged, from);
    if (to->operation->type() != from->operation->type())
      return outcome(cudaGraphExecUpdateErrorNodeTypeChanged, from);
    if (auto result = to->operation->compare(*from->operation))
      return outcome(result, from);
    pairs_.push_back({to, from});
    return outcome(cudaGraphExecUpdateSuccess);
  }

  /// Pairs what the nodes of a pair depend on, and what is inside of them.
  Info follow(Pair pair) {
    auto &to = pair.to->before, &from = pair.from->before;
    if (to.size() != from.size() || pair.to->after.size() != pair.from->after.size())
      return outcome(cudaGraphExecUpdateErrorTopologyChanged, pair.from);
    for (size_t i = 0; i < to.size(); ++i)
      if (Info info = add(to[i].node, from[i].node); info.result) {
        if (info.result == cudaGraphExecUpdateErrorTopologyChanged)
          return outcome(info.result, pair.from, from[i].node);
        return info;
      }
    std::vector<Graph *> toInside = pair.to->operation->inside(),
                         fromInside = pair.from->operation->inside();
    for (size_t i = 0; i < toInside.size(); ++i)
      if (Info info = start(*toInside[i], *fromInside[i]); info.result)
        return outcome(info.result, pair.from);
    return outcome(cudaGraphExecUpdateSuccess);
  }

  std::vector<Pair> pairs_;
  std::unordered_map<const Node *, Node *> partners_;
};

} // namespace

Info update(Graph &to, const Graph &from) {
  Pairing pairing;
  Info info = pairing.pair(to, from);
  if (!info.result)
    pairing.apply();
  return info;
}

// ---------------------------------------------------------------------------------------------------
// Driver API, "Graph Management".

CUresult cuGraphExecUpdate_v2(CUgraphExec handle, CUgraph graphHandle,
                              CUgraphExecUpdateResultInfo *info) {
  return withExecutable(handle, [&](Executable &executable) -> CUresult {
    const Graph *graph = graphOf(graphHandle);
    if (!graph)
      return CUDA_ERROR_INVALID_VALUE;
    const Info result = update(*executable.graph, *graph);
    if (info)
      *info = {static_cast<CUgraphExecUpdateResult>(result.result), result.errorNode,
               result.errorFromNode};
    executable.isOld |= result.result == cudaGraphExecUpdateSuccess;
    return result.result ? CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE : CUDA_SUCCESS;
  });
}

/// Of CUDA 10.2.
CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphNode *errorNode,
                           CUgraphExecUpdateResult *result) {
  CUgraphExecUpdateResultInfo info = {CU_GRAPH_EXEC_UPDATE_ERROR, nullptr, nullptr};
  CUresult error = cuGraphExecUpdate_v2(exec, graph, &info);
  if (errorNode)
    *errorNode = info.errorNode;
  if (result)
    *result = info.result;
  return error;
}

} // namespace heddle::driver
