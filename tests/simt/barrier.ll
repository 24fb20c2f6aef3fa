; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A kernel with a barrier is a coroutine: its frame keeps what is live across the wait. A block of one warp has no barrier left.
; RUN: %build/bin/heddle-warp -block 64 -last-pass split-coroutine %s | FileCheck %s
; RUN: %build/bin/heddle-warp -block 32 -last-pass split-coroutine %s | FileCheck %s --check-prefix=ALONE

@tile = internal addrspace(3) global [64 x i32] undef, align 4

; CHECK: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 32, i32 1, i32 2, i64 {{[1-9][0-9]*}}, i32 256, i32 0, ptr null, ptr @start, ptr @resume, ptr {{null|@alignedParams}}, ptr null, i32 0, i32 1, i32 1, i32 1, i32 {{[0-9]+}}, ptr null, ptr null, i32 0, ptr null, i32 -1 }
; CHECK: define internal {{.*}}void @start
; CHECK: define internal {{.*}}void @start.resume
; CHECK-NOT: llvm.coro
; ALONE: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 32, i32 0, i32 1, i64 0, i32 256, i32 0, ptr @runBlocks, ptr null, ptr null, ptr {{null|@alignedParams}}, ptr null, i32 0, i32 1, i32 1, i32 1, i32 {{[0-9]+}}, ptr null, ptr null, i32 0, ptr null, i32 -1 }
; ALONE-NOT: llvm.coro

define ptx_kernel void @kernel(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %tt = zext i32 %t to i64
  %g = addrspacecast ptr addrspace(3) @tile to ptr
  %p = getelementptr i32, ptr %g, i64 %tt
  store i32 %t, ptr %p
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %o = xor i64 %tt, 1
  %q = getelementptr i32, ptr %g, i64 %o
  %v = load i32, ptr %q
  %po = getelementptr i32, ptr %out, i64 %tt
  store i32 %v, ptr %po
  ret void
}
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
