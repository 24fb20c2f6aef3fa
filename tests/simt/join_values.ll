; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; An index that both arms of a divergent branch extend is extended once at the join: the store there stays a plain
; store and the arms' loads need no gather. What differs is still chosen.
; RUN: %build/bin/heddle-warp -block 32 %s | FileCheck %s

; CHECK-LABEL: define internal void @kernel.thread.warp
; CHECK-NOT: gather
; CHECK-NOT: scatter
; CHECK: fadd <32 x float>
; CHECK-NOT: gather
; CHECK-NOT: scatter
; CHECK: select <32 x i1> {{.*}} <32 x float>
; CHECK-NOT: gather
; CHECK-NOT: scatter
; CHECK: ret void

define ptx_kernel void @kernel(ptr %out, ptr %in, i32 %from) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = add nsw i32 %from, %t
  %c = icmp ult i32 %t, 7
  br i1 %c, label %left, label %right
left:
  %a = sext i32 %i to i64
  %pa = getelementptr float, ptr %in, i64 %a
  %x = load float, ptr %pa
  %twice = fadd float %x, %x
  br label %join
right:
  %b = sext i32 %i to i64
  %pb = getelementptr float, ptr %in, i64 %b
  %y = load float, ptr %pb
  br label %join
join:
  %k = phi i64 [ %a, %left ], [ %b, %right ]
  %v = phi float [ %twice, %left ], [ %y, %right ]
  %po = getelementptr float, ptr %out, i64 %k
  store float %v, ptr %po
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
