; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; out[n - 1 - i] = in[i], as LLVM writes it: one store from the last lane's element on.
; RUN: %build/bin/heddle-warp -block 32 -last-pass widen %s | FileCheck %s

; CHECK-LABEL: define internal void @kernel.thread.warp
; CHECK: [[LOADED:%.*]] = call <32 x i32> @llvm.masked.load.v32i32
; CHECK: [[TURNED:%.*]] = shufflevector <32 x i32> [[LOADED]], <32 x i32> poison, <32 x i32> <i32 31, i32 30,
; CHECK: call void @llvm.masked.store.v32i32.p0(<32 x i32> [[TURNED]],
; CHECK-NOT: scatter
; CHECK: ret void
define ptx_kernel void @kernel(ptr %out, ptr %in, i32 %n) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %not = xor i32 %t, -1
  %back = add i32 %n, %not
  %wide = sext i32 %back to i64
  %q = getelementptr i32, ptr %out, i64 %wide
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %in, i64 %i
  %x = load i32, ptr %p
  store i32 %x, ptr %q
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
