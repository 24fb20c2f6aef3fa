// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations of nodes' parameters, for the functions of each kind of node and for those of all
// kinds. They are made in the current context.
#pragma once

#include "driver/copies/copy.h"
#include "driver/nodes/node_access.h"

namespace heddle::driver {

CUresult makeCopy(const CUDA_MEMCPY3D *, std::unique_ptr<Operation> &);
CUresult makeFill(const CUDA_MEMSET_NODE_PARAMS *, std::unique_ptr<Operation> &);
CUresult makeHost(const CUDA_HOST_NODE_PARAMS *, std::unique_ptr<Operation> &);
/// With a copy of the graph `child`, which is to be inside of `graph`.
CUresult makeChild(const Graph &graph, CUgraph child, std::unique_ptr<Operation> &);

} // namespace heddle::driver
