; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; In a 16x16 block a row of the tile is contiguous in each half of the warp, and what depends on threadIdx.y alone is
; loaded once a half.
; RUN: %build/bin/heddle-warp -block 16,16 %s | FileCheck %s

; CHECK-LABEL: define internal void @kernel.thread.warp
; CHECK-NOT: gather
; CHECK: masked.load.v1f32
; CHECK: masked.load.v1f32
; CHECK: masked.load.v16f32
; CHECK: masked.load.v16f32
; CHECK: masked.store.v16f32
; CHECK: masked.store.v16f32
; CHECK-NOT: scatter
; CHECK: ret void

define ptx_kernel void @kernel(ptr %out, ptr %in, i32 %pitch) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %row = mul i32 %y, %pitch
  %rr = sext i32 %row to i64
  %pr = getelementptr float, ptr %in, i64 %rr
  %a = load float, ptr %pr
  %xx = zext i32 %x to i64
  %pe = getelementptr float, ptr %pr, i64 %xx
  %b = load float, ptr %pe
  %s = fadd float %a, %b
  %po = getelementptr float, ptr %out, i64 %rr
  %pw = getelementptr float, ptr %po, i64 %xx
  store float %s, ptr %pw
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
