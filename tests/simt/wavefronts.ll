; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A walk over a tile by diagonals: what the step before has computed is shifted by a lane, and rows are written to the
; tile one by one. Where the pass is off, the steps run lane by lane.
; RUN: %build/bin/heddle-warp -block 32 -width 32 -last-pass wavefronts -disable=hoist-tile-stores %s | FileCheck %s
; RUN: %build/bin/heddle-warp -block 32 -width 32 -last-pass wavefronts %s -disable=wavefronts | FileCheck %s --check-prefix=OFF

; CHECK-LABEL: define internal void @runBlocks
; CHECK-NOT: range
; CHECK-NOT: masked.{{gather|scatter}}
; CHECK: [[FIRST:%.*]] = call <32 x i32> @llvm.smax.v32i32
; CHECK: shufflevector <32 x i32> [[FIRST]],
; CHECK: [[SECOND:%.*]] = call <32 x i32> @llvm.smax.v32i32
; CHECK-NOT: fence
; CHECK: store <32 x i32> {{%.*}}, ptr
; CHECK: fence

; OFF-LABEL: define internal void @runBlocks
; OFF: range

@tile = internal addrspace(3) global [33 x [33 x i32]] undef, align 4

define ptx_kernel void @kernel(ptr %in, ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %column = zext i32 %t to i64
  %next = add i64 %column, 1
  %top = getelementptr i32, ptr %in, i64 %column
  %value = load i32, ptr %top
  %above = getelementptr [33 x [33 x i32]], ptr addrspace(3) @tile, i64 0, i64 0, i64 %next
  store i32 %value, ptr addrspace(3) %above
  %beside = getelementptr [33 x [33 x i32]], ptr addrspace(3) @tile, i64 0, i64 %next, i64 0
  store i32 %value, ptr addrspace(3) %beside
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %loop

loop:
  %step = phi i32 [ 0, %entry ], [ %after, %latch ]
  %y = sub i32 %step, %t
  %inside = icmp ult i32 %y, 32
  br i1 %inside, label %work, label %latch

work:
  %row = zext i32 %y to i64
  %below = add i64 %row, 1
  %up = getelementptr [33 x [33 x i32]], ptr addrspace(3) @tile, i64 0, i64 %row, i64 %next
  %left = getelementptr [33 x [33 x i32]], ptr addrspace(3) @tile, i64 0, i64 %below, i64 %column
  %here = getelementptr [33 x [33 x i32]], ptr addrspace(3) @tile, i64 0, i64 %below, i64 %next
  %a = load i32, ptr addrspace(3) %up
  %b = load i32, ptr addrspace(3) %left
  %most = call i32 @llvm.smax.i32(i32 %a, i32 %b)
  store i32 %most, ptr addrspace(3) %here
  br label %latch

latch:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %after = add i32 %step, 1
  %more = icmp ult i32 %after, 63
  br i1 %more, label %loop, label %sums

sums:
  %i = phi i64 [ 0, %latch ], [ %i.next, %sums ]
  %from = getelementptr [33 x [33 x i32]], ptr addrspace(3) @tile, i64 0, i64 %i, i64 %next
  %cell = load i32, ptr addrspace(3) %from
  %to = getelementptr [32 x i32], ptr %out, i64 %i, i64 %column
  store i32 %cell, ptr %to
  %i.next = add i64 %i, 1
  %again = icmp ult i64 %i.next, 33
  br i1 %again, label %sums, label %done

done:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.smax.i32(i32, i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
