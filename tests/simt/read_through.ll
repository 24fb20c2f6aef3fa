; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A tile that is a copy of global memory is read from there: thread (x, y) reads what (k, y) has copied. The tile and the waits
; go; one wait stays before the result is written, which may lie where others still read.
; RUN: %build/bin/heddle-warp -block 4,4 -kernel loops -last-pass=read-through %s | FileCheck %s
; None where the result lies in another allocation.
; RUN: %build/bin/heddle-warp -block 4,4 -kernel loops -objects 8,1,16,2 -last-pass=read-through %s | FileCheck %s --check-prefix=APART
; RUN: %build/bin/heddle-warp -block 4,4 -kernel loops -objects 8,1,16,1 -last-pass=read-through %s | FileCheck %s
; Unrolled sums become a loop again.
; RUN: %build/bin/heddle-warp -block 4,4 -kernel unrolled -last-pass=read-through %s | FileCheck %s --check-prefix=UNROLLED
; Not what is no copy, what some threads do not copy, what two threads copy to one place, and where the loop writes.
; RUN: %build/bin/heddle-warp -block 4,4 -kernel changed -last-pass=read-through %s | FileCheck %s --check-prefix=TILE
; RUN: %build/bin/heddle-warp -block 4,4 -kernel byFew -last-pass=read-through %s | FileCheck %s --check-prefix=TILE
; RUN: %build/bin/heddle-warp -block 4,5 -kernel unrolled -last-pass=read-through %s | FileCheck %s --check-prefix=TILE
; RUN: %build/bin/heddle-warp -block 4,4 -kernel writes -last-pass=read-through %s | FileCheck %s --check-prefix=TILE
; Nor where each is read once only, or by columns.
; RUN: %build/bin/heddle-warp -block 4,4 -kernel once -last-pass=read-through %s | FileCheck %s --check-prefix=TILE
; RUN: %build/bin/heddle-warp -block 4,4 -kernel columns -last-pass=read-through %s | FileCheck %s --check-prefix=TILE
; RUN: %build/bin/heddle-warp -block 4,4 -kernel loops -disable=read-through -last-pass=read-through %s | FileCheck %s --check-prefix=TILE
; RUN: %build/bin/heddle-warp -block 4,4 -width 1 -kernel loops -last-pass=read-through %s | FileCheck %s --check-prefix=TILE

; CHECK-LABEL: define {{.*}} @loops
; CHECK: [[Y:%.*]] = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
; CHECK: [[BYTES:%.*]] = shl nuw nsw i32 [[Y]], 6
; CHECK: [[ROW:%.*]] = zext nneg i32 [[BYTES]] to i64
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
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
