; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; What is not supported is an error that names it.
; RUN: not %build/bin/heddle-warp -block 32 %s 2>&1 | FileCheck %s
; RUN: not %build/bin/heddle-warp -kernel none %s 2>&1 | FileCheck %s --check-prefix=NONE

; CHECK: error: undefined device function 'missing'
; NONE: no kernel named 'none' in the device module

define ptx_kernel void @kernel(ptr %out) {
  %v = call i32 @missing(i32 3)
  store i32 %v, ptr %out
  ret void
}
declare i32 @missing(i32)
