; Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
target triple = "nvptx64-nvidia-cuda"

; A warp program for AArch64 runs in an emulator: a guard, a gather, lanes that go different ways, SLEEF's function on
; vectors, pairs of words. Left out where tools/aarch64.sh has not made its root.
; REQUIRES: aarch64-emulator
; RUN: clang --target=aarch64-linux-gnu --sysroot=%aarch64_root -std=c++20 -xc++ -O1 -I%S/../../src -c %S/Inputs/run_aarch64.cpp -o %t.main.o
; RUN: %build/bin/heddle-warp -block 32 -width 8 -last-pass split-coroutine -target-triple aarch64-linux-gnu -target-cpu generic %s > %t.8.ll
; RUN: clang --target=aarch64-linux-gnu --sysroot=%aarch64_root -fuse-ld=lld -O2 -Wno-override-module %t.8.ll %t.main.o -lstdc++ -lsleef -lm -o %t.8
; RUN: qemu-aarch64-static -L %aarch64_root %t.8 | FileCheck %s --check-prefix=EIGHT
; RUN: %build/bin/heddle-warp -block 32 -width 32 -last-pass split-coroutine -target-triple aarch64-linux-gnu -target-cpu generic %s > %t.32.ll
; RUN: clang --target=aarch64-linux-gnu --sysroot=%aarch64_root -fuse-ld=lld -O2 -Wno-override-module %t.32.ll %t.main.o -lstdc++ -lsleef -lm -o %t.32
; RUN: qemu-aarch64-static -L %aarch64_root %t.32 | FileCheck %s --check-prefix=ALL
; EIGHT: 8 lanes, 0 wrong
; ALL: 32 lanes, 0 wrong

define ptx_kernel void @kernel(i32 %count, ptr %in, ptr %out, ptr %pairs) {
entry:
  %pair = alloca [2 x i64], align 16
  %b = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %first = shl i32 %b, 5
  %i = add i32 %first, %t
  %has = icmp slt i32 %i, %count
  br i1 %has, label %work, label %end
work:
  %far = mul i32 %i, 7
  %from = urem i32 %far, %count
  %at = zext i32 %from to i64
  %p = getelementptr float, ptr %in, i64 %at
  %x = load float, ptr %p
  %rest = urem i32 %i, 3
  %third = icmp eq i32 %rest, 0
  br i1 %third, label %sine, label %square
sine:
  %s = call float @__nv_sinf(float %x)
  br label %join
square:
  %xx = fmul float %x, %x
  %q = fadd float %xx, 1.0
  br label %join
join:
  %y = phi float [ %s, %sine ], [ %q, %square ]
  %own = zext i32 %i to i64
  %r = getelementptr float, ptr %out, i64 %own
  store float %y, ptr %r
  %words = getelementptr [2 x i64], ptr %pairs, i64 %own
  call void @__heddle_load_pair(ptr %words, ptr %pair)
  %low = load i64, ptr %pair
  %second = getelementptr i8, ptr %pair, i64 8
  %high = load i64, ptr %second
  call void @__heddle_store_pair(ptr %words, i64 %high, i64 %low)
  br label %end
end:
  ret void
}
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare float @__nv_sinf(float)
declare void @__heddle_load_pair(ptr, ptr)
declare void @__heddle_store_pair(ptr, i64, i64)
