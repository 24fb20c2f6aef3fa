// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of nodes' parameters, for the functions of each kind of node and for those of all
// kinds.
#pragma once

#include "driver/copies/copy.h"
#include "driver/nodes/node_access.h"

namespace heddle::driver {

CUresult makeCopy(const cudaMemcpy3DParms *, std::unique_ptr<Operation> &);
CUresult makeFill(const cudaMemsetParams *, std::unique_ptr<Operation> &);
CUresult makeHost(const cudaHostNodeParams *, std::unique_ptr<Operation> &);
/// With a copy of the graph `child`, which is to be inside of `graph`.
CUresult makeChild(const Graph &graph, cudaGraph_t child, std::unique_ptr<Operation> &);

} // namespace heddle::driver
