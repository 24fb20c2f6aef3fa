// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies: a latency and a rate. The host is one of the board's time.
#pragma once

#include "model/gpu.h"

namespace heddle::model {

enum class CopyKind : uint8_t { HostToDevice, DeviceToHost, DeviceToDevice };

/// Seconds of a copy on its engine, alone. Pageable memory goes through a pinned buffer.
double copySeconds(const Gpu &, CopyKind, uint64_t bytes, bool isPinned);

/// Bytes a second of a long copy.
double copyRate(const Gpu &, CopyKind, bool isPinned);

/// The share of its rate that a copy keeps while another goes the other way.
double duplexShare(const Gpu &);

enum class PeerPath : uint8_t {
  NvLink,
  SameBoard, ///< or behind one switch
  SameHub,   ///< through the processor's hub
  Staged,    ///< through the host's memory: no peer access
};
double peerRate(const Gpu &from, const Gpu &to, PeerPath);
double peerSeconds(const Gpu &from, const Gpu &to, PeerPath, uint64_t bytes);

/// Host time of a launch, the least time between kernels of a stream, and between the nodes of a
/// graph.
struct LaunchCosts {
  double hostSeconds, streamSeconds, graphSeconds;
};
LaunchCosts launchCosts(const Gpu &);

} // namespace heddle::model
