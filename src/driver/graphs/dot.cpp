// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuGraphDebugDotPrint: a graph in the language of Graphviz, with what is inside of its nodes as
// clusters.
#include "driver/functions.h"
#include "driver/graphs/graph.h"

#include <cstdio>

namespace heddle::driver {

namespace {

const char *const TypeNames[cudaGraphNodeTypeCount] = {
    "KERNEL",    "MEMCPY",     "MEMSET",       "HOST",       "GRAPH",
    "EMPTY",     "EVENT_WAIT", "EVENT_RECORD", "EXT_SIGNAL", "EXT_WAIT",
    "MEM_ALLOC", "MEM_FREE",   "BATCH_MEM_OP", "CONDITIONAL"};

/// The flag that asks for the parameters of nodes of a type; 0: they are always printed.
unsigned flagFor(cudaGraphNodeType type) {
  switch (type) {
  case cudaGraphNodeTypeKernel:
    return cudaGraphDebugDotFlagsKernelNodeParams;
  case cudaGraphNodeTypeMemcpy:
    return cudaGraphDebugDotFlagsMemcpyNodeParams;
  case cudaGraphNodeTypeMemset:
    return cudaGraphDebugDotFlagsMemsetNodeParams;
  case cudaGraphNodeTypeHost:
    return cudaGraphDebugDotFlagsHostNodeParams;
  case cudaGraphNodeTypeEventRecord:
  case cudaGraphNodeTypeWaitEvent:
    return cudaGraphDebugDotFlagsEventNodeParams;
  case cudaGraphNodeTypeConditional:
    return cudaGraphDebugDotFlagsConditionalNodeParams;
  default:
    return 0;
  }
}

std::string quoted(const std::string &text) {
  std::string out;
  for (char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += c;
  }
  return out;
}

class DotPrinter {
public:
  DotPrinter(FILE *file, unsigned flags) : file_(file), flags_(flags) {}

  void print(const Graph &graph) {
    std::fprintf(file_, "digraph dot {\n");
    printNodes(graph);
    std::fprintf(file_, "}\n");
  }

private:
  void printNodes(const Graph &graph) {
    for (const Node *node : graph.nodes)
      printNode(*node);
    for (const Node *node : graph.nodes)
      for (const Edge &edge : node->after)
        printEdge(*node, edge);
  }

  void printNode(const Node &node) {
    const cudaGraphNodeType type = node.operation->type();
    const std::vector<std::string> lines = node.operation->describe();
    const unsigned flag = flagFor(type);
    const bool all = !flag || flags_ & (flag | cudaGraphDebugDotFlagsVerbose);
    std::fprintf(file_, "\"node_%llu\" [shape=\"box\", label=\"%s",
                 static_cast<unsigned long long>(node.id), TypeNames[type]);
    if (flags_ & cudaGraphDebugDotFlagsHandles)
      std::fprintf(file_, "\\n%p", static_cast<const void *>(&node));
    for (size_t i = 0; i < lines.size() && (i == 0 || all); ++i)
      std::fprintf(file_, "\\n%s", quoted(lines[i]).c_str());
    std::fprintf(file_, "\"];\n");
    for (const Graph *inside : node.operation->inside()) {
      std::fprintf(file_, "subgraph cluster_%llu {\nlabel=\"inside of node_%llu\";\n",
                   static_cast<unsigned long long>(inside->id),
                   static_cast<unsigned long long>(node.id));
      printNodes(*inside);
      std::fprintf(file_, "}\n");
    }
  }

  void printEdge(const Node &from, const Edge &edge) {
    std::fprintf(file_, "\"node_%llu\" -> \"node_%llu\"%s;\n",
                 static_cast<unsigned long long>(from.id),
                 static_cast<unsigned long long>(edge.node->id),
                 edge.data.type ? " [style=\"dashed\"]" : "");
  }

  FILE *file_;
  unsigned flags_;
};

} // namespace

CUresult cuGraphDebugDotPrint(CUgraph handle, const char *path, unsigned flags) {
  const Graph *graph = graphOf(handle);
  if (!graph || !path)
    return CUDA_ERROR_INVALID_VALUE;
  FILE *file = std::fopen(path, "w");
  if (!file)
    return CUDA_ERROR_OPERATING_SYSTEM;
  DotPrinter(file, flags).print(*graph);
  const bool failed = std::ferror(file);
  return std::fclose(file) || failed ? CUDA_ERROR_OPERATING_SYSTEM : CUDA_SUCCESS;
}

} // namespace heddle::driver
