; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; Accesses claim no more alignment than the 16 bytes that a GPU's accesses need; local variables keep theirs.
; RUN: %build/bin/heddle-warp -block 32 -width 32 -last-pass=lower-device %s | FileCheck %s

; CHECK-LABEL: define {{.*}}@kernel.thread
; CHECK: alloca [16 x i32], align 64
; CHECK: load <2 x i64>, ptr {{.*}}, align 16
; CHECK: load i32, ptr {{.*}}, align 4
; CHECK: load i32, ptr {{.*}}, align 16
; CHECK: store i32 {{.*}}, align 16
; CHECK: atomicrmw add ptr {{.*}} monotonic, align 16
; CHECK: cmpxchg ptr {{.*}} monotonic monotonic, align 16
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr align 16 {{.*}}, ptr align 16 {{.*}}, i64 64, i1 false)
; CHECK: call void @llvm.memset.p0.i64(ptr align 8 {{.*}}, i8 0, i64 64, i1 false)
; CHECK-LABEL: define {{.*}}@called.thread
; CHECK-NOT: align {{32|64|128}}
; CHECK: store i32 {{.*}}, align 16
; CHECK-NOT: align {{32|64|128}}
define ptx_kernel void @kernel(ptr %p, ptr %q) {
  %room = alloca [16 x i32], align 64
  %pair = load <2 x i64>, ptr %p, align 16
  %few = load i32, ptr %q, align 4
  %one = load i32, ptr %p, align 32
  store i32 %one, ptr %q, align 128
  %old = atomicrmw add ptr %q, i32 %few monotonic, align 32
  %swapped = cmpxchg ptr %q, i32 %old, i32 %few monotonic monotonic, align 64
  call void @llvm.memcpy.p0.p0.i64(ptr align 64 %room, ptr align 32 %p, i64 64, i1 false)
  call void @called(ptr align 32 %room, ptr align 8 %q)
  call void @llvm.memset.p0.i64(ptr align 8 %q, i8 0, i64 64, i1 false)
  store <2 x i64> %pair, ptr %q, align 16
  ret void
}

; It calls itself, so it is not inlined.
define internal void @called(ptr align 32 %to, ptr align 8 %from) {
  %value = load i32, ptr %from, align 8
  store i32 %value, ptr %to, align 32
  %more = icmp sgt i32 %value, 0
  br i1 %more, label %again, label %done
again:
  call void @called(ptr align 32 %from, ptr align 8 %to)
  br label %done
done:
  ret void
}
