; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A tile that is loaded ahead if there is a next round: around the load the old tile is not kept, since only a next round
; would use it. %last is, since it is stored behind the loop; so are %mine, which the latch's condition of another round decides,
; and %other, whose condition is not the loop's.
; RUN: %build/bin/heddle-warp -block 64 %s | FileCheck %s
; RUN: %build/bin/heddle-warp -block 64 -disable=unused-inputs %s | FileCheck %s --check-prefix=KEPT

; CHECK-LABEL: define internal void @kernel.thread.warp
; LEGAL unused-inputs: not used
; CHECK-DAG: %last{{.*}} = phi <32 x float> [ %{{.*}}, %{{.*}} ], [ %mine{{.*}}, %{{.*}} ]
; CHECK-DAG: %next{{.*}} = phi <32 x float> [ %{{.*}}, %{{.*}} ], [ poison, %{{.*}} ]
; LEGAL unused-inputs: same condition
; CHECK: %other{{.*}} = phi <32 x float> [ %{{.*}}, %{{.*}} ], [ %third{{.*}}, %{{.*}} ]
; KEPT-LABEL: define internal void @kernel.thread.warp
; KEPT: %next{{.*}} = phi <32 x float> [ %{{.*}}, %{{.*}} ], [ %now{{.*}}, %{{.*}} ]

@tile = internal addrspace(3) global [64 x float] undef, align 4

define ptx_kernel void @kernel(i32 %n, i32 %m, ptr %a, ptr %b, ptr %c, ptr %out) {
entry:
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %lane = zext i32 %x to i64
  %cell = getelementptr float, ptr addrspace(3) @tile, i64 %lane
  %pa = getelementptr float, ptr %a, i64 %lane
  %pb = getelementptr float, ptr %b, i64 %lane
  %pc = getelementptr float, ptr %c, i64 %lane
  %first = load float, ptr %pa
  br label %loop
loop:
  %start = phi i32 [ 0, %entry ], [ %following, %latch ]
  %now = phi float [ %first, %entry ], [ %next, %latch ]
  %mine = phi float [ %first, %entry ], [ %last, %latch ]
  %third = phi float [ %first, %entry ], [ %other, %latch ]
  %sum = fadd float %now, %third
  store float %sum, ptr addrspace(3) %cell
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %following = add nuw nsw i32 %start, 64
  %more = icmp slt i32 %following, %n
  br i1 %more, label %ahead, label %work
ahead:
  %place = zext i32 %following to i64
  %qa = getelementptr float, ptr %pa, i64 %place
  %new = load float, ptr %qa
  %qb = getelementptr float, ptr %pb, i64 %place
  %newer = load float, ptr %qb
  br label %work
work:
  %next = phi float [ %new, %ahead ], [ %now, %loop ]
  %last = phi float [ %newer, %ahead ], [ %mine, %loop ]
  %some = icmp slt i32 %following, %m
  br i1 %some, label %again, label %latch
again:
  %qc = getelementptr i8, ptr %pc, i64 64
  %newest = load float, ptr %qc
  br label %latch
latch:
  %other = phi float [ %newest, %again ], [ %third, %work ]
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  br i1 %more, label %loop, label %done
done:
  %po = getelementptr float, ptr %out, i64 %lane
  store float %last, ptr %po
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)
