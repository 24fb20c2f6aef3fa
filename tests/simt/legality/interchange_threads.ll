; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Threads along y become lanes; not with one condition broken.
; RUN: %build/bin/heddle-warp -block 32,16 -last-pass interchange-threads %s | FileCheck %s
; RUN: %break barrier && %build/bin/heddle-warp -block 32,16 -last-pass interchange-threads %t.ll | FileCheck %s
; LEGAL interchange-threads: no warps
; RUN: %break vote && %build/bin/heddle-warp -block 32,16 -last-pass interchange-threads %t.ll | FileCheck %s --check-prefix=NONE
; RUN: %break lane && %build/bin/heddle-warp -block 32,16 -last-pass interchange-threads %t.ll | FileCheck %s --check-prefix=NONE
; RUN: %break part && %build/bin/heddle-warp -block 32,16 -last-pass interchange-threads %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL interchange-threads: no order
; RUN: %break volatile && %build/bin/heddle-warp -block 32,16 -last-pass interchange-threads %t.ll | FileCheck %s --check-prefix=NONE
; RUN: %break together && %build/bin/heddle-warp -block 32,16 -last-pass interchange-threads %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL interchange-threads: silent
; RUN: %break trap && %build/bin/heddle-warp -block 32,16 -last-pass interchange-threads %t.ll | FileCheck %s --check-prefix=NONE

; CHECK: %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
; NONE: %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()

@cells = internal addrspace(3) global [512 x float] undef, align 4

define ptx_kernel void @kernel(ptr %out, ptr %in, i32 %n) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = mul nsw i32 %x, %n
  %i = add nsw i32 %row, %y
  %i64 = sext i32 %i to i64
  %from = getelementptr float, ptr %in, i64 %i64
  %to = getelementptr float, ptr %out, i64 %i64
  %v = load float, ptr %from ; not volatile
;@volatile  %v = load volatile float, ptr %from
;@barrier  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
;@part  call void @llvm.nvvm.barrier.cta.sync.aligned.count(i32 1, i32 64)
;@vote  %some = icmp slt i32 %y, %n
;@vote  %all = call i1 @llvm.nvvm.vote.all.sync(i32 -1, i1 %some)
;@vote  store i1 %all, ptr %from
;@lane  %number = call i32 @llvm.nvvm.read.ptx.sreg.laneid()
;@lane  store i32 %number, ptr %from
;@together  %own = getelementptr float, ptr addrspace(3) @cells, i64 %i64
;@together  store float %v, ptr addrspace(3) %own
;@together  %next = getelementptr float, ptr addrspace(3) %own, i64 1
;@together  %seen = load float, ptr addrspace(3) %next
;@together  store float %seen, ptr %from
;@trap  %bad = icmp eq i32 %x, %n
;@trap  br i1 %bad, label %fails, label %goes
;@trap fails:
;@trap  call void @llvm.trap()
;@trap  br label %goes
;@trap goes:
  store float %v, ptr %to
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.laneid()
declare i1 @llvm.nvvm.vote.all.sync(i32, i1)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.count(i32, i32)
declare void @llvm.trap()
