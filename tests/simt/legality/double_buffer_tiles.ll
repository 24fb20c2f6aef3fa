; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Two tiles take turns; not with one condition broken.
; RUN: %build/bin/heddle-warp -block 16,16 -width 32 -disable=propagate-tile-copies -last-pass=double-buffer-tiles %s | FileCheck %s
; LEGAL double-buffer-tiles: all in the loop
; RUN: %break later && %build/bin/heddle-warp -block 16,16 -width 32 -disable=propagate-tile-copies -last-pass=double-buffer-tiles %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL double-buffer-tiles: same places
; RUN: %break moves && %build/bin/heddle-warp -block 16,16 -width 32 -disable=propagate-tile-copies -last-pass=double-buffer-tiles %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL double-buffer-tiles: all stored
; RUN: %break guarded && %build/bin/heddle-warp -block 16,16 -width 32 -disable=propagate-tile-copies -last-pass=double-buffer-tiles %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL double-buffer-tiles: read between
; RUN: %break early && %build/bin/heddle-warp -block 16,16 -width 32 -disable=propagate-tile-copies -last-pass=double-buffer-tiles %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL double-buffer-tiles: left together
; RUN: %break leaves && %build/bin/heddle-warp -block 16,16 -width 32 -disable=propagate-tile-copies -last-pass=double-buffer-tiles %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL double-buffer-tiles: writes in the loop
; RUN: %break writes && %build/bin/heddle-warp -block 16,16 -width 32 -disable=propagate-tile-copies -last-pass=double-buffer-tiles %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL double-buffer-tiles: plain accesses
; RUN: %break volatile && %build/bin/heddle-warp -block 16,16 -width 32 -disable=propagate-tile-copies -last-pass=double-buffer-tiles %t.ll | FileCheck %s --check-prefix=NONE

; CHECK: %half = phi i64

; NONE-NOT: %half

@tile = internal addrspace(3) global [16 x [16 x float]] undef, align 4

define ptx_kernel void @kernel(i32 %n, ptr %a, ptr %c) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %cell = getelementptr [16 x [16 x float]], ptr addrspace(3) @tile, i32 0, i32 %y, i32 %x
  %corner = getelementptr [16 x [16 x float]], ptr addrspace(3) @tile, i32 0, i32 %x, i32 %y
  br label %loop
loop:
  %i = phi i32 [ 0, %0 ], [ %next, %end.of.round ]
  %sum = phi float [ 0.0, %0 ], [ %more, %end.of.round ]
  %p = getelementptr float, ptr %a, i32 %i
  %v = load float, ptr %p
;@early  %w = load float, ptr addrspace(3) %corner
  store float %v, ptr addrspace(3) %cell ; not moves guarded
;@moves  %x.moved = add i32 %x, %i
;@moves  %x.in = and i32 %x.moved, 15
;@moves  %cell.moved = getelementptr [16 x [16 x float]], ptr addrspace(3) @tile, i32 0, i32 %y, i32 %x.in
;@moves  store float %v, ptr addrspace(3) %cell.moved
;@guarded  %isIn = icmp slt i32 %i, %x
;@guarded  br i1 %isIn, label %fill, label %filled
;@guarded fill:
;@guarded  store float %v, ptr addrspace(3) %cell
;@guarded  br label %filled
;@guarded filled:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %w = load float, ptr addrspace(3) %corner ; not volatile early
;@volatile  %w = load volatile float, ptr addrspace(3) %corner
  %more = fadd float %sum, %w
;@writes  %spot = getelementptr float, ptr %c, i32 %i
;@writes  store float %more, ptr %spot
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add i32 %i, 1
  br label %end.of.round
end.of.round:
  %on = icmp slt i32 %next, %n ; not leaves
;@leaves  %reach = add i32 %next, %x
;@leaves  %on = icmp slt i32 %reach, %n
  br i1 %on, label %loop, label %done
done:
;@later  %last = load float, ptr addrspace(3) %corner
;@later  %end = fadd float %more, %last
  %q = getelementptr float, ptr %c, i32 %x
  store float %more, ptr %q ; not later
;@later  store float %end, ptr %q
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
