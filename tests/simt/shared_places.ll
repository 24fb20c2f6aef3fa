; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Places that go criss-cross: in one program of the block, with the rounds unrolled, they are known, so no access of shared
; memory is left, and the form is chosen for that.
; RUN: %build/bin/heddle-warp -kernel crossed -width 0 -block 128 -last-pass promote-shared %s | FileCheck %s --check-prefix=REGISTERS
; Not where it stays memory, as one place is known at run time only.
; RUN: %build/bin/heddle-warp -kernel crossed -width 0 -block 128 -disable promote-shared -last-pass build-entry %s | FileCheck %s --check-prefix=WARPS
; RUN: %build/bin/heddle-warp -kernel read -width 0 -block 128 -last-pass build-entry %s | FileCheck %s --check-prefix=WARPS

; REGISTERS: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 128,
; REGISTERS-LABEL: define {{.*}}@runBlocks(
; REGISTERS-NOT: call {{.*}}masked.gather
; REGISTERS: {{^}}}
; WARPS: @heddle_kernel = constant { {{.*}} } { i32 {{[0-9]+}}, i32 32,

define ptx_kernel void @crossed(ptr %in, ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %p = getelementptr float, ptr %in, i64 %i
  %v = load float, ptr %p
  %own0 = getelementptr [128 x float], ptr addrspace(3) @cells, i64 0, i64 %i
  store float %v, ptr addrspace(3) %own0
  %own1 = getelementptr [128 x float], ptr addrspace(3) @cells, i64 1, i64 %i
  store float %v, ptr addrspace(3) %own1
  %own2 = getelementptr [128 x float], ptr addrspace(3) @cells, i64 2, i64 %i
  store float %v, ptr addrspace(3) %own2
  %own3 = getelementptr [128 x float], ptr addrspace(3) @cells, i64 3, i64 %i
  store float %v, ptr addrspace(3) %own3
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br label %round
round:
  %s = phi i32 [ 1, %entry ], [ %twice, %round ]
  %turned = call i32 @llvm.bitreverse.i32(i32 %t)
  %mirrored = lshr i32 %turned, 25
  %low = xor i32 %mirrored, %s
  %forth = add nsw i32 %mirrored, %s
  %high = call i32 @llvm.smin.i32(i32 %forth, i32 127)
  %l = zext nneg i32 %low to i64
  %h = zext nneg i32 %high to i64
  %pl0 = getelementptr [128 x float], ptr addrspace(3) @cells, i64 0, i64 %l
  %ph0 = getelementptr [128 x float], ptr addrspace(3) @cells, i64 0, i64 %h
  %a0 = load float, ptr addrspace(3) %pl0
  %b0 = load float, ptr addrspace(3) %ph0
  %m0 = fdiv float %a0, %b0
  %pl1 = getelementptr [128 x float], ptr addrspace(3) @cells, i64 1, i64 %l
  %ph1 = getelementptr [128 x float], ptr addrspace(3) @cells, i64 1, i64 %h
  %a1 = load float, ptr addrspace(3) %pl1
  %b1 = load float, ptr addrspace(3) %ph1
  %m1 = fdiv float %a1, %b1
  %pl2 = getelementptr [128 x float], ptr addrspace(3) @cells, i64 2, i64 %l
  %ph2 = getelementptr [128 x float], ptr addrspace(3) @cells, i64 2, i64 %h
  %a2 = load float, ptr addrspace(3) %pl2
  %b2 = load float, ptr addrspace(3) %ph2
  %m2 = fdiv float %a2, %b2
  %pl3 = getelementptr [128 x float], ptr addrspace(3) @cells, i64 3, i64 %l
  %ph3 = getelementptr [128 x float], ptr addrspace(3) @cells, i64 3, i64 %h
  %a3 = load float, ptr addrspace(3) %pl3
  %b3 = load float, ptr addrspace(3) %ph3
  %m3 = fdiv float %a3, %b3
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store float %m1, ptr addrspace(3) %own0
  store float %m2, ptr addrspace(3) %own1
  store float %m3, ptr addrspace(3) %own2
  store float %m0, ptr addrspace(3) %own3
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %twice = shl nuw nsw i32 %s, 1
  %again = icmp slt i32 %twice, 128
  br i1 %again, label %round, label %end
end:
  %last = load float, ptr addrspace(3) %own0
  %sum = fadd float %last, %v
  %q = getelementptr float, ptr %out, i64 %i
  store float %sum, ptr %q
  ret void
}

define ptx_kernel void @read(ptr %in, ptr %out) {
entry:
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext nneg i32 %t to i64
  %p = getelementptr float, ptr %in, i64 %i
  %v = load float, ptr %p
  %own0 = getelementptr [128 x float], ptr addrspace(3) @cells, i64 0, i64 %i
  store float %v, ptr addrspace(3) %own0
  %own1 = getelementptr [128 x float], ptr addrspace(3) @cells, i64 1, i64 %i
  store float %v, ptr addrspace(3) %own1
  %own2 = getelementptr [128 x float], ptr addrspace(3) @cells, i64 2, i64 %i
  store float %v, ptr addrspace(3) %own2
  %own3 = getelementptr [128 x float], ptr addrspace(3) @cells, i64 3, i64 %i
  store float %v, ptr addrspace(3) %own3
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %where = fptoui float %v to i32
  %within = and i32 %where, 127
  %w = zext nneg i32 %within to i64
  %pr = getelementptr [128 x float], ptr addrspace(3) @cells, i64 0, i64 %w
  %r = load float, ptr addrspace(3) %pr
  br label %round
round:
  %s = phi i32 [ 1, %entry ], [ %twice, %round ]
  %turned = call i32 @llvm.bitreverse.i32(i32 %t)
  %mirrored = lshr i32 %turned, 25
  %low = xor i32 %mirrored, %s
  %forth = add nsw i32 %mirrored, %s
  %high = call i32 @llvm.smin.i32(i32 %forth, i32 127)
  %l = zext nneg i32 %low to i64
  %h = zext nneg i32 %high to i64
  %pl0 = getelementptr [128 x float], ptr addrspace(3) @cells, i64 0, i64 %l
  %ph0 = getelementptr [128 x float], ptr addrspace(3) @cells, i64 0, i64 %h
  %a0 = load float, ptr addrspace(3) %pl0
  %b0 = load float, ptr addrspace(3) %ph0
  %m0 = fdiv float %a0, %b0
  %pl1 = getelementptr [128 x float], ptr addrspace(3) @cells, i64 1, i64 %l
  %ph1 = getelementptr [128 x float], ptr addrspace(3) @cells, i64 1, i64 %h
  %a1 = load float, ptr addrspace(3) %pl1
  %b1 = load float, ptr addrspace(3) %ph1
  %m1 = fdiv float %a1, %b1
  %pl2 = getelementptr [128 x float], ptr addrspace(3) @cells, i64 2, i64 %l
  %ph2 = getelementptr [128 x float], ptr addrspace(3) @cells, i64 2, i64 %h
  %a2 = load float, ptr addrspace(3) %pl2
  %b2 = load float, ptr addrspace(3) %ph2
  %m2 = fdiv float %a2, %b2
  %pl3 = getelementptr [128 x float], ptr addrspace(3) @cells, i64 3, i64 %l
  %ph3 = getelementptr [128 x float], ptr addrspace(3) @cells, i64 3, i64 %h
  %a3 = load float, ptr addrspace(3) %pl3
  %b3 = load float, ptr addrspace(3) %ph3
  %m3 = fdiv float %a3, %b3
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  store float %m1, ptr addrspace(3) %own0
  store float %m2, ptr addrspace(3) %own1
  store float %m3, ptr addrspace(3) %own2
  store float %m0, ptr addrspace(3) %own3
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %twice = shl nuw nsw i32 %s, 1
  %again = icmp slt i32 %twice, 128
  br i1 %again, label %round, label %end
end:
  %last = load float, ptr addrspace(3) %own0
  %sum = fadd float %last, %r
  %q = getelementptr float, ptr %out, i64 %i
  store float %sum, ptr %q
  ret void
}

@cells = internal addrspace(3) global [4 x [128 x float]] undef, align 4
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.bitreverse.i32(i32)
declare i32 @llvm.smin.i32(i32, i32)
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
