; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; The second of Harris's reductions: strides that grow, in dynamic shared memory. Neither loops over lanes nor gathers
; remain, each level takes half of the registers, and a test that the launch gave the 256 bytes, before the first block.
; RUN: %build/bin/heddle-warp -width 0 -block 64 -last-pass eliminate-dead-lanes %s | FileCheck %s
; RUN: %build/bin/heddle-warp -width 0 -block 64 -disable promote-shared -last-pass eliminate-dead-lanes %s | FileCheck %s --check-prefix=MEMORY

; CHECK-LABEL: define internal void @runBlocks
; CHECK-NOT: gather
; CHECK-NOT: masked
; CHECK: icmp ult i32 {{.*}}, 256
; CHECK: load volatile i8
; CHECK: {{^}}block:
; CHECK: load <16 x float>
; CHECK-NOT: phi
; What is stored as bits and loaded as numbers stays as it is.
; CHECK-NOT: bitcast
; CHECK: fadd <2 x float>
; CHECK: store float
; CHECK: ret void

; MEMORY-LABEL: define internal void @runBlocks
; MEMORY-NOT: load volatile i8
; MEMORY: masked.store

@cells = external addrspace(3) global [0 x float], align 4

define ptx_kernel void @kernel(ptr %out, ptr %in) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %t64 = zext nneg i32 %t to i64
  %pin = getelementptr float, ptr %in, i64 %t64
  %x = load float, ptr %pin
  %mine = getelementptr float, ptr addrspace(3) @cells, i64 %t64
  store float %x, ptr addrspace(3) %mine
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %loop
loop:
  %distance = phi i32 [ 1, %entry ], [ %next, %latch ]
  %next = shl i32 %distance, 1
  %left = mul i32 %next, %t
  %takesPart = icmp ult i32 %left, 64
  br i1 %takesPart, label %add, label %latch
add:
  %left64 = zext nneg i32 %left to i64
  %to = getelementptr float, ptr addrspace(3) @cells, i64 %left64
  %right = add i32 %left, %distance
  %right64 = zext nneg i32 %right to i64
  %from = getelementptr float, ptr addrspace(3) @cells, i64 %right64
  %a = load float, ptr addrspace(3) %to
  %b = load float, ptr addrspace(3) %from
  %s = fadd float %a, %b
  store float %s, ptr addrspace(3) %to
  br label %latch
latch:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %again = icmp ult i32 %next, 64
  br i1 %again, label %loop, label %end
end:
  %first = icmp eq i32 %t, 0
  br i1 %first, label %write, label %done
write:
  %sum = load float, ptr addrspace(3) @cells
  store float %sum, ptr %out
  br label %done
done:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
