; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Lanes that walk along rows of their own fetch the second line of their rows before the loop. The same row for all: not.
; RUN: %build/bin/heddle-warp -block 32 %s -kernel own | FileCheck %s
; RUN: %build/bin/heddle-warp -block 32 %s -kernel same | FileCheck %s --check-prefix=NONE
; RUN: %build/bin/heddle-warp -block 32 %s -kernel own -disable=prefetch-row-starts | FileCheck %s --check-prefix=NONE

; CHECK-LABEL: define internal void @own.thread.warp
; CHECK: [[ROW:%.*]] = getelementptr i32, ptr {{.*}}, <32 x i64>
; CHECK: getelementptr i8, <32 x ptr> [[ROW]], i64 64
; CHECK: call void @llvm.prefetch.p0(ptr {{.*}}, i32 0, i32 3, i32 1)
; NONE-NOT: llvm.prefetch

define ptx_kernel void @own(ptr %starts, ptr %values) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr i32, ptr %starts, i64 %i
  %start = load i32, ptr %a
  %b = getelementptr i8, ptr %a, i64 4
  %end = load i32, ptr %b
  br label %loop
loop:
  %e = phi i32 [ %start, %0 ], [ %next, %loop ]
  %sum = phi i32 [ 0, %0 ], [ %more, %loop ]
  %wide = sext i32 %e to i64
  %p = getelementptr i32, ptr %values, i64 %wide
  %x = load i32, ptr %p
  %more = add i32 %sum, %x
  %next = add i32 %e, 1
  %on = icmp slt i32 %next, %end
  br i1 %on, label %loop, label %done
done:
  store i32 %more, ptr %a
  ret void
}

define ptx_kernel void @same(ptr %starts, ptr %values) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr i32, ptr %starts, i64 %i
  %start = load i32, ptr %starts
  %end = load i32, ptr %a
  br label %loop
loop:
  %e = phi i32 [ %start, %0 ], [ %next, %loop ]
  %sum = phi i32 [ 0, %0 ], [ %more, %loop ]
  %wide = sext i32 %e to i64
  %p = getelementptr i32, ptr %values, i64 %wide
  %x = load i32, ptr %p
  %more = add i32 %sum, %x
  %next = add i32 %e, 1
  %on = icmp slt i32 %next, %end
  br i1 %on, label %loop, label %done
done:
  store i32 %more, ptr %a
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
