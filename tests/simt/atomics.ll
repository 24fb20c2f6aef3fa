; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; One address for the warp: the lanes' operands are combined first. On shared memory no locked instruction is needed.
; RUN: %build/bin/heddle-warp -block 32 %s | FileCheck %s

@counter = internal addrspace(3) global i32 undef, align 4

; CHECK-LABEL: define internal void @kernel.thread.warp
; CHECK: [[S:%.*]] = call i32 @llvm.vector.reduce.add.v32i32
; CHECK: atomicrmw add ptr %{{.*}}, i32 [[S]] monotonic
; CHECK: call i32 @llvm.vector.reduce.smax.v32i32
; CHECK-NOT: atomicrmw
; CHECK: ret void

define ptx_kernel void @kernel(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %o = atomicrmw add ptr %out, i32 %t monotonic
  %g = addrspacecast ptr addrspace(3) @counter to ptr
  %m = atomicrmw max ptr %g, i32 %t monotonic
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
