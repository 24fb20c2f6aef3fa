// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gates: a stream waits until host code sets a flag (gate.cu).
#pragma once

#include <cuda_runtime_api.h>

namespace heddle::nccl {

/// Keeps the stream until *flag is not 0. `flag`: page-locked memory that every device can read.
cudaError_t enqueueGate(int *flag, cudaStream_t stream);

} // namespace heddle::nccl
