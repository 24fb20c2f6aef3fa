; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; The loop that runs the passes counts how often each changes something, times them, and ends behind
; the last one that is wanted. src/simt/pass_control_test.cpp has its other sides.
; RUN: %build/bin/heddle-warp -block 32 -pass-stats -verify-passes %s 2>&1 | FileCheck %s
; RUN: %build/bin/heddle-warp -block 32 -last-pass normalize -time-passes %s 2>&1 | FileCheck %s --check-prefix=TIMES

; CHECK: Statistics Collected
; CHECK-NOT: factor-reductions
; CHECK: 1 lower-device {{ *}}- times that it changed a function
; CHECK: 1 widen {{ *}}- times that it changed a function
; CHECK-NOT: build-entry
; CHECK: define internal void @kernel.thread.warp

; TIMES: Pass execution timing report
; TIMES-DAG: lower-device
; TIMES-DAG: normalize
; TIMES-NOT: {{[0-9]}} widen

define ptx_kernel void @kernel(ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %out, i64 %i
  store i32 %t, ptr %p
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
