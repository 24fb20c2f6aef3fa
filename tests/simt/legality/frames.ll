; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Values that are handed on lie in the frame, each in one place.
; RUN: %build/bin/heddle-warp -block 512 -width 256 -last-pass split-coroutine -kernel kernel %s | FileCheck %s
; LEGAL rotate-slots: one successor
; RUN: %break two && %build/bin/heddle-warp -block 512 -width 256 -last-pass split-coroutine -kernel kernel %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL rotate-slots: made in the loop
; RUN: %break outside && %build/bin/heddle-warp -block 512 -width 256 -last-pass split-coroutine -kernel kernel %t.ll | FileCheck %s --check-prefix=NONE
; RUN: %build/bin/heddle-warp -kernel sums -block 64 -last-pass split-coroutine %s | FileCheck %s --check-prefix=HOME
; LEGAL coalesce-frame-slots: old before new
; RUN: %break late && %build/bin/heddle-warp -kernel sums -block 64 -last-pass split-coroutine %t.ll | FileCheck %s --check-prefix=APART

; CHECK: slots.reload
; NONE-NOT: slots.reload

; HOME-LABEL: define internal fastcc void @start.resume(
; HOME: [[SUM:%.*]] = load <32 x float>, ptr [[HOME:%.*]], align 64
; HOME: [[MORE:%.*]] = fadd <32 x float> [[SUM]]
; HOME-NEXT: store <32 x float> [[MORE]], ptr [[HOME]], align 64

; APART-LABEL: define internal fastcc void @start.resume(
; APART: [[MORE:%.*]] = fadd <32 x float>
; APART-NOT: store <32 x float> [[MORE]], ptr {{.*}}, align 64
; APART-LABEL: define internal fastcc void @start.destroy(

@tile = internal addrspace(3) global [512 x float] undef, align 4

define ptx_kernel void @kernel(i32 %n, ptr %in, ptr %out) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = zext i32 %x to i64
  %turned = xor i32 %x, 511
  %mirror = zext i32 %turned to i64
  %cell = getelementptr float, ptr addrspace(3) @tile, i64 %lane
  %corner = getelementptr float, ptr addrspace(3) @tile, i64 %mirror
  %start = getelementptr float, ptr %in, i64 %lane
  %first = load float, ptr %start
;@outside  %start.more = getelementptr i8, ptr %start, i64 65536
;@outside  %second = load float, ptr %start.more
  br label %loop
loop:
  %round = phi i32 [ 0, %entry ], [ %next, %loop ]
  %below = phi float [ 0.0, %entry ], [ %here, %loop ] ; not two
;@two  %below = phi float [ 0.0, %entry ], [ %above, %loop ]
  %here = phi float [ %first, %entry ], [ %above, %loop ] ; not outside
;@outside  %here = phi float [ %first, %entry ], [ %second, %loop ]
  %next = add i32 %round, 1
  %row = mul i32 %next, 4096
  %wide = sext i32 %row to i64
  %p = getelementptr float, ptr %start, i64 %wide
  %above = load float, ptr %p
  store float %here, ptr addrspace(3) %cell
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %other = load float, ptr addrspace(3) %corner
  %sum = fadd float %below, %above
  %all = fadd float %sum, %other
  %line = getelementptr float, ptr %out, i64 %lane
  %q = getelementptr float, ptr %line, i64 %wide
  store float %all, ptr %q
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %on = icmp slt i32 %next, %n
  br i1 %on, label %loop, label %done
done:
  ret void
}

define ptx_kernel void @sums(i32 %n, ptr %a, ptr %out) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = zext i32 %x to i64
  %cell = getelementptr float, ptr addrspace(3) @tile, i64 %lane
  %turned = xor i32 %x, 63
  %mirror = zext i32 %turned to i64
  %corner = getelementptr float, ptr addrspace(3) @tile, i64 %mirror
  br label %loop
loop:
  %round = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi float [ 0.0, %entry ], [ %more, %loop ]
  %other = phi float [ 0.0, %entry ], [ %fresh, %loop ]
  %wide = zext i32 %round to i64
  %row = getelementptr float, ptr %a, i64 %wide
  %p = getelementptr float, ptr %row, i64 %lane
  %v = load float, ptr %p
  store float %v, ptr addrspace(3) %cell
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %w = load float, ptr addrspace(3) %corner
  %more = fadd float %sum, %w
  %fresh = fmul float %w, %w
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store float %other, ptr %p
;@late  %far = getelementptr i8, ptr %p, i64 4096
;@late  store float %sum, ptr %far
  %next = add i32 %round, 64
  %on = icmp slt i32 %next, %n
  br i1 %on, label %loop, label %done
done:
  %q = getelementptr float, ptr %out, i64 %lane
  store float %more, ptr %q
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
