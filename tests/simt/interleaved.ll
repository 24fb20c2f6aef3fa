; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; The members of an array of structures share one wide access.
; RUN: %build/bin/heddle-warp -block 32 %s | FileCheck %s

; CHECK-LABEL: define internal void @kernel.thread.warp
; CHECK: masked.load.v128i32
; CHECK-NOT: masked.load
; CHECK: masked.store.v64i32
; CHECK-NOT: masked.{{store|scatter}}
; CHECK: ret void

define ptx_kernel void @kernel(ptr %out, ptr %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %tt = zext i32 %t to i64
  %p = getelementptr {float, float, float, float}, ptr %in, i64 %tt
  %x = load float, ptr %p
  %py = getelementptr i8, ptr %p, i64 4
  %y = load float, ptr %py
  %pw = getelementptr i8, ptr %p, i64 12
  %w = load float, ptr %pw
  %s = fadd float %x, %w
  %d = fsub float %y, %w
  %q = getelementptr {float, float}, ptr %out, i64 %tt
  store float %s, ptr %q
  %qd = getelementptr i8, ptr %q, i64 4
  store float %d, ptr %qd
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
