; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Values that are handed on from round to round, %above to %here to %below, have three places in the frame, of which each is
; one's in turn: a round stores %above and copies nothing.
; RUN: %build/bin/heddle-warp -block 512 -width 256 -last-pass split-coroutine %s | FileCheck %s
; RUN: %build/bin/heddle-warp -block 512 -width 256 -last-pass split-coroutine -disable rotate-slots %s | FileCheck %s --check-prefix=OFF

; CHECK-LABEL: define internal fastcc void @start.resume(
; CHECK: [[ABOVE:%.*]] = load <256 x float>, ptr %{{.*}}, align 4
; CHECK: [[PLACE:%.*]] = getelementptr i8, ptr %slots.reload.addr, i64
; CHECK-NEXT: store <256 x float> [[ABOVE]], ptr [[PLACE]], align 64
; CHECK-NEXT: [[SECOND:%.*]] = getelementptr i8, ptr %slots.reload.addr, i64
; CHECK-NEXT: [[HERE:%.*]] = load <256 x float>, ptr [[SECOND]], align 64
; CHECK-NEXT: store <256 x float> [[HERE]], ptr %{{.*}}, align 4
; CHECK: masked.gather
; CHECK: load <256 x float>, ptr %{{.*}}, align 64
; CHECK: load <256 x float>, ptr %{{.*}}, align 64
; CHECK-NOT: {{(load|store) <256 x float>.*}}, align 1024
; CHECK-LABEL: define internal fastcc void @start.destroy(

; OFF-LABEL: define internal fastcc void @start.resume(
; OFF-COUNT-3: store <256 x float> %{{.*}}, align 1024
; OFF-LABEL: define internal fastcc void @start.destroy(

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
  br label %loop
loop:
  %round = phi i32 [ 0, %entry ], [ %next, %loop ]
  %below = phi float [ 0.0, %entry ], [ %here, %loop ]
  %here = phi float [ %first, %entry ], [ %above, %loop ]
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
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
