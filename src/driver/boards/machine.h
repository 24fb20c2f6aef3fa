// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machine that HEDDLE_DEVICE describes: GPUs on the PCI bus, some on one board, behind one or several hubs. The
// runtime makes its devices of it, and NVML (src/nvml) shows all of it.
//
// HEDDLE_DEVICE is a list of boards, in the order of their slots. A comma separates boards of one hub, a slash hubs:
// "k10,k20/c2050" has four GPUs, the two of a K10 and a K20 behind one hub and a C2050 behind another.
#pragma once

#include "base/result.h"
#include "driver/boards/board.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle::driver {

/// What we say that our driver is: CUDA 13.0, which serves all runtimes that there are.
inline constexpr int Version = 13000;

using Uuid = std::array<uint8_t, 16>;

struct Gpu {
  const Board *board = nullptr;
  unsigned index = 0; ///< in the order of the PCI bus
  unsigned hub = 0;
  unsigned card = 0; ///< GPUs of one board have the same
  unsigned pciDomain = 0, pciBus = 0;
  Uuid uuid = {}; ///< the same in each process: of the board's key and how many of it come before
  std::string serial; ///< of the board; empty where NVML tells none (GeForce)
};

using Machine = std::vector<Gpu>; ///< in the order of the PCI bus

/// `devices` is the value of HEDDLE_DEVICE (null or empty: "cpu"). Fails for an unknown board.
Result<Machine> makeMachine(const char *devices);

/// The devices that a process sees, by ordinal. `order` is the value of CUDA_DEVICE_ORDER: FASTEST_FIRST sorts them by
/// speed, PCI_BUS_ID by bus; null: as HEDDLE_DEVICE has them, which is the order of the bus. `visible` is that of
/// CUDA_VISIBLE_DEVICES (null: all): indices in this order, or UUIDs, of which a beginning will do. As in CUDA, the list
/// ends at the first entry that is no device, and one that names a device twice gives none.
std::vector<const Gpu *> visibleGpus(const Machine &, const char *order, const char *visible);

/// "GPU-8932f937-d72c-4106-c12f-20bd9faed9f6".
std::string uuidText(const Gpu &);
/// "0000:3B:00.0".
std::string pciText(const Gpu &);

/// One can access the other's memory: both are of one generation and behind one hub, and have unified addressing.
bool arePeers(const Gpu &, const Gpu &);

} // namespace heddle::driver
