; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; An unsigned index of 32 bits into shared memory wraps around, as a GPU's addresses do there; into other memory it does not, and what
; is known to be small stays as it is.
; RUN: %build/bin/heddle-warp -last-pass lower-device %s | FileCheck %s

; CHECK-LABEL: define {{.*}} @kernel.thread
; CHECK: [[I:%.*]] = sext i32 %i to i64
; CHECK: getelementptr i32, ptr addrspace(3) {{.*}}, i64 [[I]]
; CHECK: [[LOW:%.*]] = zext i32 %low to i64
; CHECK: getelementptr inbounds i32, ptr addrspace(3) {{.*}}, i64 [[LOW]]
; CHECK: [[FAR:%.*]] = zext i32 %i to i64
; CHECK: getelementptr inbounds i32, ptr {{%[0-9]+}}, i64 [[FAR]]

@tile = internal addrspace(3) global [64 x i32] undef, align 4

define ptx_kernel void @kernel(ptr %in, ptr %out) {
  %i = load i32, ptr %in
  %wide = zext i32 %i to i64
  %p = getelementptr inbounds i32, ptr addrspace(3) @tile, i64 %wide
  %a = load i32, ptr addrspace(3) %p
  %low = and i32 %i, 63
  %wideLow = zext i32 %low to i64
  %q = getelementptr inbounds i32, ptr addrspace(3) @tile, i64 %wideLow
  %b = load i32, ptr addrspace(3) %q
  %wideFar = zext i32 %i to i64
  %r = getelementptr inbounds i32, ptr %in, i64 %wideFar
  %c = load i32, ptr %r
  %ab = add i32 %a, %b
  %abc = add i32 %ab, %c
  store i32 %abc, ptr %out
  ret void
}
