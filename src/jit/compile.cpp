// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles one kernel of a device image, for one block shape, to a shared object. Each step hands
// on the whole module:
//
//   load      bitcode of this kernel only; globals and function addresses placed
//   library   links the device library functions that it calls
//   simt      thread program -> warp program for the host
//   optimize  the passes of passes.def
//   emit      ELF object
//   link      shared object that exports heddle_kernel
//
// HEDDLE_TIME_JIT=1 prints the time of each step. HEDDLE_PRINT_AFTER=PASS and
// HEDDLE_STOP_AFTER=PASS name passes of simt and of passes.def; HEDDLE_PRINT_AFTER=library prints
// what simt gets.
#include "jit/compile.h"

#include "base/abi/kernel_abi.h"

#include "frontend/diagnostics.h"
#include "frontend/error.h"
#include "jit/count/count.h"
#include "jit/emit/codegen.h"
#include "jit/emit/link_object.h"
#include "jit/emit/machine.h"
#include "jit/emit/same_code.h"
#include "jit/load/library.h"
#include "jit/load/load_kernel.h"
#include "jit/load/simplify_powers.h"
#include "jit/pipeline.h"
#include "jit/steps.h"
#include "model/code_bytes.h"
#include "simt/analysis/own_vectors.h"
#include "simt/simt.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

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
  options.mode = request.mode;
  options.checks = request.checks;
  options.printAfter = environment("HEDDLE_PRINT_AFTER");
  options.stopAfter = environment("HEDDLE_STOP_AFTER");
  options.disabled = environment("HEDDLE_DISABLE");
  options.timesPasses = options.counts = Steps::timesPasses();
  options.verifies |= std::getenv("HEDDLE_VERIFY") != nullptr;
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
  if (request.image.header().flags & ImageDebug && request.mode == Mode::Plain)
    return frontend::fail("code of -G is compiled for a debugger only");
  for (unsigned width : {0u, 1u, 8u, 16u, 32u, 64u, 128u, 256u, 512u, 1024u})
    if (request.width == width)
      return Error::success();
  return frontend::fail("warp width is " + Twine(request.width) +
                        "; expected 1 or a power of two from 8 to 1024, or 0 to choose");
}

/// What a GPU's compiler would have made of it, with markers (count/count.h).
Expected<std::unique_ptr<Module>> loadCounted(LLVMContext &context, const CompileRequest &request,
                                              simt::Options &options) {
  auto module = loadUnplaced(context, request.image, request.kernel);
  if (!module)
    return module;
  Expected<model::KernelCode> code = prepareCounted(**module, request.image, request.kernel);
  if (!code)
    return code.takeError();
  options.counted = {model::bytesOf(*code), uint32_t(code->blocks.size()),
                     uint32_t(code->accesses.size())};
  if (Error error = placeKernel(**module, request.image))
    return error;
  return module;
}

/// Of a kernel with long vectors one lane keeps them, which its passes must know from the start.
Error keepOwnVectors(const Module &module, StringRef kernel, simt::Options &options,
                     TargetMachine &machine) {
  if (options.width || !options.isOptimised() || !simt::hasOwnVectors(module))
    return Error::success();
  simt::Options quiet = options;
  quiet.printAfter.clear();
  std::unique_ptr<Module> copy = CloneModule(module);
  Expected<unsigned> lanes = simt::chooseLanes(*copy, kernel, quiet, machine);
  if (!lanes)
    return lanes.takeError();
  if (*lanes == 1)
    options.width = 1;
  return Error::success();
}

Expected<std::vector<uint8_t>> compile(const CompileRequest &request, LLVMContext &context,
                                       const std::string &diagnostics) {
  Steps steps(request.kernel.c_str());
  simt::Options options = simtOptions(request);
  if (Error error = simt::parseCosts(environment("HEDDLE_COSTS")).moveInto(options.costs))
    return error;
  if (Error error = checkNames(options))
    return error;
  auto machine = createMachine(request.cpu, options.isFast());
  if (!machine)
    return machine.takeError();
  steps.end("machine");

  auto module = request.mode == Mode::Counted ? loadCounted(context, request, options)
                                              : loadKernel(context, request.image, request.kernel);
  if (!module)
    return module.takeError();
  assertValid(**module, "load");
  steps.end("load");

  if (options.isEnabled("simplify-powers"))
    simplifyPowers(**module);
  if (Error error = linkLibrary(**module, options.compileOptions & OptionFastMath))
    return error;
  assertValid(**module, "library");
  if (options.printAfter == "library" || options.printAfter == "*")
    errs() << "; after library: " << request.kernel << " in blocks of "
           << join(map_range(request.blockDim, [](unsigned n) { return utostr(n); }), ",") << '\n'
           << **module;
  steps.end("library");

  if (Error error = keepOwnVectors(**module, request.kernel, options, **machine))
    return error;
  steps.end("lanes");
  if (Error error = simt::buildWarpProgram(**module, request.kernel, options, **machine))
    return error;
  if (Error error = check(diagnostics))
    return error;
  assertValid(**module, "simt");
  steps.end("simt");
  if (!options.stopAfter.empty() && !isPass(options.stopAfter))
    return frontend::fail("stopped after " + options.stopAfter);
  if (runPasses(**module, **machine, options))
    return frontend::fail("stopped after " + options.stopAfter);
  assertValid(**module, "optimize");
  if (options.printAfter == "optimize" || options.printAfter == "*")
    errs() << "; after optimize\n" << **module;
  steps.end("optimize");

  auto key = keyOfCode(**module, **machine);
  if (auto same = findSameCode(key))
    return *same;
  auto object = emitObject(**module, **machine);
  if (!object)
    return object.takeError();
  if (Error error = check(diagnostics))
    return error;
  steps.end("emit");

  auto shared = linkObject(*object);
  if (shared)
    keepCode(key, *shared);
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
