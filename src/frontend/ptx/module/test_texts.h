// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Texts that the tests of damaged PTX begin with: most directives and instructions.
#pragma once

#include <string_view>

namespace heddle::frontend::ptx {

inline constexpr std::string_view Head = ".version 9.0\n.target sm_100a\n.address_size 64\n";

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
	.reg .u32 a, b; .reg .b16 %rs<3>; .reg .f16x2 v; .reg .f64 %fd<3>; .reg .pred c; .reg .u64 t;
	.loc 1 5 3
	call (a), h, (7, c);
	.loc 1 6 1, function_name l, inlined_at 1 9 2
	mov.b32 {%rs1, %rs2}, a; cvt.rn.f64.s32 %fd1, a; sqrt.rn.f64 %fd2, %fd1;
	prmt.b32 b, a, a, 0x3210; lop3.b32 a, a, b, 1, 0x96; mul24.lo.s32 a, a, -3;
	vote.sync.ballot.b32 b, c, -1; bfe.u32 a, b, 3, 5; popc.b32 a, a;
	mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32 {a, b}, {b}, {b}, {a, b};
	tex.2d.v4.u32.s32 {a, a, a, b}, [t, {b, b}];
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
)",
    R"(.visible .entry hopper(.param .u64 p, .param .align 64 .b8 map[128]) .maxntid 128 .reqnctapercluster 2, 1, 1 .explicitcluster {
	.reg .b32 r<9>; .reg .b64 d<9>, st; .reg .f32 f<9>; .reg .b16 h<5>; .reg .pred q<3>; .reg .f64 e<3>;
	.shared .align 128 .b8 s[1024]; .shared .align 8 .b64 bar;
	mov.u64 d1, map; cvta.param.u64 d2, d1; ld.param.u64 d3, [p]; mov.u32 r1, s; mov.u32 r2, bar;
	prefetch.tensormap [d2]; mbarrier.init.shared::cta.b64 [r2], 1; mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [r2], 64;
	mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 st, [r2], r3; mbarrier.arrive.noComplete.release.cta.shared.b64 st, [r2], 2;
	mbarrier.complete_tx.relaxed.cluster.shared::cluster.b64 [r2], 8; mbarrier.arrive_drop.shared.b64 st, [bar];
	mbarrier.test_wait.shared.b64 q1, [bar], st; mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 q1, [r2], r3, 100;
	mbarrier.pending_count.b64 r3, st; mbarrier.inval.shared.b64 [r2]; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [r2], 1;
	cp.async.mbarrier.arrive.noinc.shared.b64 [r2]; fence.mbarrier_init.release.cluster; fence.proxy.async.shared::cta;
	cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [r1], [d3], 256, [r2], h1;
	cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [d3], [s], r3, d4; cp.async.bulk.prefetch.L2.global [d3], 64;
	cp.reduce.async.bulk.global.shared::cta.bulk_group.add.noftz.bf16 [d3], [r1], r3; cp.async.bulk.commit_group;
	cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.and.b32 [r1], [r3], r4, [r2];
	cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [r1], [d2, {r3, r4}], [r2], h1;
	cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [r1], [d2, {r3, r4, r5, r6}], [r2], {h1, h2};
	cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [d2, {r3}], [r1]; cp.async.bulk.prefetch.tensor.3d.L2.global.tile [d2, {r3, r4, r5}];
	cp.reduce.async.bulk.tensor.2d.global.shared::cta.min.bulk_group [d2, {r3, r4}], [r1]; cp.async.bulk.wait_group.read 0;
	tensormap.replace.tile.global_address.global.b1024.b64 [d2], d3; tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [s], 1, r3;
	tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [r1], 2; fence.proxy.tensormap::generic.acquire.gpu [d2], 128;
	tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [d2], [r1], 128;
	st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [r1], {r3, r4, r5, r6}, [r2]; setmaxnreg.inc.sync.aligned.u32 240;
	red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.max.s32 [r1], r3, [r2]; griddepcontrol.wait;
	multimem.ld_reduce.relaxed.sys.global.add.v4.f32 {f1, f2, f3, f4}, [d3]; multimem.st.weak.global.u32 [d3], r3;
	multimem.red.release.gpu.global.add.v2.f16x2 [d3], {r3, r4}; multimem.ld_reduce.weak.global.add.acc::f32.bf16x2 r3, [d3];
	wgmma.fence.sync.aligned;
	wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {f1, f2, f3, f4}, {r1, r2, r3, r4}, d1, q1, 1, -1, 1;
	wgmma.mma_async.sync.aligned.m64n8k32.s32.u8.s8.satfinite {r1, r2, r3, r4}, d1, d2, 0; wgmma.mma_async.sync.aligned.m64n8k32.f16.e4m3.e5m2 {r1, r2}, d1, d2, q1, 1, 1;
	wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc {r1, r2, r3, r4}, d1, d2, q1; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;
	barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire; getctarank.shared::cluster.u32 r3, r1; mapa.shared::cluster.u32 r4, s, 1;
	stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [r1], {r3, r4}; movmatrix.sync.aligned.m8n8.trans.b16 r3, r4; createpolicy.fractional.L2::evict_last.b64 d4, 0.5;
	createpolicy.range.global.L2::evict_first.L2::evict_unchanged.b64 d4, [d3], 4096, r3; ld.global.L1::no_allocate.L2::cache_hint.v2.b64 {d5, d6}, [d3], d4;
	applypriority.global.L2::evict_normal [d3], 128; discard.global.L2 [d3], 128; isspacep.shared::cluster q1, d3; cvta.to.param.u64 d5, d2;
	atom.global.v4.f32.add {f1, f2, f3, f4}, [d3], {f5, f6, f7, f8}; red.relaxed.gpu.global.v2.bf16x2.add.noftz [d3], {r3, r4}; ret;
}
)",
    R"(.global .texref picture; .global .texref tr; .global .surfref sr; .extern .global .surfref sx;
.global .align 4 .f32 table[2][3] = {{1.0, 2.0}, {0f40400000}}; .weak .const .align 2 .u16 c[] = {1, 2, 3}; .common .global .u32 shared_out;
.global .attribute(.managed) .align 8 .f64 m = 0d3FF0000000000000; .visible .global .u64 vt[3] = {table, 0, table + 8};
.func (.reg .f64 r) g(.reg .f64 a, .reg .pred b) { trap; }
.func g2() { .reg .u32 a; .reg .u64 b, c; stacksave.u64 c; alloca.u64 b, 32, 16; st.local.u32 [b], 1; ld.local.u32 a, [b]; stackrestore.u64 c; ret; }
.entry old(.param .u32 n, .param .f64 x, .param .u64 t) .maxnreg 32 .minnctapersm 2 .maxntid 64, 2 {
	.reg .u32 r<9>; .reg .s32 i<5>; .reg .u64 d<5>; .reg .f32 f<9>; .reg .f64 e<5>; .reg .f16 h<4>; .reg .f16x2 v<4>; .reg .pred p, q, o;
	.reg .b16 k<4>; .reg .b16 y<4>; .reg .b32 z<4>; .local .align 16 .b8 l[64]; .reg .b8 b; .reg .b128 w<2>;
	ld.param.u32 r1, [n]; ld.param.f64 e1, [x]; ld.param.u64 d4, [t]; mov.v2.u32 {r1, r2}, {r3, r4}; mov.f32 f1, 0f3f800000; mov.b64 d1, e1; mov.u32 r1, %laneid; mov.u64 d1, table + 4;
	mov.u32 r1, WARP_SZ; mov.u32 r2, %lanemask_lt; mov.u64 d2, %globaltimer; mov.u32 r3, %dynamic_smem_size; mov.pred p, q; mov.u32 r4, %tid.y; mov.b16 k1, {b, b};
	mul24.hi.s32 i1, i2, i3; mad24.lo.u32 r1, r2, r3, r4; mad.hi.sat.s32 i1, i2, i3, i4; mul.hi.u64 d1, d2, d3; rem.u16 k1, k2, k3; neg.s64 d1, d2; abs.s16 k1, k2; min.relu.s32 i1, i2, i3;
	max.u16x2 z1, z2, z3; add.sat.s32 i1, i2, i3; popc.b64 r1, d1; clz.b64 r1, d1; bfind.shiftamt.s64 r1, d1; brev.b64 d1, d2; bfe.s64 d1, d2, r1, r2; bfi.b64 d1, d2, d3, r1, r2;
	dp2a.lo.s32.u32 i1, r2, r3, i4; add.rz.ftz.f32 f1, f2, f3; mul.rm.sat.f32 f1, f2, f3; fma.rp.f64 e1, e2, e3, e4; div.full.ftz.f32 f1, f2, f3; div.rn.f64 e1, e2, e3; rcp.approx.ftz.f64 e1, e2;
	sqrt.rz.f32 f1, f2; rsqrt.approx.f64 e1, e2; sin.approx.ftz.f32 f1, f2; lg2.approx.f32 f1, f2; ex2.approx.ftz.bf16x2 z1, z2; tanh.approx.bf16 y1, y2; fma.rn.relu.f16x2 v1, v2, v3, v1;
	fma.rn.oob.f16 h1, h2, h3, h1; min.NaN.xorsign.abs.f32 f1, f2, f3; max.ftz.NaN.f16x2 v1, v2, v3; neg.bf16x2 z1, z2; abs.f16 h1, h2; testp.subnormal.f64 p, e1; add.rn.bf16x2 z1, z2, z3;
	setp.nan.or.f64 p|q, e1, e2, !o; set.ltu.xor.u32.f64 r1, e1, e2, p; setp.eq.f16x2 p|q, v1, v2; set.gt.f16x2.f16x2 v1, v2, v3; set.ne.s32.bf16 i1, y1, y2; slct.u64.f32 d1, d2, d3, f1; selp.f64 e1, e2, e3, p;
	and.pred p, q, o; xor.b64 d1, d2, d3; cnot.b16 k1, k2; not.pred p, q; shl.b64 d1, d2, r1; shr.s16 k1, k2, r1; shf.r.clamp.b32 r1, r2, r3, r4; prmt.b32.f4e r1, r2, r3, r4; prmt.b32.rc16 r1, r2, r3, 1;
	cvt.rni.s64.f64 d1, e1; cvt.u8.u32 r1, r2; cvt.sat.s16.s64 k1, d1; cvt.rn.ftz.f32.f64 f1, e1; cvt.f32.f16 f1, h1; cvt.rna.tf32.f32 z1, f1; cvt.rn.satfinite.e4m3x2.f32 k1, f1, f2;
	cvt.rn.f16x2.e5m2x2 v1, k1; cvt.rn.relu.bf16x2.f32 z1, f1, f2; cvt.rz.f16.u64 h1, d1; cvt.s32.s8 i1, i2; cvt.pack.sat.u16.s32 r1, i1, i2;
	isspacep.const p, d1; cvta.local.u64 d1, d2; cvta.const.u64 d1, c; ld.const.u16 k1, [c + 2]; ld.shared::cta.b8 r1, [r2]; ldu.global.v2.f64 {e1, e2}, [d1]; ld.relaxed.sys.global.u64 d1, [d2];
	ld.acquire.cluster.b32 r1, [d1]; ld.global.nc.L1::evict_last.v4.u32 {r1, r2, r3, r4}, [d1]; ld.weak.global.ca.s8 i1, [d1]; ld.volatile.f32 f1, [d1 + -4]; st.mmio.relaxed.sys.global.u32 [d1], r1;
	st.local.v2.f32 [l + 8], {f1, f2}; st.wt.global.b16 [d1], k1; ld.b128 w1, [d1]; st.b128 [d1], w1; atom.global.cas.b128 w1, [d1], w1, w1; atom.exch.b128 w1, [d1], w1;
	atom.acq_rel.sys.global.min.s64 d1, [d2], d3; atom.shared.inc.u32 r1, [r2], r3; atom.global.cas.b16 k1, [d1], k2, k3; red.shared.dec.u32 [r1], r2; red.add.f64 [d1], e1; red.global.add.noftz.bf16 [d1], y1;
	tex.1d.v4.f32.s32 {f1, f2, f3, f4}, [tr, {i1}]; tex.a2d.v4.s32.f32 {i1, i2, i3, i4}, [picture, {r1, f1, f2, f2}]; tex.3d.v4.u32.f32 {r1, r2, r3, r4}, [tr, {f1, f2, f3, f3}]; tex.level.cube.v4.f32.f32 {f1, f2, f3, f4}, [d4, {f5, f6, f7, f7}], f8;
	tex.2d.v2.f16x2.f32 {v1, v2}, [d4, {f1, f2}]; tex.grad.1d.v4.f32.f32 {f1, f2, f3, f4}, [d4, {f5}], {f6}, {f7}; tld4.a.2d.v4.u32.f32 {r1, r2, r3, r4}, [tr, {f1, f2}]; txq.width.b32 r1, [tr]; txq.level.depth.b32 r1, [tr], 0;
	suq.array_size.b32 r1, [sr]; istypep.texref p, d4; suld.b.1d.v2.b32.clamp {r1, r2}, [sr, {i1}]; sust.b.3d.v4.b16.zero [d4, {i1, i2, i3, i3}], {k1, k2, k3, k1}; sured.b.or.2d.b32.trap [sr, {i1, i2}], r1;
	bar.sync 1, 64; bar.arrive 2, 64; bar.red.and.pred p, 3, q; barrier.cta.sync.aligned 0; bar.warp.sync -1; membar.gl; fence.sc.cta; fence.proxy.alias; vote.ballot.sync.b32 r1, p, -1; vote.sync.uni.pred p, q, r1;
	match.any.sync.b64 r1, d1, -1; activemask.b32 r1; shfl.sync.up.b32 r1, r2, 1, 0, -1; redux.sync.max.u32 r1, r2, -1; redux.sync.xor.b32 r1, r2, r3; pmevent 3; brkpt; @!p bra.uni end;
	wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {f1, f2, f3, f4, f5, f6, f7, f8}, {v1, v2, v3, v1, v2, v3, v1, v2}, {v1, v2, v3, v1, v2, v3, v1, v2}, {f1, f2, f3, f4, f5, f6, f7, f8};
	wmma.store.d.sync.aligned.col.m32n8k16.global.f32 [d1], {f1, f2, f3, f4, f5, f6, f7, f8}, r1; wmma.load.c.sync.aligned.row.m8n8k128.shared.s32 {i1, i2}, [r1];
	mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {e1, e2}, {e3}, {e4}, {e1, e2}; mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32 {i1, i2, i3, i4}, {r1, r2, r3, r4}, {r5, r6}, {i1, i2, i3, i4};
	mma.sp.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {f1, f2, f3, f4}, {r1, r2}, {r3, r4}, {f1, f2, f3, f4}, r5, 0x1; mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc {i1, i2, i3, i4}, {r1, r2, r3, r4}, {r5, r6}, {i1, i2, i3, i4};
	vmad.s32.u32.s32.sat.shr7 i1, r1.b1, -i2.h0, i3; vshl.u32.u32.u32.wrap.add r1, r2, r3.b2, r4; vset.s32.u32.lt.max r1, i1, r2, r3; vabsdiff2.s32.u32.s32.add i1.h10, r1, i2, i3; vavrg4.u32.u32.u32.sat r1.b31, r2.b7654, r3, r4;
	call.uni (e1), g, (e2, p); call g2; { .reg .u32 r1; mov.u32 r1, 1; st.global.u32 [shared_out], r1; bra end; } end: ret.uni;
}
)"};

} // namespace heddle::frontend::ptx
