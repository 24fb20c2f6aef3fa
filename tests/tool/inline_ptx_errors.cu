// RUN: not %nvcc -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %nvcc -c -rdc=true -G %s -o %t.o 2>&1 | FileCheck %s
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What inline PTX holds that is not supported, or wrong, is an error of the compiler, with the line of the statement and
// the instruction's name.

__device__ __forceinline__ unsigned helper(unsigned x) {
  unsigned r;
  // CHECK-DAG: inline_ptx_errors.cu:[[@LINE+1]]:3: error: inline PTX: 'tcgen05.shift.cta_group::1.down' is not supported
  asm volatile("tcgen05.shift.cta_group::1.down [%1];" : "=r"(r) : "r"(x));
  return r;
}

__global__ void kernel(unsigned *out, unsigned x, float f) {
  unsigned r = 0;
  unsigned long long wide = 0;
  // CHECK-DAG: inline_ptx_errors.cu:[[@LINE+1]]:3: error: inline PTX: 'tcgen05.fence::before_thread_sync' is not supported
  asm volatile("tcgen05.fence::before_thread_sync;");
  // CHECK-DAG: inline_ptx_errors.cu:[[@LINE+1]]:3: error: inline PTX: 'add.foo.u32' is not supported: '.foo'
  asm volatile("add.foo.u32 %0, %1, 1;" : "=r"(r) : "r"(x));
  // CHECK-DAG: inline_ptx_errors.cu:[[@LINE+1]]:3: error: inline PTX: 'add.u64': '%1' has 32 bits, and '.u64' 64
  asm volatile("add.u64 %0, %1, 1;" : "=l"(wide) : "r"(x));
  // CHECK-DAG: inline_ptx_errors.cu:[[@LINE+1]]:3: error: inline PTX: 'mov.u32': 'nowhere' is no register that is supported
  asm volatile("mov.u32 %0, nowhere;" : "=r"(r));
  // CHECK-DAG: inline_ptx_errors.cu:[[@LINE+1]]:3: error: inline PTX: 'mov.u32': '%pm8' is no register that is supported
  asm volatile("mov.u32 %0, %pm8;" : "=r"(r));
  // CHECK-DAG: inline_ptx_errors.cu:[[@LINE+1]]:3: error: inline PTX: 'bra': no label of this asm statement
  asm volatile("bra elsewhere;");
  // CHECK-DAG: inline_ptx_errors.cu:[[@LINE+1]]:3: error: inline PTX: label 'here' is there twice
  asm volatile("here: here:");
  // CHECK-DAG: inline_ptx_errors.cu:[[@LINE+1]]:3: error: inline PTX: '{' without '}'
  asm volatile("{ .reg .u32 t; mov.u32 t, 1;");
  // CHECK-DAG: inline_ptx_errors.cu:[[@LINE+1]]:3: error: inline PTX: 'mov.u32': expected ',', found 'add.u32'
  asm volatile("mov.u32 %0, %1\n add.u32 %0, %0, 1;" : "=r"(r) : "r"(x));
  // CHECK-DAG: inline_ptx_errors.cu:[[@LINE+1]]:3: error: inline PTX: 'sub.u32': expected operand 3
  asm volatile("sub.u32 %0, %1;" : "=r"(r) : "r"(x));
  // CHECK-DAG: inline_ptx_errors.cu:[[@LINE+1]]:3: error: inline PTX: 'lop3.b32': operand 5 must be a constant
  asm volatile("lop3.b32 %0, %1, %1, %1, %1;" : "=r"(r) : "r"(x));
  // CHECK-DAG: inline_ptx_errors.cu:[[@LINE+1]]:3: error: inline PTX: 'mov.u32': 'p' is no predicate
  asm volatile("{ .reg .u32 p; @p mov.u32 %0, 1; }" : "=r"(r));
  // CHECK-DAG: inline_ptx_errors.cu:[[@LINE+1]]:3: error: inline PTX: register 't' is declared twice
  asm volatile("{ .reg .u32 t, t; }");
  // CHECK-DAG: inline_ptx_errors.cu:[[@LINE+1]]:3: error: inline PTX: '.alias' is not supported
  asm volatile(".alias t, u;");
  // CHECK-DAG: inline_ptx_errors.cu:[[@LINE+1]]:3: error: inline PTX: .approx modifier required for instruction 'sin'
  asm volatile("sin.f32 %0, %0;" : "+f"(f));
  // CHECK-DAG: inline_ptx_errors.cu:[[@LINE+1]]:3: error: inline PTX: 'mma.sync.aligned.m16n8k4.row.col.f32.f16.f16.f32': this shape of these types is not supported
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.f16.f16.f32 {%0}, {%0}, {%0}, {%0};" : "+r"(r));
  // CHECK-DAG: inline_ptx_errors.cu:[[@LINE+1]]:3: error: inline PTX: 'tcgen05.wait::ld.sync.aligned' is not supported
  asm volatile("tcgen05.wait::ld.sync.aligned;");
  // CHECK-DAG: inline_ptx_errors.cu:[[@LINE+1]]:3: error: inline PTX: 'add.u32': '-' before '%1'
  asm volatile("add.u32 %0, %0, -%1;" : "+r"(r) : "r"(x));
  // CHECK-DAG: inline_ptx_errors.cu:[[@LINE+1]]:3: error: inline PTX: 'vadd.u32.u32.u32': '.b4' is no byte or halfword
  asm volatile("vadd.u32.u32.u32 %0, %1.b4, %1;" : "=r"(r) : "r"(x));
  // CHECK-DAG: inline_ptx_errors.cu:[[@LINE+1]]:3: error: inline PTX: 'mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32': the selector must be below 4
  asm volatile("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %0, %0, %0}, {%1, %1}, {%1, %1}, {%0, %0, %0, %0}, %1, 4;" : "+f"(f) : "r"(x));
  // CHECK-DAG: inline_ptx_errors.cu:[[@LINE+1]]:3: error: inline PTX: 'wmma.load.a.sync.aligned.row.m16n16k16.s8': expected 2 registers
  asm volatile("wmma.load.a.sync.aligned.row.m16n16k16.s8 {%0}, [%1];" : "=r"(r) : "l"(out));
  // CHECK-DAG: inline_ptx_errors.cu:[[@LINE+1]]:3: error: inline PTX: 'tex.2dms.v4.f32.s32': this geometry is not supported
  asm volatile("tex.2dms.v4.f32.s32 {%0, %0, %0, %0}, [%1, {%2, %2}];" : "=f"(f) : "l"(wide), "r"(x));
  *out = helper(x) + r + unsigned(wide) + unsigned(f);
}
// CHECK: 23 errors detected
