// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rates of pinned copies by the generation of PCIe with 16 lanes, measured with NVIDIA's bandwidthTest
// and published; what encoding and packets leave of 4, 8, 16, 32 and 64 GB/s. Pageable memory: the
// host copies at its own rate into a buffer from which the engine copies, by turns.
#include "model/transfers.h"

#include <algorithm>

namespace heddle::model {
namespace {

struct Link {
  double toDevice, toHost; ///< GB/s, pinned
  double host;             ///< GB/s at which hosts of that time fill the staging buffers
  double duplex;
  double staged; ///< share of the rate between devices without peer access
  double direct; ///< with it, through the hub
};
constexpr Link Links[] = {{3.1, 3.0, 1.8, 0.6, 0.55, 0.8},
                          {6.0, 6.4, 3.3, 0.6, 0.59, 0.87},
                          {12.1, 12.7, 8, 0.85, 0.72, 0.8},
                          {25.5, 26.2, 12, 0.88, 0.72, 0.8},
                          {52, 53, 16, 0.88, 0.72, 0.8}};
const Link &linkOf(const Gpu &gpu) {
  return Links[std::clamp(gpu.pcie, 1, static_cast<int>(std::size(Links))) - 1];
}

/// Until the first byte: what the shortest copies take on the device (profiles of the texts).
constexpr double ToDeviceSeconds = 1.2e-6, ToHostSeconds = 2.2e-6, DeviceSeconds = 2e-6,
                 PeerSeconds = 8e-6;
/// The switch on a board with two GPUs takes little.
constexpr double BoardShare = 0.95, NvLinkShare = 0.92;

} // namespace

double copyRate(const Gpu &gpu, CopyKind kind, bool isPinned) {
  const Link &link = linkOf(gpu);
  const Parameters &p = gpu.parameters();
  if (kind == CopyKind::DeviceToDevice) // read and written
    return gpu.peakBandwidth() * p.dramRead / (1 + p.dramTurn) / 2 *
           (gpu.ecc && gpu.dram < Dram::Hbm2 ? 0.86 : 1);
  const double pinned = kind == CopyKind::HostToDevice ? link.toDevice : link.toHost;
  return 1e9 * (isPinned ? pinned : 1 / (1 / pinned + 1 / link.host));
}

double copySeconds(const Gpu &gpu, CopyKind kind, uint64_t bytes, bool isPinned) {
  const double start = kind == CopyKind::HostToDevice   ? ToDeviceSeconds
                       : kind == CopyKind::DeviceToHost ? ToHostSeconds
                                                        : DeviceSeconds;
  return start + double(bytes) / copyRate(gpu, kind, isPinned);
}

double duplexShare(const Gpu &gpu) { return linkOf(gpu).duplex; }

double peerRate(const Gpu &from, const Gpu &to, PeerPath path) {
  const Gpu &slower = from.pcie <= to.pcie ? from : to;
  const Link &link = linkOf(slower);
  switch (path) {
  case PeerPath::NvLink:
    return 1e9 * NvLinkShare * std::min(from.nvlink, to.nvlink);
  case PeerPath::SameBoard:
    return 1e9 * BoardShare * link.toDevice;
  case PeerPath::SameHub:
    return 1e9 * link.direct * link.toDevice;
  case PeerPath::Staged:
    return 1e9 * link.staged * link.toDevice;
  }
  return 0;
}

double peerSeconds(const Gpu &from, const Gpu &to, PeerPath path, uint64_t bytes) {
  return PeerSeconds + double(bytes) / peerRate(from, to, path);
}

LaunchCosts launchCosts(const Gpu &gpu) {
  if (gpu.major <= 2)
    return {6e-6, 5e-6, 5e-6};
  if (gpu.major <= 5)
    return {5e-6, 3.5e-6, 3.5e-6};
  if (gpu.major <= 7)
    return {4e-6, 2.6e-6, 1.5e-6};
  return {2.5e-6, gpu.minor == 9 ? 1.7e-6 : 2.4e-6, 1.35e-6};
}

} // namespace heddle::model
