; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Two warps rank their keys by counters of their own and add these up: one thread counts the keys of both. Not where the
; counters do not start at zero, nor where a count has another use.
; Keys that nobody overwrites are loaded again: of the allocation that the launch's parameter 0 points into, another one than
; parameter 16 does. Not if it is the same, or one of them is not known, or the pass that finds it out is off.
; RUN: %build/bin/heddle-warp -block 64 -width 32 -last-pass=merge-warp-counters -kernel zero %s | FileCheck %s
; RUN: %build/bin/heddle-warp -block 64 -width 32 -last-pass=merge-warp-counters -kernel zero -objects=0,1,8,1,16,2 %s | FileCheck %s --check-prefix=AGAIN
; LEGAL noalias-arguments: different allocations
; RUN: %build/bin/heddle-warp -block 64 -width 32 -last-pass=merge-warp-counters -kernel zero -objects=0,1,8,2,16,1 %s | FileCheck %s
; LEGAL noalias-arguments: known allocations
; RUN: %build/bin/heddle-warp -block 64 -width 32 -last-pass=merge-warp-counters -kernel zero -objects=0,1,8,2,16,0 %s | FileCheck %s
; RUN: %build/bin/heddle-warp -block 64 -width 32 -last-pass=merge-warp-counters -kernel zero -objects=0,1,8,2,16,3 -disable=noalias-arguments %s | FileCheck %s
; RUN: %build/bin/heddle-warp -block 64 -width 32 -last-pass=merge-warp-counters -kernel zero -disable=merge-warp-counters %s | FileCheck %s --check-prefix=APART
; RUN: %build/bin/heddle-warp -block 64 -width 32 -last-pass=merge-warp-counters -kernel one %s | FileCheck %s --check-prefix=APART
; RUN: %build/bin/heddle-warp -block 64 -width 32 -last-pass=merge-warp-counters -kernel kept %s | FileCheck %s --check-prefix=APART

@counters = internal addrspace(3) global [2 x [64 x i32]] undef, align 4

; CHECK-LABEL: define {{.*}}@zero.thread
; CHECK-NOT: store i32 0
; CHECK: %[[KEY:.*]] = load i32, ptr
; CHECK: store i32 %[[KEY]], ptr
; CHECK-NOT: atomicrmw
; CHECK: icmp eq i32 %{{.*}}, 0
; CHECK-NEXT: br i1 %{{.*}}, label %keys.preheader, label
; CHECK: {{^}}keys:
; CHECK: %[[ITEM:.*]] = phi i64
; CHECK: %[[STAGED:.*]] = load i32
; CHECK: and i32 %[[STAGED]], 63
; CHECK: %[[PLACE:.*]] = load i32
; CHECK: %[[NEXT:.*]] = add i32 %[[PLACE]], 1
; CHECK: store i32 %[[NEXT]]
; CHECK: store i32 %[[STAGED]]
; CHECK: icmp eq i64 %[[ITEM]], 0
; CHECK-NOT: atomicrmw

; AGAIN-LABEL: define {{.*}}@zero.thread
; AGAIN: {{^}}keys:
; AGAIN: %[[ROW:.*]] = phi i64
; AGAIN: %[[FIRST:.*]] = getelementptr i32, ptr %[[KEYS:.*]], i64
; AGAIN: %[[KEY:.*]] = load i32, ptr %[[FIRST]]
; AGAIN: and i32 %[[KEY]], 63
; AGAIN: %[[PLACE:.*]] = load i32
; AGAIN: %[[NEXT:.*]] = add i32 %[[PLACE]], 1
; AGAIN: store i32 %[[NEXT]]
; AGAIN: store i32 %[[KEY]]
; AGAIN: %[[SECOND:.*]] = getelementptr i8, ptr %[[FIRST]], i64 4
; AGAIN-NEXT: load i32, ptr %[[SECOND]]

; APART-LABEL: define {{.*}}.thread
; APART-COUNT-2: store i32 {{[01]}}
; APART: atomicrmw add
; APART-NOT: keys:

define ptx_kernel void @zero(ptr %keys, ptr %starts, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %g = addrspacecast ptr addrspace(3) @counters to ptr
  %mine = getelementptr i32, ptr %g, i64 %i
  %second = getelementptr i8, ptr %mine, i64 256
  store i32 0, ptr %mine
  store i32 0, ptr %second
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %p = getelementptr i32, ptr %keys, i64 %i
  %key = load i32, ptr %p
  %digit = and i32 %key, 63
  %d = zext i32 %digit to i64
  %w = lshr i32 %t, 5
  %warp = zext i32 %w to i64
  %row = getelementptr [64 x i32], ptr %g, i64 %warp
  %counter = getelementptr i32, ptr %row, i64 %d
  %rank = atomicrmw add ptr %counter, i32 1 monotonic
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %q = getelementptr i32, ptr %starts, i64 %i
  %start = load i32, ptr %q
  %count = load i32, ptr %mine
  store i32 %start, ptr %mine
  %sum = add i32 %start, %count
  store i32 %sum, ptr %second
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %before = load i32, ptr %counter
  %place = add i32 %before, %rank
  %at = sext i32 %place to i64
  %o = getelementptr i32, ptr %out, i64 %at
  store i32 %key, ptr %o
  ret void
}

define ptx_kernel void @one(ptr %keys, ptr %starts, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %g = addrspacecast ptr addrspace(3) @counters to ptr
  %mine = getelementptr i32, ptr %g, i64 %i
  %second = getelementptr i8, ptr %mine, i64 256
  store i32 0, ptr %mine
  store i32 1, ptr %second
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %p = getelementptr i32, ptr %keys, i64 %i
  %key = load i32, ptr %p
  %digit = and i32 %key, 63
  %d = zext i32 %digit to i64
  %w = lshr i32 %t, 5
  %warp = zext i32 %w to i64
  %row = getelementptr [64 x i32], ptr %g, i64 %warp
  %counter = getelementptr i32, ptr %row, i64 %d
  %rank = atomicrmw add ptr %counter, i32 1 monotonic
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %q = getelementptr i32, ptr %starts, i64 %i
  %start = load i32, ptr %q
  %count = load i32, ptr %mine
  store i32 %start, ptr %mine
  %sum = add i32 %start, %count
  store i32 %sum, ptr %second
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %before = load i32, ptr %counter
  %place = add i32 %before, %rank
  %at = sext i32 %place to i64
  %o = getelementptr i32, ptr %out, i64 %at
  store i32 %key, ptr %o
  ret void
}

define ptx_kernel void @kept(ptr %keys, ptr %starts, ptr %out, ptr %counts) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %g = addrspacecast ptr addrspace(3) @counters to ptr
  %mine = getelementptr i32, ptr %g, i64 %i
  %second = getelementptr i8, ptr %mine, i64 256
  store i32 0, ptr %mine
  store i32 0, ptr %second
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %p = getelementptr i32, ptr %keys, i64 %i
  %key = load i32, ptr %p
  %digit = and i32 %key, 63
  %d = zext i32 %digit to i64
  %w = lshr i32 %t, 5
  %warp = zext i32 %w to i64
  %row = getelementptr [64 x i32], ptr %g, i64 %warp
  %counter = getelementptr i32, ptr %row, i64 %d
  %rank = atomicrmw add ptr %counter, i32 1 monotonic
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %q = getelementptr i32, ptr %starts, i64 %i
  %start = load i32, ptr %q
  %count = load i32, ptr %mine
  %k = getelementptr i32, ptr %counts, i64 %i
  store i32 %count, ptr %k
  store i32 %start, ptr %mine
  %sum = add i32 %start, %count
  store i32 %sum, ptr %second
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %before = load i32, ptr %counter
  %place = add i32 %before, %rank
  %at = sext i32 %place to i64
  %o = getelementptr i32, ptr %out, i64 %at
  store i32 %key, ptr %o
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
