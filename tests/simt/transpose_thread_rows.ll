; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Each thread goes along a row of its own: an element is what was there, minus all before it. The sum is stored behind the
; inner loop, and what it reads comes from a copy in which the threads' elements are neighbours.
; RUN: %build/bin/heddle-warp -block 32 -last-pass=transpose-thread-rows %s | FileCheck %s
; RUN: %build/bin/heddle-warp -block 32 -last-pass=transpose-thread-rows -disable=transpose-thread-rows %s | FileCheck %s --check-prefix=NONE
; Elements up to the thread's own are not all written before.
; RUN: %build/bin/heddle-warp -block 32 -last-pass=transpose-thread-rows -kernel itself %s | FileCheck %s --check-prefix=NONE
; Elements that lap over: the store stays in the loop.
; RUN: %build/bin/heddle-warp -block 32 -last-pass=transpose-thread-rows -kernel overlapping %s | FileCheck %s --check-prefix=STAYS

; CHECK-LABEL: define {{.*}} @kernel
; CHECK: [[COPY:%.*]] = getelementptr i8, ptr %shared, i64 4224
; CHECK: %own.row = getelementptr float, ptr [[COPY]], i64 %thread
; CHECK: inner:
; CHECK-NOT: store
; CHECK: [[BEFORE:%.*]] = mul i64 {{.*}}, 32
; CHECK: [[FROM:%.*]] = getelementptr float, ptr %own.row, i64 [[BEFORE]]
; CHECK: load float, ptr [[FROM]]
; CHECK-NOT: store
; CHECK: loopexit:
; CHECK: [[LAST:%.*]] = phi float
; CHECK: store float [[LAST]], ptr %here
; CHECK: [[PLACE:%.*]] = getelementptr float, ptr %own.row
; CHECK: store float [[LAST]], ptr [[PLACE]]
; NONE-NOT: own.row
; STAYS: inner:
; STAYS: store i32
; STAYS: br i1 %end

@tile = internal addrspace(3) global [32 x [33 x float]] undef, align 4

define ptx_kernel void @kernel(ptr %out) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %x to i64
  %tile = addrspacecast ptr addrspace(3) @tile to ptr
  %row = getelementptr [33 x float], ptr %tile, i64 %wide
  br label %outer
outer:
  %i = phi i32 [ 0, %0 ], [ %i.next, %next ]
  %i.wide = zext i32 %i to i64
  %here = getelementptr float, ptr %row, i64 %i.wide
  %first = load float, ptr %here
  %any = icmp ne i32 %i, 0
  br i1 %any, label %inner, label %first.time
first.time:
  store float 1.0, ptr %here
  br label %next
inner:
  %k = phi i32 [ 0, %outer ], [ %k.next, %inner ]
  %sum = phi float [ %first, %outer ], [ %less, %inner ]
  %k.wide = zext i32 %k to i64
  %there = getelementptr float, ptr %row, i64 %k.wide
  %v = load float, ptr %there
  %less = fsub float %sum, %v
  store float %less, ptr %here
  %k.next = add nuw i32 %k, 1
  %end = icmp eq i32 %k.next, %i
  br i1 %end, label %next, label %inner
next:
  %done = phi float [ %less, %inner ], [ 1.0, %first.time ]
  store float %done, ptr %here
  %i.next = add nuw i32 %i, 1
  %last = icmp eq i32 %i.next, 32
  br i1 %last, label %exit, label %outer
exit:
  ret void
}

define ptx_kernel void @itself(ptr %out) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %x to i64
  %tile = addrspacecast ptr addrspace(3) @tile to ptr
  %row = getelementptr [33 x float], ptr %tile, i64 %wide
  br label %outer
outer:
  %i = phi i32 [ 0, %0 ], [ %i.next, %next ]
  %i.wide = zext i32 %i to i64
  %here = getelementptr float, ptr %row, i64 %i.wide
  %first = load float, ptr %here
  br label %inner
inner:
  %k = phi i32 [ 0, %outer ], [ %k.next, %inner ]
  %sum = phi float [ %first, %outer ], [ %less, %inner ]
  %k.wide = zext i32 %k to i64
  %there = getelementptr float, ptr %row, i64 %k.wide
  %v = load float, ptr %there
  %less = fsub float %sum, %v
  store float %less, ptr %here
  %k.next = add nuw i32 %k, 1
  %end = icmp ugt i32 %k.next, %i
  br i1 %end, label %next, label %inner
next:
  %i.next = add nuw i32 %i, 1
  %last = icmp eq i32 %i.next, 32
  br i1 %last, label %exit, label %outer
exit:
  ret void
}

define ptx_kernel void @overlapping(ptr %out) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %wide = zext i32 %x to i64
  %tile = addrspacecast ptr addrspace(3) @tile to ptr
  %row = getelementptr [33 x float], ptr %tile, i64 %wide
  br label %outer
outer:
  %i = phi i32 [ 1, %0 ], [ %i.next, %next ]
  %i.wide = zext i32 %i to i64
  %here = getelementptr i8, ptr %row, i64 %i.wide
  br label %inner
inner:
  %k = phi i32 [ 0, %outer ], [ %k.next, %inner ]
  %k.wide = zext i32 %k to i64
  %there = getelementptr i8, ptr %row, i64 %k.wide
  %v = load i32, ptr %there, align 1
  %more = add i32 %v, 3
  store i32 %more, ptr %here, align 1
  %k.next = add nuw i32 %k, 1
  %end = icmp eq i32 %k.next, %i
  br i1 %end, label %next, label %inner
next:
  %i.next = add nuw i32 %i, 1
  %last = icmp eq i32 %i.next, 32
  br i1 %last, label %exit, label %outer
exit:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
