; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; What a program hands on in its frame, its tile, and memory that it was given are told apart.
; RUN: %build/bin/heddle-warp -block 64 -width 0 -target-cpu x86-64-v3 -last-pass split-coroutine %s | FileCheck %s
; RUN: %build/bin/heddle-warp -block 64 -width 0 -target-cpu x86-64-v3 -last-pass split-coroutine -disable frame-alias-scopes %s | FileCheck %s --check-prefix=OFF
; Not the tile where its address goes elsewhere.
; LEGAL frame-alias-scopes: address stays
; RUN: sed 's/;ESCAPES//' %s > %t.ll
; RUN: %build/bin/heddle-warp -block 64 -width 0 -target-cpu x86-64-v3 -last-pass split-coroutine %t.ll | FileCheck %s --check-prefix=ESCAPES
; Results that fill the registers are computed behind the choice whether they go past the caches.
; RUN: %build/bin/heddle-warp -block 512 -width 256 -target-cpu x86-64-v3 -last-pass split-coroutine %s | FileCheck %s --check-prefix=CHOOSE
; RUN: %build/bin/heddle-warp -block 512 -width 256 -target-cpu x86-64-v3 -last-pass split-coroutine -disable hoist-store-choices %s | FileCheck %s --check-prefix=BEHIND

; CHECK-LABEL: define internal fastcc void @start.resume(
; CHECK: [[ABOVE:%.*]] = load <64 x float>, ptr %{{.*}}, align 4, !noalias [[BOTH:![0-9]+]],
; CHECK: store <64 x float> [[ABOVE]], ptr %{{.*}}, align 64, !alias.scope [[SLOTS:![0-9]+]], !noalias [[SHARED:![0-9]+]]
; CHECK: [[HERE:%.*]] = load <64 x float>, ptr %{{.*}}, align 64, !alias.scope [[SLOTS]], !noalias [[SHARED]]
; CHECK: store <64 x float> [[HERE]], ptr %shared.reload, align 4, !alias.scope [[SHARED]], !noalias [[SLOTS]]
; CHECK: store <64 x float> %{{.*}}, !noalias [[BOTH]], !nontemporal
; CHECK: store <64 x float> %{{.*}}, !noalias [[BOTH]]

; OFF-NOT: alias.scope

; ESCAPES-LABEL: define internal fastcc void @start.resume(
; ESCAPES: store <64 x float> %{{.*}}, align 64, !alias.scope [[SLOTS:![0-9]+]]
; ESCAPES: store <64 x float> %{{.*}}, ptr %shared.reload{{.*}}, align 4, !noalias [[SLOTS]]
; ESCAPES: store <64 x float> %{{.*}}, !noalias [[SLOTS]], !nontemporal

; CHOOSE-LABEL: define internal fastcc void @start.resume(
; CHOOSE: call void @heddle.choose(i1 %{{.*}}, i32 1)
; CHOOSE: fadd <256 x float>
; CHOOSE: store <256 x float> %{{.*}}, !heddle.chosen
; CHOOSE-NEXT: call void @heddle.choose.end()

; BEHIND-LABEL: define internal fastcc void @start.resume(
; BEHIND: fadd <256 x float>
; BEHIND: store <256 x float> %{{.*}}, !nontemporal

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
  ;ESCAPES%generic = addrspacecast ptr addrspace(3) @tile to ptr
  ;ESCAPESstore ptr %generic, ptr %out
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
  store float %here, ptr addrspace(3) %cell
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %other = load float, ptr addrspace(3) %corner
  %sum = fadd float %below, %above
  %all = fadd float %sum, %other
  %line = getelementptr float, ptr %out, i64 %lane
  %q = getelementptr float, ptr %line, i64 %wide
  store float %all, ptr %q
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %on = icmp slt i32 %next, %n
  br i1 %on, label %loop, label %done
done:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
