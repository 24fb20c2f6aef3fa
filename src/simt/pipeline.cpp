// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way from a thread program to a warp program, as a table of contents.
#include "base/switches.h"
#include "simt/abreast.h"
#include "simt/alternate_tiles.h"
#include "simt/block_bands.h"
#include "simt/choose_width.h"
#include "simt/columns.h"
#include "simt/cut_vectors.h"
#include "simt/defer_adds.h"
#include "simt/entry.h"
#include "simt/extend_terms.h"
#include "simt/fetch_atomics.h"
#include "simt/fetch_next.h"
#include "simt/forward_shared.h"
#include "simt/fuse_warps.h"
#include "simt/intrinsics.h"
#include "simt/jam_loops.h"
#include "simt/join_counters.h"
#include "simt/lower_device.h"
#include "simt/mark_streams.h"
#include "simt/match_ranks.h"
#include "simt/memory_space.h"
#include "simt/neighbour_blocks.h"
#include "simt/normalize.h"
#include "simt/numbers_first.h"
#include "simt/own_rows.h"
#include "simt/pack_structs.h"
#include "simt/pair_rounds.h"
#include "simt/peel_guards.h"
#include "simt/polls.h"
#include "simt/read_rims.h"
#include "simt/read_through.h"
#include "simt/row_addresses.h"
#include "simt/row_order.h"
#include "simt/scale_sums.h"
#include "simt/scale_tests.h"
#include "simt/shared_registers.h"
#include "simt/simt.h"
#include "simt/spin.h"
#include "simt/stream_stores.h"
#include "simt/thread_form.h"
#include "simt/unroll_phases.h"
#include "simt/wavefronts.h"
#include "simt/widen.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <cmath>

using namespace llvm;

namespace heddle::simt {

VectorRegisters vectorRegisters(const Function &function, TargetMachine &machine) {
  TargetTransformInfo target = machine.getTargetTransformInfo(function);
  auto bits = unsigned(
      target.getRegisterBitWidth(TargetTransformInfo::RGK_FixedWidthVector).getFixedValue());
  unsigned count = target.getNumberOfRegisters(target.getRegisterClassForType(/*Vector=*/true));
  return {std::max(128u, bits), std::max(8u, count)};
}

namespace {

class Pipeline {
public:
  Pipeline(Module &module, const Options &options, TargetMachine &machine)
      : module_(module), options_(options), machine_(machine) {}

  Error run(Function &kernel) {
    // What is a matter of NVPTX becomes plain IR; device functions are inlined. From here on the
    // module is the host's.
    Expected<ThreadProgram> thread = lowerDevice(module_, kernel, options_, machine_);
    if (!thread)
      return thread.takeError();
    options_.registers = vectorRegisters(*thread->body, machine_);
    if (finished("lower-device"))
      return Error::success();

    relaxCachedLoads(module_);

    // The forms that the next pass counts on: scalars only, a single exit, reducible loops in
    // simplified and closed form.
    normalize(module_, options_, machine_);
    if (finished("normalize"))
      return Error::success();

    // Indices are extended term by term where no sum of them wraps around: how values go over
    // lanes, threads and rounds is asked modulo 2^n from here on.
    extendAllTerms(*thread);
    if (finished("extend-terms"))
      return Error::success();

    // Factors of all that a loop adds up are multiplied with the sums.
    if (options_.isEnabled("scale-sums") && !options_.debug)
      scaleSums(*thread->body);
    if (finished("scale-sums"))
      return Error::success();

    // Factors of all that is compared are multiplied with what it is compared with.
    if (options_.isEnabled("scale-tests") && !options_.debug)
      scaleTests(*thread->body);
    if (finished("scale-tests"))
      return Error::success();

    // What is known of the allocations that parameters point into: passes that count on it say so.
    if (options_.debug || !options_.isEnabled("objects"))
      options_.objects.clear();

    // Loops that wait for other blocks: the runner must know. Those that poll give way.
    thread->maySpin = maySpin(module_);
    thread->polls = markPolls(module_);
    thread->maySpin |= thread->polls;
    thread->hasFences = hasFences(module_);
    if (finished("mark-polls"))
      return Error::success();

    // Tiles that are copies of global memory are read from there, those that are filled under
    // guards in the rounds that no guard concerns.
    if (options_.isEnabled("read-through") && !options_.debug && options_.width != 1 &&
        (readThroughWholeRounds(*thread) || readThroughTiles(*thread, options_))) {
      fold(*thread->body, machine_);
      renormalize(module_, machine_);
      extendAllTerms(*thread);
    }
    if (finished("read-through"))
      return Error::success();

    // Tiles with a rim, too, if they are more than the registers hold.
    if (options_.isEnabled("read-rims") && !options_.debug && options_.width != 1 &&
        readThroughRims(*thread, options_)) {
      fold(*thread->body, machine_);
      renormalize(module_, machine_);
      extendAllTerms(*thread);
    }
    if (finished("read-rims"))
      return Error::success();

    // Blocks that read the same panels of matrices run near each other.
    thread->band = bandOfBlocks(*thread, options_);

    // Rows that threads walk along, each its own, are read side by side.
    if (options_.isEnabled("own-rows") && !options_.debug && options_.width != 1)
      keepOwnRows(*thread, options_);
    if (finished("own-rows"))
      return Error::success();

    // Rounds of loops that load the same go together.
    if (options_.isEnabled("jam-loops") && !options_.debug && options_.width != 1 &&
        jamLoops(*thread, options_)) {
      fold(*thread->body, machine_);
      renormalize(module_, machine_);
      extendAllTerms(*thread);
    }
    if (finished("jam-loops"))
      return Error::success();

    // Neighbouring blocks of one thread are lanes of one program.
    joinBlocks(*thread);
    if (finished("lanes-of-blocks"))
      return Error::success();

    // One thread after the other where vectors do not pay, several warps at once where they do.
    // Loops of barriers and shuffles whose length is known lose their variables.
    bool widthIsFree = options_.width == 0;
    chooseForm(*thread);
    if (finished("unroll-phases"))
      return Error::success();

    // Lanes that ask who counts at the same place count there in turn.
    if (options_.isEnabled("match-ranks"))
      rankInTurn(module_, *thread, options_, machine_);
    if (finished("match-ranks"))
      return Error::success();

    // Warps that count for themselves, to be added up, count together.
    if (options_.isEnabled("join-counters") && !thread->polls && joinCounters(module_, *thread, options_, machine_) &&
        widthIsFree)
      takeWholeBlock(*thread);
    if (finished("join-counters"))
      return Error::success();

    // Loops that wait before and behind the use of a tile need one of the waits only.
    if (options_.isEnabled("alternate-tiles") && !options_.debug && !isWholeBlock() &&
        !thread->usesFibers)
      alternateTiles(*thread, options_);
    if (finished("alternate-tiles"))
      return Error::success();

    // Two of their rounds wait once, where sums are many.
    if (options_.isEnabled("pair-rounds") && !options_.debug && !isWholeBlock() &&
        options_.width > 1 && !thread->usesFibers && !thread->abreast &&
        pairRounds(*thread, options_))
      fold(*thread->body, machine_);
    if (finished("pair-rounds"))
      return Error::success();

    // Additions to global memory that a worker may put off until it leaves the launch.
    if (options_.isEnabled("defer-adds") && !options_.debug)
      deferAdds(*thread);
    if (finished("defer-adds"))
      return Error::success();

    // Arrays that are only written may go past the caches.
    markStreams(*thread, options_);

    // Warps fetch the lines on which later blocks will do atomic operations.
    if (options_.isEnabled("fetch-atomics") && !options_.debug && thread->neighbours == 1)
      fetchAtomics(*thread, options_);
    if (finished("fetch-atomics"))
      return Error::success();

    // Few neighbouring blocks run one by one.
    std::unique_ptr<Function> one;
    if (thread->neighbours > 1)
      one = copyForOneBlock(*thread->body);

    // Copies of guarded code for warps that pass the guard whole: no masks there.
    if (options_.isEnabled("peel-guards"))
      peelGuards(*thread, options_);
    if (finished("peel-guards"))
      return Error::success();

    // Loops with barriers say what they will read in their next round.
    if (options_.isEnabled("fetch-next") && !options_.debug && (!isWholeBlock() || thread->abreast))
      fetchNext(*thread);
    if (finished("fetch-next"))
      return Error::success();

    // Passes that cleaned up have put together what was taken apart.
    extendAllTerms(*thread);

    // Programs that walk store what they compute among loads from their tiles.
    bool sharedIsApart = findsNoOtherWay(*thread->body);

    // Thread programs become warp programs, where it pays one for several blocks too.
    Expected<WarpProgram> second = one ? widenOne(*thread, std::move(one)) : widenTogether(*thread);
    if (!second)
      return second.takeError();
    Expected<WarpProgram> warp = widen(module_, *thread, options_, machine_);
    if (!warp)
      return warp.takeError();
    if (second->body)
      module_.getFunctionList().push_back(second->body);
    if (options_.threadwise && !warp->waits)
      warp->waits = warp->separable = true;
    if (finished("widen"))
      return Error::success();

    // The functions that the block runner calls.
    buildEntry(module_, *warp, *second, *thread, options_);
    if (finished("build-entry"))
      return Error::success();

    // What is known of the lanes becomes plain vector code, shared memory becomes registers.
    bool inRegisters =
        isWholeBlock() && options_.isEnabled("shared-registers") &&
        keepSharedInRegisters(module_, machine_, options_.registers, thread->staticShared);
    if (finished("shared-registers"))
      return Error::success();

    // Walks over tiles by diagonals have the tiles in registers.
    if (isWholeBlock() && !inRegisters && options_.isEnabled("wavefronts") && !options_.debug)
      keepWavesInRegisters(module_, machine_, options_.registers, thread->staticShared,
                           options_.isEnabled("early-stores"));
    if (finished("wavefronts"))
      return Error::success();

    // What is read of the rest was stored from registers.
    if (!inRegisters && isWholeBlock() && options_.isEnabled("forward-shared") && !options_.debug)
      forwardShared(module_, machine_, thread->staticShared);
    if (finished("forward-shared"))
      return Error::success();

    // Addresses of rows are counted.
    if (options_.isEnabled("row-addresses") && options_.width > 1 && !options_.debug)
      countRowAddresses(module_);
    if (finished("row-addresses"))
      return Error::success();

    // Loops of sums go without what makes numbers of NaNs.
    if (options_.isEnabled("numbers-first") && !options_.debug)
      tryNumbersFirst(module_);
    if (finished("numbers-first"))
      return Error::success();

    // Its wide vectors become registers, without the lanes that nothing needs.
    unsigned threads = options_.blockDim[0] * options_.blockDim[1] * options_.blockDim[2];
    if (options_.isEnabled("cut-vectors") && options_.width >= WarpSize && !options_.debug &&
        !warp->waits) {
      if (inRegisters || thread->together > 1)
        cutVectors(module_, machine_, options_.isEnabled("exchange-lanes"));
      else if (threads < options_.width)
        cutIdleLanes(module_, machine_, threads, options_.width);
    }
    if (finished("cut-vectors"))
      return Error::success();

    // Structures that lanes read are computed with as they lie in memory.
    bool splits = warp->waits && !thread->usesFibers;
    bool packs = warp->hasStructs && options_.isEnabled("pack-structs");
    if (splits || packs)
      simplify(module_, machine_);
    if (packs)
      packStructs(module_, machine_);
    if (finished("pack-structs"))
      return Error::success();

    // A program that waits is split where it does. What it writes once goes past the caches.
    if (splits) {
      streamStores(module_, options_.isEnabled("choose-first") && !options_.debug
                                ? std::optional(options_.registers)
                                : std::nullopt);
      splitCoroutine(module_, machine_, options_, sharedIsApart);
    }
    finished("split-coroutine");
    return Error::success();
  }

private:
  /// In a copy of the loop over tiles; if that is not done, there is none.
  bool readThroughWholeRounds(ThreadProgram &thread) {
    if (!options_.isEnabled("whole-rounds") ||
        (thread.staticShared == 0 && !thread.usesDynamicShared))
      return false;
    ValueToValueMapTy map;
    Function *before = CloneFunction(thread.body, map);
    before->removeFromParent();
    std::optional<WholeRounds> rounds = copyWholeRounds(*thread.body, options_);
    bool isDone = rounds && readThroughTiles(thread, options_, &*rounds);
    if (rounds && !isDone)
      restore(*thread.body, *before);
    else
      delete before;
    return isDone;
  }

  void extendAllTerms(ThreadProgram &thread) { extendAllTerms(thread, options_); }
  void extendAllTerms(ThreadProgram &thread, const Options &options) {
    if (options.debug || !options.isEnabled("extend-terms"))
      return;
    for (Function &function : module_)
      if (!function.isDeclaration())
        thread.trustsShortObjects |= extendTerms(function, options);
  }

  /// Neighbouring blocks as one, of so many threads as it has lanes, if that pays.
  void joinBlocks(ThreadProgram &thread) {
    if (!canJoinNeighbours(thread, options_))
      return;
    ValueToValueMapTy map;
    Function *before = CloneFunction(thread.body, map);
    before->removeFromParent();
    joinNeighbours(*thread.body);
    fold(*thread.body, machine_);
    renormalize(module_, machine_);
    Options joined = options_;
    joined.blockDim[0] = MostNeighbours;
    extendAllTerms(thread, joined);
    double cost = costOfVectors(thread, joined, machine_);
    unsigned width = cost < 1 || options_.width ? chooseWidth(thread, joined, machine_) : 1;
    if (width == 1)
      return restore(*thread.body, *before);
    delete before;
    thread.neighbours = options_.blockDim[0] = options_.width = width;
    thread.fewestNeighbours = std::clamp(unsigned(std::ceil(cost * width)), 2u, width);
    thread.band = 1;
  }

  /// The width, and with it the loops to unroll: a block that is one program may have to be seen
  /// with its barrier loops unrolled before it is worth it.
  void chooseForm(ThreadProgram &thread) {
    bool unrolls = options_.isEnabled("unroll-phases");
    if (needsThreads(thread, options_))
      options_.width = 1;
    if (waitsInFunctions(thread, options_)) {
      thread.usesFibers = true;
      options_.width = 1;
      return;
    }
    Options wholeBlock = options_;
    unsigned threads = options_.blockDim[0] * options_.blockDim[1] * options_.blockDim[2];
    wholeBlock.width = std::max<unsigned>(WarpSize, PowerOf2Ceil(threads));
    if (unrolls && options_.width == 0 && threads > 1 && wholeBlock.width <= WidestChosen &&
        thread.body->getInstructionCount() <= LargestThread) {
      double rolled = costOfThread(thread, options_, WarpSize);
      ValueToValueMapTy map;
      Function *before = CloneFunction(thread.body, map);
      before->removeFromParent();
      bool changed = unrollPhases(module_, thread, wholeBlock, machine_);
      double unrolled = changed ? costOfThread(thread, options_, wholeBlock.width) : INFINITY;
      if (unrolled < rolled) {
        options_.width = wholeBlock.width;
        delete before;
        return;
      }
      restore(*thread.body, *before);
    }
    if (options_.width == 0 && options_.isEnabled("blocks-abreast")) {
      thread.abreast = walkAbreast(thread, options_);
      if (thread.abreast) {
        options_.width = wholeBlock.width;
        return;
      }
    }
    thread.goesByRows = goesByRows(thread, options_);
    bool chosen = options_.width == 0;
    options_.width = chooseWidth(thread, options_, machine_);
    if (chosen && thread.goesByRows)
      options_.width = std::min(options_.width, widthOfRows(options_));
    thread.goesByColumns = goesByColumns(thread, options_);
    if (chosen || options_.width >= threads)
      thread.together = blocksTogether(thread, options_);
    if (unrolls)
      unrollPhases(module_, thread, options_, machine_);
  }

  /// Through other pointers nobody comes to the block's shared memory: a thread's program only
  /// loads and stores by its address, and calls no function that may do more.
  static bool findsNoOtherWay(Function &thread) {
    SmallVector<Instruction *, 32> accesses;
    return findPlainAccesses(*thread.getArg(ParamShared), /*andAtomics=*/true, accesses) &&
           none_of(instructions(thread), [](const Instruction &instruction) {
             auto *call = dyn_cast<CallInst>(&instruction);
             return call &&
                    (!call->getCalledFunction() || !call->getCalledFunction()->isDeclaration());
           });
  }

  /// One program for the block: it has little left to do but one thread's work.
  void takeWholeBlock(ThreadProgram &thread) {
    unsigned threads = options_.blockDim[0] * options_.blockDim[1] * options_.blockDim[2];
    options_.width = std::max<unsigned>(WarpSize, PowerOf2Ceil(threads));
    if (options_.isEnabled("unroll-phases"))
      unrollPhases(module_, thread, options_, machine_);
  }

  /// The program of one block, of a kernel whose program is of several neighbours; in no module.
  Expected<WarpProgram> widenOne(const ThreadProgram &thread, std::unique_ptr<Function> body) {
    ThreadProgram one = thread;
    one.body = body.release();
    Options options = options_;
    options.blockDim[0] = options.width = 1;
    return widenAlone(thread, one, options);
  }

  /// The program of several blocks above each other (columns.h), in no module; empty if there is
  /// none.
  Expected<WarpProgram> widenTogether(const ThreadProgram &thread) {
    if (thread.together == 1)
      return WarpProgram();
    ThreadProgram tall = copyForBlocksTogether(thread);
    tall.body->removeFromParent();
    Options options = options_;
    options.blockDim[1] *= thread.together;
    options.width = options.blockDim[0] * options.blockDim[1];
    return widenAlone(thread, tall, options);
  }

  /// The warp program of `other`, which is in no module, without `thread`, which is in this one.
  Expected<WarpProgram> widenAlone(const ThreadProgram &thread, const ThreadProgram &other,
                                   const Options &options) {
    thread.body->removeFromParent();
    module_.getFunctionList().push_back(other.body);
    Expected<WarpProgram> warp = widen(module_, other, options, machine_);
    module_.getFunctionList().push_back(thread.body);
    if (warp)
      warp->body->removeFromParent();
    return warp;
  }

  /// Gives a function the body of its copy, which goes.
  static void restore(Function &function, Function &copy) {
    function.deleteBody();
    function.splice(function.begin(), &copy);
    for (auto [mine, theirs] : zip(function.args(), copy.args()))
      theirs.replaceAllUsesWith(&mine);
    function.setSubprogram(copy.getSubprogram());
    delete &copy;
  }

  /// One program holds the block: it never waits for another.
  bool isWholeBlock() const {
    return options_.width >= options_.blockDim[0] * options_.blockDim[1] * options_.blockDim[2];
  }

  /// After each pass: the IR verifier in debug builds, the dump that was asked for.
  bool finished(StringRef pass) {
#ifndef NDEBUG
    if (verifyModule(module_, &errs())) {
      errs() << "after " << pass << ":\n" << module_;
      report_fatal_error("heddle: invalid IR");
    }
#endif
    if (options_.printAfter == pass || options_.printAfter == "*")
      errs() << "; after " << pass << '\n' << module_;
    return options_.stopAfter == pass;
  }

  Module &module_;
  Options options_;
  TargetMachine &machine_;
};

} // namespace

bool Options::isEnabled(StringRef pass) const { return heddle::isEnabled(pass, disabled); }

Error buildWarpProgram(Module &device, StringRef kernel, const Options &options,
                       TargetMachine &machine) {
  Function *function = device.getFunction(kernel);
  if (!function || function->isDeclaration())
    return createStringError(inconvertibleErrorCode(),
                             "no kernel named '" + kernel + "' in the device module");
  return Pipeline(device, options, machine).run(*function);
}

} // namespace heddle::simt
