; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; The sum of a loop is stored behind it, and rows of their own have a copy; not with one condition broken.
; RUN: %build/bin/heddle-warp -block 32 -last-pass=transpose-thread-rows %s | FileCheck %s
; LEGAL transpose-thread-rows: each turn
; RUN: %break some && %build/bin/heddle-warp -block 32 -last-pass=transpose-thread-rows %t.ll | FileCheck %s --check-prefix=STAYS
; LEGAL transpose-thread-rows: elsewhere
; RUN: %break data && %build/bin/heddle-warp -block 32 -last-pass=transpose-thread-rows %t.ll | FileCheck %s --check-prefix=STAYS
; RUN: %break itself && %build/bin/heddle-warp -block 32 -last-pass=transpose-thread-rows %t.ll | FileCheck %s --check-prefix=STAYS
; LEGAL transpose-thread-rows: plain accesses
; RUN: %break volatile && %build/bin/heddle-warp -block 32 -last-pass=transpose-thread-rows %t.ll | FileCheck %s --check-prefix=STAYS
; RUN: %break waits && %build/bin/heddle-warp -block 32 -last-pass=transpose-thread-rows %t.ll | FileCheck %s --check-prefix=STAYS
; LEGAL transpose-thread-rows: written before
; RUN: %break skips && %build/bin/heddle-warp -block 32 -last-pass=transpose-thread-rows %t.ll | FileCheck %s --check-prefix=NONE
; RUN: %break starts && %build/bin/heddle-warp -block 32 -last-pass=transpose-thread-rows %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL transpose-thread-rows: other writes
; RUN: %break stray && %build/bin/heddle-warp -block 32 -last-pass=transpose-thread-rows %t.ll | FileCheck %s --check-prefix=NONE
; RUN: %break syncs && %build/bin/heddle-warp -block 32 -last-pass=transpose-thread-rows %t.ll | FileCheck %s --check-prefix=NONE

; CHECK: own.row
; CHECK: inner:
; CHECK-NOT: store
; CHECK: icmp eq i32 %k.next

; STAYS: inner:
; STAYS: store float %less
; STAYS: %k.next = 

; NONE-NOT: own.row
; NONE: ret void

@tile = internal addrspace(3) global [32 x [33 x float]] undef, align 4

define ptx_kernel void @kernel(ptr %out, i32 %n) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %x to i64
  %tile = addrspacecast ptr addrspace(3) @tile to ptr
  %row = getelementptr [33 x float], ptr %tile, i64 %wide
  br label %outer
outer:
  %i = phi i32 [ 0, %0 ], [ %i.next, %end.of.row ] ; not starts
;@starts  %i = phi i32 [ %n, %0 ], [ %i.next, %end.of.row ]
  %i.wide = zext i32 %i to i64
  %here = getelementptr float, ptr %row, i64 %i.wide
  %first = load float, ptr %here
  %any = icmp ne i32 %i, 0
  br i1 %any, label %inner, label %first.time
first.time:
  store float 1.0, ptr %here
  br label %next
inner:
  %k = phi i32 [ 0, %outer ], [ %k.next, %turn ]
  %sum = phi float [ %first, %outer ], [ %less, %turn ]
  %k.wide = zext i32 %k to i64
  %there = getelementptr float, ptr %row, i64 %k.wide ; not data
;@data  %at = getelementptr i64, ptr %out, i64 %k.wide
;@data  %other = load i64, ptr %at
;@data  %there = getelementptr float, ptr %row, i64 %other
  %v = load float, ptr %there ; not volatile
;@volatile  %v = load volatile float, ptr %there
  %less = fsub float %sum, %v
;@waits  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store float %less, ptr %here ; not some
;@some  %isLarge = fcmp ogt float %less, 0.0
;@some  br i1 %isLarge, label %write, label %written
;@some  write:
;@some  store float %less, ptr %here
;@some  br label %written
;@some  written:
  br label %turn
turn:
  %k.next = add nuw i32 %k, 1
  %end = icmp eq i32 %k.next, %i ; not itself
;@itself  %end = icmp ugt i32 %k.next, %i
  br i1 %end, label %next, label %inner
next:
  %done = phi float [ %less, %turn ], [ 1.0, %first.time ]
  store float %done, ptr %here ; not skips
;@syncs  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
;@stray  %stray = getelementptr float, ptr %row, i64 3
;@stray  store float 2.0, ptr %stray
;@skips  %isDone = fcmp ogt float %done, 0.0
;@skips  br i1 %isDone, label %keep, label %kept
;@skips  keep:
;@skips  store float %done, ptr %here
;@skips  br label %kept
;@skips  kept:
  br label %end.of.row
end.of.row:
  %i.next = add nuw i32 %i, 1
  %last = icmp eq i32 %i.next, 32 ; not starts
;@starts  %last = icmp uge i32 %i.next, 32
  br i1 %last, label %exit, label %outer
exit:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
