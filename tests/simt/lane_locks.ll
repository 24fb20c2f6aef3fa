; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Kernels whose lanes may wait for each other get width 1 (the second word), others do not.
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel lock -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel exchange -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel flag -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel oneLane -last-pass build-entry %s | FileCheck %s --check-prefix=WARP
; RUN: %build/bin/heddle-warp -width 0 -block 8,8 -kernel oneLane -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; RUN: %build/bin/heddle-warp -width 0 -block 8,8 -kernel oneOf2D -last-pass build-entry %s | FileCheck %s --check-prefix=WARP
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel lockFree -last-pass build-entry %s | FileCheck %s --check-prefix=WARP
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel probe -last-pass build-entry %s | FileCheck %s --check-prefix=WARP
; RUN: %build/bin/heddle-warp -width 0 -block 64 -kernel queue -last-pass build-entry %s | FileCheck %s --check-prefix=WARP
; RUN: %build/bin/heddle-warp -width 16 -block 64 -kernel lock -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
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
