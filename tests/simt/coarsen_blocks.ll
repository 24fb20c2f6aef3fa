; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Blocks of one thread: neighbours are the lanes of one program, a whole group, what is left of a row, or one by one.
; RUN: %build/bin/heddle-warp -kernel add -block 1 -width 32 -last-pass build-entry %s | FileCheck %s
; The thread program, of blocks that are threads.
; RUN: %build/bin/heddle-warp -kernel add -block 1 -width 32 -last-pass coarsen-blocks %s | FileCheck %s --check-prefix=THREAD
; As many lanes as pay.
; RUN: %build/bin/heddle-warp -kernel polynomial -block 1 -width 0 -last-pass build-entry %s | FileCheck %s --check-prefix=WIDE
; Not where a block after the other is faster: gathers and scatters only.
; RUN: %build/bin/heddle-warp -kernel gather -block 1 -width 0 -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; Nor where it is told so, by the pass or by the width.
; RUN: %build/bin/heddle-warp -kernel add -block 1 -width 32 -disable coarsen-blocks -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; RUN: %build/bin/heddle-warp -kernel add -block 1 -width 1 -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; Nor where blocks have more threads, or something that is a block's: shared memory, warps, names, waits.
; LEGAL coarsen-blocks: one thread
; RUN: %build/bin/heddle-warp -kernel add -block 2 -width 32 -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; LEGAL coarsen-blocks: no shared memory
; RUN: %build/bin/heddle-warp -kernel shared -block 1 -width 32 -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; LEGAL coarsen-blocks: no warp operations
; RUN: %build/bin/heddle-warp -kernel vote -block 1 -width 32 -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; LEGAL coarsen-blocks: no services
; RUN: %build/bin/heddle-warp -kernel fails -block 1 -width 32 -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; LEGAL coarsen-blocks: no waiting
; RUN: %build/bin/heddle-warp -kernel waits -block 1 -width 32 -last-pass build-entry %s | FileCheck %s --check-prefix=ONE
; Nor where neighbours do the same.
; RUN: %build/bin/heddle-warp -kernel alike -block 1 -width 32 -last-pass build-entry %s | FileCheck %s --check-prefix=ONE

; CHECK: @heddle_kernel = constant {{.*}} { i32 {{[0-9]+}}, i32 32, {{.*}}, i32 0, i32 1, i32 32, i32 1, i32 {{[0-9]+}}, ptr null, ptr null, i32 0, ptr null, i32 -1 }
; CHECK-LABEL: define internal void @runBlocks
; CHECK: icmp uge i32 %{{.*}}, 32
; CHECK-NEXT: br i1 %{{.*}}, label %group, label %fewer
; CHECK: group:
; CHECK: masked.load.v32f32.p0(ptr align 4 %{{.*}}, <32 x i1> splat (i1 true)
; CHECK: masked.store.v32f32.p0({{.*}}, <32 x i1> splat (i1 true))
; CHECK: fewer:
; CHECK: %[[REST:.*]] = icmp ult <32 x i32> <i32 0, i32 1,
; CHECK: br i1 %{{.*}}, label %part, label %one
; CHECK: part:
; CHECK: masked.load.v32f32.p0(ptr align 4 %{{.*}}, <32 x i1> %[[REST]]
; CHECK: masked.store.v32f32.p0({{.*}}, <32 x i1> %[[REST]])
; CHECK: one:
; CHECK: load float
; CHECK: store float
; CHECK: after:
; CHECK-NEXT: phi i32 [ 32, %group ], [ %{{.*}}, %part ], [ 1, %one ]

; THREAD-LABEL: define internal void @add.thread
; THREAD: %[[BLOCK:[0-9]+]] = zext i32 %blockIdx.x to i64
; THREAD-NEXT: %[[LANE:[0-9]+]] = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
; THREAD-NEXT: %[[EXTENDED:[0-9]+]] = zext i32 %[[LANE]] to i64
; THREAD-NEXT: add nuw nsw i64 %[[BLOCK]], %[[EXTENDED]]
; THREAD-NOT: call i32
; THREAD-NOT: barrier
; THREAD: ret void

; WIDE: @heddle_kernel = constant {{.*}} { i32 {{[0-9]+}}, i32 [[WIDTH:64|128|256]], {{.*}}, i32 1, i32 [[WIDTH]], i32 1, i32 {{[0-9]+}}, ptr null, ptr null, i32 0, ptr null, i32 -1 }

; ONE: @heddle_kernel = constant {{.*}}, i32 0, i32 1, i32 1, i32 1, i32 {{[0-9]+}}, ptr null, ptr null, i32 0, ptr null, i32 -1 }
; ONE-NOT: group:

define ptx_kernel void @add(ptr %out, ptr %in) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %s = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %b = mul i32 %x, %s
  %n = add i32 %b, %t
  %i = zext i32 %n to i64
  %p = getelementptr float, ptr %in, i64 %i
  %q = getelementptr float, ptr %out, i64 %i
  %v = load float, ptr %p
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %w = fadd float %v, 1.0
  store float %w, ptr %q
  ret void
}

define ptx_kernel void @polynomial(ptr %out, i32 %n) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %f = uitofp i32 %x to float
  %i = zext i32 %x to i64
  %q = getelementptr float, ptr %out, i64 %i
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %s = phi float [ 0.0, %entry ], [ %s1, %loop ]
  %m = fmul float %s, %f
  %s1 = fadd float %m, 1.0
  %k1 = add i32 %k, 1
  %c = icmp ult i32 %k1, %n
  br i1 %c, label %loop, label %end
end:
  store float %s1, ptr %q
  ret void
}

define ptx_kernel void @gather(ptr %out, ptr %at, i32 %n) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  br label %loop
loop:
  %k = phi i32 [ 0, %entry ], [ %k1, %loop ]
  %p = phi i32 [ %x, %entry ], [ %p1, %loop ]
  %i = zext i32 %p to i64
  %a = getelementptr i32, ptr %at, i64 %i
  %p1 = load i32, ptr %a
  %j = zext i32 %p1 to i64
  %q = getelementptr i32, ptr %out, i64 %j
  store i32 %k, ptr %q
  %k1 = add i32 %k, 1
  %c = icmp ult i32 %k1, %n
  br i1 %c, label %loop, label %end
end:
  ret void
}

@tile = internal addrspace(3) global [4 x i32] poison
define ptx_kernel void @shared(ptr %out) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %i = zext i32 %x to i64
  %q = getelementptr i32, ptr %out, i64 %i
  %k = and i64 %i, 3
  %t = getelementptr [4 x i32], ptr addrspace(3) @tile, i64 0, i64 %k
  %v = load volatile i32, ptr addrspace(3) %t
  store i32 %v, ptr %q
  ret void
}

define ptx_kernel void @vote(ptr %out) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %i = zext i32 %x to i64
  %q = getelementptr i32, ptr %out, i64 %i
  %v = call i32 @llvm.nvvm.activemask()
  store i32 %v, ptr %q
  ret void
}

define ptx_kernel void @fails(ptr %out) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %c = icmp ugt i32 %x, 7
  br i1 %c, label %trap, label %end
trap:
  call void @llvm.trap()
  br label %end
end:
  %i = zext i32 %x to i64
  %q = getelementptr i32, ptr %out, i64 %i
  store i32 1, ptr %q
  ret void
}

define ptx_kernel void @waits(ptr %flag) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  br label %loop
loop:
  %v = load volatile i32, ptr %flag
  %c = icmp ne i32 %v, %x
  br i1 %c, label %loop, label %end
end:
  %x1 = add i32 %x, 1
  store volatile i32 %x1, ptr %flag
  ret void
}

define ptx_kernel void @alike(ptr %out) {
  %y = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %i = zext i32 %y to i64
  %q = getelementptr i32, ptr %out, i64 %i
  store i32 1, ptr %q
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.activemask()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare void @llvm.trap()
