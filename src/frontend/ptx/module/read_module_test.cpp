// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX modules: what becomes of their directives, and that no text, however damaged, is more than an
// error. What kernels compute is tested by tests/run/ptx_module*.cu.
#include "frontend/ptx/module/read_module.h"

#include "base/test_fuzz.h"
#include "frontend/ptx/module/module_text.h"
#include "frontend/ptx/module/unpack_text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compression.h"

#include "gtest/gtest.h"

#include <random>

namespace heddle::frontend::ptx {

using namespace llvm;

namespace {

const std::string head = ".version 8.0\n.target sm_75\n.address_size 64\n";

/// The errors of a module with that text behind its head.
std::string errorsOf(const std::string &text, bool isRelocatable = false) {
  Problems problems(text);
  readModule(text, {isRelocatable}, problems);
  return problems.any() ? problems.log() : "";
}

TEST(PtxModule, DirectivesOfKernels) {
  const std::string text = head + R"(
.visible .entry k(.param .u64 .ptr .global .align 16 a, .param .align 8 .b8 s[20], .param .f32 f)
.reqntid 8, 4 .minnctapersm 3 .maxnreg 32 .reqnctapercluster 2 .pragma "nounroll"; { ret; }
)";
  Problems problems(text);
  std::vector<uint8_t> bytes = readModule(text, {}, problems);
  ASSERT_FALSE(problems.any()) << problems.log();
  auto image = ImageView::create(std::span<const uint8_t>(bytes));
  ASSERT_TRUE(bool(image));
  const ImageKernel *kernel = image->findKernel("k");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->maxThreads, 32u);
  EXPECT_EQ(kernel->minBlocks, 3u);
  EXPECT_EQ(kernel->maxRegisters, 32u);
  EXPECT_EQ(kernel->clusterDim[0], 2u);
  ASSERT_EQ(kernel->paramCount, 3u);
  EXPECT_EQ(image->params(*kernel)[1].offset, 8u);
  EXPECT_EQ(image->params(*kernel)[1].size, 20u);
  EXPECT_EQ(image->params(*kernel)[2].offset, 28u);
  EXPECT_EQ(kernel->paramBytes, 32u);
  EXPECT_EQ(image->header().sm, 75u);
}

/// What options say of a kernel that has no directives, also where only its index is read.
TEST(PtxModule, Options) {
  for (size_t filling : {0, 100'000}) {
    const std::string text =
        head + ".visible .entry k() { ret; }\n//" + std::string(filling, '-') + "\n";
    Problems problems(text);
    std::vector<uint8_t> bytes = readModule(text, {false, 24, true}, problems);
    ASSERT_FALSE(problems.any()) << problems.log();
    auto image = ImageView::create(std::span<const uint8_t>(bytes));
    ASSERT_TRUE(bool(image));
    EXPECT_EQ(image->header().flags, ImageDebug | (filling ? ImagePtx : 0u));
    EXPECT_EQ(image->findKernel("k")->maxRegisters, 24u);
  }
}

/// Where all instructions of floats flush, the image says so, and nothing else does it.
TEST(PtxModule, FlushesByTheImage) {
  auto optionsOf = [](const char *code, size_t filling, bool isRelocatable) {
    const std::string text = head + ".func small() { ret; }\n.func (.reg .b32 r) zero() { mov.b32 r, 0; ret; }\n"
                             ".visible .entry k() { .reg .f32 f; .reg .f64 d; call small; " +
                             code + " ret; }\n//" + std::string(filling, '-') + "\n";
    Problems problems(text);
    std::vector<uint8_t> bytes = readModule(text, {isRelocatable, 0, false}, problems);
    auto image = ImageView::create(std::span<const uint8_t>(bytes));
    if (image && (image->header().flags & ImagePtx)) {
      std::vector<uint8_t> kernel = readKernel(*image, text, "k", problems);
      return ImageView::create(std::span<const uint8_t>(kernel))->header().compileOptions;
    }
    return image ? image->header().compileOptions : ~0u;
  };
  for (size_t filling : {0, 100'000}) {
    EXPECT_EQ(optionsOf("mul.ftz.f32 f, f, f; neg.f32 f, f; add.f64 d, d, d;", filling, false),
              uint32_t(OptionFlushDenormals));
    EXPECT_EQ(optionsOf("mul.ftz.f32 f, f, f; add.f32 f, f, f;", filling, false), 0u);
    EXPECT_EQ(optionsOf("mul.f32 f, f, f;", filling, false), 0u);
  }
  EXPECT_EQ(optionsOf("mul.ftz.f32 f, f, f;", 0, true), 0u);
}

/// What is not there is refused by its name.
TEST(PtxModule, NamesWhatIsNotSupported) {
  const std::pair<const char *, const char *> lines[] = {
      {"tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [a], 32;",
       "'tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32' is not supported"},
      {"clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 p, a;",
       "'a' has 64 bits, and '.b' 128"},
      {"tex.2d.v4.f32.f32 {f, f, f, f}, [t, a, {f, f}];",
       "'tex.2d.v4.f32.f32': a separate sampler must be a .samplerref, and its texture a .texref, of "
       "the module"},
      {"wgmma.mma_async.sp.sync.aligned.m64n8k16.f32.f16.f16 {f, f, f, f}, a, a, 0, 0, p, 1, 1;",
       "'wgmma.mma_async.sp.sync.aligned.m64n8k16.f32.f16.f16'"},
      {"suld.p.1d.b32.trap f, [a, {f}];", "'suld.p.1d.b32.trap': expected .b"},
      {"sust.p.1d.b8.trap [a, {f}], {f};", "'sust.p.1d.b8.trap': expected .b32"}};
  for (auto [line, message] : lines) {
    const std::string text =
        ".version 8.6\n.target sm_90a\n.address_size 64\n"
        ".global .texref t;\n"
        ".global .samplerref s = { addr_mode_0 = wrap, filter_mode = linear };\n"
        ".entry k() { .reg .b64 a; .reg .f32 f; .reg .pred p;\n" +
        std::string(line) + " ret; }\n";
    EXPECT_NE(errorsOf(text).find(message), std::string::npos) << errorsOf(text);
  }
  EXPECT_NE(errorsOf(".version 8.0\n.target sm_75\n.address_size 32\n.entry k() { ret; }\n")
                .find("32-Bit compilation is no longer supported"),
            std::string::npos);
}

/// A pointer is what is used as one; the others are numbers.
TEST(PtxModule, TellsPointersFromNumbers) {
  const std::string text = head + R"(
.visible .entry k(.param .u64 p, .param .u64 n, .param .u64 q) {
	.reg .u64 a, b; .reg .u32 v; .reg .pred r;
	ld.param.u64 a, [p];
	ld.param.u64 b, [n];
loop:
	ld.global.u32 v, [a];
	add.u64 a, a, 4;
	sub.u64 b, b, 1;
	setp.ne.u64 r, b, 0;
	@r bra loop;
	ld.param.u64 a, [q];
	cvta.to.global.u64 a, a;
	st.global.u32 [a+4], v;
	ret;
}
)";
  Problems problems(text);
  std::vector<uint8_t> bytes = readModule(text, {}, problems);
  ASSERT_FALSE(problems.any()) << problems.log();
  auto image = ImageView::create(std::span<const uint8_t>(bytes));
  ASSERT_TRUE(bool(image));
  std::span<const ImageParam> params = image->params(*image->findKernel("k"));
  EXPECT_EQ(params[0].isPointer, ParamOnlyAccessed);
  EXPECT_EQ(params[1].isPointer, 0u);
  EXPECT_EQ(params[2].isPointer, ParamOnlyAccessed);
}

TEST(PtxModule, FindsBodiesBetweenCommentsAndStrings) {
  const std::string text = head + R"(
.global .b8 text[] = "} { \" /* "; // .entry no() {
/* .entry neither() { */
.global .u32 list[2][2] = { {1, 2}, /* } */ {3, 4} };
.section .debug_str { info: .b8 1, 2, 3 }
.file 1 "a {.cu"
.entry k() { { } /* } */ ret; // }
})";
  Problems problems(text);
  ModuleText module = readModuleText(text, problems);
  EXPECT_FALSE(problems.any()) << problems.log();
  ASSERT_EQ(module.functions.size(), 1u);
  EXPECT_EQ(module.functions[0].name, "k");
  EXPECT_TRUE(module.functions[0].body.contains("ret;"));
  EXPECT_EQ(module.variables.size(), 2u);
  EXPECT_EQ(module.files[1], "a {.cu");
}

/// A large text has an index, of which each kernel is made.
TEST(PtxModule, IndexesLargeTexts) {
  std::string text = head + ".global .u32 x = 7;\n.func f() { ret; }\n";
  for (unsigned i = 0; i < 2000; ++i)
    text +=
        ".entry k" + utostr(i) + "(.param .u32 a) { .reg .u32 r; ld.global.u32 r, [x]; ret; }\n";
  Problems problems(text);
  std::vector<uint8_t> bytes = readModule(text, {}, problems);
  ASSERT_FALSE(problems.any()) << problems.log();
  auto index = ImageView::create(std::span<const uint8_t>(bytes));
  ASSERT_TRUE(bool(index));
  EXPECT_TRUE(index->header().flags & ImagePtx);
  EXPECT_EQ(index->kernels().size(), 2000u);
  EXPECT_EQ(index->findKernel("k1")->functionNumber, 2u);
  std::vector<uint8_t> own = readKernel(*index, text, "k1", problems);
  ASSERT_FALSE(problems.any()) << problems.log();
  auto kernel = ImageView::create(std::span<const uint8_t>(own));
  ASSERT_TRUE(bool(kernel));
  EXPECT_EQ(kernel->kernels().size(), 1u);
  EXPECT_EQ(kernel->findVariable("x")->offset, index->findVariable("x")->offset);
  EXPECT_EQ(kernel->header().flags & ImagePtx, 0u);
}

TEST(PtxModule, UnpacksTexts) {
  // Literals, then a match that overlaps with what it gives, then literals.
  const uint8_t packed[] = {0x32, 'a', 'b', 'c', 3, 0, 0x20, 'x', 'y'};
  auto text = unpackLz4(packed, 11);
  ASSERT_TRUE(bool(text)) << toString(text.takeError());
  EXPECT_EQ(*text, "abcabcabcxy");
  for (size_t size = 0; size < sizeof packed; ++size)
    EXPECT_EQ(toString(unpackLz4(ArrayRef(packed).take_front(size), 11).takeError()),
              "the compressed PTX is damaged");
  if (!compression::zstd::isAvailable())
    return;
  SmallVector<uint8_t, 0> frame;
  compression::zstd::compress(arrayRefFromStringRef(head), frame);
  auto same = unpackZstd(frame, head.size());
  ASSERT_TRUE(bool(same));
  EXPECT_EQ(*same, head);
  consumeError(unpackZstd(ArrayRef(frame).drop_back(4), head.size()).takeError());
}

//===-- Damaged texts ----------------------------------------------------------------------------//

const StringRef corpus[] = {
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

/// Parts of a text between which it may be cut: words, numbers, single characters.
std::vector<StringRef> wordsOf(StringRef text) {
  std::vector<StringRef> words;
  while (!text.empty()) {
    size_t end =
        std::max<size_t>(text.find_if_not([](char c) { return isAlnum(c) || c == '_'; }), 1);
    words.push_back(text.take_front(end));
    text = text.drop_front(std::min(end, text.size()));
  }
  return words;
}

class Mutator {
public:
  explicit Mutator(uint64_t seed) : random_(seed) {
    for (StringRef text : corpus)
      append_range(all_, wordsOf(text));
  }

  std::string text() {
    std::vector<StringRef> words = wordsOf(corpus[below(std::size(corpus))]);
    for (unsigned changes = 1 + below(4); changes; --changes)
      change(words);
    std::string text = below(50) ? head : "";
    for (StringRef word : words)
      text += word;
    for (unsigned flips = below(8) == 0 ? 1 + below(3) : 0; flips; --flips)
      text[below(text.size())] = char(below(256));
    return text;
  }

private:
  size_t below(size_t bound) { return bound ? random_() % bound : 0; }
  void change(std::vector<StringRef> &words) {
    if (words.empty())
      return;
    const size_t at = below(words.size()), other = below(words.size());
    switch (below(6)) {
    case 0:
      words.erase(words.begin() + at);
      break;
    case 1:
      words.insert(words.begin() + at, words[other]);
      break;
    case 2:
      std::swap(words[at], words[other]);
      break;
    case 3:
      words.resize(at + 1);
      break;
    case 4: { // a piece of another text
      const size_t from = below(all_.size()), count = 1 + below(20);
      for (size_t i = from; i < std::min(from + count, all_.size()); ++i)
        words.insert(words.begin() + at, all_[i]);
      break;
    }
    default:
      words[at] = all_[below(all_.size())];
      break;
    }
  }

  std::mt19937_64 random_;
  std::vector<StringRef> all_;
};

TEST(PtxModule, TakesTheCorpus) {
  for (size_t i : {0, 1, 3})
    EXPECT_EQ(errorsOf(head + corpus[i].str()), "");
}

TEST(PtxModule, RefusesDamagedTexts) {
  const test::FuzzRun run;
  Mutator mutator(run.seed);
  unsigned taken = 0;
  for (unsigned i = 0; i < 600 * run.factor; ++i) {
    const std::string text = mutator.text();
    if (const char *path = std::getenv("HEDDLE_FUZZ_KEEP")) // what was tried last
      if (FILE *file = std::fopen(path, "w")) {
        std::fwrite(text.data(), 1, text.size(), file);
        std::fclose(file);
      }
    taken += errorsOf(text, i % 2).empty();
  }
  EXPECT_GT(taken, 0u);
}

} // namespace

} // namespace heddle::frontend::ptx
