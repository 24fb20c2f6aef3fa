; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A compare-and-swap at one address for all lanes: a locked instruction for the first lane, and for those that expect what it
; has left; the others fail with that. A volatile one, and one at an address for each lane, run for each.
; RUN: %build/bin/heddle-warp -block 32 %s | FileCheck %s

; CHECK-LABEL: define internal void @kernel.thread.warp
; CHECK: cas:
; CHECK: [[BOTH:%.*]] = cmpxchg ptr %{{.*}}, i32 %{{.*}}, i32 %{{.*}} monotonic
; CHECK: [[NOW:%.*]] = select i1 %{{.*}}, i32 %{{.*}}, i32 %{{.*}}
; CHECK: icmp eq <32 x i32>
; CHECK: br i1 %{{.*}}, label %cas, label %cas.done
; CHECK: cmpxchg volatile
; CHECK-NOT: label %cas.done
; CHECK: ret void

define ptx_kernel void @kernel(ptr %in, ptr %cell, ptr %out) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %i = zext i32 %t to i64
  %a = getelementptr i32, ptr %in, i64 %i
  %x = load i32, ptr %a
  %both = cmpxchg ptr %cell, i32 %x, i32 %t monotonic monotonic
  %old = extractvalue { i32, i1 } %both, 0
  %again = cmpxchg volatile ptr %cell, i32 %x, i32 %t monotonic monotonic
  %o = extractvalue { i32, i1 } %again, 0
  %s = add i32 %old, %o
  %q = getelementptr i32, ptr %out, i64 %i
  store i32 %s, ptr %q
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
