// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Communicators: one for each rank, and the clique that the ranks of one have in common.
#pragma once

#include "nccl/meeting.h"
#include "nccl/segment.h"

#include <nccl.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace heddle::nccl {

class Remote;

/// What ranks say in ncclCommSplit, and the cliques that come of it.
struct Split {
  struct Wish {
    int color, key;
  };
  std::vector<std::optional<Wish>> wishes;
  int arrived = 0;
  struct Place {
    std::shared_ptr<struct Clique> clique; ///< null for no color
    int rank = 0;
  };
  std::vector<Place> places; ///< once all have arrived
};

struct Clique {
  explicit Clique(int size) : size(size), devices(size_t(size), -1) {}

  /// Whether all ranks are there.
  bool complete() const { return joined == size || (segment && segment->complete()); }
  /// Whether some are in other processes. Known once all are there.
  bool isRemote() const { return joined < size && segment && segment->complete(); }

  const int size;
  std::string name;                 ///< what ranks in several processes find each other by
  std::shared_ptr<Segment> segment; ///< null for a clique that one process makes as a whole
  std::mutex mutex;                 ///< for all that follows
  std::condition_variable changed;
  int joined = 0;           ///< ranks of this process
  std::vector<int> devices; ///< by rank; -1: not joined yet, or in another process
  ncclResult_t failure = ncclSuccess;
  std::map<uint64_t, std::shared_ptr<Meeting>> collectives; ///< by their number
  using Pair = std::pair<int, int>;                         ///< sender, receiver
  std::map<Pair, std::deque<std::shared_ptr<Meeting>>> sends, receives;
  std::map<uint64_t, std::shared_ptr<Split>> splits;
  bool oneThread = false; ///< One thread makes several ranks' calls, without a group.
};

/// An operator of ncclRedOpCreatePreMulSum.
struct Operator {
  bool exists;
  ncclDataType_t type;
  const void *scalar;                ///< read when the operation runs
  std::shared_ptr<const void> owner; ///< of a scalar that was copied
};

/// Says why a call fails, for ncclGetLastError and on stderr; returns `result`.
ncclResult_t fail(ncclResult_t result, const std::string &why);

/// Makes `device` the current one for a scope.
class DeviceScope {
public:
  explicit DeviceScope(int device) {
    cudaGetDevice(&before_);
    cudaSetDevice(device);
  }
  ~DeviceScope() { cudaSetDevice(before_); }

private:
  int before_ = 0;
};

} // namespace heddle::nccl

struct ncclComm {
  std::shared_ptr<heddle::nccl::Clique> clique;
  int rank = 0, device = 0;
  bool blocking = true, finalized = false;
  uint64_t collectiveCount = 0, splitCount = 0;
  std::vector<heddle::nccl::Operator> operators;
  heddle::nccl::Pending pending = std::make_shared<std::atomic<int>>(0);
  std::unique_ptr<heddle::nccl::Remote> remote; ///< made when it is first wanted
  ncclComm();
  ~ncclComm();
};

namespace heddle::nccl {

/// The communicator behind a handle: success if it is one.
ncclResult_t check(ncclComm_t comm);

/// The rank's side of a communicator with ranks in other processes; null for one without.
Remote *remoteOf(ncclComm_t comm);

} // namespace heddle::nccl
