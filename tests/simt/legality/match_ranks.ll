; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Lanes count in turn; with one condition broken they ask who they are.
; RUN: %build/bin/heddle-warp -block 64 -width 32 -last-pass=match-ranks %s | FileCheck %s
; LEGAL match-ranks: shared
; RUN: %break global && %build/bin/heddle-warp -block 64 -width 32 -last-pass=match-ranks %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL match-ranks: one counter
; RUN: %break other && %build/bin/heddle-warp -block 64 -width 32 -last-pass=match-ranks %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL match-ranks: all asked
; RUN: %break members && %build/bin/heddle-warp -block 64 -width 32 -last-pass=match-ranks %t.ll | FileCheck %s --check-prefix=NONE
; RUN: %break some && %build/bin/heddle-warp -block 64 -width 32 -last-pass=match-ranks %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL match-ranks: nothing written
; RUN: %break written && %build/bin/heddle-warp -block 64 -width 32 -last-pass=match-ranks %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL match-ranks: one peer
; RUN: %break chosen && %build/bin/heddle-warp -block 64 -width 32 -last-pass=match-ranks %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL match-ranks: counts all
; RUN: %break counted && %build/bin/heddle-warp -block 64 -width 32 -last-pass=match-ranks %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL match-ranks: whole warps
; RUN: %build/bin/heddle-warp -block 64 -width 16 -last-pass=match-ranks %s | FileCheck %s --check-prefix=NONE

; CHECK: %rank = atomicrmw add

; NONE-NOT: atomicrmw
; NONE: @llvm.nvvm.match.any.sync.i32
; NONE: store i32 %next

@counters = internal addrspace(3) global [512 x i32] undef, align 4

define ptx_kernel void @kernel(ptr %keys, ptr %ranks, ptr %given) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = and i32 %t, 31
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %keys, i64 %i
  %key = load i32, ptr %p
  %digit = and i32 %key, 255
  %d = zext i32 %digit to i64 ; not other
;@other  %half = lshr i32 %digit, 1
;@other  %d = zext i32 %half to i64
  %g = addrspacecast ptr addrspace(3) @counters to ptr ; not global
;@global  %g = getelementptr i8, ptr %given, i64 0
  %counter = getelementptr i32, ptr %g, i64 %d
  %peers = call i32 @llvm.nvvm.match.any.sync.i32(i32 -1, i32 %digit) ; not members
;@members  %peers = call i32 @llvm.nvvm.match.any.sync.i32(i32 65535, i32 %digit)
;@some  %isValid = icmp slt i32 %key, 0
;@some  br i1 %isValid, label %valid, label %skipped
;@some valid:
  %old = load i32, ptr %counter
  %bit = shl i32 1, %lane
  %below = add i32 %bit, -1
  %before = and i32 %peers, %below
  %number = call i32 @llvm.ctpop.i32(i32 %before)
  %rank = add i32 %old, %number
;@written  store i32 0, ptr %g
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %rest = lshr i32 %peers, %lane
  %last = icmp eq i32 %rest, 1 ; not chosen
;@chosen  %last = icmp eq i32 %rest, 3
  br i1 %last, label %count, label %counted
count:
  %next = add i32 %rank, 1 ; not counted
;@counted  %next = add i32 %rank, 2
  store i32 %next, ptr %counter
  br label %counted
counted:
;@some  br label %skipped
;@some skipped:
;@some  %rank.all = phi i32 [ -1, %0 ], [ %rank, %counted ]
  call void @llvm.nvvm.bar.warp.sync(i32 -1)
  %q = getelementptr i32, ptr %ranks, i64 %i
  store i32 %rank, ptr %q ; not some
;@some  store i32 %rank.all, ptr %q
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.match.any.sync.i32(i32, i32)
declare i32 @llvm.ctpop.i32(i32)
declare void @llvm.nvvm.bar.warp.sync(i32)
