// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle-warp: runs the simt passes on a thread program in LLVM IR and prints the warp program, for
// tests.
//
//   heddle-warp [-kernel NAME] [-block X[,Y[,Z]]] [-width N] [-last-pass PASS] [-target-cpu CPU]
//   [-target-triple TRIPLE] [-time-passes] [-pass-stats] [-verify-passes] [-lanes-with NAME=COST,...] FILE.ll
#include "simt/simt.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Pass.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

static cl::opt<std::string> inputFile(cl::Positional, cl::desc("FILE.ll"), cl::Required);
static cl::opt<std::string> kernelName("kernel", cl::desc("the kernel's name"), cl::init("kernel"));
static cl::list<unsigned> blockDim("block", cl::desc("block shape"), cl::CommaSeparated);
static cl::opt<unsigned> width("width", cl::desc("lanes per warp program"), cl::init(32));
static cl::opt<std::string> stopAfter("last-pass", cl::desc("last pass"), cl::init("widen"));
static cl::opt<std::string> disabled("disable", cl::desc("optional passes to leave out"));
static cl::list<std::string>
    costs("lanes-with", cl::desc("print how many lanes a program would have, with these costs"));
static cl::list<unsigned>
    objects("objects", cl::CommaSeparated,
            cl::desc("parameters' offsets, each with its allocation's number"));
static cl::opt<bool> longObjects("long-objects", cl::desc("objects may have 2^31 bytes and more"));
static cl::opt<bool> counts("pass-stats", cl::desc("print how often each pass changes something"));
static cl::opt<bool> verifies("verify-passes", cl::desc("verify each pass"));
static cl::opt<std::string> cpu("target-cpu", cl::desc("target CPU"), cl::init("x86-64-v4"));
static cl::opt<std::string> machineTriple("target-triple", cl::desc("target machine"),
                                          cl::init("x86_64-unknown-linux-gnu"));

static int fail(const Twine &message) {
  errs() << "heddle-warp: " << message << '\n';
  return 1;
}

/// A line for each of `costs`.
static Error printLanes(const Module &module, heddle::simt::Options options,
                        TargetMachine &machine) {
  for (const std::string &list : costs) {
    if (Error error = heddle::simt::parseCosts(list).moveInto(options.costs))
      return error;
    std::unique_ptr<Module> copy = CloneModule(module);
    Expected<unsigned> lanes = heddle::simt::chooseLanes(*copy, kernelName, options, machine);
    if (!lanes)
      return lanes.takeError();
    outs() << *lanes << '\n';
  }
  return Error::success();
}

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv, "simt passes of Heddle\n");
  InitializeAllTargets();
  InitializeAllTargetMCs();
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseIRFile(inputFile, diagnostic, context);
  if (!module) {
    diagnostic.print("heddle-warp", errs());
    return 1;
  }
  std::string message;
  Triple triple(machineTriple);
  const Target *target = TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return fail(message);
  std::unique_ptr<TargetMachine> machine(
      target->createTargetMachine(triple, cpu == "native" ? sys::getHostCPUName() : StringRef(cpu),
                                  triple.isX86() ? "-prefer-256-bit" : "", TargetOptions(),
                                  Reloc::PIC_)); // as jit/emit/machine.cpp
  heddle::simt::Options options;
  options.width = width;
  options.stopAfter = stopAfter;
  options.disabled = disabled;
  options.timesPasses = TimePassesIsEnabled;
  options.counts = counts;
  options.verifies |= verifies;
  options.hasLongObjects = longObjects;
  for (unsigned d = 0; d < std::min<size_t>(3, blockDim.size()); ++d)
    options.blockDim[d] = blockDim[d];
  for (unsigned i = 0; i + 1 < objects.size(); i += 2)
    options.objects[objects[i]] = objects[i + 1];
  if (!costs.empty()) {
    Error error = printLanes(*module, options, *machine);
    return error ? fail(toString(std::move(error))) : 0;
  }
  if (Error error = heddle::simt::buildWarpProgram(*module, kernelName, options, *machine))
    return fail(toString(std::move(error)));
  module->print(outs(), nullptr);
  return verifyModule(*module, &errs()) ? 1 : 0;
}
