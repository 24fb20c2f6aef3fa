; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A compare-and-swap at an address of its own for each lane looks with one gather and locks only where the expected
; value is.
; RUN: %build/bin/heddle-warp -block 32 %s | FileCheck %s
; RUN: %build/bin/heddle-warp -disable=test-and-test-and-set -block 32 %s | FileCheck %s --check-prefix=OFF

; CHECK-LABEL: define internal void @kernel.thread.warp
; CHECK: [[SEEN:%.*]] = call <32 x i32> @llvm.masked.gather.v32i32
; CHECK: [[SAME:%.*]] = icmp eq <32 x i32> [[SEEN]], splat (i32 -1)
; CHECK: [[REST:%.*]] = select <32 x i1> {{.*}}, <32 x i1> [[SAME]]
; CHECK: [[BITS:%.*]] = bitcast <32 x i1> [[REST]] to i32
; CHECK: [[ANY:%.*]] = icmp ne i32 [[BITS]], 0
; CHECK: br i1 [[ANY]], label %cas, label %cas.done
; CHECK: cmpxchg ptr {{.*}}, i32 -1, i32

; OFF-LABEL: define internal void @kernel.thread.warp
; OFF-NOT: masked.gather

define ptx_kernel void @kernel(ptr %in, ptr %slots, ptr %counts) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr i32, ptr %in, i64 %i
  %x = load i32, ptr %a
  %xx = zext i32 %x to i64
  %p = getelementptr i32, ptr %slots, i64 %xx
  %both = cmpxchg ptr %p, i32 -1, i32 %t monotonic monotonic
  %old = extractvalue { i32, i1 } %both, 0
  %o = zext i32 %old to i64
  %q = getelementptr i32, ptr %counts, i64 %o
  %r = atomicrmw add ptr %q, i32 1 monotonic
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
