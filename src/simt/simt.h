// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mode.h"
#include "simt/costs.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class TargetTransformInfo;
}

namespace heddle::simt {

/// The vector registers of a machine.
struct VectorRegisters {
  unsigned bits = 512, count = 32;
};

VectorRegisters vectorRegisters(const llvm::TargetTransformInfo &);
VectorRegisters vectorRegisters(const llvm::Function &, llvm::TargetMachine &);

/// What a kernel is compiled for, besides its own code.
struct Options {
  unsigned width = 0; ///< lanes per warp program, at most: 1, 8, 16, 32 ... 1024; 0: the fastest
  std::array<unsigned, 3> blockDim = {1, 1, 1};
  unsigned compileOptions = 0; ///< heddle::CompileOptions
  VectorRegisters registers;   ///< of the machine; buildWarpProgram sets them
  bool threadwise = false;     ///< each warp program can be started alone, even if it never waits
  /// Numbers of the allocations that pointer parameters point into, by the parameters' offsets, and
  /// of the module's variables (DeferredObjects::Globals). 0 or none: not known.
  std::map<uint32_t, unsigned> objects;
  /// Objects may have more than ShortObject bytes (base/abi/kernel_abi.h): allocations, the module's
  /// block of variables, the device's heap. Or a launch more than MostIndices threads along x.
  bool hasLongObjects = false;
  Mode mode = Mode::Plain;
  uint32_t checks = 0; ///< Checks, of Mode::Checked (base/abi/check_abi.h)
  /// Of Mode::Counted: what the object carries (base/abi/count_abi.h).
  struct {
    std::vector<uint8_t> bytes;
    uint32_t blocks = 0, accesses = 0;
  } counted;
  bool timesPasses = false; ///< on stderr
  bool counts = false;      ///< how often each pass changes something, on stderr
#ifdef NDEBUG
  bool verifies = false; ///< the IR after each pass, and what the pass claims to have preserved
#else
  bool verifies = true;
#endif
  std::string printAfter; ///< dump the IR after this pass to stderr ("*": all)
  std::string stopAfter;  ///< stop after this pass
  Costs costs;            ///< of the models that choose a form
  std::string disabled;   ///< optional passes to leave out, with commas (passes.def)

  bool isEnabled(llvm::StringRef pass) const;
  /// Code may be arranged anew.
  bool isOptimised() const { return OptimisedModes.has(mode); }
  /// Values may be computed anew.
  bool isFast() const { return FastModes.has(mode); }

  unsigned threads() const { return blockDim[0] * blockDim[1] * blockDim[2]; }
  /// One program holds the block: it never waits for another.
  bool isWholeBlock() const { return width >= threads(); }
};

/// Turns kernel `kernel` of a device module (one scalar thread, nvptx64, NVVM intrinsics) into a
/// host module for `machine` that defines `heddle_kernel` (base/abi/kernel_abi.h) and nothing else
/// external. `device` must have gone through frontend::prepare (globals already replaced by the
/// globals block). Fails with a message that has a source location for what is not supported.
llvm::Error buildWarpProgram(llvm::Module &device, llvm::StringRef kernel, const Options &,
                             llvm::TargetMachine &machine);

/// How many lanes a program of the kernel would have: 1 for threads one by one. Changes the module.
llvm::Expected<unsigned> chooseLanes(llvm::Module &device, llvm::StringRef kernel, const Options &,
                                     llvm::TargetMachine &machine);

} // namespace heddle::simt
