// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The boards that are known: those of gpus.def, and those of the file that HEDDLE_BOARDS names. That
// file has a section for each board:
//
//   # an H100 with the memory of an H200
//   [h100fast]
//   like = h100
//   name = "NVIDIA H100 with faster memory"
//   memoryClockKhz = 3201000
//   busBits = 6016
//
// `like` comes first and names a board that is known so far: its values are those that the section
// does not set. Fields are those of Gpu, and `capability = 9.0`.
#pragma once

#include "base/result.h"
#include "model/architecture.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::model {

enum class Dram : uint8_t { Gddr3, Gddr5, Gddr5x, Gddr6, Gddr6x, Hbm2, Hbm2e, Hbm3, Hbm3e };

/// A board; gpus.def explains the fields.
struct Gpu {
  std::string key, name;
  int major, minor;
  int multiprocessors, clockKhz, memoryClockKhz, busBits;
  uint64_t memoryBytes;
  int l2Bytes, ecc, copyEngines;
  int sustainedKhz;
  Dram dram;
  int channels, l2Slices, fp64, pcie, nvlink;

  const Architecture &architecture() const { return *findArchitecture(major, minor); }
  const Parameters &parameters() const { return parametersOf(major, minor); }
  /// Bytes a second, of which programs reach a part.
  double peakBandwidth() const { return 2000.0 * memoryClockKhz * busBits / 8; }
  /// Results in double precision of a multiprocessor and clock.
  double fp64PerClock() const { return fp64 ? fp64 : parameters().fp64; }
  /// Streams whose work runs side by side without waiting for that of others that was given earlier:
  /// hardware queues (Hyper-Q, from 3.5 on), of which others have one.
  int queues() const { return major * 10 + minor >= 35 ? 32 : 1; }
  /// Kernels that run at a time.
  int concurrentKernels() const;
};

/// The boards of a file's text; `known` are those that `like` may name beside the text's own. The
/// failure says `name` and line.
Result<std::vector<Gpu>> parseGpus(std::string_view text, std::string_view name,
                                   const std::vector<Gpu> &known);

/// Those of gpus.def.
const std::vector<Gpu> &builtInGpus();

/// All boards; those of HEDDLE_BOARDS last. Made once, never destroyed.
const std::vector<Gpu> &allGpus();
/// Why HEDDLE_BOARDS was not read, or empty.
const std::string &gpuFileError();

/// A board by its key, ignoring case. Null if there is none.
const Gpu *findGpu(std::string_view key);

} // namespace heddle::model
