// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations and how their ranks meet, if they are in one process (remote.h has the others).
//
// A rank's call puts nothing into its stream that waits on a thread: the runtime has one thread for
// all host functions. The rank that calls last has its stream wait for the others' (events), does
// the work there and records an event, for which the others' streams wait. A call that comes before
// the last does not know that event yet, so it stays for `Patience`; mostly the others come
// meanwhile, from threads of their own or in the same group. If they do not, the call puts a gate
// into its stream (gate.cu), which the work opens, and returns.
#pragma once

#include "nccl/arithmetic.h"

#include <cuda_runtime_api.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace heddle::nccl {

/// Operations of a rank that are not done yet.
using Pending = std::shared_ptr<std::atomic<int>>;
using Event = std::shared_ptr<CUevent_st>;

/// A call, before it meets the others.
struct Call {
  ncclComm_t comm;
  Kind kind;
  size_t count;
  ncclDataType_t type;
  ncclRedOp_t op;
  int root;   ///< of SendRecv the other rank
  bool sends; ///< of SendRecv
  const void *send;
  void *recv;
  const void *factor;
  std::shared_ptr<const void> owner; ///< of the factor
  cudaStream_t stream;
};

struct Arrival {
  Call call;
  Event ready;         ///< behind what the stream did before
  int *gate = nullptr; ///< what the work sets, if the call did not stay
  Pending pending;     ///< null in a stream that is being captured
  std::thread::id thread;
};

struct Meeting {
  enum State { Waiting, Launching, Launched, Failed };
  State state = Waiting;
  std::vector<Arrival> arrivals;
  int arrived = 0;
  Event done;
  ncclResult_t result = ncclSuccess;
};

/// Makes the calls of a group, of one thread.
ncclResult_t submit(std::vector<Call> calls);

/// Ends what waits in a clique: its lock is held.
struct Clique;
void failMeetings(Clique &clique, ncclResult_t result);

} // namespace heddle::nccl
