; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; One thread counts for both warps; not with one condition broken.
; RUN: %build/bin/heddle-warp -block 64 -width 32 -last-pass=merge-warp-counters %s | FileCheck %s
; LEGAL merge-warp-counters: zeros
; RUN: %break one && %build/bin/heddle-warp -block 64 -width 32 -last-pass=merge-warp-counters %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL merge-warp-counters: one use
; RUN: %break uses && %build/bin/heddle-warp -block 64 -width 32 -last-pass=merge-warp-counters %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL merge-warp-counters: by one
; RUN: %break two && %build/bin/heddle-warp -block 64 -width 32 -last-pass=merge-warp-counters %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL merge-warp-counters: all threads
; RUN: %break few && %build/bin/heddle-warp -block 64 -width 32 -last-pass=merge-warp-counters %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL merge-warp-counters: digits
; RUN: %break large && %build/bin/heddle-warp -block 64 -width 32 -last-pass=merge-warp-counters %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL merge-warp-counters: scan
; RUN: %break sums && %build/bin/heddle-warp -block 64 -width 32 -last-pass=merge-warp-counters %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL merge-warp-counters: barriers
; RUN: %break waits && %build/bin/heddle-warp -block 64 -width 32 -last-pass=merge-warp-counters %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL merge-warp-counters: last stores
; RUN: %break behind && %build/bin/heddle-warp -block 64 -width 32 -last-pass=merge-warp-counters %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL merge-warp-counters: made again
; RUN: %break late && %build/bin/heddle-warp -block 64 -width 32 -last-pass=merge-warp-counters %t.ll | FileCheck %s --check-prefix=NONE
; What nobody writes is read again, where the launch says that it is another allocation than what is written.
; RUN: %build/bin/heddle-warp -block 64 -width 32 -objects=0,1,8,1,16,2 -last-pass=merge-warp-counters %s | FileCheck %s --check-prefix=AGAIN
; LEGAL noalias-arguments: no loaded pointers
; RUN: %break loaded && %build/bin/heddle-warp -block 64 -width 32 -objects=0,1,8,1,16,2 -last-pass=merge-warp-counters %t.ll | FileCheck %s --check-prefix=STAGED
; LEGAL noalias-arguments: constant
; RUN: %break looks && %build/bin/heddle-warp -block 64 -width 32 -objects=0,1,8,1,16,2 -last-pass=merge-warp-counters %t.ll | FileCheck %s --check-prefix=STAGED

; CHECK: {{^}}keys:

; AGAIN: {{^}}keys:
; AGAIN: getelementptr i8, ptr %{{.*}}, i64 4
; AGAIN-NEXT: load i32

; STAGED: {{^}}keys:
; STAGED-NOT: getelementptr i8, ptr %{{.*}}, i64 4
; STAGED: ret void

; NONE: atomicrmw add
; NONE-NOT: {{^}}keys:

@counters = internal addrspace(3) global [2 x [64 x i32]] undef, align 4

define ptx_kernel void @kernel(ptr %keys, ptr %starts, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %g = addrspacecast ptr addrspace(3) @counters to ptr
  %mine = getelementptr i32, ptr %g, i64 %i
  %second = getelementptr i8, ptr %mine, i64 256
  store i32 0, ptr %mine
  store i32 0, ptr %second ; not one
;@one  store i32 1, ptr %second
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %p = getelementptr i32, ptr %keys, i64 %i ; not loaded
;@loaded  %found = load ptr, ptr %keys
;@loaded  %p = getelementptr i32, ptr %found, i64 %i
;@looks  %flag = load volatile i32, ptr %keys
  %key = load i32, ptr %p
  %digit = and i32 %key, 63 ; not large
;@large  %digit = and i32 %key, 127
  %d = zext i32 %digit to i64
  %w = lshr i32 %t, 5
  %warp = zext i32 %w to i64
  %row = getelementptr [64 x i32], ptr %g, i64 %warp
  %counter = getelementptr i32, ptr %row, i64 %d
;@few  %isFew = icmp slt i32 %key, 0
;@few  br i1 %isFew, label %counts, label %counted
;@few counts:
;@few  %rank.few = atomicrmw add ptr %counter, i32 1 monotonic
;@few  br label %counted
;@few counted:
;@few  %rank = phi i32 [ 0, %0 ], [ %rank.few, %counts ]
  %rank = atomicrmw add ptr %counter, i32 1 monotonic ; not two few
;@two  %rank = atomicrmw add ptr %counter, i32 2 monotonic
;@uses  %o2 = getelementptr i32, ptr %out, i64 %i
;@uses  store i32 %rank, ptr %o2
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0) ; not waits
  %q = getelementptr i32, ptr %starts, i64 %i
  %start = load i32, ptr %q
  %count = load i32, ptr %mine
  store i32 %start, ptr %mine
  %sum = add i32 %start, %count ; not sums
;@sums  %sum = add i32 %start, 1
  store i32 %sum, ptr %second
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %before = load i32, ptr %counter
  %place = add i32 %before, %rank
  %at = sext i32 %place to i64 ; not late
;@late  %late = load i32, ptr %p
;@late  %at.late = add i32 %place, %late
;@late  %at = sext i32 %at.late to i64
  %o = getelementptr i32, ptr %out, i64 %at
  store i32 %key, ptr %o
;@behind  %x = load i32, ptr %starts
;@behind  store i32 %x, ptr %keys
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
