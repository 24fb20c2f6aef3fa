// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asynchronous copies (PTX ISA, "cp.async"). A copy may be complete at any time before the thread
// waits for it, so it is done at once, and there is nothing to wait for. It goes word by word: the
// elements of a structure, which simt packs into vectors.
#include "frontend/ptx/memory_modifiers.h"

#include "base/abi/async_step.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

class Copy {
public:
  Copy(Emitter &e, Value *to, Value *from, unsigned bytes)
      : e_(e), b_(e.b), to_(to), from_(from), bytes_(bytes) {}

  /// All bytes, or zeros where `from` is not read.
  void whole(bool isRead) {
    for (unsigned at = 0; at < bytes_; at += 4) {
      Value *word = e_.number(0);
      Align align = commonAlignment(Align(bytes_), at);
      if (isRead)
        word = b_.CreateAlignedLoad(b_.getInt32Ty(), behind(from_, b_.getInt64(at)), align);
      b_.CreateAlignedStore(word, behind(to_, b_.getInt64(at)), align);
    }
  }

  /// The first `size` bytes, and zeros behind them. Nearly always all or none.
  void first(Value *size) {
    BasicBlock *all = block(), *some = block(), *none = block(), *part = block(), *done = block();
    b_.CreateCondBr(b_.CreateICmpEQ(size, e_.number(bytes_)), all, some);
    b_.SetInsertPoint(all);
    whole(true);
    b_.CreateBr(done);
    b_.SetInsertPoint(some);
    b_.CreateCondBr(b_.CreateICmpEQ(size, e_.number(0)), none, part);
    b_.SetInsertPoint(none);
    whole(false);
    b_.CreateBr(done);
    b_.SetInsertPoint(part);
    whole(false);
    bytes(size, part, done);
    b_.SetInsertPoint(done);
  }

private:
  BasicBlock *block() {
    return BasicBlock::Create(b_.getContext(), "", b_.GetInsertBlock()->getParent());
  }
  Value *behind(Value *pointer, Value *offset) {
    return b_.CreateInBoundsGEP(b_.getInt8Ty(), pointer, offset);
  }

  /// do { to[i] = from[i]; } while (++i < size);
  void bytes(Value *size, BasicBlock *before, BasicBlock *done) {
    BasicBlock *loop = block();
    b_.CreateBr(loop);
    b_.SetInsertPoint(loop);
    PHINode *i = b_.CreatePHI(b_.getInt32Ty(), 2);
    Value *offset = b_.CreateZExt(i, b_.getInt64Ty());
    b_.CreateStore(b_.CreateLoad(b_.getInt8Ty(), behind(from_, offset)), behind(to_, offset));
    Value *next = b_.CreateAdd(i, e_.number(1));
    i->addIncoming(e_.number(0), before);
    i->addIncoming(next, loop);
    b_.CreateCondBr(b_.CreateICmpULT(next, size), loop, done);
  }

  Emitter &e_;
  IRBuilder<> &b_;
  Value *to_, *from_;
  unsigned bytes_;
};

/// For checked code.
void noteAsync(Emitter &e, Value *to, AsyncStep step, Value *number) {
  e.library("__heddle_async_note", e.b.getVoidTy(), {to, e.number(unsigned(step)), number},
            /*readsNothing=*/false);
}

} // namespace

void noteAsyncArrival(Emitter &e) {
  noteAsync(e, ConstantPointerNull::get(e.b.getPtrTy()), AsyncStep::Waits, e.b.getInt64(~0ull));
}

void noteBulkRead(Emitter &e, Value *shared, Value *bytes) {
  noteAsync(e, shared, AsyncStep::BulkReads, e.b.CreateZExt(bytes, e.b.getInt64Ty()));
}

void noteBulkWrite(Emitter &e, Value *shared, Value *bytes, Value *barrier) {
  noteAsync(e, barrier, AsyncStep::BulkBarrier, e.b.getInt64(0));
  noteAsync(e, shared, AsyncStep::BulkWrites, e.b.CreateZExt(bytes, e.b.getInt64Ty()));
}

/// cp.async.ca.shared.global [to], [from], 16 {, size | , ignored} {, policy};
void lowerCpAsync(Emitter &e) {
  e.failUnless(!e.takeOneOf({"ca", "cg"}).empty(), "expected .ca or .cg");
  e.failUnless(takeSpace(e) == "shared" && takeSpace(e) == "global",
               "expected .shared and .global");
  unsigned operands = e.count() - takeCacheHints(e);
  Value *to = e.address(0, "shared"), *from = e.address(1, "global");
  int64_t bytes = e.constant(2);
  if (bytes != 4 && bytes != 8 && bytes != 16)
    return e.fail("expected 4, 8 or 16 bytes");
  Copy copy(e, to, from, unsigned(bytes));
  std::optional<int64_t> size = bytes;
  if (operands > 3)
    size = e.isPredicate(e.operand(3)) ? std::nullopt : e.constantIf(e.operand(3));
  if (size && (*size == 0 || *size == bytes))
    copy.whole(*size != 0);
  else if (e.isPredicate(e.operand(3))) // ignore-src
    copy.first(e.b.CreateSelect(e.predicate(3), e.number(0), e.number(bytes)));
  else
    copy.first(e.bits(3, 32));
  noteAsync(e, to, AsyncStep::Begins, e.number(uint64_t(bytes), 64));
}

/// cp.async.commit_group, wait_group N, wait_all, and those of bulk copies.
void lowerCpAsyncWait(Emitter &e) {
  e.take("read");
  int64_t groups = e.count() > 0 ? e.constant(0) : -1;
  bool isBulk = e.word(2) == "bulk", commits = e.word(isBulk ? 3 : 2) == "commit_group";
  noteAsync(e, ConstantPointerNull::get(e.b.getPtrTy()),
            commits  ? (isBulk ? AsyncStep::BulkCommits : AsyncStep::Commits)
            : isBulk ? AsyncStep::BulkWaits
                     : AsyncStep::Waits,
            e.b.getInt64(commits ? 0 : uint64_t(groups)));
}

} // namespace heddle::frontend::ptx
