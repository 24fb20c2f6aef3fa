; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Each thread adds its neighbours' cells, which lie in rows but shifted against the lanes that wrote them. 2 KB of them are
; more than 16 registers of eight lanes hold twice, and stay in memory; 32 registers of 16 lanes take them.
; RUN: %build/bin/heddle-warp -kernel neighbours -width 512 -block 512 -target-cpu x86-64-v3 -last-pass shared-registers %s | FileCheck %s --check-prefix=MEMORY
; RUN: %build/bin/heddle-warp -kernel neighbours -width 512 -block 512 -target-cpu x86-64-v4 -last-pass shared-registers %s | FileCheck %s
; RUN: %build/bin/heddle-warp -kernel neighbours -width 128 -block 128 -target-cpu x86-64-v3 -last-pass shared-registers %s | FileCheck %s
; Another order takes more than a load from memory.
; RUN: %build/bin/heddle-warp -kernel turned -width 512 -block 512 -target-cpu x86-64-v3 -last-pass shared-registers %s | FileCheck %s

; CHECK-LABEL: define internal void @runBlocks
; CHECK-NOT: store <{{[0-9]+}} x float> {{.*}}, ptr %shared
; CHECK: ret void
; MEMORY-LABEL: define internal void @runBlocks
; MEMORY: %shared = load ptr
; MEMORY: getelementptr {{.*}}ptr %shared, i64 4
; MEMORY: store <512 x float>
; MEMORY: load <512 x float>, ptr %shared
; MEMORY: ret void

@cells = internal addrspace(3) global [514 x float] poison, align 4

define ptx_kernel void @neighbours(ptr %out, ptr %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t64 = zext nneg i32 %t to i64
  %pin = getelementptr float, ptr %in, i64 %t64
  %x = load float, ptr %pin
  %left = getelementptr float, ptr addrspace(3) @cells, i64 %t64
  %mine = getelementptr float, ptr addrspace(3) %left, i64 1
  %right = getelementptr float, ptr addrspace(3) %left, i64 2
  store float %x, ptr addrspace(3) %mine
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %a = load float, ptr addrspace(3) %left
  %b = load float, ptr addrspace(3) %right
  %sum = fadd float %a, %b
  %pout = getelementptr float, ptr %out, i64 %t64
  store float %sum, ptr %pout
  ret void
}

define ptx_kernel void @turned(ptr %out, ptr %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t64 = zext nneg i32 %t to i64
  %pin = getelementptr float, ptr %in, i64 %t64
  %x = load float, ptr %pin
  %mine = getelementptr float, ptr addrspace(3) @cells, i64 %t64
  store float %x, ptr addrspace(3) %mine
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %u = sub i32 511, %t
  %u64 = zext nneg i32 %u to i64
  %other = getelementptr float, ptr addrspace(3) @cells, i64 %u64
  %a = load float, ptr addrspace(3) %other
  %pout = getelementptr float, ptr %out, i64 %t64
  store float %a, ptr %pout
  ret void
}
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
