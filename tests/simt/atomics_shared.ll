; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Neighbours in shared memory are one vector. Elements by a byte index: the loop over lanes takes bytes from memory,
; eight lanes at a time if all are active.
; RUN: %build/bin/heddle-warp -kernel kernel -block 64 %s | FileCheck %s

@bins = internal addrspace(3) global [256 x i32] undef, align 4

; CHECK-LABEL: define internal void @kernel.thread.warp
; CHECK-NOT: atomicrmw
; CHECK: [[OLD:%.*]] = call <32 x i32> @llvm.masked.load.v32i32
; CHECK: [[NEW:%.*]] = add <32 x i32> [[OLD]], splat (i32 1)
; CHECK: call void @llvm.masked.store.v32i32.p0(<32 x i32> [[NEW]]
; CHECK: icmp eq i32 {{.*}}, -1
; CHECK: store <32 x i8> {{.*}}, ptr %lanes
; CHECK: lane:
; CHECK: call i32 @llvm.cttz.i32
; CHECK: [[LANE:%.*]] = load i8, ptr {{.*}}
; CHECK: zext i8 [[LANE]] to i64
; CHECK: lanes:
; CHECK-COUNT-8: zext i8 {{.*}} to i64
; CHECK-NOT: atomicrmw
; CHECK: br i1 {{.*}}, label %lanes

define ptx_kernel void @kernel(ptr %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %g = addrspacecast ptr addrspace(3) @bins to ptr
  %mine = getelementptr i32, ptr %g, i64 %i
  %o = atomicrmw add ptr %mine, i32 1 monotonic
  %a = getelementptr i8, ptr %in, i64 %i
  %x = load i8, ptr %a
  %xx = zext i8 %x to i64
  %p = getelementptr i32, ptr %g, i64 %xx
  %q = atomicrmw add ptr %p, i32 1 monotonic
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
