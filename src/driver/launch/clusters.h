// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "driver/modules/module.h"

#include "heddle/driver_types.h"

#include <optional>

namespace heddle::driver {

/// The blocks of a launch's clusters.
struct ClusterShape {
  uint32_t dim[3] = {1, 1, 1};
  bool isNamed = false; ///< by the kernel, its attributes or the launch
  uint32_t size() const { return dim[0] * dim[1] * dim[2]; }
};

/// The clusters of a launch, of which `asked` is the attribute's value, if it has one. Errors:
/// CUDA_ERROR_INVALID_CLUSTER_SIZE and others, as tests/run/cluster_errors.cu has them.
CUresult chooseClusters(Function &, Context &, std::optional<dim3> asked, const dim3 &grid,
                        ClusterShape &);

/// What cudaFuncGetAttributes says of clusters.
void fillClusterAttributes(Function &, Context &, cudaFuncAttributes &);
/// Sets one of cudaFuncAttribute*Cluster*.
CUresult setClusterAttribute(Function &, Context &, cudaFuncAttribute, int value);

/// The cluster dimension among a launch's attributes.
std::optional<dim3> askedClusters(const CUlaunchConfig &);

} // namespace heddle::driver
