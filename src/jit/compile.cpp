// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a device image to a shared object, for one kernel and one block shape. Each step hands the
// whole module over:
//
//   load      bitcode of this kernel only; globals and function addresses placed
//   library   device library functions that it calls are linked in
//   simt      thread program -> warp program for the host
//   optimize  LLVM's scalar and loop passes; divisions and masked accesses that the machine lacks
//   emit      ELF object
//   link      shared object that exports heddle_kernel
//
// HEDDLE_TIME_JIT=1 prints the time of each. HEDDLE_PRINT_AFTER=PASS and HEDDLE_STOP_AFTER=PASS go
// to simt.
#include "jit/compile.h"

#include "base/kernel_abi.h"

#include "frontend/diagnostics.h"
#include "frontend/error.h"
#include "jit/carry_masks.h"
#include "jit/codegen.h"
#include "jit/constant_powers.h"
#include "jit/count_pairs.h"
#include "jit/cut_shuffles.h"
#include "jit/dense_access.h"
#include "jit/depth_first.h"
#include "jit/far_first.h"
#include "jit/fixed_gathers.h"
#include "jit/group_sums.h"
#include "jit/hoist_choices.h"
#include "jit/library.h"
#include "jit/link_object.h"
#include "jit/load_kernel.h"
#include "jit/load_shifted.h"
#include "jit/look_first.h"
#include "jit/lower_division.h"
#include "jit/lower_masked.h"
#include "jit/machine.h"
#include "jit/narrow_indices.h"
#include "jit/narrow_tests.h"
#include "jit/order_zeros.h"
#include "jit/prefetch_ahead.h"
#include "jit/prefetch_blocks.h"
#include "jit/prefetch_buckets.h"
#include "jit/prefetch_rows.h"
#include "jit/prefetch_steps.h"
#include "jit/prefetch_stores.h"
#include "jit/prefetch_walks.h"
#include "jit/regroup_sums.h"
#include "jit/reload_lanes.h"
#include "jit/share_rows.h"
#include "jit/slide_loads.h"
#include "jit/stagger_loads.h"
#include "jit/steps.h"
#include "jit/unroll_loops.h"
#include "jit/vector_sums.h"
#include "simt/simt.h"
#include "simt/stream_choices.h"
#include "simt/stream_stores.h"

#include "llvm/IR/Verifier.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

namespace heddle::jit {

using namespace llvm;

namespace {

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

/// By the offsets of parameters.
std::map<uint32_t, unsigned> objectsOf(const CompileRequest &request) {
  const ImageKernel *kernel = request.image.findKernel(request.kernel);
  if (!kernel || !request.objects)
    return {};
  std::map<uint32_t, unsigned> objects;
  std::span<const ImageParam> params = request.image.params(*kernel);
  for (size_t i = 0; i < params.size(); ++i)
    objects[params[i].offset] = request.objects[i];
  objects[DeferredObjects::Globals] = request.objects[params.size()];
  return objects;
}

simt::Options simtOptions(const CompileRequest &request) {
  simt::Options options;
  options.width = request.width;
  options.blockDim = request.blockDim;
  options.threadwise = request.threadwise;
  options.objects = objectsOf(request);
  options.hasLongObjects = request.hasLongObjects;
  options.compileOptions = request.image.header().compileOptions;
  options.debug = request.image.header().flags & ImageDebug;
  options.printAfter = environment("HEDDLE_PRINT_AFTER");
  options.stopAfter = environment("HEDDLE_STOP_AFTER");
  options.disabled = environment("HEDDLE_DISABLE");
  return options;
}

/// In debug builds: a module that a step made must be valid IR.
void assertValid([[maybe_unused]] const Module &module, [[maybe_unused]] const char *step) {
#ifndef NDEBUG
  if (verifyModule(module, &errs())) {
    errs() << "after " << step << ":\n" << module;
    report_fatal_error("invalid IR");
  }
#endif
}

/// Errors that a pass reported without failing.
Error check(const std::string &diagnostics) {
  return diagnostics.empty() ? Error::success() : frontend::fail(diagnostics);
}

Error checkRequest(const CompileRequest &request) {
  for (unsigned width : {0u, 1u, 8u, 16u, 32u, 64u, 128u, 256u, 512u, 1024u})
    if (request.width == width)
      return Error::success();
  return frontend::fail("warp width is " + Twine(request.width) +
                        "; expected 1 or a power of two from 8 to 1024, or 0 to choose");
}

Expected<std::vector<uint8_t>> compile(const CompileRequest &request, LLVMContext &context,
                                       const std::string &diagnostics) {
  Steps steps(request.kernel.c_str());
  bool isDebug = request.image.header().flags & ImageDebug;
  auto machine = createMachine(request.cpu, !isDebug);
  if (!machine)
    return machine.takeError();
  steps.end("machine");

  auto module = loadKernel(context, request.image, request.kernel);
  if (!module)
    return module.takeError();
  assertValid(**module, "load");
  steps.end("load");

  if (simtOptions(request).isEnabled("constant-powers"))
    lowerConstantPowers(**module);
  if (Error error = linkLibrary(**module, simtOptions(request).compileOptions & OptionFastMath))
    return error;
  assertValid(**module, "library");
  steps.end("library");

  if (Error error =
          simt::buildWarpProgram(**module, request.kernel, simtOptions(request), **machine))
    return error;
  if (Error error = check(diagnostics))
    return error;
  assertValid(**module, "simt");
  steps.end("simt");
  if (std::string pass = environment("HEDDLE_STOP_AFTER"); !pass.empty())
    return frontend::fail("stopped after " + pass);

  if (!isDebug) {
    optimize(**module, **machine);
    if (simtOptions(request).isEnabled("regroup-sums"))
      regroupSums(**module);
    if (simtOptions(request).isEnabled("slide-loads"))
      slideLoads(**module, **machine);
    if (simtOptions(request).isEnabled("share-rows"))
      shareRows(**module, **machine);
    if (simtOptions(request).isEnabled("unroll-loops"))
      unrollLoops(**module, **machine);
    if (simtOptions(request).isEnabled("dense-access"))
      makeDenseAccesses(**module);
    if (simtOptions(request).isEnabled("narrow-indices"))
      narrowIndices(**module);
    if (simtOptions(request).isEnabled("vector-sums"))
      takeSumsOnVectors(**module, **machine, simtOptions(request).isEnabled("gather-words"));
    if (simtOptions(request).isEnabled("prefetch-steps"))
      prefetchSteps(**module);
    if (simtOptions(request).isEnabled("prefetch-blocks"))
      prefetchBlocks(**module);
    if (simtOptions(request).isEnabled("prefetch-rows"))
      prefetchRows(**module);
    if (simtOptions(request).isEnabled("prefetch-walks"))
      prefetchWalks(**module);
    if (simtOptions(request).isEnabled("prefetch-buckets"))
      prefetchBuckets(**module);
    if (simtOptions(request).isEnabled("prefetch-ahead"))
      prefetchAhead(**module);
    if (simtOptions(request).isEnabled("reload-lanes"))
      reloadLanes(**module);
    if (simtOptions(request).isEnabled("count-pairs"))
      countPairs(**module);
    if (simtOptions(request).isEnabled("narrow-tests"))
      narrowTests(**module);
    simt::streamStores(**module);
    simt::makeChoices(**module);
    if (simtOptions(request).isEnabled("prefetch-stores"))
      prefetchStores(**module);
    if (simtOptions(request).isEnabled("group-sums"))
      groupSums(**module, **machine);
    if (simtOptions(request).isEnabled("align-spills"))
      alignSpills(**module);
  }
  lowerDivision(**module);
  if (!isDebug && simtOptions(request).isEnabled("depth-first"))
    goDepthFirst(**module, **machine);
  if (simtOptions(request).isEnabled("fixed-gathers"))
    loadFixedGathers(**module, **machine);
  lowerMasked(**module, **machine, simtOptions(request).isEnabled("gather-words"));
  if (simtOptions(request).isEnabled("cut-shuffles"))
    cutShuffles(**module, **machine);
  if (!isDebug && simtOptions(request).isEnabled("load-shifted"))
    loadShifted(**module, **machine);
  if (simtOptions(request).isEnabled("carry-masks"))
    carryMasks(**module, **machine);
  if (!isDebug && simtOptions(request).isEnabled("look-first"))
    lookFirst(**module);
  if (!isDebug && simtOptions(request).isEnabled("hoist-choices"))
    hoistChoices(**module);
  if (!isDebug && simtOptions(request).isEnabled("far-first"))
    loadFarFirst(**module);
  if (simtOptions(request).isEnabled("order-zeros"))
    orderZeros(**module, **machine);
  if (!isDebug && simtOptions(request).isEnabled("stagger-loads"))
    for (Function &function : **module)
      function.addFnAttr(Stagger);
  assertValid(**module, "optimize");
  if (std::string pass = environment("HEDDLE_PRINT_AFTER"); pass == "optimize" || pass == "*")
    errs() << "; after optimize\n" << **module;
  steps.end("optimize");

  auto object = emitObject(**module, **machine);
  if (!object)
    return object.takeError();
  if (Error error = check(diagnostics))
    return error;
  steps.end("emit");

  auto shared = linkObject(*object);
  steps.end("link");
  return shared;
}

} // namespace

Expected<std::vector<uint8_t>> compileKernel(const CompileRequest &request) {
  if (Error error = checkRequest(request))
    return error;
  LLVMContext context;
  context.setDiscardValueNames(std::getenv("HEDDLE_PRINT_AFTER") == nullptr);
  std::string diagnostics;
  frontend::collectDiagnostics(context, diagnostics, "");
  return compile(request, context, diagnostics);
}

} // namespace heddle::jit
