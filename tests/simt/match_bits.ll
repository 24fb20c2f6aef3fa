; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; __match_any_sync of a value of which few bits are unknown takes a ballot a bit, else a comparison a lane. What goes with
; neighbouring bits is looked up in a register, where the machine can.
; RUN: %build/bin/heddle-warp -block 32 %s | FileCheck %s
; RUN: %build/bin/heddle-warp -block 32 %s | FileCheck %s --check-prefix=TABLE
; RUN: %build/bin/heddle-warp -block 32 -target-cpu x86-64-v3 %s | FileCheck %s --check-prefix=TABLE8
; RUN: %build/bin/heddle-warp -block 32 -target-cpu x86-64 %s | FileCheck %s --check-prefix=NONE
; RUN: %build/bin/heddle-warp -block 32 %s -disable=match-bits | FileCheck %s --check-prefix=OFF

; CHECK-LABEL: define internal void @kernel.thread.warp
; CHECK: bitcast <32 x i1> %active to i32
; CHECK-COUNT-3: bitcast <32 x i1> {{.*}} to i32
; CHECK-NOT: bitcast <32 x i1>
; CHECK: masked.store

; TABLE-COUNT-2: call <16 x i32> @llvm.x86.avx512.permvar.si.512
; TABLE-NOT: call <16 x i32> @llvm.x86.avx512.permvar.si.512
; TABLE8-COUNT-4: call <8 x i32> @llvm.x86.avx2.permd
; TABLE8-NOT: call <8 x i32> @llvm.x86.avx2.permd
; NONE-LABEL: define internal void @kernel.thread.warp
; NONE-NOT: x86
; NONE: ret void

; OFF-LABEL: define internal void @kernel.thread.warp
; OFF: icmp eq <32 x i32>
; OFF: bitcast <32 x i1> {{.*}} to i32
; OFF: br i1 {{.*}}, label %lane, label %lanes.done

define ptx_kernel void @kernel(ptr %keys, ptr %peers) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %p = getelementptr i32, ptr %keys, i64 %i
  %key = load i32, ptr %p
  %some = and i32 %key, 262
  %digit = or i32 %some, 64
  %same = call i32 @llvm.nvvm.match.any.sync.i32(i32 -1, i32 %digit)
  %q = getelementptr i32, ptr %peers, i64 %i
  store i32 %same, ptr %q
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.match.any.sync.i32(i32, i32)
