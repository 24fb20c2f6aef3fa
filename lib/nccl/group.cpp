// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nccl/group.h"

#include "nccl/communicator.h"

#include <algorithm>
#include <map>
#include <utility>

namespace heddle::nccl {

namespace {

struct Group {
  int depth = 0;
  ncclResult_t error = ncclSuccess;
  std::vector<Call> calls;
  std::vector<std::function<ncclResult_t()>> waits;
};

thread_local Group current;

/// Ends the outermost group: what is left of making its communicators is done, and its calls are
/// the caller's.
ncclResult_t closeGroup(std::vector<Call> &calls) {
  Group group = std::exchange(current, {});
  if (group.error != ncclSuccess)
    return group.error;
  for (auto &wait : group.waits)
    if (ncclResult_t result = wait(); result != ncclSuccess)
      return result;
  calls = std::move(group.calls);
  return ncclSuccess;
}

ncclResult_t endGroup() {
  std::vector<Call> calls;
  ncclResult_t result = closeGroup(calls);
  return result == ncclSuccess ? submit(std::move(calls)) : result;
}

/// Bytes that an operation reads and writes for all its ranks.
double trafficOf(const Call &call) {
  double ranks = call.comm->clique->size, bytes = double(call.count * bytesOf(call.type));
  switch (call.kind) {
  case Kind::AllReduce:
  case Kind::Broadcast:
    return 2 * ranks * bytes;
  case Kind::Reduce:
    return (ranks + 1) * bytes;
  case Kind::AllGather:
    return 2 * ranks * ranks * bytes;
  case Kind::ReduceScatter:
    return (ranks + 1) * ranks * bytes;
  case Kind::SendRecv:
    return 2 * bytes;
  }
  return 0;
}

/// Microseconds that a group's operations take, about: those of a communicator follow each other,
/// and those of several go beside each other. The ranks of one process have communicators of their
/// own for the same operation.
float estimate(const std::vector<Call> &calls) {
  constexpr double Start = 20, BytesPerMicrosecond = 8000; // two streams meet; one core copies
  std::map<ncclComm_t, double> times;
  for (const Call &call : calls)
    times[call.comm] += Start + trafficOf(call) / BytesPerMicrosecond;
  double longest = 0;
  for (auto &[comm, time] : times)
    longest = std::max(longest, time);
  return float(longest);
}

ncclResult_t simulateGroup(ncclSimInfo_t *simInfo) {
  std::vector<Call> calls;
  if (ncclResult_t result = closeGroup(calls); result != ncclSuccess)
    return result;
  ncclSimInfo_t initial = NCCL_SIM_INFO_INITIALIZER;
  if (!simInfo || simInfo->magic != initial.magic)
    return fail(ncclInvalidArgument, "the information is not NCCL_SIM_INFO_INITIALIZER's");
  simInfo->estimatedTime = estimate(calls);
  return ncclSuccess;
}

} // namespace

ncclResult_t callOrCollect(const Call &call) {
  if (current.depth == 0)
    return submit({call});
  current.calls.push_back(call);
  return ncclSuccess;
}

ncclResult_t waitOrCollect(std::function<ncclResult_t()> wait) {
  if (current.depth == 0)
    return wait();
  current.waits.push_back(std::move(wait));
  return ncclSuccess;
}

ncclResult_t failGroup(ncclResult_t result) {
  if (current.depth > 0 && current.error == ncclSuccess)
    current.error = result;
  return result;
}

} // namespace heddle::nccl

using namespace heddle::nccl;

extern "C" {
#pragma GCC visibility push(default)

ncclResult_t ncclGroupStart() {
  ++current.depth;
  return ncclSuccess;
}

ncclResult_t ncclGroupEnd() {
  if (current.depth == 0)
    return fail(ncclInvalidUsage, "ncclGroupEnd without ncclGroupStart");
  return --current.depth == 0 ? endGroup() : ncclSuccess;
}

ncclResult_t ncclGroupSimulateEnd(ncclSimInfo_t *simInfo) {
  if (current.depth == 0)
    return fail(ncclInvalidUsage, "ncclGroupSimulateEnd without ncclGroupStart");
  return --current.depth == 0 ? simulateGroup(simInfo) : ncclSuccess;
}

#pragma GCC visibility pop
}
