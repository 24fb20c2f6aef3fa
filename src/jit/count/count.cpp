// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mode Counted, before simt. The steps:
//
//   notes     of our headers, that only checks look at, go
//   powers    with known exponents (jit/load/simplify_powers.cpp)
//   library   its functions that are few instructions (library_calls.cpp)
//   optimize  as for a GPU (optimize_for_gpu.cpp)
//   number    its basic blocks and memory accesses (number.cpp)
//   code      the PTX that LLVM's back end writes of a copy, as operations (write_code.cpp, read_code.cpp)
//   markers   heddle.count.block and heddle.count.access, which `widen` makes counters of
#include "jit/count/count.h"

#include "frontend/error.h"
#include "frontend/own_lines.h"
#include "frontend/ptx/matrix_emitter.h"
#include "jit/count/library_calls.h"
#include "jit/count/number.h"
#include "jit/count/optimize_for_gpu.h"
#include "jit/count/write_code.h"
#include "jit/load/ptx.h"
#include "jit/load/simplify_powers.h"
#include "simt/analysis/async_copies.h"
#include "simt/analysis/mbarriers.h"
#include "simt/lower/float_checks.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/InstIterator.h"

#include <algorithm>

using namespace llvm;

namespace heddle::jit {

/// The oldest board whose PTX has all that LLVM's back end may need.
constexpr uint32_t LeastBoard = 80;

static bool hasMatrices(const Module &module) {
  return any_of(module, [](const Function &function) {
    return any_of(instructions(function), [](const Instruction &instruction) {
      return instruction.hasMetadata(frontend::ptx::MatrixNote);
    });
  });
}

Expected<model::KernelCode> prepareCounted(Module &module, const ImageView &image,
                                           StringRef kernel) {
  const ImageHeader &header = image.header();
  Function *function = module.getFunction(kernel);
  simt::lowerNarrowed(module, /*checks=*/false);
  simt::keepMbarrierNotes(module, /*keeps=*/false);
  simt::removeNotes(module, simt::AsyncNoteName);
  for_each(module, frontend::dropLineMarks);
  simplifyPowers(module);
  if (Error error = inlineSimpleLibrary(module, header.compileOptions & OptionFastMath))
    return error;
  std::string cpu = "sm_" + utostr(std::max(header.sm, LeastBoard));
  auto gpu = createGpuMachine(module.getTargetTriple(), cpu);
  if (!gpu)
    return gpu.takeError();
  optimizeForGpu(module, *function, **gpu, !(header.compileOptions & OptionNoContract),
                 !(header.flags & ImageDebug));
  model::KernelCode code;
  code.name = kernel.str();
  if (const ImageKernel *row = image.findKernel(std::string_view(kernel))) {
    code.staticShared = row->staticShared;
    code.localBytes = row->localBytes;
    code.maxRegisters = row->maxRegisters;
    code.paramBytes = row->paramBytes;
  }
  splitAtClocks(module);
  Numbering numbering = number(module, *function, code);
  if (Error error = takeOperations(module, numbering, **gpu, header.compileOptions, code))
    return error;
  if (hasMatrices(module))
    code.notes.push_back("instructions on a warp's matrices count as the shuffles and sums that "
                         "they are made of here, not as those of tensor cores");
  insertMarkers(module, numbering, code);
  return code;
}

} // namespace heddle::jit
