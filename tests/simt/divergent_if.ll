; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A divergent branch divides the mask; an arm without lanes is jumped over; the arms meet in a blend.
; RUN: %build/bin/heddle-warp -block 32 -disable version-guards,whole-subsets %s | FileCheck %s

; CHECK-LABEL: define internal void @kernel.thread.warp
; CHECK: [[C:%.*]] = icmp {{.*}}ult <32 x i32>
; CHECK: [[T:%.*]] = select <32 x i1> %active, <32 x i1> [[C]], <32 x i1> zeroinitializer
; CHECK: [[N:%.*]] = xor <32 x i1> [[C]], splat (i1 true)
; CHECK: select <32 x i1> %active, <32 x i1> [[N]], <32 x i1> zeroinitializer
; CHECK: bitcast <32 x i1> %{{.*}} to i32
; CHECK: icmp ne i32 %{{.*}}, 0
; CHECK: br i1
; CHECK: select <32 x i1> %{{.*}}, <32 x i32> %{{.*}}, <32 x i32>
; CHECK: masked.store.v32i32

define ptx_kernel void @kernel(ptr %out, ptr %in) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %tt = zext i32 %t to i64
  %po = getelementptr i32, ptr %out, i64 %tt
  %pi = getelementptr i32, ptr %in, i64 %tt
  %c = icmp ult i32 %t, 7
  br i1 %c, label %left, label %right
left:
  %x = load i32, ptr %pi
  br label %join
right:
  %y = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 5, ptr %pi
  br label %join
join:
  %v = phi i32 [ %x, %left ], [ %y, %right ]
  store i32 %v, ptr %po
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
