// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts that the tests of damaged PTX begin with: most directives and instructions.
#pragma once

#include <string_view>

namespace heddle::frontend::ptx {

inline constexpr std::string_view Head = ".version 8.0\n.target sm_75\n.address_size 64\n";

inline constexpr std::string_view Corpus[] = {
    R"(.visible .entry add(.param .u64 a, .param .u64 .ptr .global b, .param .u32 n) .maxntid 128, 1, 1 {
	.reg .pred %p<2>; .reg .f32 %f<4>; .reg .b32 %r<6>; .reg .b64 %rd<11>;
	ld.param.u64 %rd1, [a]; ld.param.u32 %r2, [n];
	mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x;
	mad.lo.s32 %r1, %r3, %r4, %r5;
	setp.ge.s32 %p1, %r1, %r2;
	@%p1 bra $DONE;
	cvta.to.global.u64 %rd4, %rd1; mul.wide.s32 %rd5, %r1, 4; add.s64 %rd6, %rd4, %rd5;
	ld.global.v2.f32 {%f1, %f2}, [%rd6+8];
	fma.rn.f32 %f3, %f1, %f2, 0f3F800000;
	st.global.f32 [%rd6], %f3;
$DONE: ret;
}
)",
    R"(.shared .align 4 .b8 s[64]; .extern .shared .align 16 .b8 d[]; .const .f32 c[3] = {1.5, -2.0};
.global .align 8 .u64 t[2] = {f, generic(g)+4}; .global .u32 g[2] = {1, 0x10};
.global .b8 w[] = "word\n"; .global .u8 m[8] = {0xff(g), 0xff00(g)};
.func (.param .b32 r) f(.param .b32 a, .param .align 8 .b8 x[16]) {
	.reg .b32 %r<3>; .local .align 8 .b8 frame[32]; .reg .b64 %SP;
	mov.u64 %SP, frame; ld.param.u32 %r1, [a]; st.local.u32 [%SP+4], %r1;
	st.param.b32 [r], %r1; ret;
}
.visible .entry k(.param .u64 p) {
	.reg .b32 %r<9>; .reg .b64 %rd<4>; .reg .pred q;
	mov.u32 %r1, s; shl.b32 %r2, %r1, 2; add.u32 %r1, %r1, %r2; st.shared.u32 [%r1], 5;
	bar.sync 0;
	{ .param .b32 a; .param .align 8 .b8 x[16]; .param .b32 r;
	  st.param.b32 [a], %r1; st.param.b64 [x+8], 1;
	  call.uni (r), f, (a, x);
	  proto : .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 8 .b8 _[16]);
	  ld.global.u64 %rd1, [t]; call (r), %rd1, (a, x), proto;
	  ld.param.b32 %r3, [r]; }
	list: .branchtargets one, two; brx.idx %r3, list;
one:	atom.global.add.u32 %r4, [g+4], 1;
two:	shfl.sync.bfly.b32 %r5|q, %r4, 1, 31, -1;
	@!q st.shared.u32 [d], %r5;
	ret;
}
)",
    R"(.file 1 "x.cu"
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.weak .func (.reg .u32 o) h(.reg .u32 i, .reg .pred c) { @c add.u32 o, i, 1; ret; }
.alias h2, h;
.section .debug_str { l: .b8 1, 2 }
.visible .entry z() .reqntid 32 .pragma "nounroll"; {
	.reg .u32 a, b; .reg .b16 %rs<3>; .reg .f16x2 v; .reg .f64 %fd<3>; .reg .pred c;
	.loc 1 5 3
	call (a), h, (7, c);
	.loc 1 6 1, function_name l, inlined_at 1 9 2
	mov.b32 {%rs1, %rs2}, a; cvt.rn.f64.s32 %fd1, a; sqrt.rn.f64 %fd2, %fd1;
	prmt.b32 b, a, a, 0x3210; lop3.b32 a, a, b, 1, 0x96; mul24.lo.s32 a, a, -3;
	vote.sync.ballot.b32 b, c, -1; bfe.u32 a, b, 3, 5; popc.b32 a, a;
	mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {a}, {b}, {b}, {a};
	tex.2d.v4.f32.s32 {a, a, a, b}, [a, {b, b}];
	@c trap; exit;
}
)",
    R"(.visible .entry all(.param .u64 p) {
	.reg .b32 r<9>; .reg .b64 d<9>; .reg .f32 f<9>; .reg .b16 h<5>; .reg .pred q<3>; .reg .b128 w;
	.reg .v4 .f32 v; .shared .align 16 .b8 s[256];
	mov.b64 {r1, r2}, d1; mov.b64 d1, {r1, r2}; mov.b128 w, {d1, d2}; mov.b32 r1, {h1, h2};
	add.cc.u32 r1, r2, r3; addc.cc.u32 r1, r2, 0; subc.u32 r1, r2, r3; madc.hi.u32 r1, r2, r3, r4;
	mul.wide.u32 d1, r1, r2; mad.wide.s32 d1, r1, r2, d2; sad.u32 r1, r2, r3, r4; div.s64 d1, d2, d3;
	setp.lt.and.s32 q1|q2, r1, r2, !q0; set.eq.u32.f32 r1, f1, f2; selp.b32 r1, r2, r3, q1;
	slct.f32.s32 f1, f2, f3, r1; shf.l.wrap.b32 r1, r2, r3, r4; bfind.u32 r1, r2; fns.b32 r1, r2, r3, 1;
	dp4a.u32.u32 r1, r2, r3, r4; vadd.u32.u32.u32.sat r1, r2.b0, r3.h1; vset4.u32.u32.ne r1, r2, r3, r4;
	cvt.rn.f16x2.f32 r1, f1, f2; cvt.rzi.sat.u8.f32 r1, f1; cvt.rn.bf16.f32 h1, f1; cvt.pack.sat.s8.s32.b32 r1, r2, r3, r4;
	ex2.approx.f16x2 r1, r2; tanh.approx.f32 f1, f2; testp.finite.f32 q1, f1; copysign.f64 d1, d2, d3;
	ld.global.v4.f32 {f1, f2, f3, f4}, [d1+16]; ld.volatile.shared.v2.u64 {d1, d2}, [r1]; ld.v4.f32 v, [d1];
	st.global.release.gpu.u32 [d1], r1; st.shared.v4.u32 [s], {r1, r2, r3, r4}; ldu.global.f32 f1, [d1];
	atom.shared.cas.b32 r1, [s], r2, r3; red.global.add.f32 [d1], f1; atom.add.noftz.f16x2 r1, [d1], r2;
	prefetch.global.L2 [d1]; cp.async.ca.shared.global [r1], [d1], 16; cp.async.wait_group 1;
	mbarrier.init.shared.b64 [s], 4; mbarrier.arrive.shared.b64 d1, [s]; mapa.u64 d1, d2, r1;
	vote.sync.any.pred q1, q2, -1; match.all.sync.b32 r1|q1, r2, -1; redux.sync.add.s32 r1, r2, -1; elect.sync r1|q1, -1;
	ldmatrix.sync.aligned.m8n8.x4.shared.b16 {r1, r2, r3, r4}, [r5];
	mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {f1, f2, f3, f4}, {r1, r2, r3, r4}, {r5, r6}, {f1, f2, f3, f4};
	wmma.load.a.sync.aligned.row.m16n16k16.s8 {r1, r2}, [d1]; bar.red.popc.u32 r1, 0, q1; barrier.cluster.arrive;
	isspacep.shared q1, d1; cvta.to.shared.u64 d1, d2; alloca.u64 d1, d2, 16; nanosleep.u32 5; fence.acq_rel.gpu;
	suld.b.2d.v4.b8.trap {h1, h2, h3, h4}, [d1, {r1, r2}]; sust.b.a1d.b32.zero [d1, {r1, r2}], r3;
	sured.b.add.1d.u32.clamp [d1, {r1}], r2; tex.grad.2d.v4.f32.f32 {f1, f2, f3, f4}, [d1, {f5, f6}], {f1, f2}, {f3, f4};
	tld4.r.2d.v4.f32.f32 {f1, f2, f3, f4}, [d1, {f5, f6}]; mov.u32 r1, %envreg1; mov.u64 d1, %clock64;
	sust.p.2d.v4.b32.trap [d1, {r1, r2}], {r1, r2, r3, r4}; sured.p.min.1d.b32.zero [d1, {r1}], r2;
	wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16 {f1, f2, f3, f4}, d1, d2, r1, 0, q1, 1, 1, 0, 0;
	clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes.multicast::cluster::all.b128 [s], [r1];
	clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 q1, w;
	clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 {r1, r2, r3, _}, w;
	lop3.or.b32 r1|q1, r2, r3, r4, 0x3f, q2; szext.wrap.s32 r1, r2, r3; bmsk.clamp.b32 r1, r2, r3; ret;
}
)"};

} // namespace heddle::frontend::ptx
