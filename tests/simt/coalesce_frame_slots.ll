; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A sum that goes through two barriers a round has one place in the frame: the half of the round that loads the tile neither
; reads nor writes it. %other is wanted behind the second barrier as it was before the first, and is carried as ever.
; RUN: %build/bin/heddle-warp -block 64 -last-pass split-coroutine %s | FileCheck %s
; RUN: %build/bin/heddle-warp -block 64 -last-pass split-coroutine -disable coalesce-frame-slots %s | FileCheck %s --check-prefix=APART

; CHECK-LABEL: define internal fastcc void @start.resume(
; CHECK: [[SUM:%.*]] = load <32 x float>, ptr [[HOME:%.*]], align 64
; CHECK: [[W:%.*]] = call <32 x float> @llvm.masked.gather
; CHECK: [[MORE:%.*]] = fadd <32 x float> [[SUM]], [[W]]
; CHECK-NEXT: store <32 x float> [[MORE]], ptr [[HOME]], align 64
; CHECK-NOT: ptr [[HOME]]
; CHECK: load <32 x float>, ptr [[HOME]], align 64
; CHECK-NOT: ptr [[HOME]]
; CHECK-LABEL: define internal fastcc void @start.destroy(
; APART-LABEL: define internal fastcc void @start.resume(
; APART: store <32 x float> %{{.*}}, ptr %sum
; APART: store <32 x float> %{{.*}}, ptr %other

@tile = internal addrspace(3) global [64 x float] undef, align 4

define ptx_kernel void @kernel(i32 %n, ptr %a, ptr %out) {
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
