// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's back end takes most of the time of a compilation: a kernel is one function with everything
// inlined, its vectors take several registers each, and its linearised control flow keeps many
// masks alive over many blocks. It is the same list of passes as clang -O2 has, but for what does
// not pay here:
//
// - LiveDebugValues follows variables for the debugger; without -G a kernel has line tables only.
// - Region splitting: the register allocator looks for the best region of blocks for each part of a
//   value, at a cost of values times blocks. In a kernel of hundreds of blocks that is more than
//   all the rest. Its budget for one region is 300 block edges in place of 10,000: half the time at
//   2,000 lines, the code a little smaller, and no difference for kernels of a few dozen blocks.
// - Conditional moves: LLVM makes branches of them in loops where it takes these to be foreseen.
//   Here they choose the places of masked accesses (lower_masked.cpp), and the masks of registers
//   follow no pattern.
// - The scheduler's graph has an edge from each load and store to those before it that may touch
//   the same memory, and looks for every new edge among the old ones: the cube of their number, up
//   to 1,000 of them. The straight code of CUB's radix sorts has that many, and spent most of its
//   time there. With a limit of 200 short blocks are as they were.
// - Loads that lie interleaved are looked for on AArch64, in each shuffle of a load and with the
//   square of their number: two thirds of the time for a block of 1,024 lanes. Ours are found
//   before (row_gathers.cpp).
// - CodeGenPrepare begins again at the function's first block where it made an overflow operation of
//   an addition and a comparison; the carries of large numbers are thousands of these. From 100
//   blocks on (LLVM's 10,000) it begins again at the block's head.
// - Scheduling before registers are allocated, where one of our passes has put long straight code
//   into an order that needs few of them (InOrder): the scheduler would undo that.
// - Scheduling after it orders again what the one before has ordered, which an out-of-order
//   processor hardly sees. Left out of large kernels.
#include "jit/emit/back_end.h"

#include "jit/emit/extend_masks.h"
#include "jit/emit/split_blocks.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/RuntimeLibcallInfo.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Intrinsics.h"

#include <iterator>
#include <mutex>

namespace heddle::jit {

using namespace llvm;

namespace {

constexpr unsigned LargeModule = 6'000; ///< instructions; a kernel of some 1,000 lines

/// LLVM gives these limits a name on its command line only. They are set as that would set them, as
/// text, so that each option minds its own type.
struct Limit {
  StringLiteral option, value;
};
constexpr Limit Limits[] = {{"grow-region-complexity-budget", "300"},
                            {"dag-maps-huge-region", "200"},
                            {"cgpp-huge-func", "100"},
                            {"x86-cmov-converter", "false"},
                            {"disable-interleaved-load-combine", "true"}};

struct LimitState {
  std::mutex mutex;
  unsigned users = 0;
  SmallPtrSet<cl::Option *, std::size(Limits)> set; ///< by us
};

LimitState &limitState() {
  static LimitState &state = *new LimitState;
  return state;
}

/// With the state's lock held. What this LLVM does not know, and what is set already, is passed over.
void setLimits(LimitState &state) {
  auto &options = cl::getRegisteredOptions();
  for (const Limit &limit : Limits) {
    cl::Option *option = options.lookup(limit.option);
    if (!option || option->getNumOccurrences() > 0)
      continue;
    if (option->addOccurrence(0, limit.option, limit.value))
      option->reset();
    else
      state.set.insert(option);
  }
}

bool hasVariables(const Module &module) {
  for (const DICompileUnit *unit : module.debug_compile_units())
    if (unit->getEmissionKind() == DICompileUnit::FullDebug)
      return true;
  return false;
}

bool hasMaskedLoads(const Module &module) {
  return any_of(module, [](const Function &one) {
    return one.getIntrinsicID() == Intrinsic::masked_load && !one.use_empty();
  });
}

} // namespace

BackEndLimits::BackEndLimits() {
  LimitState &state = limitState();
  std::lock_guard lock(state.mutex);
  if (state.users++ == 0)
    setLimits(state);
}

BackEndLimits::~BackEndLimits() {
  LimitState &state = limitState();
  std::lock_guard lock(state.mutex);
  if (--state.users > 0)
    return;
  for (cl::Option *option : state.set)
    option->reset();
  state.set.clear();
}

static std::mutex &listMutex() {
  static std::mutex &mutex = *new std::mutex;
  return mutex;
}

BackEndList::BackEndList(bool keepsCounters) {
  listMutex().lock();
  constexpr StringLiteral Name = "disable-lsr";
  cl::Option *option = keepsCounters ? cl::getRegisteredOptions().lookup(Name) : nullptr;
  if (!option || option->getNumOccurrences() > 0)
    return;
  if (option->addOccurrence(0, Name, "true"))
    option->reset();
  else
    set_ = option;
}

BackEndList::~BackEndList() {
  if (set_)
    set_->reset();
  listMutex().unlock();
}

bool addBackEnd(legacy::PassManager &passes, const Module &module, TargetMachine &machine,
                raw_pwrite_stream &stream) {
  const BackEndList list(/*keepsCounters=*/false);
  auto *infos = new MachineModuleInfoWrapperPass(&machine);
  // Without it there is no memset, and a block of zeros becomes a loop over bytes.
  passes.add(new RuntimeLibraryInfoWrapper(
      machine.getTargetTriple(), machine.Options.ExceptionModel, machine.Options.FloatABIType,
      machine.Options.EABIVersion, machine.Options.MCOptions.ABIName, machine.Options.VecLib));
  TargetPassConfig *config = machine.createPassConfig(passes);
  config->setDisableVerify(true);
  if (!hasVariables(module))
    config->disablePass(&LiveDebugValuesID);
  if (module.getInstructionCount() > LargeModule)
    for (AnalysisID pass : {&PostRASchedulerID, &PostMachineSchedulerID, &EarlyMachineLICMID,
                            &MachineLICMID, &MachineCSELegacyID})
      config->disablePass(pass);
  if (any_of(module, [](const Function &one) { return one.hasFnAttribute(InOrder); }))
    config->disablePass(&MachineSchedulerID);
  // LLVM 22 folds a masked load of AVX-512 into the masked operation that uses it, and
  // TwoAddressInstructionPass takes it out again as a load without a mask, which may fault.
  if (hasMaskedLoads(module))
    config->disablePass(&PeepholeOptimizerLegacyID);
  addMaskExtensions(*config);
  addBlockSplits(*config);
  passes.add(config);
  passes.add(infos);
  if (config->addISelPasses())
    return false;
  config->addMachinePasses();
  config->setInitialized();
  MCContext &context = infos->getMMI().getContext();
  if (machine.addAsmPrinter(passes, stream, nullptr, CodeGenFileType::ObjectFile, context))
    return false;
  passes.add(createFreeMachineFunctionPass());
  return true;
}

} // namespace heddle::jit
