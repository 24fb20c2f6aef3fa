// RUN: %heddle cc %s -o %t -lcuda
// RUN: %widths %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A barrier of the grid as calls of libcudadevrt, which is how cooperative groups synchronized once, and how Numba does.
#include "ptx_module.h"

int main() {
  CUDA_OK(cudaFree(nullptr));
  CUmodule module = loadPtx(R"(
.extern .func (.param .b64 r) cudaCGGetIntrinsicHandle(.param .b32 scope);
.extern .func (.param .b32 r) cudaCGSynchronize(.param .b64 handle, .param .b32 flags);

// p[block] = block + 1; the barrier; p[blocks + block] = the sum of all
.visible .entry k(.param .u64 p) {
	.reg .b64 %a, %b, %h; .reg .b32 %block, %n, %i, %v, %sum; .reg .pred %more;
	ld.param.u64 %a, [p];
	mov.u32 %block, %ctaid.x;
	mov.u32 %n, %nctaid.x;
	mad.wide.u32 %b, %block, 4, %a;
	add.u32 %v, %block, 1;
	st.global.u32 [%b], %v;
	{
	.param .b32 s; .param .b64 r;
	st.param.b32 [s], 1;
	call.uni (r), cudaCGGetIntrinsicHandle, (s);
	ld.param.b64 %h, [r];
	}
	{
	.param .b64 s; .param .b32 f; .param .b32 r;
	st.param.b64 [s], %h;
	st.param.b32 [f], 0;
	call.uni (r), cudaCGSynchronize, (s, f);
	ld.param.b32 %sum, [r];       // 0
	}
	mov.u32 %i, 0;
again:
	mad.wide.u32 %h, %i, 4, %a;
	ld.volatile.global.u32 %v, [%h];
	add.u32 %sum, %sum, %v;
	add.u32 %i, %i, 1;
	setp.lt.u32 %more, %i, %n;
	@%more bra again;
	mad.wide.u32 %b, %n, 4, %b;
	st.global.u32 [%b], %sum;
	ret;
}
)");
  constexpr unsigned Blocks = 24;
  Buffer<int> p(std::vector<int>{std::vector<int>(2 * Blocks)});
  void *args[] = {&p.data};
  DRIVER_OK(cuLaunchCooperativeKernel(functionOf(module, "k"), Blocks, 1, 1, 1, 1, 1, 0, nullptr, args));
  DRIVER_OK(cuCtxSynchronize());
  const std::vector<int> found = p.get();
  for (unsigned block = 0; block < Blocks; ++block)
    expect("the sum of all blocks", block, found[Blocks + block], int(Blocks * (Blocks + 1) / 2));
  return finish();
}
