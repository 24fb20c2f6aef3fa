; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A block of one thread has one lane, also where threads that print, or meet at a barrier, would go together. One that
; talks to its warp has the warp's lanes.
; RUN: %build/bin/heddle-warp -kernel prints -width 0 -block 1 -lanes-with= %s | FileCheck %s --check-prefix=ONE
; RUN: %build/bin/heddle-warp -kernel prints -width 0 -block 32 -lanes-with= %s | FileCheck %s --check-prefix=WARP
; RUN: %build/bin/heddle-warp -kernel talks -width 0 -block 1 -lanes-with= %s | FileCheck %s --check-prefix=WARP

; ONE: {{^}}1{{$}}
; WARP: {{^}}32{{$}}
@text = private constant [2 x i8] c"a\00"
define ptx_kernel void @prints(ptr %p) {
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %n = call i32 @vprintf(ptr @text, ptr null)
  store i32 %n, ptr %p
  ret void
}

define ptx_kernel void @talks(ptr %p) {
  %v = load i32, ptr %p
  %w = call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 -1, i32 %v, i32 0, i32 31)
  %x = add i32 %v, %w
  store i32 %x, ptr %p
  ret void
}

declare i32 @vprintf(ptr, ptr)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32)
