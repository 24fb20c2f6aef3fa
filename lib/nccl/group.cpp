// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nccl/group.h"

#include "nccl/communicator.h"

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

ncclResult_t endGroup() {
  Group group = std::exchange(current, {});
  if (group.error != ncclSuccess)
    return group.error;
  for (auto &wait : group.waits)
    if (ncclResult_t result = wait(); result != ncclSuccess)
      return result;
  return submit(std::move(group.calls));
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

#pragma GCC visibility pop
}
