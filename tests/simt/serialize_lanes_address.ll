; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; An address that all lanes share, but that is read from memory in the block, is part of the loop.
; RUN: %build/bin/heddle-warp -block 32 %s | FileCheck %s
; CHECK-LABEL: define internal void @kernel.thread.warp
; CHECK: range:
; CHECK: [[TABLE:%.*]] = load ptr, ptr
; CHECK: getelementptr i32, ptr [[TABLE]], i64
define ptx_kernel void @kernel(ptr %table, ptr %a, i32 %step) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = mul i32 %t, %step
  %i = sext i32 %y to i64
  %in = icmp ult i32 %t, 27
  br i1 %in, label %work, label %done
work:
  %row = load ptr, ptr %table
  %next = getelementptr i32, ptr %row, i64 1
  %p = getelementptr i32, ptr %row, i64 %i
  %x = load i32, ptr %p
  %p1 = getelementptr i32, ptr %next, i64 %i
  %y1 = load i32, ptr %p1
  %sum = add i32 %x, %y1
  %q = getelementptr i32, ptr %a, i64 %i
  store i32 %sum, ptr %q
  br label %done
done:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
