; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; What a guard guards has a copy for warps that pass it whole, without masks; the test for it is one of scalars.
; RUN: %build/bin/heddle-warp -kernel guard -block 256 %s | FileCheck %s --check-prefix=GUARD
; RUN: %build/bin/heddle-warp -kernel guard -block 256 -disable version-guards %s | FileCheck %s --check-prefix=OFF
; Guards that follow each other share one copy: the tests behind the first go back to where it begins.
; RUN: %build/bin/heddle-warp -kernel chain -block 256 -last-pass version-guards %s | FileCheck %s --check-prefix=CHAIN
; A loop with the grid's stride runs without masks as long as all lanes go on, then with masks.
; RUN: %build/bin/heddle-warp -kernel stride -block 256 -last-pass version-guards %s | FileCheck %s --check-prefix=STRIDE
; No copies for conditions that differ from lane to lane, for barriers at which a program waits, or for nothing to gain.
; LEGAL version-guards: straight
; RUN: %build/bin/heddle-warp -kernel data -block 256 -last-pass version-guards %s | FileCheck %s --check-prefix=NONE
; LEGAL version-guards: waits
; RUN: %build/bin/heddle-warp -kernel barrier -block 256 -last-pass version-guards %s | FileCheck %s --check-prefix=NONE
; RUN: %build/bin/heddle-warp -kernel first -block 256 -last-pass version-guards %s | FileCheck %s --check-prefix=NONE
; RUN: %build/bin/heddle-warp -kernel guard -block 256 -width 1 -last-pass version-guards %s | FileCheck %s --check-prefix=NONE

; GUARD-LABEL: define internal void @guard.thread.warp
; GUARD: [[LAST:%.*]] = add i32 [[FIRST:%.*]], 31
; GUARD: [[IN:%.*]] = icmp ult i32 [[LAST]], %
; GUARD: [[ALL:%.*]] = select i1 %{{.*}}, i1 [[IN]], i1 false
; GUARD: br i1 [[ALL]], label %[[COPY:.*]], label %{{.*}}, !prof
; GUARD: masked.store.v32i32
; GUARD: masked.store.v32i32.p0(<32 x i32> %{{.*}}, ptr align 4 %{{.*}}, <32 x i1> splat (i1 true))
; OFF-NOT: splat (i1 true))

; CHAIN-LABEL: define internal void @chain.thread
; CHAIN: br i1 %{{.*}}, label %{{.*}}, label %some,
; CHAIN: some:{{.*}} preds = %{{.*}}, %{{.*}}
; CHAIN: call i1 @heddle.all(
; CHAIN-NEXT: br i1 %{{.*}}, label %{{.*}}, label %some,
; CHAIN-NOT: call i1 @heddle.all

; STRIDE-LABEL: define internal void @stride.thread
; STRIDE: call i1 @heddle.all
; STRIDE: some:
; STRIDE: call i1 @heddle.all
; STRIDE-NEXT: br i1 %{{.*}}, label %body.all, label %part
; STRIDE: rest:
; STRIDE-NEXT: phi i32
; STRIDE-NOT: call i1 @heddle.all

; NONE-NOT: heddle.all

define ptx_kernel void @guard(ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, %n
  br i1 %c, label %body, label %exit
body:
  %tt = zext i32 %t to i64
  %p = getelementptr i32, ptr %out, i64 %tt
  store i32 %t, ptr %p
  br label %exit
exit:
  ret void
}

define ptx_kernel void @chain(ptr %out, ptr %in, i32 %n, i32 %m) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, %n
  br i1 %c, label %next, label %exit
next:
  %tt = zext i32 %t to i64
  %p = getelementptr i32, ptr %in, i64 %tt
  %v = load i32, ptr %p
  %d = icmp ugt i32 %t, %m
  %q = getelementptr i32, ptr %out, i64 %tt
  br i1 %d, label %body, label %other
body:
  store i32 %v, ptr %q
  br label %exit
other:
  %w = xor i32 %v, %t
  store i32 %w, ptr %q, align 2
  br label %exit
exit:
  ret void
}

define ptx_kernel void @stride(ptr %out, i32 %n, i32 %stride) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, %n
  br i1 %c, label %body, label %exit
body:
  %i = phi i32 [ %t, %entry ], [ %next, %body ]
  %ii = zext i32 %i to i64
  %p = getelementptr i32, ptr %out, i64 %ii
  store i32 %i, ptr %p
  %next = add i32 %i, %stride
  %d = icmp ult i32 %next, %n
  br i1 %d, label %body, label %exit
exit:
  ret void
}

define ptx_kernel void @data(ptr %out, ptr %in, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %tt = zext i32 %t to i64
  %p = getelementptr i32, ptr %in, i64 %tt
  %v = load i32, ptr %p
  %c = icmp ult i32 %v, %n
  br i1 %c, label %body, label %exit
body:
  %q = getelementptr i32, ptr %out, i64 %tt
  store i32 %v, ptr %q
  br label %exit
exit:
  ret void
}

define ptx_kernel void @barrier(ptr %out, i32 %n) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp ult i32 %t, %n
  br i1 %c, label %body, label %exit
body:
  %tt = zext i32 %t to i64
  %p = getelementptr i32, ptr %out, i64 %tt
  store i32 %t, ptr %p
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %exit
exit:
  ret void
}

define ptx_kernel void @first(ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %c = icmp eq i32 %t, 0
  br i1 %c, label %body, label %exit
body:
  %tt = zext i32 %t to i64
  %p = getelementptr i32, ptr %out, i64 %tt
  store i32 %t, ptr %p
  br label %exit
exit:
  ret void
}

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
