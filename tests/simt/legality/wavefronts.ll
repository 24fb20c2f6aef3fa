; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A walk by diagonals is in registers, and stores its rows early; not with one condition broken.
; RUN: %build/bin/heddle-warp -block 32 -width 32 -last-pass wavefronts -disable=hoist-tile-stores %s | FileCheck %s
; LEGAL wavefronts: known places
; RUN: %break data && %build/bin/heddle-warp -block 32 -width 32 -last-pass wavefronts -disable=hoist-tile-stores %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL wavefronts: known lanes
; RUN: %break some && %build/bin/heddle-warp -block 32 -width 32 -last-pass wavefronts -disable=hoist-tile-stores %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL wavefronts: plain accesses
; RUN: %break atomic && %build/bin/heddle-warp -block 32 -width 32 -last-pass wavefronts -disable=hoist-tile-stores %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL wavefronts: nothing between
; RUN: %break other && %build/bin/heddle-warp -block 32 -width 32 -last-pass wavefronts -disable=hoist-tile-stores %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL wavefronts: one type
; RUN: %break half && %build/bin/heddle-warp -block 32 -width 32 -last-pass wavefronts -disable=hoist-tile-stores %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL wavefronts: within
; RUN: %break beyond && %build/bin/heddle-warp -block 32 -width 32 -last-pass wavefronts -disable=hoist-tile-stores %t.ll | FileCheck %s --check-prefix=NONE
; RUN: %build/bin/heddle-warp -block 32 -width 32 -last-pass wavefronts %s | grep -o 'heddle.row\|smax.v32i32' | uniq | FileCheck %s --check-prefix=EARLY
; LEGAL hoist-tile-stores: fences
; RUN: %break fence && %build/bin/heddle-warp -block 32 -width 32 -last-pass wavefronts %t.ll | grep -o 'heddle.row\|smax.v32i32' | uniq | FileCheck %s --check-prefix=WITHOUT
; LEGAL hoist-tile-stores: other memory
; RUN: %break writes && %build/bin/heddle-warp -block 32 -width 32 -last-pass wavefronts %t.ll | grep -o 'heddle.row\|smax.v32i32' | uniq | FileCheck %s --check-prefix=LATE
; LEGAL hoist-tile-stores: tile unread
; RUN: %break elsewhere && %build/bin/heddle-warp -block 32 -width 32 -last-pass wavefronts %t.ll | FileCheck %s --check-prefix=KEPT

; CHECK-LABEL: define internal void @runBlocks
; CHECK-NOT: call {{.*}}masked.{{gather|scatter}}
; CHECK: ret void

; NONE-LABEL: define internal void @runBlocks
; NONE: call {{.*}}masked.gather
; NONE: ret void

; EARLY: smax
; EARLY-NEXT: heddle.row
; EARLY-NEXT: smax

; WITHOUT: smax
; WITHOUT-NOT: heddle.row

; KEPT: define internal void @runBlocks
; KEPT: call void @llvm.masked.store
; KEPT: heddle.row

; LATE: smax
; LATE-NEXT: heddle.row
; LATE-NOT: smax

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
  %y = sub i32 %step, %t ; not data
;@data  %y.known = sub i32 %step, %t
;@data  %y = xor i32 %y.known, %value
  %inside = icmp ult i32 %y, 32
  br i1 %inside, label %work, label %latch

work:
  %row = zext i32 %y to i64
  %below = add i64 %row, 1
  %up = getelementptr [33 x [33 x i32]], ptr addrspace(3) @tile, i64 0, i64 %row, i64 %next
  %left = getelementptr [33 x [33 x i32]], ptr addrspace(3) @tile, i64 0, i64 %below, i64 %column ; not beyond
;@beyond  %left.in = getelementptr [33 x [33 x i32]], ptr addrspace(3) @tile, i64 0, i64 %below, i64 %column
;@beyond  %left = getelementptr i8, ptr addrspace(3) %left.in, i64 4356
  %here = getelementptr [33 x [33 x i32]], ptr addrspace(3) @tile, i64 0, i64 %below, i64 %next
  %a = load i32, ptr addrspace(3) %up
  %b = load i32, ptr addrspace(3) %left
;@atomic  %old = atomicrmw add ptr addrspace(3) %left, i32 1 monotonic
  %most = call i32 @llvm.smax.i32(i32 %a, i32 %b)
;@half  %part = getelementptr i8, ptr addrspace(3) %left, i64 2
;@half  store i16 1, ptr addrspace(3) %part
;@other  %place = sext i32 %value to i64
;@other  %any = getelementptr [33 x [33 x i32]], ptr addrspace(3) @tile, i64 0, i64 0, i64 %place
;@other  store i32 %step, ptr addrspace(3) %any
  store i32 %most, ptr addrspace(3) %here ; not some
;@some  %isLarge = icmp sgt i32 %most, %value
;@some  br i1 %isLarge, label %keep, label %kept
;@some  keep:
;@some  store i32 %most, ptr addrspace(3) %here
;@some  br label %kept
;@some  kept:
  br label %latch

latch:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %after = add i32 %step, 1
;@writes  %spot = getelementptr i32, ptr %in, i64 %column
;@writes  store i32 %step, ptr %spot
;@fence  fence seq_cst
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
;@elsewhere  %at = sext i32 %value to i64
;@elsewhere  %found = getelementptr i32, ptr addrspace(3) @tile, i64 %at
;@elsewhere  %seen.cell = load i32, ptr addrspace(3) %found
;@elsewhere  store i32 %seen.cell, ptr %top
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.smax.i32(i32, i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
