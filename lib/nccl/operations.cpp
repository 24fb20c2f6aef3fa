// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "nccl/communicator.h"
#include "nccl/group.h"
#include "support/stream_work.h"

#include <cstring>

using namespace heddle::nccl;

namespace {

bool isType(ncclDataType_t type) { return int(type) >= 0 && int(type) < int(ncclNumTypes); }

/// What all operations check; `send`, `recv`: whether this rank has such a buffer.
ncclResult_t checkCall(const Call &call, bool send, bool recv) {
  if (ncclResult_t result = check(call.comm); result != ncclSuccess)
    return result;
  Clique &clique = *call.comm->clique;
  if (!isType(call.type))
    return fail(ncclInvalidArgument, "the data type is none");
  if (call.root < 0 || call.root >= clique.size)
    return fail(ncclInvalidArgument, "the root or peer is no rank");
  if (call.count > 0 && ((send && !heddle::library::isUsable(call.send)) ||
                         (recv && !heddle::library::isUsable(call.recv))))
    return fail(ncclInvalidArgument, "a buffer is not memory that a device can use");
  std::lock_guard lock(clique.mutex);
  if (clique.failure != ncclSuccess)
    return fail(clique.failure, "the communicator has failed or was aborted");
  if (!clique.complete() || call.comm->finalized)
    return fail(ncclInvalidUsage, "the communicator is not ready, or was finalized");
  return ncclSuccess;
}

ncclResult_t make(const Call &call, bool send, bool recv) {
  ncclResult_t result = checkCall(call, send, recv);
  return result == ncclSuccess ? callOrCollect(call) : failGroup(result);
}

/// Replaces an operator of the communicator by NCCL's and a factor.
ncclResult_t resolveOperator(Call &call) {
  if (check(call.comm) != ncclSuccess)
    return ncclInvalidArgument;
  if (int(call.op) >= 0 && call.op < ncclNumOps)
    return ncclSuccess;
  size_t index = size_t(int(call.op)) - ncclNumOps;
  if (int(call.op) < 0 || index >= call.comm->operators.size() ||
      !call.comm->operators[index].exists)
    return fail(ncclInvalidArgument, "the operator is none");
  const Operator &op = call.comm->operators[index];
  if (op.type != call.type)
    return fail(ncclInvalidArgument, "the operator is for another data type");
  call.op = ncclSum;
  call.factor = op.scalar;
  call.owner = op.owner;
  return ncclSuccess;
}

ncclResult_t makeReduction(Call call, bool recv) {
  ncclResult_t result = resolveOperator(call);
  return result == ncclSuccess ? make(call, true, recv) : failGroup(result);
}

bool isRank(ncclComm_t comm, int rank) { return check(comm) == ncclSuccess && comm->rank == rank; }

} // namespace

extern "C" {
#pragma GCC visibility push(default)

ncclResult_t ncclAllReduce(const void *sendbuff, void *recvbuff, size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return makeReduction({comm, Kind::AllReduce, count, type, op, 0, false, sendbuff, recvbuff,
                        nullptr, nullptr, stream},
                       true);
}

ncclResult_t ncclReduce(const void *sendbuff, void *recvbuff, size_t count, ncclDataType_t type,
                        ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream) {
  return makeReduction({comm, Kind::Reduce, count, type, op, root, false, sendbuff, recvbuff,
                        nullptr, nullptr, stream},
                       isRank(comm, root));
}

ncclResult_t ncclReduceScatter(const void *sendbuff, void *recvbuff, size_t recvcount,
                               ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                               cudaStream_t stream) {
  return makeReduction({comm, Kind::ReduceScatter, recvcount, type, op, 0, false, sendbuff,
                        recvbuff, nullptr, nullptr, stream},
                       true);
}

ncclResult_t ncclBroadcast(const void *sendbuff, void *recvbuff, size_t count, ncclDataType_t type,
                           int root, ncclComm_t comm, cudaStream_t stream) {
  return make({comm, Kind::Broadcast, count, type, ncclSum, root, false, sendbuff, recvbuff,
               nullptr, nullptr, stream},
              isRank(comm, root), true);
}

ncclResult_t ncclBcast(void *buff, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
                       cudaStream_t stream) {
  return ncclBroadcast(buff, buff, count, type, root, comm, stream);
}

ncclResult_t ncclAllGather(const void *sendbuff, void *recvbuff, size_t sendcount,
                           ncclDataType_t type, ncclComm_t comm, cudaStream_t stream) {
  return make({comm, Kind::AllGather, sendcount, type, ncclSum, 0, false, sendbuff, recvbuff,
               nullptr, nullptr, stream},
              true, true);
}

ncclResult_t ncclSend(const void *sendbuff, size_t count, ncclDataType_t type, int peer,
                      ncclComm_t comm, cudaStream_t stream) {
  return make({comm, Kind::SendRecv, count, type, ncclSum, peer, true, sendbuff, nullptr, nullptr,
               nullptr, stream},
              true, false);
}

ncclResult_t ncclRecv(void *recvbuff, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                      cudaStream_t stream) {
  return make({comm, Kind::SendRecv, count, type, ncclSum, peer, false, nullptr, recvbuff, nullptr,
               nullptr, stream},
              false, true);
}

ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t *op, void *scalar, ncclDataType_t type,
                                      ncclScalarResidence_t residence, ncclComm_t comm) {
  if (ncclResult_t result = check(comm); result != ncclSuccess)
    return result;
  if (!op || !scalar || !isType(type))
    return fail(ncclInvalidArgument, "an operator needs a scalar of a data type");
  Operator made{true, type, scalar, nullptr};
  if (residence == ncclScalarHostImmediate) {
    auto copy = std::make_shared<std::array<char, 8>>();
    std::memcpy(copy->data(), scalar, bytesOf(type));
    made.scalar = copy->data();
    made.owner = std::move(copy);
  }
  *op = ncclRedOp_t(int(ncclNumOps) + int(comm->operators.size()));
  comm->operators.push_back(std::move(made));
  return ncclSuccess;
}

ncclResult_t ncclRedOpDestroy(ncclRedOp_t op, ncclComm_t comm) {
  if (ncclResult_t result = check(comm); result != ncclSuccess)
    return result;
  size_t index = size_t(int(op)) - ncclNumOps;
  if (int(op) < int(ncclNumOps) || index >= comm->operators.size() ||
      !comm->operators[index].exists)
    return fail(ncclInvalidArgument, "the operator is none");
  comm->operators[index] = {};
  return ncclSuccess;
}

#pragma GCC visibility pop
}
