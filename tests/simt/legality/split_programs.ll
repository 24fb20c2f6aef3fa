; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; What a program that waits accesses is told apart, and its results go past the caches, where that is known.
; RUN: %build/bin/heddle-warp -block 64 -width 0 -target-cpu x86-64-v3 -last-pass split-coroutine %s | FileCheck %s
; LEGAL frame-alias-scopes: known origin
; RUN: %break either && %build/bin/heddle-warp -block 64 -width 0 -target-cpu x86-64-v3 -last-pass split-coroutine %t.ll | FileCheck %s --check-prefix=NONE
; LEGAL stream-stores: whole lines
; RUN: %build/bin/heddle-warp -block 512 -width 256 -target-cpu x86-64-v3 -last-pass split-coroutine %s | FileCheck %s --check-prefix=LINES
; LEGAL hoist-store-choices: known first
; RUN: %break divides && %build/bin/heddle-warp -block 512 -width 256 -target-cpu x86-64-v3 -last-pass split-coroutine %t.ll | FileCheck %s --check-prefix=BEHIND
; LEGAL hoist-store-choices: made twice
; RUN: %break calls && %build/bin/heddle-warp -block 512 -width 256 -target-cpu x86-64-v3 -last-pass split-coroutine %t.ll | FileCheck %s --check-prefix=BEHIND

; CHECK: alias.scope [[SLOTS:![0-9]+]], !noalias [[SHARED:![0-9]+]]
; CHECK: store <64 x float> %{{.*}}, ptr %shared.reload, align 4, !alias.scope [[SHARED]], !noalias [[SLOTS]]

; NONE-NOT: !alias.scope [[SLOTS:![0-9]+]], !noalias

; Large enough, at the beginning of a line, no lane idle.
; LINES: icmp uge i64
; LINES: ptrtoint
; LINES: and i64 {{%.*}}, 63
; LINES: icmp eq i64 {{%.*}}, 0
; LINES: call void @heddle.choose

; BEHIND-NOT: call void @heddle.choose
; BEHIND: !nontemporal
; BEHIND-NOT: call void @heddle.choose

@tile = internal addrspace(3) global [512 x float] undef, align 4

define ptx_kernel void @kernel(i32 %n, ptr %in, ptr %out) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = zext i32 %x to i64
  %turned = xor i32 %x, 511
  %mirror = zext i32 %turned to i64
  %cell = getelementptr float, ptr addrspace(3) @tile, i64 %lane
  %corner = getelementptr float, ptr addrspace(3) @tile, i64 %mirror
  %start = getelementptr float, ptr %in, i64 %lane
  %first = load float, ptr %start
  br label %loop
loop:
  %round = phi i32 [ 0, %entry ], [ %next, %loop ]
  %below = phi float [ 0.0, %entry ], [ %here, %loop ]
  %here = phi float [ %first, %entry ], [ %above, %loop ]
  %next = add i32 %round, 1
  %row = mul i32 %next, 4096
  %wide = sext i32 %row to i64
  %p = getelementptr float, ptr %start, i64 %wide
  %above = load float, ptr %p
  store float %here, ptr addrspace(3) %cell ; not either
;@either  %generic = addrspacecast ptr addrspace(3) %cell to ptr
;@either  %goes = icmp slt i32 %round, 7
;@either  %place = select i1 %goes, ptr %generic, ptr %out
;@either  store float %here, ptr %place
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %other = load float, ptr addrspace(3) %corner
  %sum = fadd float %below, %above
  %all = fadd float %sum, %other ; not calls
;@calls  %sine = call float @__nv_sinf(float %sum)
;@calls  %all = fadd float %sine, %other
  %line = getelementptr float, ptr %out, i64 %lane
  %q = getelementptr float, ptr %line, i64 %wide ; not divides
;@divides  %den = add i32 %round, 3
;@divides  %part = udiv i32 %row, %den
;@divides  %far = zext i32 %part to i64
;@divides  %q = getelementptr float, ptr %line, i64 %far
  store float %all, ptr %q
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %on = icmp slt i32 %next, %n
  br i1 %on, label %loop, label %done
done:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
declare float @__nv_sinf(float)
