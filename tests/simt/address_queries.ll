; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Where a pointer points is known if what it is based on is: a parameter's value, a shared or a local variable. Only
; of others threads are asked, one by one.
; RUN: %build/bin/heddle-warp -kernel known -block 64 -last-pass lower-device %s | FileCheck %s --check-prefix=KNOWN
; RUN: %build/bin/heddle-warp -kernel unknown -block 64 -last-pass lower-device %s | FileCheck %s --check-prefix=UNKNOWN

@tile = internal addrspace(3) global [64 x float] undef, align 4
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i1 @llvm.nvvm.isspacep.global(ptr)
declare i1 @llvm.nvvm.isspacep.shared(ptr)
declare i1 @llvm.nvvm.isspacep.local(ptr)

; KNOWN-LABEL: define {{.*}}@known
; KNOWN-NOT: heddle.on_stack
; KNOWN: store i1 true, ptr
; KNOWN: store i1 false, ptr
; KNOWN: store i1 true, ptr
; KNOWN: store i1 false, ptr
; KNOWN: store i1 true, ptr
define ptx_kernel void @known(ptr %in, ptr %out) {
  %own = alloca float
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p = getelementptr float, ptr %in, i32 %t
  %shared = getelementptr float, ptr addrspace(3) @tile, i32 %t
  %s = addrspacecast ptr addrspace(3) %shared to ptr
  %1 = call i1 @llvm.nvvm.isspacep.global(ptr %p)
  store i1 %1, ptr %out
  %2 = call i1 @llvm.nvvm.isspacep.shared(ptr %p)
  store i1 %2, ptr %out
  %3 = call i1 @llvm.nvvm.isspacep.shared(ptr %s)
  store i1 %3, ptr %out
  %4 = call i1 @llvm.nvvm.isspacep.global(ptr %own)
  store i1 %4, ptr %out
  %5 = call i1 @llvm.nvvm.isspacep.local(ptr %own)
  store i1 %5, ptr %out
  ret void
}

; UNKNOWN-LABEL: define {{.*}}@unknown
; UNKNOWN: heddle.on_stack
define ptx_kernel void @unknown(ptr %in, ptr %out) {
  %p = load ptr, ptr %in
  %1 = call i1 @llvm.nvvm.isspacep.global(ptr %p)
  store i1 %1, ptr %out
  ret void
}
