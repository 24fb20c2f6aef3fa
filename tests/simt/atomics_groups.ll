; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Atomics of a lane on neighbours in shared memory are one vector operation for each lane in turn.
; RUN: %build/bin/heddle-warp -block 32 %s | FileCheck %s
; RUN: %build/bin/heddle-warp -block 32 %s -disable=vectorize-atomics | FileCheck %s --check-prefix=OFF

@sums = internal addrspace(3) global [64 x float] undef, align 4

; CHECK-LABEL: define internal void @kernel.thread.warp
; Some lanes: one by one.
; CHECK: lane:
; CHECK: [[FIRST:%.*]] = insertelement <2 x float> poison, float {{.*}}, i64 0
; CHECK: insertelement <2 x float> [[FIRST]], float {{.*}}, i64 1
; CHECK: fadd <2 x float>
; All lanes: squares of 2x2 operands.
; CHECK: lanes:
; CHECK: [[A:%.*]] = load <2 x float>
; CHECK: [[B:%.*]] = load <2 x float>
; CHECK: [[X:%.*]] = shufflevector <2 x float> [[A]], <2 x float> [[B]], <2 x i32> <i32 0, i32 2>
; CHECK: shufflevector <2 x float> [[A]], <2 x float> [[B]], <2 x i32> <i32 1, i32 3>
; CHECK: [[NEW:%.*]] = fadd <2 x float> {{.*}}, [[X]]
; CHECK: store <2 x float> [[NEW]]

; OFF-LABEL: define internal void @kernel.thread.warp
; OFF-NOT: <2 x float>

define ptx_kernel void @kernel(ptr %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr i32, ptr %in, i64 %i
  %n = load i32, ptr %a
  %c = uitofp i32 %n to float
  %d = uitofp i32 %t to float
  %nn = zext i32 %n to i64
  %g = addrspacecast ptr addrspace(3) @sums to ptr
  %p = getelementptr float, ptr %g, i64 %nn
  %o = atomicrmw fadd ptr %p, float %c monotonic
  %p1 = getelementptr float, ptr %p, i64 1
  %o1 = atomicrmw fadd ptr %p1, float %d monotonic
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
