// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that a pass tells a later one through the IR: metadata, attributes of functions, calls of
// functions that do not exist, names of functions. What is here is what there is; the rest goes
// through analyses (facts.h) and the thread program. Of each: who writes it, who reads it, what it
// says, and what keeps it true.
//
// Metadata only ever permits. LLVM's passes may drop it, or keep it where they copy an instruction;
// they drop what they do not know where they make one instruction of two. So a reader that finds
// none must be right, and what a note says must hold for every copy of the instruction. A pass of
// our own that replaces a noted instruction hands the note on where it still holds (`copy`).
//
// Calls of functions that do not exist are code: nobody may drop one that has an effect. Their
// attributes say what LLVM's passes may do with them.
#pragma once

#include "base/abi/check_abi.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instruction.h"

#include <optional>

namespace heddle::simt {

/// A kind of metadata on instructions.
struct Note {
  llvm::StringLiteral kind;

  bool isOn(const llvm::Instruction &instruction) const { return instruction.hasMetadata(kind); }
  void drop(llvm::Instruction &instruction) const { instruction.setMetadata(kind, nullptr); }
  /// Whatever `from` says, `to` says.
  void copy(const llvm::Instruction &from, llvm::Instruction &to) const {
    to.setMetadata(kind, from.getMetadata(kind));
  }
  operator llvm::StringRef() const { return kind; }
};

/// One that says all by being there.
struct Mark : Note {
  void put(llvm::Instruction &instruction) const {
    instruction.setMetadata(kind, llvm::MDNode::get(instruction.getContext(), {}));
  }
};

/// A mark on accesses that LLVM hands on where it makes one of another type, or one of two: a type for
/// alias analysis, of a type system of its own, so that nothing follows for others. One at a time.
struct AccessMark {
  llvm::StringLiteral name;
  void put(llvm::Instruction &) const;
  bool isOn(const llvm::Instruction &) const;
};

// What the front end leaves in the device module (frontend/functions.h, place_globals.h), for
// lower-device to take away.

/// A list of functions whose addresses are taken, by their numbers.
inline constexpr llvm::StringLiteral FunctionsName = "heddle.functions";
/// heddle.globals(): the address of the module's block of variables.
inline constexpr llvm::StringLiteral GlobalsName = "heddle.globals";

// On instructions of the thread program.

/// On a barrier. Written by choose-form (form/abreast.cpp), read by `widen`. A block of one program
/// stops here, and its neighbours go on to the same barrier. Holds as long as the thread program
/// says `abreast`.
inline constexpr Mark HaltsBlock{{"heddle.halt"}};

/// On an atomic operation. Written by privatize-atomics, read by `widen`. A worker may put the
/// addition off until it leaves the launch. The program says of what kind the additions are
/// (ThreadProgram::deferred); no pass may make others, or loads of what they add to.
struct DeferredNote : Note {
  struct Facts {
    bool isSame;   ///< all blocks add to the same places, if a thread does so once
    bool hasCells; ///< it is of the kind that DeferredAdds::values has
    /// The copy that the sums may be kept in (DeferredAdds::wholes); MostDeferredWholes or more if
    /// there is none.
    unsigned whole;
  };
  void put(llvm::Instruction &, Facts) const;
  std::optional<Facts> get(const llvm::Instruction &) const;
};
inline constexpr DeferredNote DeferredAddition{{"heddle.deferred"}};

/// On loads and stores of the thread program, and on what becomes of them where lanes access one
/// element after the other. Written by stream-stores; `widen` hands it on; read by split-coroutine
/// and stores-past-caches (vector/stream_stores.cpp) and passes that fetch ahead (jit/prefetch).
///
/// A load: from an array that the kernel was given; the next one may be fetched ahead. A store: to
/// an array that this kernel only writes, and nobody can see it before the kernel ends; if there is
/// more of it than a cache holds, it may go past the caches. Holds as long as no pass adds atomic
/// operations or fences for other threads, or loads from an array that is only written.
struct StreamNote : Note {
  struct Numbers {
    uint64_t element; ///< bytes of one
    uint64_t bytes;   ///< that a thread accesses by it, or 0 if a loop of unknown length decides
  };
  void put(llvm::Instruction &, Numbers) const;
  std::optional<Numbers> get(const llvm::Instruction &) const;
};
inline constexpr StreamNote StreamMetadata{{"heddle.stream"}};

/// On a load. Written by unroll-rows, read by `widen`. The thread loads neighbours of the element,
/// too, and lanes that load theirs together are faster than one after the other (jit/row-gathers).
inline constexpr Mark LoadOfRow{{"heddle.row-load"}};

/// On an access. Written by lower-device (of checked code), read by insert-checks. The device library
/// makes it, at an address that the user has not given.
inline constexpr AccessMark LibraryAccess{{"heddle.library"}};

/// On a call. Written and read by lower-device (lower/call_targets.cpp). It was one through a pointer.
inline constexpr Mark ChosenTarget{{"heddle.chosen-target"}};

// On instructions of warp programs.

/// On a gather. Written by `widen`, read by near-gathers. Lanes of a register probably lie close
/// together (near_lanes.h), a whole number of elements apart. A guess: it is asked at run time.
struct NearNote : Note {
  struct Bytes {
    uint64_t before; ///< the first lane
    uint64_t step;   ///< from lane to lane, in the mean
  };
  void put(llvm::Instruction &, Bytes) const;
  std::optional<Bytes> get(const llvm::Instruction &) const;
};
inline constexpr NearNote NearGather{{"heddle.near"}};

/// On the load of the address of a block's shared memory. Written by build-entry where one program
/// holds the block, read by promote-shared and entry/frame_alias_scopes.cpp. No other
/// program reaches that memory. Holds throughout.
inline constexpr Mark SharedMemory{{"heddle.shared"}};

/// On a store, in place of StreamMetadata. Written by split-coroutine and stores-past-caches, read
/// by prefetch-stores. It may go past the caches, and this is the form that goes through them.
inline constexpr Mark CachedStore{{"heddle.cached"}};

/// On a store between a choice and its end (ChooseName). Written by split-coroutine, read by
/// store-forms. Two numbers: of the choice in its function, and of the form that the store has
/// where its array goes past the caches (StreamForm).
struct ChosenNote : Note {
  void put(llvm::Instruction &, unsigned choice, unsigned form) const;
  /// If the instruction has one for this choice.
  std::optional<unsigned> form(const llvm::Instruction &, uint64_t choice) const;
};
inline constexpr ChosenNote ChosenForm{{"heddle.chosen"}};

/// On the store of a program that waits by which its warp ends. Written by build-entry, read by
/// register-block-sums (jit/schedule/warp_frame.cpp). Nothing reads the warp's frame any more.
/// Holds as long as no load of the frame is moved behind it.
inline constexpr Mark WarpEnd{{"heddle.warp-end"}};

// Attributes of functions. What the back end reads is in jit/emit: InOrder (back_end.h).

/// Of every function of a kernel, in each form that a pass gives it. It never unwinds. An access
/// through null faults, and LLVM's passes may not take it for one that is never reached.
void describeProgram(llvm::Function &);

/// Written by split-coroutine (entry/rotate_slots.cpp), read there. The function hands wide values
/// on from round to round by places in its frame; the bits of the widest, or 0.
uint64_t rotatedBits(const llvm::Function &);
void noteRotatedBits(llvm::Function &, uint64_t bits);

// Names of functions of a warp program's module, which build-entry makes.

/// The loop over blocks and warps, where programs never wait.
inline constexpr llvm::StringLiteral RunBlocksName = "runBlocks";
/// The program of a block that waits: a coroutine until split-coroutine, then its first part; and
/// what the block runner calls when it goes on.
inline constexpr llvm::StringLiteral StartName = "start", ResumeName = "resume";
/// What LLVM makes of the rest of the coroutine.
inline constexpr llvm::StringLiteral ResumedPartName = "start.resume";

// Functions that do not exist. Those of the thread program are CallKinds (intrinsics.h), and
// `widen` makes code of them.

/// heddle.all(c): true only where all lanes of the program are active and c holds in each. Written
/// by version-guards. Reads no memory; convergent.
inline constexpr llvm::StringLiteral AllLanesName = "heddle.all";
llvm::CallInst *emitAllLanes(llvm::IRBuilder<> &, llvm::Value *condition);

/// heddle.none(c): true only where c holds in no active lane. Written by version-guards. Reads no
/// memory; convergent.
inline constexpr llvm::StringLiteral NoLaneName = "heddle.none";
llvm::CallInst *emitNoLane(llvm::IRBuilder<> &, llvm::Value *condition);

/// heddle.first(v): an integer in the first active lane. Written by version-clamps. Reads no
/// memory; convergent.
inline constexpr llvm::StringLiteral FirstLaneName = "heddle.first.";
llvm::CallInst *emitFirstLane(llvm::IRBuilder<> &, llvm::Value *value);

/// heddle.bad.call(f): fails, for f is no function that can be called here. Written by lower-device
/// (lower/call_targets.cpp).
inline constexpr llvm::StringLiteral BadCallName = "heddle.bad.call";

/// heddle.aligned(p, bytes): fails unless p is a multiple of `bytes`. Written by lower-device
/// (lower/find_misaligned.cpp), right before the access.
inline constexpr llvm::StringLiteral AlignedName = "heddle.aligned";
llvm::CallInst *emitAligned(llvm::IRBuilder<> &, llvm::Value *generic, uint32_t bytes);

/// heddle.check(p, length, low, bytes): p, or where the thread may access `length` bytes in its
/// place; low is null if it is not known what object p means. Written by insert-checks, right before
/// the access, with a CheckedSite.
/// heddle.checked(p, q): behind a write through q, which a check gave for p.
inline constexpr llvm::StringLiteral CheckName = "heddle.check", CheckedName = "heddle.checked";
llvm::CallInst *emitCheck(llvm::IRBuilder<> &, llvm::Value *pointer, llvm::Value *length,
                          llvm::Value *low, llvm::Value *bytes);
llvm::CallInst *emitChecked(llvm::IRBuilder<> &, llvm::Value *pointer, llvm::Value *checked);

/// heddle.happened(swapped, found): behind an access whose CheckedSite says OrderTold; `found` says what
/// was there, of a compare-and-swap that may take a lock, and `swapped` whether it was done. Written by
/// insert-checks.
inline constexpr llvm::StringLiteral HappenedName = "heddle.happened";
llvm::CallInst *emitHappened(llvm::IRBuilder<> &, llvm::Value *swapped, llvm::Constant *found);

/// On a call of heddle.check: what AccessSite says.
struct SiteNote : Note {
  struct Facts {
    uint64_t bytes, align;
    AccessKind access;
    AccessSpace space;
    bool isVolatile;
    llvm::StringRef variable;
    uint8_t order = 0; ///< AccessOrder
    AccessScope scope = AccessScope::Device;
    uint8_t param = NoCheckedParam; ///< number in KernelCode::checkedParams
  };
  void put(llvm::Instruction &, const Facts &) const;
  Facts get(const llvm::Instruction &) const;
};
inline constexpr SiteNote CheckedSite{{"heddle.site"}};

/// heddle.shadow(p, low, bytes, distance, other, asks): where the shadow (base/abi/check_abi.h) of
/// what lies at p is: p + distance if p lies in `bytes` bytes from low on, otherwise `other`, or
/// what the device says (asks, a constant). Written by insert-init-checks.
inline constexpr llvm::StringLiteral ShadowName = "heddle.shadow";
struct ShadowPlace {
  llvm::Value *low, *bytes, *distance, *other; ///< low is an i64
  bool asks;
};
llvm::CallInst *emitShadow(llvm::IRBuilder<> &, llvm::Value *pointer, const ShadowPlace &);
/// heddle.uninitialized(bad, p): where `bad` holds the thread uses what it has read at p, if p is
/// not null, and nothing has written. With a CheckedSite.
inline constexpr llvm::StringLiteral UninitializedName = "heddle.uninitialized";
llvm::CallInst *emitUninitialized(llvm::IRBuilder<> &, llvm::Value *bad, llvm::Value *pointer);
/// heddle.shadow_copy(to, from, bytes): memory is copied, or filled if `from` is null.
inline constexpr llvm::StringLiteral ShadowCopyName = "heddle.shadow_copy";
llvm::CallInst *emitShadowCopy(llvm::IRBuilder<> &, llvm::Value *to, llvm::Value *from,
                               llvm::Value *bytes);

/// heddle.float.TYPES(r, operation, condition, operands...): r, which is looked at where the condition
/// holds; of conversions and integer division it is wrong there. Written by lower-device
/// (lower/float_checks.cpp). Could be dropped where r is not used.
inline constexpr llvm::StringLiteral FloatCheckName = "heddle.float";
inline constexpr unsigned FloatCheckCondition = 2, FirstFloatOperand = 3;
bool isFloatCheck(const llvm::Instruction &);
/// On a fence: how far it reaches; the whole system where it says nothing.
struct ScopeNote : Note {
  void put(llvm::Instruction &, AccessScope) const;
  AccessScope get(const llvm::Instruction &) const;
};
inline constexpr ScopeNote FenceScope{{"heddle.scope"}};

/// heddle.on_stack(p): p lies where the memory of threads lies (Services::onStack). Written by
/// lower-device (lower/address_queries.cpp).
inline constexpr llvm::StringLiteral OnStackName = "heddle.on_stack";
llvm::CallInst *emitOnStack(llvm::IRBuilder<> &, llvm::Value *generic);

/// heddle.count.block(number): the thread comes to a basic block.
/// heddle.count.access(number, p): it is about to access memory at p; heddle.count.local: at an offset
/// in a variable of its own. Written before all passes in mode Counted (jit/count); they stay where
/// they are, and touch no memory.
inline constexpr llvm::StringLiteral CountBlockName = "heddle.count.block",
                                     CountAccessName = "heddle.count.access",
                                     CountLocalName = "heddle.count.local";
llvm::CallInst *emitCountBlock(llvm::IRBuilder<> &, uint32_t number);
llvm::CallInst *emitCountAccess(llvm::IRBuilder<> &, uint32_t number, llvm::Value *pointer);
llvm::CallInst *emitCountLocal(llvm::IRBuilder<> &, uint32_t number, llvm::Value *offset);

/// heddle.fetch(p, step, bytes): the thread will soon load `bytes`, a constant, from p + step, and
/// step is uniform. Written by prefetch-next-round. Could be dropped.
inline constexpr llvm::StringLiteral FetchName = "heddle.fetch";
llvm::CallInst *emitFetch(llvm::IRBuilder<> &, llvm::Value *address, llvm::Value *step,
                          uint64_t bytes);

/// heddle.poll(): the thread comes to a loop that polls memory. heddle.yield(): it has polled in
/// vain, and others go first. Written by mark-polls, the second by yield-before-reuse too.
inline constexpr llvm::StringLiteral PollName = "heddle.poll", YieldName = "heddle.yield";
llvm::CallInst *emitPoll(llvm::IRBuilder<> &);
llvm::CallInst *emitYield(llvm::IRBuilder<> &);

/// heddle.in_cluster(): the function reaches shared memory of other blocks. Written by lower-device
/// at the beginning of the function, read by `widen`: the blocks of a cluster are alive at once.
/// Passes that join blocks do not know it.
inline constexpr llvm::StringLiteral InClusterName = "heddle.in_cluster";
llvm::CallInst *emitInCluster(llvm::IRBuilder<> &);

/// heddle.suspend(): the warp program waits here. Written by `widen`; build-entry makes points of
/// them at which the coroutine is suspended.
inline constexpr llvm::StringLiteral SuspendName = "heddle.suspend";
llvm::CallInst *emitSuspend(llvm::IRBuilder<> &);
bool isSuspend(const llvm::Instruction &);

/// heddle.framesize(bytes, align): of the coroutine's frame. Written by build-entry;
/// split-coroutine finds constants there, writes them into the kernel's description, and drops it.
inline constexpr llvm::StringLiteral FrameSizeName = "heddle.framesize";
llvm::CallInst *emitFrameSize(llvm::IRBuilder<> &, llvm::Value *bytes, llvm::Value *align);

/// heddle.choose(condition, number): before what a block computes, of which there are to be two
/// forms, up to heddle.choose.end(); the stores between have ChosenForm. Written by
/// split-coroutine, taken away by store-forms (vector/stream_choices.h). LLVM's passes may not
/// merge them.
inline constexpr llvm::StringLiteral ChooseName = "heddle.choose", EndName = "heddle.choose.end";

} // namespace heddle::simt
