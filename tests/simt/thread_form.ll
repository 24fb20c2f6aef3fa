; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Kernels whose lanes may wait for each other, or meet in warp operations, get width 1 (the second word), others do not. Nor
; do those whose lanes only store behind the loop (exits_in_turn.h), as here with locks and flags.
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel lock -last-pass build-entry %s | FileCheck %s --check-prefix=WARP
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel exchange -last-pass build-entry %s | FileCheck %s --check-prefix=WARP
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel flag -last-pass build-entry %s | FileCheck %s --check-prefix=WARP
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel oneLane -last-pass build-entry %s | FileCheck %s --check-prefix=WARP
; RUN: %build/bin/heddle-warp -width 0 -block 8,8 -kernel oneLane -last-pass build-entry %s | FileCheck %s --check-prefix=WARP
; RUN: %build/bin/heddle-warp -width 0 -block 8,8 -kernel oneOf2D -last-pass build-entry %s | FileCheck %s --check-prefix=WARP
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel lockFree -last-pass build-entry %s | FileCheck %s --check-prefix=WARP
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel probe -last-pass build-entry %s | FileCheck %s --check-prefix=WARP
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel queue -last-pass build-entry %s | FileCheck %s --check-prefix=WARP
; RUN: %build/bin/heddle-warp -width 16 -block 64 -kernel lock -last-pass build-entry %s | FileCheck %s --check-prefix=WARP
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel arms -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel loopAndBehind -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel syncArms -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel heldStore -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel inFunction -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel gridBarrier -last-pass build-entry %s | FileCheck %s --check-prefix=WARP
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel armsOfTheirOwn -last-pass build-entry %s | FileCheck %s --check-prefix=WARP
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel ballotOfArm -last-pass build-entry %s | FileCheck %s --check-prefix=WARP
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel coalesced -last-pass build-entry %s | FileCheck %s --check-prefix=WARP
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel earlyReturn -last-pass build-entry %s | FileCheck %s --check-prefix=WARP
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel uniformBranch -last-pass build-entry %s | FileCheck %s --check-prefix=WARP
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel syncArmsThatWriteNothing -last-pass build-entry %s | FileCheck %s --check-prefix=WARP
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel lockOfWarp -last-pass build-entry %s | FileCheck %s --check-prefix=WARP
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel lockOfLane -last-pass build-entry %s | FileCheck %s --check-prefix=WARP
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel lockOfLanes -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel lookBack -last-pass build-entry %s | FileCheck %s --check-prefix=WARP
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel someThenBlock -last-pass build-entry %s | FileCheck %s --check-prefix=WARP
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel loopThenBlock -last-pass build-entry %s | FileCheck %s --check-prefix=WARP
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel oneArmMore -last-pass build-entry %s | FileCheck %s --check-prefix=WARP
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel someThenEnd -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel armsThenBlock -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel someThenLoop -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel queueOfWarps -last-pass build-entry %s | FileCheck %s --check-prefix=WARP
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel queueOfWarps -last-pass choose-form %s | FileCheck %s --check-prefix=TURNS
; ONE: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 1,
; WARP: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 {{16|32|64}},

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()

define ptx_kernel void @lock(ptr %p, ptr %sum) {
entry:
  br label %loop
loop:
  %r = cmpxchg ptr %p, i32 0, i32 1 monotonic monotonic
  %done = extractvalue { i32, i1 } %r, 1
  br i1 %done, label %exit, label %loop
exit:
  %old = load volatile i32, ptr %sum
  %new = add i32 %old, 1
  store volatile i32 %new, ptr %sum
  store volatile i32 0, ptr %p
  ret void
}

; A lock for each element, with a pause in the loop.
define ptx_kernel void @exchange(ptr %p) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %which = lshr i32 %i, 2
  %at = getelementptr i32, ptr %p, i32 %which
  br label %loop
loop:
  %turns = phi i32 [ 0, %entry ], [ %next, %loop ]
  %next = add i32 %turns, 1
  fence seq_cst
  %old = atomicrmw xchg ptr %at, i32 1 monotonic
  %free = icmp eq i32 %old, 0
  br i1 %free, label %exit, label %loop
exit:
  store volatile i32 0, ptr %at
  ret void
}

; Each thread waits for the one before.
define ptx_kernel void @flag(ptr %ready) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %mine = getelementptr i32, ptr %ready, i32 %i
  %before = getelementptr i32, ptr %mine, i64 -1
  br label %loop
loop:
  %v = load volatile i32, ptr %before
  %done = icmp ne i32 %v, 0
  br i1 %done, label %exit, label %loop
exit:
  store volatile i32 1, ptr %mine
  ret void
}

define ptx_kernel void @oneLane(ptr %p) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %i, 0
  br i1 %first, label %loop, label %exit
loop:
  %r = cmpxchg ptr %p, i32 0, i32 1 monotonic monotonic
  %done = extractvalue { i32, i1 } %r, 1
  br i1 %done, label %release, label %loop
release:
  store volatile i32 0, ptr %p
  br label %exit
exit:
  ret void
}

define ptx_kernel void @oneOf2D(ptr %p) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %both = or i32 %x, %y
  %first = icmp eq i32 %both, 0
  br i1 %first, label %loop, label %exit
loop:
  %r = cmpxchg ptr %p, i32 0, i32 1 monotonic monotonic
  %done = extractvalue { i32, i1 } %r, 1
  br i1 %done, label %release, label %loop
release:
  store volatile i32 0, ptr %p
  br label %exit
exit:
  ret void
}

; An atomic addition made of compare-and-swap.
define ptx_kernel void @lockFree(ptr %p) {
entry:
  %start = load i32, ptr %p
  br label %loop
loop:
  %old = phi i32 [ %start, %entry ], [ %now, %loop ]
  %new = mul i32 %old, 3
  %r = cmpxchg ptr %p, i32 %old, i32 %new monotonic monotonic
  %now = extractvalue { i32, i1 } %r, 0
  %done = extractvalue { i32, i1 } %r, 1
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

; Insertion into a hash table: the next turn looks elsewhere.
define ptx_kernel void @probe(ptr %p) {
entry:
  %key = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %slot = phi i32 [ %key, %entry ], [ %next, %loop ]
  %next = add i32 %slot, 1
  %at = getelementptr i32, ptr %p, i32 %slot
  %r = cmpxchg ptr %at, i32 -1, i32 %key monotonic monotonic
  %done = extractvalue { i32, i1 } %r, 1
  br i1 %done, label %exit, label %loop
exit:
  ret void
}

define ptx_kernel void @queue(ptr %next, ptr %out, i32 %n) {
entry:
  br label %loop
loop:
  %i = atomicrmw add ptr %next, i32 1 monotonic
  %at = getelementptr i32, ptr %out, i32 %i
  %more = icmp slt i32 %i, %n
  br i1 %more, label %work, label %exit
work:
  store i32 1, ptr %at
  br label %loop
exit:
  ret void
}

; Below: warp operations under divergence, and polls beside other lanes.
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)
declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)
declare i1 @llvm.nvvm.vote.any.sync(i32, i1)
declare i32 @llvm.nvvm.activemask()
declare void @llvm.nvvm.bar.warp.sync(i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)

; One mask in both arms: the lanes meet.
define ptx_kernel void @arms(ptr %out) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %bit = and i32 %i, 1
  %odd = icmp ne i32 %bit, 0
  br i1 %odd, label %left, label %right
left:
  %a = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %i, i32 1, i32 31)
  store i32 %a, ptr %out
  br label %exit
right:
  %twice = mul i32 %i, 2
  %b = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %twice, i32 1, i32 31)
  store volatile i32 %b, ptr %out
  br label %exit
exit:
  ret void
}

; Each arm has a mask of its own lanes.
define ptx_kernel void @armsOfTheirOwn(ptr %out) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %bit = and i32 %i, 16
  %low = icmp eq i32 %bit, 0
  br i1 %low, label %left, label %right
left:
  %a = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 65535, i32 %i, i32 1, i32 31)
  store i32 %a, ptr %out
  br label %behind
right:
  %twice = mul i32 %i, 2
  %b = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -65536, i32 %twice, i32 1, i32 31)
  store volatile i32 %b, ptr %out
  br label %behind
behind:
  %c = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %i, i32 1, i32 31)
  store volatile i32 %c, ptr %out
  ret void
}

; The mask is a ballot of the arm's condition.
define ptx_kernel void @ballotOfArm(ptr %in, ptr %out) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %in, i32 %i
  %x = load i32, ptr %at
  %some = icmp sgt i32 %x, 7
  %mask = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %some)
  br i1 %some, label %arm, label %behind
arm:
  %a = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 %mask, i32 %i, i32 1, i32 31)
  store i32 %a, ptr %out
  br label %behind
behind:
  %c = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %x, i32 1, i32 31)
  store volatile i32 %c, ptr %out
  ret void
}

; The lanes that have come together.
define ptx_kernel void @coalesced(ptr %in, ptr %out) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %in, i32 %i
  %x = load i32, ptr %at
  %some = icmp sgt i32 %x, 7
  br i1 %some, label %arm, label %behind
arm:
  %mask = call i32 @llvm.nvvm.activemask()
  %a = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 %mask, i32 %i, i32 1, i32 31)
  store i32 %a, ptr %out
  br label %behind
behind:
  %c = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %x, i32 1, i32 31)
  store volatile i32 %c, ptr %out
  ret void
}

define ptx_kernel void @earlyReturn(i32 %n, ptr %out) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %work, label %exit
work:
  %a = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %i, i32 1, i32 31)
  %b = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %a, i32 2, i32 31)
  store i32 %b, ptr %out
  br label %exit
exit:
  ret void
}

define ptx_kernel void @uniformBranch(i32 %n, ptr %out) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %warp = lshr i32 %i, 5
  %some = icmp slt i32 %warp, %n
  br i1 %some, label %left, label %right
left:
  %a = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %i, i32 1, i32 31)
  store i32 %a, ptr %out
  br label %exit
right:
  %b = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %n, i32 1, i32 31)
  store volatile i32 %b, ptr %out
  br label %exit
exit:
  ret void
}

; Lanes that leave the loop may meet those in it behind.
define ptx_kernel void @loopAndBehind(ptr %out) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %next, %loop ]
  %a = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %k, i32 1, i32 31)
  store volatile i32 %a, ptr %out
  %next = add i32 %k, 1
  %more = icmp slt i32 %k, %i
  br i1 %more, label %loop, label %behind
behind:
  %b = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %i, i32 1, i32 31)
  store volatile i32 %b, ptr %out
  ret void
}

; __syncwarp in both arms, of which one reads what the other has written.
define ptx_kernel void @syncArms(ptr %p) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %low = icmp slt i32 %i, 16
  br i1 %low, label %left, label %right
left:
  %mine = getelementptr i32, ptr %p, i32 %i
  store i32 %i, ptr %mine
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  br label %exit
right:
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %other = sub i32 %i, 16
  %from = getelementptr i32, ptr %p, i32 %other
  %x = load i32, ptr %from
  %to = getelementptr i32, ptr %p, i32 %i
  store i32 %x, ptr %to
  br label %exit
exit:
  ret void
}

define ptx_kernel void @syncArmsThatWriteNothing(ptr %p) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %low = icmp slt i32 %i, 16
  br i1 %low, label %left, label %right
left:
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %mine = getelementptr i32, ptr %p, i32 %i
  store i32 %i, ptr %mine
  br label %exit
right:
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  br label %exit
exit:
  ret void
}

; One thread polls, the others wait for it at the barrier.
define ptx_kernel void @gridBarrier(ptr %count, ptr %out, i32 %n) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %i, 0
  br i1 %first, label %wait, label %behind
wait:
  %now = atomicrmw add ptr %count, i32 0 seq_cst
  %all = icmp sge i32 %now, %n
  br i1 %all, label %behind, label %wait
behind:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %at = getelementptr i32, ptr %out, i32 %i
  store i32 %i, ptr %at
  ret void
}

; The others do not wait for it: what they store may be what it waits for.
define ptx_kernel void @heldStore(ptr %flag, ptr %out) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = icmp eq i32 %i, 0
  br i1 %first, label %wait, label %behind
wait:
  %now = load volatile i32, ptr %flag
  %all = icmp ne i32 %now, 0
  br i1 %all, label %behind, label %wait
behind:
  %at = getelementptr i32, ptr %out, i32 %i
  store i32 %i, ptr %at
  ret void
}

; A lane takes a lock for its warp.
define ptx_kernel void @lockOfWarp(ptr %lock, ptr %out) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
  %first = icmp eq i32 %i, 0
  br i1 %first, label %wait, label %behind
wait:
  %r = cmpxchg ptr %lock, i32 0, i32 1 monotonic monotonic
  %done = extractvalue { i32, i1 } %r, 1
  br i1 %done, label %behind, label %wait
behind:
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %at = getelementptr i32, ptr %out, i32 %i
  store volatile i32 %i, ptr %at
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  br i1 %first, label %give, label %exit
give:
  store volatile i32 0, ptr %lock
  br label %exit
exit:
  ret void
}

; The first lane takes a lock and gives it back: it is held nowhere. Two lanes may wait for each other.
@words = internal addrspace(3) global [64 x i32] undef, align 4
define ptx_kernel void @lockOfLane(ptr %lock) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %t, 31
  %one = icmp eq i32 %lane, 0
  br i1 %one, label %take, label %work
take:
  %r = cmpxchg ptr %lock, i32 0, i32 1 monotonic monotonic
  %done = extractvalue { i32, i1 } %r, 1
  br i1 %done, label %work, label %take
work:
  %own = getelementptr i32, ptr addrspace(3) @words, i32 %t
  store volatile i32 %t, ptr addrspace(3) %own
  br i1 %one, label %give, label %exit
give:
  %old = atomicrmw xchg ptr %lock, i32 0 monotonic
  br label %exit
exit:
  ret void
}

define ptx_kernel void @lockOfLanes(ptr %lock) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %t, 31
  %one = icmp ult i32 %lane, 2
  br i1 %one, label %take, label %work
take:
  %r = cmpxchg ptr %lock, i32 0, i32 1 monotonic monotonic
  %done = extractvalue { i32, i1 } %r, 1
  br i1 %done, label %work, label %take
work:
  %own = getelementptr i32, ptr addrspace(3) @words, i32 %t
  store volatile i32 %t, ptr addrspace(3) %own
  br i1 %one, label %give, label %exit
give:
  %old = atomicrmw xchg ptr %lock, i32 0 monotonic
  br label %exit
exit:
  ret void
}

; All lanes look back at once.
define ptx_kernel void @lookBack(ptr %flags, ptr %out) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %at = getelementptr i32, ptr %flags, i32 %i
  br label %wait
wait:
  %flag = load volatile i32, ptr %at
  %none = icmp eq i32 %flag, 0
  %any = call i1 @llvm.nvvm.vote.any.sync(i32 -1, i1 %none)
  br i1 %any, label %wait, label %exit
exit:
  %to = getelementptr i32, ptr %out, i32 %i
  store i32 %flag, ptr %to
  ret void
}

; What stays a function cannot be left in the middle.
define internal i32 @deep(ptr %p, i32 %n) {
entry:
  %end = icmp eq i32 %n, 0
  br i1 %end, label %wait, label %down
wait:
  %v = load volatile i32, ptr %p
  %none = icmp eq i32 %v, 0
  br i1 %none, label %wait, label %done
done:
  ret i32 %v
down:
  %less = sub i32 %n, 1
  %r = call i32 @deep(ptr %p, i32 %less)
  ret i32 %r
}
define ptx_kernel void @inFunction(ptr %p, ptr %out, i32 %n) {
entry:
  %x = call i32 @deep(ptr %p, i32 %n)
  store i32 %x, ptr %out
  ret void
}

; Some lanes have an operation more than the others before all wait for the block: they are never in one warp.
define ptx_kernel void @someThenBlock(i32 %n, ptr %out) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %work, label %behind
work:
  %a = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %i, i32 1, i32 31)
  br label %behind
behind:
  %x = phi i32 [ %i, %entry ], [ %a, %work ]
  %b = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %x, i32 2, i32 31)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store volatile i32 %b, ptr %out
  ret void
}

; So with lanes that leave a loop one by one, as far as is known.
define ptx_kernel void @loopThenBlock(i32 %n, ptr %out) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  br label %loop
loop:
  %k = phi i32 [ %i, %entry ], [ %next, %loop ]
  %a = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %k, i32 1, i32 31)
  store volatile i32 %a, ptr %out
  %next = add i32 %k, 64
  %more = icmp slt i32 %next, %n
  br i1 %more, label %loop, label %behind
behind:
  %b = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %i, i32 2, i32 31)
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store volatile i32 %b, ptr %out
  ret void
}

; And with arms of different numbers.
define ptx_kernel void @oneArmMore(i32 %n, ptr %out) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %left, label %right
left:
  %a = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %i, i32 1, i32 31)
  br label %behind
right:
  %twice = mul i32 %i, 2
  %b = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %twice, i32 1, i32 31)
  %c = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %b, i32 2, i32 31)
  br label %behind
behind:
  %x = phi i32 [ %a, %left ], [ %c, %right ]
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store volatile i32 %x, ptr %out
  ret void
}

; Lanes that have done theirs end, and are not waited for.
define ptx_kernel void @someThenEnd(i32 %n, ptr %out) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %work, label %behind
work:
  %a = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %i, i32 1, i32 31)
  br label %behind
behind:
  %x = phi i32 [ %i, %entry ], [ %a, %work ]
  %b = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %x, i32 2, i32 31)
  store volatile i32 %b, ptr %out
  ret void
}

; The same number in both arms: they meet.
define ptx_kernel void @armsThenBlock(i32 %n, ptr %out) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %left, label %right
left:
  %a = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %i, i32 1, i32 31)
  br label %behind
right:
  %twice = mul i32 %i, 2
  %b = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %twice, i32 1, i32 31)
  br label %behind
behind:
  %x = phi i32 [ %a, %left ], [ %b, %right ]
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store volatile i32 %x, ptr %out
  ret void
}

; Behind the branch there may be any number of operations, so the others may do as many.
define ptx_kernel void @someThenLoop(i32 %n, ptr %out) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %work, label %behind
work:
  %a = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %i, i32 1, i32 31)
  br label %behind
behind:
  %k = phi i32 [ %i, %entry ], [ %a, %work ], [ %next, %behind ]
  %b = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %k, i32 2, i32 31)
  %next = add i32 %b, 1
  %more = icmp slt i32 %k, %n
  br i1 %more, label %behind, label %wait
wait:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store volatile i32 %b, ptr %out
  ret void
}

; A queue of which one lane takes, with the jump from what it does at the end of a turn to what it does at the start of the
; next one threaded: two loops, which become one (join_turns.h).
; TURNS-LABEL: define {{.*}}@queueOfWarps.thread
; TURNS: {{^}}ask.turn:
; TURNS-NEXT: [[AGAIN:%.*]] = phi i32 [ [[TAKEN:%.*]], %meet.turn ], [ 0, %work ]
; TURNS: {{^}}ask:
; TURNS-NEXT: phi i32 [ %item, %meet ], [ [[AGAIN]], %ask.turn ]
; TURNS: br i1 %leads, label %put, label %ask.turn
; TURNS: {{^}}turn.turn:
; TURNS: [[TAKEN]] = phi i32 [ %t.turn, %take.turn ], [ 0, %turn.turn ]
; TURNS: %t.turn = atomicrmw add
define ptx_kernel void @queueOfWarps(ptr %next, ptr %in, ptr %out, i32 %n) {
entry:
  %i = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %i, 31
  %leads = icmp eq i32 %lane, 0
  br label %turn
turn:
  br i1 %leads, label %take, label %meet
take:
  %t = atomicrmw add ptr %next, i32 1 monotonic
  br label %meet
meet:
  %item = phi i32 [ %t, %take ], [ 0, %turn ]
  br label %ask
ask:
  %mine = phi i32 [ %item, %meet ], [ 0, %work ]
  %all = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %mine, i32 0, i32 31)
  %more = icmp slt i32 %all, %n
  br i1 %more, label %work, label %exit
work:
  %at = add i32 %all, %lane
  %p = getelementptr i32, ptr %in, i32 %at
  %v = load i32, ptr %p
  %sum = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %v, i32 1, i32 31)
  br i1 %leads, label %put, label %ask
put:
  %q = getelementptr i32, ptr %out, i32 %all
  store i32 %sum, ptr %q
  br label %turn
exit:
  ret void
}
