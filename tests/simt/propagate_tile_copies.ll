; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A tile that is a copy of global memory is read from there: thread (x, y) reads what (k, y) has copied. The tile and the waits
; go; one wait stays before the result is written, which may lie where others still read.
; RUN: %build/bin/heddle-warp -block 4,4 -kernel loops -last-pass=propagate-tile-copies %s | FileCheck %s
; None where the result lies in another allocation.
; RUN: %build/bin/heddle-warp -block 4,4 -kernel loops -objects 8,1,16,2 -last-pass=propagate-tile-copies %s | FileCheck %s --check-prefix=APART
; RUN: %build/bin/heddle-warp -block 4,4 -kernel loops -objects 8,1,16,1 -last-pass=propagate-tile-copies %s | FileCheck %s
; Unrolled sums become a loop again.
; RUN: %build/bin/heddle-warp -block 4,4 -kernel unrolled -last-pass=propagate-tile-copies %s | FileCheck %s --check-prefix=UNROLLED
; Of several tiles, in a loop of many sums, those that neighbouring threads read the same of; fetched a round ahead here.
; RUN: %build/bin/heddle-warp -block 16,2 -kernel slices -last-pass=propagate-tile-copies %s | FileCheck %s --check-prefix=SOME
; Not what is no copy, what some threads do not copy, what two threads copy to one place, and where the loop writes.
; RUN: %build/bin/heddle-warp -block 4,4 -kernel changed -last-pass=propagate-tile-copies %s | FileCheck %s --check-prefix=TILE
; RUN: %build/bin/heddle-warp -block 4,4 -kernel byFew -last-pass=propagate-tile-copies %s | FileCheck %s --check-prefix=TILE
; RUN: %build/bin/heddle-warp -block 4,5 -kernel unrolled -last-pass=propagate-tile-copies %s | FileCheck %s --check-prefix=TILE
; RUN: %build/bin/heddle-warp -block 4,4 -kernel writes -last-pass=propagate-tile-copies %s | FileCheck %s --check-prefix=TILE
; Nor where each is read once only, or by columns.
; RUN: %build/bin/heddle-warp -block 4,4 -kernel once -last-pass=propagate-tile-copies %s | FileCheck %s --check-prefix=TILE
; RUN: %build/bin/heddle-warp -block 4,4 -kernel columns -last-pass=propagate-tile-copies %s | FileCheck %s --check-prefix=TILE
; RUN: %build/bin/heddle-warp -block 4,4 -kernel loops -disable=propagate-tile-copies -last-pass=propagate-tile-copies %s | FileCheck %s --check-prefix=TILE
; RUN: %build/bin/heddle-warp -block 4,4 -width 1 -kernel loops -last-pass=propagate-tile-copies %s | FileCheck %s --check-prefix=TILE

; CHECK-LABEL: define {{.*}} @loops
; CHECK: [[Y:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
; CHECK: [[WIDE:%.*]] = zext nneg i32 [[Y]] to i64
; CHECK: [[ROW:%.*]] = shl nsw i64 [[WIDE]], 6
; CHECK: [[FIRST:%.*]] = getelementptr inbounds nuw i8, ptr %{{.*}}, i64 [[ROW]]
; CHECK: [[MOVED:%[0-9]+]] = phi i64 [ 0, %params ], [ [[NEXT:%[0-9]+]], %end ]
; CHECK: [[FROM:%.*]] = getelementptr i8, ptr [[FIRST]], i64 [[MOVED]]
; CHECK: [[K:%k]] = phi i64
; CHECK-NOT: barrier
; CHECK: [[FAR:%.*]] = shl i64 [[K]], 2
; CHECK-NEXT: [[AT:%.*]] = getelementptr i8, ptr [[FROM]], i64 [[FAR]]
; CHECK-NEXT: load float, ptr [[AT]], align 4
; CHECK-NOT: barrier
; CHECK: [[NEXT]] = add i64 [[MOVED]], 16
; CHECK-NOT: barrier
; CHECK: done:
; CHECK: call void @llvm.nvvm.barrier.cta.sync.aligned.all
; CHECK: store float
; CHECK-NOT: barrier
; CHECK: ret void

; APART-LABEL: define {{.*}} @loops
; APART-NOT: barrier
; APART: store float
; APART-NOT: barrier
; APART: ret void

; UNROLLED-LABEL: define {{.*}} @unrolled
; UNROLLED: [[K:%.*]] = phi i32 [ 0, {{.*}} ], [ [[NEXT:%.*]], {{.*}} ]
; UNROLLED-COUNT-1: load float
; UNROLLED-NEXT: fadd float
; UNROLLED-NEXT: [[NEXT]] = add nuw nsw i32 [[K]], 1
; UNROLLED-NEXT: icmp eq i32 [[NEXT]], 4
; UNROLLED-NOT: load float
; UNROLLED: ret void

; SOME-LABEL: define {{.*}} @slices
; SOME: loop:
; SOME: [[ROW:%[0-9]+]] = phi ptr [ {{.*}}, %params ], [ [[NEXT:%[0-9]+]], %loop ]
; SOME: store float %vb
; SOME-NOT: store
; SOME: call void @llvm.nvvm.barrier.cta.sync.aligned.all
; SOME-NOT: %va.next = load
; SOME: load float, ptr [[ROW]], align 4
; SOME: load float, ptr addrspace(3) %b0
; SOME: [[AT:%.*]] = getelementptr i8, ptr [[ROW]], i64 12
; SOME-NEXT: load float, ptr [[AT]], align 4
; SOME: call void @llvm.nvvm.barrier.cta.sync.aligned.all
; SOME-NEXT: [[NEXT]] = getelementptr i8, ptr [[ROW]], i64 64
; SOME: done:
; SOME: call void @llvm.nvvm.barrier.cta.sync.aligned.all
; SOME: store float

; TILE: store float {{.*}}
; TILE: call void @llvm.nvvm.barrier.cta.sync.aligned.all
; TILE: load float
; TILE: call void @llvm.nvvm.barrier.cta.sync.aligned.all

@tile = internal addrspace(3) global [16 x float] undef, align 4

define ptx_kernel void @loops(i64 %n, ptr %a, ptr %c) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %wideX = zext i32 %x to i64
  %wideY = zext i32 %y to i64
  %rowOfTile = getelementptr [4 x float], ptr addrspace(3) @tile, i64 %wideY
  %cell = getelementptr float, ptr addrspace(3) %rowOfTile, i64 %wideX
  %row = shl nuw nsw i64 %wideY, 4
  %mine = add nuw nsw i64 %row, %wideX
  br label %loop
loop:
  %start = phi i64 [ 0, %0 ], [ %next, %end ]
  %sum = phi float [ 0.0, %0 ], [ %more, %end ]
  %i = add nuw nsw i64 %mine, %start
  %p = getelementptr inbounds float, ptr %a, i64 %i
  %v = load float, ptr %p
  store float %v, ptr addrspace(3) %cell
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %inner
inner:
  %k = phi i64 [ 0, %loop ], [ %nextK, %inner ]
  %soFar = phi float [ %sum, %loop ], [ %more, %inner ]
  %place = getelementptr float, ptr addrspace(3) %rowOfTile, i64 %k
  %w = load float, ptr addrspace(3) %place
  %more = fadd float %soFar, %w
  %nextK = add nuw nsw i64 %k, 1
  %onK = icmp ult i64 %nextK, 4
  br i1 %onK, label %inner, label %end
end:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add nuw nsw i64 %start, 4
  %on = icmp slt i64 %next, %n
  br i1 %on, label %loop, label %done
done:
  %q = getelementptr float, ptr %c, i64 %mine
  store float %more, ptr %q
  ret void
}

define ptx_kernel void @unrolled(i64 %n, ptr %a, ptr %c) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %turnedY = and i32 %y, 3
  %wideX = zext i32 %x to i64
  %wideY = zext i32 %turnedY to i64
  %rowOfTile = getelementptr [4 x float], ptr addrspace(3) @tile, i64 %wideY
  %cell = getelementptr float, ptr addrspace(3) %rowOfTile, i64 %wideX
  %row = shl nuw nsw i64 %wideY, 4
  %mine = add nuw nsw i64 %row, %wideX
  br label %loop
loop:
  %start = phi i64 [ 0, %0 ], [ %next, %loop ]
  %sum = phi float [ 0.0, %0 ], [ %s3, %loop ]
  %i = add nuw nsw i64 %mine, %start
  %p = getelementptr inbounds float, ptr %a, i64 %i
  %v = load float, ptr %p
  store float %v, ptr addrspace(3) %cell
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %p0 = getelementptr float, ptr addrspace(3) %rowOfTile, i64 0
  %w0 = load float, ptr addrspace(3) %p0
  %s0 = fadd float %sum, %w0
  %p1 = getelementptr float, ptr addrspace(3) %rowOfTile, i64 1
  %w1 = load float, ptr addrspace(3) %p1
  %s1 = fadd float %s0, %w1
  %p2 = getelementptr float, ptr addrspace(3) %rowOfTile, i64 2
  %w2 = load float, ptr addrspace(3) %p2
  %s2 = fadd float %s1, %w2
  %p3 = getelementptr float, ptr addrspace(3) %rowOfTile, i64 3
  %w3 = load float, ptr addrspace(3) %p3
  %s3 = fadd float %s2, %w3
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add nuw nsw i64 %start, 4
  %on = icmp slt i64 %next, %n
  br i1 %on, label %loop, label %done
done:
  %q = getelementptr float, ptr %c, i64 %mine
  store float %s3, ptr %q
  ret void
}

define ptx_kernel void @changed(i64 %n, ptr %a, ptr %c) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %turnedY = and i32 %y, 3
  %wideX = zext i32 %x to i64
  %wideY = zext i32 %turnedY to i64
  %rowOfTile = getelementptr [4 x float], ptr addrspace(3) @tile, i64 %wideY
  %cell = getelementptr float, ptr addrspace(3) %rowOfTile, i64 %wideX
  %row = shl nuw nsw i64 %wideY, 4
  %mine = add nuw nsw i64 %row, %wideX
  br label %loop
loop:
  %start = phi i64 [ 0, %0 ], [ %next, %loop ]
  %sum = phi float [ 0.0, %0 ], [ %s3, %loop ]
  %i = add nuw nsw i64 %mine, %start
  %p = getelementptr inbounds float, ptr %a, i64 %i
  %v = load float, ptr %p
  %twice = fadd float %v, %v
  store float %twice, ptr addrspace(3) %cell
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %p0 = getelementptr float, ptr addrspace(3) %rowOfTile, i64 0
  %w0 = load float, ptr addrspace(3) %p0
  %s0 = fadd float %sum, %w0
  %p1 = getelementptr float, ptr addrspace(3) %rowOfTile, i64 1
  %w1 = load float, ptr addrspace(3) %p1
  %s1 = fadd float %s0, %w1
  %p2 = getelementptr float, ptr addrspace(3) %rowOfTile, i64 2
  %w2 = load float, ptr addrspace(3) %p2
  %s2 = fadd float %s1, %w2
  %p3 = getelementptr float, ptr addrspace(3) %rowOfTile, i64 3
  %w3 = load float, ptr addrspace(3) %p3
  %s3 = fadd float %s2, %w3
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add nuw nsw i64 %start, 4
  %on = icmp slt i64 %next, %n
  br i1 %on, label %loop, label %done
done:
  %q = getelementptr float, ptr %c, i64 %mine
  store float %s3, ptr %q
  ret void
}

define ptx_kernel void @byFew(i64 %n, ptr %a, ptr %c) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %turnedY = and i32 %y, 3
  %wideX = zext i32 %x to i64
  %wideY = zext i32 %turnedY to i64
  %rowOfTile = getelementptr [4 x float], ptr addrspace(3) @tile, i64 %wideY
  %cell = getelementptr float, ptr addrspace(3) %rowOfTile, i64 %wideX
  %row = shl nuw nsw i64 %wideY, 4
  %mine = add nuw nsw i64 %row, %wideX
  %few = icmp ult i32 %x, 3
  br label %loop
loop:
  %start = phi i64 [ 0, %0 ], [ %next, %join ]
  %sum = phi float [ 0.0, %0 ], [ %s3, %join ]
  %i = add nuw nsw i64 %mine, %start
  %p = getelementptr inbounds float, ptr %a, i64 %i
  %v = load float, ptr %p
  br i1 %few, label %copy, label %join
copy:
  store float %v, ptr addrspace(3) %cell
  br label %join
join:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %p0 = getelementptr float, ptr addrspace(3) %rowOfTile, i64 0
  %w0 = load float, ptr addrspace(3) %p0
  %s0 = fadd float %sum, %w0
  %p1 = getelementptr float, ptr addrspace(3) %rowOfTile, i64 1
  %w1 = load float, ptr addrspace(3) %p1
  %s1 = fadd float %s0, %w1
  %p2 = getelementptr float, ptr addrspace(3) %rowOfTile, i64 2
  %w2 = load float, ptr addrspace(3) %p2
  %s2 = fadd float %s1, %w2
  %p3 = getelementptr float, ptr addrspace(3) %rowOfTile, i64 3
  %w3 = load float, ptr addrspace(3) %p3
  %s3 = fadd float %s2, %w3
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add nuw nsw i64 %start, 4
  %on = icmp slt i64 %next, %n
  br i1 %on, label %loop, label %done
done:
  %q = getelementptr float, ptr %c, i64 %mine
  store float %s3, ptr %q
  ret void
}

define ptx_kernel void @writes(i64 %n, ptr %a, ptr %c) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %turnedY = and i32 %y, 3
  %wideX = zext i32 %x to i64
  %wideY = zext i32 %turnedY to i64
  %rowOfTile = getelementptr [4 x float], ptr addrspace(3) @tile, i64 %wideY
  %cell = getelementptr float, ptr addrspace(3) %rowOfTile, i64 %wideX
  %row = shl nuw nsw i64 %wideY, 4
  %mine = add nuw nsw i64 %row, %wideX
  br label %loop
loop:
  %start = phi i64 [ 0, %0 ], [ %next, %loop ]
  %sum = phi float [ 0.0, %0 ], [ %s3, %loop ]
  %i = add nuw nsw i64 %mine, %start
  %p = getelementptr inbounds float, ptr %a, i64 %i
  %v = load float, ptr %p
  store float %v, ptr addrspace(3) %cell
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %p0 = getelementptr float, ptr addrspace(3) %rowOfTile, i64 0
  %w0 = load float, ptr addrspace(3) %p0
  %s0 = fadd float %sum, %w0
  %p1 = getelementptr float, ptr addrspace(3) %rowOfTile, i64 1
  %w1 = load float, ptr addrspace(3) %p1
  %s1 = fadd float %s0, %w1
  %p2 = getelementptr float, ptr addrspace(3) %rowOfTile, i64 2
  %w2 = load float, ptr addrspace(3) %p2
  %s2 = fadd float %s1, %w2
  %p3 = getelementptr float, ptr addrspace(3) %rowOfTile, i64 3
  %w3 = load float, ptr addrspace(3) %p3
  %s3 = fadd float %s2, %w3
  %r = getelementptr float, ptr %c, i64 %i
  store float %w0, ptr %r
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add nuw nsw i64 %start, 4
  %on = icmp slt i64 %next, %n
  br i1 %on, label %loop, label %done
done:
  %q = getelementptr float, ptr %c, i64 %mine
  store float %s3, ptr %q
  ret void
}

define ptx_kernel void @once(i64 %n, ptr %a, ptr %c) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %turnedY = and i32 %y, 3
  %wideX = zext i32 %x to i64
  %wideY = zext i32 %turnedY to i64
  %rowOfTile = getelementptr [4 x float], ptr addrspace(3) @tile, i64 %wideY
  %cell = getelementptr float, ptr addrspace(3) %rowOfTile, i64 %wideX
  %row = shl nuw nsw i64 %wideY, 4
  %mine = add nuw nsw i64 %row, %wideX
  br label %loop
loop:
  %start = phi i64 [ 0, %0 ], [ %next, %loop ]
  %sum = phi float [ 0.0, %0 ], [ %s0, %loop ]
  %i = add nuw nsw i64 %mine, %start
  %p = getelementptr inbounds float, ptr %a, i64 %i
  %v = load float, ptr %p
  store float %v, ptr addrspace(3) %cell
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %p0 = getelementptr float, ptr addrspace(3) %rowOfTile, i64 0
  %w0 = load float, ptr addrspace(3) %p0
  %s0 = fadd float %sum, %w0
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add nuw nsw i64 %start, 4
  %on = icmp slt i64 %next, %n
  br i1 %on, label %loop, label %done
done:
  %q = getelementptr float, ptr %c, i64 %mine
  store float %s0, ptr %q
  ret void
}

define ptx_kernel void @columns(i64 %n, ptr %a, ptr %c) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %turnedY = and i32 %y, 3
  %wideX = zext i32 %x to i64
  %wideY = zext i32 %turnedY to i64
  %rowOfTile = getelementptr [4 x float], ptr addrspace(3) @tile, i64 %wideY
  %cell = getelementptr float, ptr addrspace(3) %rowOfTile, i64 %wideX
  %column = getelementptr [4 x float], ptr addrspace(3) @tile, i64 %wideX
  %row = shl nuw nsw i64 %wideY, 4
  %mine = add nuw nsw i64 %row, %wideX
  br label %loop
loop:
  %start = phi i64 [ 0, %0 ], [ %next, %loop ]
  %sum = phi float [ 0.0, %0 ], [ %s3, %loop ]
  %i = add nuw nsw i64 %mine, %start
  %p = getelementptr inbounds float, ptr %a, i64 %i
  %v = load float, ptr %p
  store float %v, ptr addrspace(3) %cell
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %p0 = getelementptr float, ptr addrspace(3) %column, i64 0
  %w0 = load float, ptr addrspace(3) %p0
  %s0 = fadd float %sum, %w0
  %p1 = getelementptr float, ptr addrspace(3) %column, i64 1
  %w1 = load float, ptr addrspace(3) %p1
  %s1 = fadd float %s0, %w1
  %p2 = getelementptr float, ptr addrspace(3) %column, i64 2
  %w2 = load float, ptr addrspace(3) %p2
  %s2 = fadd float %s1, %w2
  %p3 = getelementptr float, ptr addrspace(3) %column, i64 3
  %w3 = load float, ptr addrspace(3) %p3
  %s3 = fadd float %s2, %w3
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add nuw nsw i64 %start, 4
  %on = icmp slt i64 %next, %n
  br i1 %on, label %loop, label %done
done:
  %q = getelementptr float, ptr %c, i64 %mine
  store float %s3, ptr %q
  ret void
}

@tileA = internal addrspace(3) global [32 x float] undef, align 4
@tileB = internal addrspace(3) global [32 x float] undef, align 4

define ptx_kernel void @slices(i32 %n, ptr %a, ptr %b, ptr %c) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %wideX = zext i32 %x to i64
  %wideY = zext i32 %y to i64
  %rowA = getelementptr [16 x float], ptr addrspace(3) @tileA, i64 %wideY
  %cellA = getelementptr float, ptr addrspace(3) %rowA, i64 %wideX
  %rowB = getelementptr [16 x float], ptr addrspace(3) @tileB, i64 %wideY
  %cellB = getelementptr float, ptr addrspace(3) %rowB, i64 %wideX
  %b0 = getelementptr float, ptr addrspace(3) @tileB, i64 %wideX
  %b1 = getelementptr float, ptr addrspace(3) %b0, i64 16
  %row = mul i32 %y, %n
  %wideRow = zext i32 %row to i64
  %ofRow = getelementptr inbounds float, ptr %a, i64 %wideRow
  %fromA = getelementptr inbounds float, ptr %ofRow, i64 %wideX
  %ofB = getelementptr inbounds float, ptr %b, i64 %wideRow
  %fromB = getelementptr inbounds float, ptr %ofB, i64 %wideX
  %va.first = load float, ptr %fromA
  br label %loop
loop:
  %start = phi i32 [ 0, %0 ], [ %next, %end ]
  %va = phi float [ %va.first, %0 ], [ %va.on, %end ]
  %s0 = phi float [ 0.0, %0 ], [ %s0.3, %end ]
  %s1 = phi float [ 1.0, %0 ], [ %s1.3, %end ]
  %s2 = phi float [ 2.0, %0 ], [ %s2.3, %end ]
  %s3 = phi float [ 3.0, %0 ], [ %s3.3, %end ]
  %s4 = phi float [ 4.0, %0 ], [ %s4.3, %end ]
  %s5 = phi float [ 5.0, %0 ], [ %s5.3, %end ]
  %s6 = phi float [ 6.0, %0 ], [ %s6.3, %end ]
  %s7 = phi float [ 7.0, %0 ], [ %s7.3, %end ]
  store float %va, ptr addrspace(3) %cellA
  %wideStart = zext nneg i32 %start to i64
  %placeB = getelementptr inbounds float, ptr %fromB, i64 %wideStart
  %vb = load float, ptr %placeB
  store float %vb, ptr addrspace(3) %cellB
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %next = add nuw nsw i32 %start, 16
  %on = icmp slt i32 %next, %n
  br i1 %on, label %fetch, label %end
fetch:
  %wideNext = zext nneg i32 %next to i64
  %placeA = getelementptr inbounds float, ptr %fromA, i64 %wideNext
  %va.next = load float, ptr %placeA
  br label %end
end:
  %va.on = phi float [ %va.next, %fetch ], [ poison, %loop ]
  %a0 = getelementptr float, ptr addrspace(3) %rowA, i64 0
  %va0 = load float, ptr addrspace(3) %a0
  %vb0 = load float, ptr addrspace(3) %b0
  %vb1 = load float, ptr addrspace(3) %b1
  %m0.0 = fmul float %va0, %vb0
  %s0.0 = fadd float %s0, %m0.0
  %m1.0 = fmul float %va0, %vb1
  %s1.0 = fadd float %s1, %m1.0
  %m2.0 = fmul float %va0, %vb0
  %s2.0 = fadd float %s2, %m2.0
  %m3.0 = fmul float %va0, %vb1
  %s3.0 = fadd float %s3, %m3.0
  %m4.0 = fmul float %va0, %vb0
  %s4.0 = fadd float %s4, %m4.0
  %m5.0 = fmul float %va0, %vb1
  %s5.0 = fadd float %s5, %m5.0
  %m6.0 = fmul float %va0, %vb0
  %s6.0 = fadd float %s6, %m6.0
  %m7.0 = fmul float %va0, %vb1
  %s7.0 = fadd float %s7, %m7.0
  %a1 = getelementptr float, ptr addrspace(3) %rowA, i64 1
  %va1 = load float, ptr addrspace(3) %a1
  %m0.1 = fmul float %va1, %vb0
  %s0.1 = fadd float %s0.0, %m0.1
  %m1.1 = fmul float %va1, %vb1
  %s1.1 = fadd float %s1.0, %m1.1
  %m2.1 = fmul float %va1, %vb0
  %s2.1 = fadd float %s2.0, %m2.1
  %m3.1 = fmul float %va1, %vb1
  %s3.1 = fadd float %s3.0, %m3.1
  %m4.1 = fmul float %va1, %vb0
  %s4.1 = fadd float %s4.0, %m4.1
  %m5.1 = fmul float %va1, %vb1
  %s5.1 = fadd float %s5.0, %m5.1
  %m6.1 = fmul float %va1, %vb0
  %s6.1 = fadd float %s6.0, %m6.1
  %m7.1 = fmul float %va1, %vb1
  %s7.1 = fadd float %s7.0, %m7.1
  %a2 = getelementptr float, ptr addrspace(3) %rowA, i64 2
  %va2 = load float, ptr addrspace(3) %a2
  %m0.2 = fmul float %va2, %vb0
  %s0.2 = fadd float %s0.1, %m0.2
  %m1.2 = fmul float %va2, %vb1
  %s1.2 = fadd float %s1.1, %m1.2
  %m2.2 = fmul float %va2, %vb0
  %s2.2 = fadd float %s2.1, %m2.2
  %m3.2 = fmul float %va2, %vb1
  %s3.2 = fadd float %s3.1, %m3.2
  %m4.2 = fmul float %va2, %vb0
  %s4.2 = fadd float %s4.1, %m4.2
  %m5.2 = fmul float %va2, %vb1
  %s5.2 = fadd float %s5.1, %m5.2
  %m6.2 = fmul float %va2, %vb0
  %s6.2 = fadd float %s6.1, %m6.2
  %m7.2 = fmul float %va2, %vb1
  %s7.2 = fadd float %s7.1, %m7.2
  %a3 = getelementptr float, ptr addrspace(3) %rowA, i64 3
  %va3 = load float, ptr addrspace(3) %a3
  %m0.3 = fmul float %va3, %vb0
  %s0.3 = fadd float %s0.2, %m0.3
  %m1.3 = fmul float %va3, %vb1
  %s1.3 = fadd float %s1.2, %m1.3
  %m2.3 = fmul float %va3, %vb0
  %s2.3 = fadd float %s2.2, %m2.3
  %m3.3 = fmul float %va3, %vb1
  %s3.3 = fadd float %s3.2, %m3.3
  %m4.3 = fmul float %va3, %vb0
  %s4.3 = fadd float %s4.2, %m4.3
  %m5.3 = fmul float %va3, %vb1
  %s5.3 = fadd float %s5.2, %m5.3
  %m6.3 = fmul float %va3, %vb0
  %s6.3 = fadd float %s6.2, %m6.3
  %m7.3 = fmul float %va3, %vb1
  %s7.3 = fadd float %s7.2, %m7.3
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %on, label %loop, label %done
done:
  %sum.1 = fadd float %s0.3, %s1.3
  %sum.2 = fadd float %sum.1, %s2.3
  %sum.3 = fadd float %sum.2, %s3.3
  %sum.4 = fadd float %sum.3, %s4.3
  %sum.5 = fadd float %sum.4, %s5.3
  %sum.6 = fadd float %sum.5, %s6.3
  %sum.7 = fadd float %sum.6, %s7.3
  %q = getelementptr float, ptr %c, i64 %wideX
  store float %sum.7, ptr %q
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
