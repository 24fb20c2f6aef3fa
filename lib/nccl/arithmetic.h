// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the collective operations do to memory once every rank's stream has come to it.
#pragma once

#include <nccl.h>

#include <vector>

namespace heddle::nccl {

enum class Kind { AllReduce, Reduce, Broadcast, AllGather, ReduceScatter, SendRecv };

size_t bytesOf(ncclDataType_t type);

/// One rank's side of an operation.
struct Part {
  const void *send;
  void *recv;
  const void *
      factor; ///< what this rank's numbers are multiplied by, of the operation's type; null: nothing
};

/// An operation with the parts of all ranks. `count`: as in the call: of AllGather what each sends,
/// of ReduceScatter what each receives. For SendRecv there are two parts, the sender's and the
/// receiver's.
struct Job {
  Kind kind;
  size_t count;
  ncclDataType_t type;
  ncclRedOp_t op; ///< one of NCCL's own
  int root;
  std::vector<Part> parts;
};

/// Runs it, large ones on several threads. Buffers may be the same as NCCL allows (Developer Guide,
/// "In-place Operations"). Sums are made in the order of the ranks, of types of less than 32 bits
/// in float with one rounding.
void run(const Job &job);

} // namespace heddle::nccl
