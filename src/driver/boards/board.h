// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device that is stood for: `cpu`, or a named NVIDIA board with its properties and limits. The
// tables are src/model/gpus.def (boards), src/model/architectures.def (compute capabilities) and
// src/device/cards.def (cards of a machine).
#pragma once

#include "driver_types.h"
#include "model/gpu.h"

#include <string>
#include <string_view>
#include <vector>

namespace heddle::driver {

using model::Architecture;
using model::findArchitecture;

/// One device's properties, complete but for what depends on its place in the machine (machine.h).
struct Board {
  std::string key; ///< as HEDDLE_DEVICE names it
  cudaDeviceProp properties;
  const Architecture *architecture;
  const model::Gpu *gpu = nullptr; ///< what the model knows of it; null: `cpu`
  unsigned gpus = 1;               ///< on one board: HEDDLE_DEVICE=k10 gives two devices
  unsigned pciDevice = 0; ///< its number in NVIDIA's list of PCI devices; 0: it is none of them
};

/// A board by its key, ignoring case. Null if there is none.
const Board *findBoard(std::string_view key);
/// Whether grids can wait for their children up to cudaLimitDevRuntimeSyncDepth. From compute
/// capability 9.0 on GPUs have no such waiting; `cpu`, which stands for none of them, has.
bool hasSyncDepth(const Board &);

/// The keys of all boards, `cpu` first.
std::vector<std::string_view> boardKeys();

/// A device that is this machine's processor, and stands for no GPU.
inline bool isCpu(const Board &board) { return board.key == "cpu"; }

} // namespace heddle::driver
