; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Each thread adds its neighbours' cells, which lie in rows but shifted against the lanes that wrote them. 2 KB of them are
; more than 16 registers of eight lanes hold twice, and stay in memory; 32 registers of 16 lanes take them.
; RUN: %build/bin/heddle-warp -kernel neighbours -width 512 -block 512 -target-cpu x86-64-v3 -last-pass promote-shared %s | FileCheck %s --check-prefix=MEMORY
; RUN: %build/bin/heddle-warp -kernel neighbours -width 512 -block 512 -target-cpu x86-64-v4 -last-pass promote-shared %s | FileCheck %s
; RUN: %build/bin/heddle-warp -kernel neighbours -width 128 -block 128 -target-cpu x86-64-v3 -last-pass promote-shared %s | FileCheck %s
; Another order takes more than a load from memory.
; RUN: %build/bin/heddle-warp -kernel turned -width 512 -block 512 -target-cpu x86-64-v3 -last-pass promote-shared %s | FileCheck %s
; Many cells that all threads read are operands in memory, some are not worth it.
; RUN: %build/bin/heddle-warp -kernel many -width 512 -block 512 -target-cpu x86-64-v3 -last-pass promote-shared %s | FileCheck %s --check-prefix=CELLS
; RUN: %build/bin/heddle-warp -kernel some -width 512 -block 512 -target-cpu x86-64-v3 -last-pass promote-shared %s | FileCheck %s
; CELLS-LABEL: define internal void @runBlocks
; CELLS: store <512 x float> {{.*}}, ptr %shared
; CELLS-COUNT-20: load float, ptr
; CELLS: ret void

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
define ptx_kernel void @many(ptr %out, ptr %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t64 = zext nneg i32 %t to i64
  %pin = getelementptr float, ptr %in, i64 %t64
  %x = load float, ptr %pin
  %mine = getelementptr float, ptr addrspace(3) @cells, i64 %t64
  store float %x, ptr addrspace(3) %mine
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %v0 = load float, ptr addrspace(3) getelementptr (float, ptr addrspace(3) @cells, i64 1)
  %s0 = fadd float %x, %v0
  %v1 = load float, ptr addrspace(3) getelementptr (float, ptr addrspace(3) @cells, i64 24)
  %s1 = fadd float %s0, %v1
  %v2 = load float, ptr addrspace(3) getelementptr (float, ptr addrspace(3) @cells, i64 47)
  %s2 = fadd float %s1, %v2
  %v3 = load float, ptr addrspace(3) getelementptr (float, ptr addrspace(3) @cells, i64 70)
  %s3 = fadd float %s2, %v3
  %v4 = load float, ptr addrspace(3) getelementptr (float, ptr addrspace(3) @cells, i64 93)
  %s4 = fadd float %s3, %v4
  %v5 = load float, ptr addrspace(3) getelementptr (float, ptr addrspace(3) @cells, i64 116)
  %s5 = fadd float %s4, %v5
  %v6 = load float, ptr addrspace(3) getelementptr (float, ptr addrspace(3) @cells, i64 139)
  %s6 = fadd float %s5, %v6
  %v7 = load float, ptr addrspace(3) getelementptr (float, ptr addrspace(3) @cells, i64 162)
  %s7 = fadd float %s6, %v7
  %v8 = load float, ptr addrspace(3) getelementptr (float, ptr addrspace(3) @cells, i64 185)
  %s8 = fadd float %s7, %v8
  %v9 = load float, ptr addrspace(3) getelementptr (float, ptr addrspace(3) @cells, i64 208)
  %s9 = fadd float %s8, %v9
  %v10 = load float, ptr addrspace(3) getelementptr (float, ptr addrspace(3) @cells, i64 231)
  %s10 = fadd float %s9, %v10
  %v11 = load float, ptr addrspace(3) getelementptr (float, ptr addrspace(3) @cells, i64 254)
  %s11 = fadd float %s10, %v11
  %v12 = load float, ptr addrspace(3) getelementptr (float, ptr addrspace(3) @cells, i64 277)
  %s12 = fadd float %s11, %v12
  %v13 = load float, ptr addrspace(3) getelementptr (float, ptr addrspace(3) @cells, i64 300)
  %s13 = fadd float %s12, %v13
  %v14 = load float, ptr addrspace(3) getelementptr (float, ptr addrspace(3) @cells, i64 323)
  %s14 = fadd float %s13, %v14
  %v15 = load float, ptr addrspace(3) getelementptr (float, ptr addrspace(3) @cells, i64 346)
  %s15 = fadd float %s14, %v15
  %v16 = load float, ptr addrspace(3) getelementptr (float, ptr addrspace(3) @cells, i64 369)
  %s16 = fadd float %s15, %v16
  %v17 = load float, ptr addrspace(3) getelementptr (float, ptr addrspace(3) @cells, i64 392)
  %s17 = fadd float %s16, %v17
  %v18 = load float, ptr addrspace(3) getelementptr (float, ptr addrspace(3) @cells, i64 415)
  %s18 = fadd float %s17, %v18
  %v19 = load float, ptr addrspace(3) getelementptr (float, ptr addrspace(3) @cells, i64 438)
  %s19 = fadd float %s18, %v19
  %pout = getelementptr float, ptr %out, i64 %t64
  store float %s19, ptr %pout
  ret void
}

define ptx_kernel void @some(ptr %out, ptr %in) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t64 = zext nneg i32 %t to i64
  %pin = getelementptr float, ptr %in, i64 %t64
  %x = load float, ptr %pin
  %mine = getelementptr float, ptr addrspace(3) @cells, i64 %t64
  store float %x, ptr addrspace(3) %mine
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %v0 = load float, ptr addrspace(3) getelementptr (float, ptr addrspace(3) @cells, i64 1)
  %s0 = fadd float %x, %v0
  %v1 = load float, ptr addrspace(3) getelementptr (float, ptr addrspace(3) @cells, i64 24)
  %s1 = fadd float %s0, %v1
  %v2 = load float, ptr addrspace(3) getelementptr (float, ptr addrspace(3) @cells, i64 47)
  %s2 = fadd float %s1, %v2
  %pout = getelementptr float, ptr %out, i64 %t64
  store float %s2, ptr %pout
  ret void
}

declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
