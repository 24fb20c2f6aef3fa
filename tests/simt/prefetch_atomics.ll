; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A thread counts its key in a table: the place of the key that the same thread has 512 threads later, two blocks of 256, is
; computed too, if there is such a block and its thread passes the guard; meanwhile that block is the current one.
; RUN: %build/bin/heddle-warp -block 256 -last-pass=prefetch-atomics %s | FileCheck %s
; RUN: %build/bin/heddle-warp -block 256 %s | FileCheck %s --check-prefix=LINES
; One thread after the other fetches nothing, nor does anyone where the pass is left out.
; RUN: %build/bin/heddle-warp -block 256 -width 1 %s | FileCheck %s --check-prefix=NONE
; RUN: %build/bin/heddle-warp -block 256 -disable=prefetch-atomics %s | FileCheck %s --check-prefix=NONE

; CHECK-LABEL: define {{.*}}@kernel.thread(
; CHECK: [[AHEAD:%.*]] = add i32 %blockIdx.x, 2
; CHECK: [[EXISTS:%.*]] = icmp ult i32 [[AHEAD]]
; CHECK: [[GUARD:%.*]] = icmp slt i32
; CHECK: [[GOES:%.*]] = and i1 [[EXISTS]], [[GUARD]]
; CHECK: br i1 [[GOES]]
; CHECK: store volatile i32 [[AHEAD]]
; CHECK: [[KEY:%.*]] = load i32
; CHECK: store volatile i32 %blockIdx.x
; CHECK: [[PLACE:%.*]] = lshr i32 [[KEY]], 7
; CHECK: [[AT:%.*]] = getelementptr i32, ptr {{.*}}
; CHECK: call void @heddle.fetch(ptr [[AT]], i64 0, i64 1)
; CHECK-NOT: call void @heddle.fetch
; CHECK: atomicrmw add

; LINES-COUNT-32: call void @llvm.prefetch.p0(ptr
; NONE-NOT: llvm.prefetch

define ptx_kernel void @kernel(i32 %n, ptr %keys, ptr %table, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %first = mul i32 %b, 256
  %i = add i32 %first, %t
  %inside = icmp slt i32 %i, %n
  br i1 %inside, label %work, label %end
work:
  %wide = sext i32 %i to i64
  %at = getelementptr i32, ptr %keys, i64 %wide
  %key = load i32, ptr %at
  %hash = lshr i32 %key, 7
  %place = zext i32 %hash to i64
  %slot = getelementptr i32, ptr %table, i64 %place
  %old = atomicrmw add ptr %slot, i32 1 monotonic
  %to = getelementptr i32, ptr %out, i64 %wide
  store i32 %old, ptr %to
  ; What is in a register or at the thread's own place is not fetched.
  %mine = atomicrmw add ptr %to, i32 1 monotonic
  br label %end
end:
  ret void
}

declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
