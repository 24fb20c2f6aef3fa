// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/abi/tensor_map.h"

#include <cstdint>

namespace heddle::device::cpu {

/// Whether elements of a type have the operation: loads and stores of all, reductions as PTX's
/// cp.reduce.async.bulk has them.
bool canReduce(TensorType, TensorAction);

/// to[i] = to[i] op from[i] for `count` elements, each an atomic operation of its own.
void reduceElements(TensorType, TensorAction, void *to, const void *from, uint32_t count);

} // namespace heddle::device::cpu
