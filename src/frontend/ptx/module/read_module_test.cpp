// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX modules: what becomes of their directives. What kernels compute is tested by
// tests/run/ptx_module*.cu.
#include "frontend/ptx/module/read_module.h"

#include "frontend/ptx/module/module_text.h"
#include "frontend/ptx/module/test_texts.h"
#include "frontend/ptx/module/unpack_text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Compression.h"

#include "gtest/gtest.h"

namespace heddle::frontend::ptx {

using namespace llvm;

namespace {

const std::string head(Head);

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
  EXPECT_EQ(image->header().sm, 100u);
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
    const std::string text =
        head +
        ".func small() { ret; }\n.func (.reg .b32 r) zero() { mov.b32 r, 0; ret; }\n"
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
       "'tex.2d.v4.f32.f32': a separate sampler must be a .samplerref, and its texture a .texref, "
       "of "
       "the module"},
      {"wgmma.mma_async.sp.sync.aligned.m64n8k16.f32.f16.f16 {f, f, f, f}, a, a, 0, 0, p, 1, 1;",
       "'wgmma.mma_async.sp.sync.aligned.m64n8k16.f32.f16.f16'"},
      {"suld.p.1d.b32.trap f, [a, {f}];", "'suld.p.1d.b32.trap': expected .b"},
      {"sust.p.1d.b8.trap [a, {f}], {f};", "'sust.p.1d.b8.trap': expected .b32"}};
  for (auto [line, message] : lines) {
    const std::string text =
        ".version 8.6\n.target sm_100a\n.address_size 64\n"
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

TEST(PtxModule, TakesTheCorpus) {
  for (std::string_view one : Corpus)
    EXPECT_EQ(errorsOf(head + std::string(one)), "");
}

/// Parameters of kernels as ptxas limits them; those of functions fit in local memory.
TEST(PtxModule, LimitsParameters) {
  const auto ofKernel = [](const char *version, const char *target, uint64_t bytes) {
    return errorsOf(std::string(".version ") + version + "\n.target " + target +
                    "\n.address_size 64\n.entry k(.param .u64 p,\n\t.param .b8 m[" + utostr(bytes) +
                    "]) {\n\tret;\n}\n");
  };
  const std::string version = " requires PTX ISA .version 8.1 or later",
                    target = " requires .target sm_70 or higher";
  EXPECT_EQ(ofKernel("8.0", "sm_75", 4344), "");
  EXPECT_EQ(ofKernel("8.1", "sm_61", 4344), "");
  EXPECT_EQ(ofKernel("8.1", "sm_75", 32756), "");
  const std::string place = "ptxas application ptx input, line 7; error   : ";
  for (uint64_t bytes : {4345ull, 2147483647ull, 4294967295ull, 1ull << 40}) {
    const std::string size = place + "Entry function 'k' uses too much parameter space (0x" +
                             utohexstr(bytes + 8, true) + " bytes, 0x1100 max).\n";
    const std::string feature = place + "Feature 'Kernel parameter size larger than 4352 bytes'";
    EXPECT_TRUE(StringRef(ofKernel("8.0", "sm_75", bytes)).starts_with(size + feature + version));
    EXPECT_TRUE(StringRef(ofKernel("8.1", "sm_61", bytes)).starts_with(size + feature + target));
  }
  EXPECT_TRUE(StringRef(ofKernel("8.1", "sm_75", 32757)).contains("(0x7ffd bytes, 0x7ffc max)"));
  for (const char *size : {"2147483647", "4294967295", "524289"})
    for (const std::string text :
         {".func f(.param .b8 m[%]) { ret; }", ".func (.param .b8 m[%]) f() { ret; }",
          ".extern .func f(.param .b8 m[%]);",
          ".entry k() { .reg .b64 a; call a, (), p; p: .callprototype _ (.param .b8 m[%]); }"}) {
      std::string sized = text;
      sized.replace(sized.find('%'), 1, size);
      EXPECT_NE(errorsOf(head + sized).find("variable 'm' is too large"), std::string::npos)
          << sized;
    }
}

/// As ptxas evaluates and refuses them (PTX ISA, "Constant Expressions").
TEST(PtxModule, ConstantExpressions) {
  const std::string text = head + R"(
.global .u32 x[8] = {1+2*3, (1<<4)-1, -8>>1, 5>3 && 1!=1, 7?2:9, ~0x0f & 0xff, -(-3), 0xffffffffffffffff>>60};
.visible .entry k() { ret; }
)";
  Problems problems(text);
  std::vector<uint8_t> bytes = readModule(text, {}, problems);
  ASSERT_FALSE(problems.any()) << problems.log();
  auto image = ImageView::create(std::span<const uint8_t>(bytes));
  ASSERT_TRUE(bool(image));
  uint32_t numbers[8];
  ASSERT_LE(image->findVariable("x")->offset + sizeof numbers, image->globalsInit().size());
  std::memcpy(numbers, image->globalsInit().data() + image->findVariable("x")->offset,
              sizeof numbers);
  EXPECT_EQ(ArrayRef(numbers), ArrayRef<uint32_t>({7, 15, 0xfffffffcu, 0, 2, 0xf0, 3, 15}));
  const auto ofLine = [](const std::string &line) {
    return errorsOf(head + ".global .u64 g; .entry k() { .reg .b32 a; .reg .b64 d; .reg .f32 f;\n" +
                    line + " ret; }\n");
  };
  for (const char *good : {"mov.u32 a, (1<<4)|3;", "mov.f32 f, 1.0+2.0*3.0;", "mov.u32 a, 1.0<2.0;",
                           "ld.global.u32 a, [d+4*2+1];", "ld.global.u32 a, [g+8-4];",
                           "mov.u64 d, g+(1<<3);", "bar.sync 1+1;", "mov.u64 d, (.u64)5 / 2;"})
    EXPECT_EQ(ofLine(good), "") << good;
  EXPECT_NE(ofLine("mov.u32 a, 5/0;").find("Constant expression has division by zero"),
            std::string::npos);
  EXPECT_NE(ofLine("mov.f32 f, 1.0+1;").find("Constant expression type mismatch"),
            std::string::npos);
  EXPECT_NE(ofLine("mov.u32 a, 1.0?2:3;").find("Integer constant expression expected"),
            std::string::npos);
  ofLine("mov.u32 a, " + std::string(100'000, '(') + ";");
  ofLine("mov.u32 a, " + std::string(100'000, '-') + ";");
}

TEST(PtxModule, DirectivesThatAreRefused) {
  const auto errorsWith = [](const std::string &directives, const char *target = "sm_90") {
    return errorsOf(std::string(".version 9.0\n.target ") + target +
                    "\n.address_size 64\n.entry k() " + directives + " { ret; }\n");
  };
  const std::pair<const char *, const char *> lines[] = {
      {".maxntid 0", "Positive non-zero value expected for maxntid"},
      {".maxnreg 0", "Positive non-zero value expected for maxnreg"},
      {".maxntid", "syntax error"},
      {".maxnreg 8, 8", "Parsing error near ',': syntax error"},
      {".reqntid 32, 1, 1, 1", "Parsing error near ',': syntax error"},
      {".maxntid 32 .reqntid 32", "Conflicting directives: .maxntid and .reqntid"},
      {".reqnctapercluster 2 .maxclusterrank 4",
       "Conflicting directives: .reqnctapercluster and .maxclusterrank"},
      {".blocksareclusters .reqntid 32",
       "directive(s) required for directive '.blocksareclusters'"},
  };
  for (auto [directives, message] : lines)
    EXPECT_NE(errorsWith(directives).find(message), std::string::npos) << directives;
  EXPECT_NE(errorsWith(".explicitcluster", "sm_80")
                .find("Feature '.explicitcluster' requires .target sm_90 or higher"),
            std::string::npos);
  EXPECT_EQ(errorsWith(".blocksareclusters .reqntid 32, 1, 1 .reqnctapercluster 2, 1, 1"), "");
  EXPECT_EQ(errorsWith(".maxntid 32, 2 .minnctapersm 2 .maxnreg 32 .maxclusterrank 2"), "");
}

/// Forms that ptxas refuses, in its words.

TEST(PtxModule, Features) {
  struct Line {
    const char *version, *target, *instruction, *message;
  };
  const Line lines[] = {
      {"8.0", "sm_90", "barrier.cluster.arrive;", ""},
      {"8.0", "sm_80", "barrier.cluster.arrive;",
       "Feature 'barrier.cluster.arrive' requires .target sm_90 or higher"},
      {"8.0", "sm_80", "cp.async.bulk.commit_group;",
       "Feature 'cp.async.bulk.commit_group' requires .target sm_90 or higher"},
      {"7.8", "sm_90", "cp.async.bulk.commit_group;",
       "Feature 'cp.async.bulk.commit_group' requires PTX ISA .version 8.0 or later"},
      {"7.0", "sm_80", "cp.async.commit_group;", ""},
      {"6.0", "sm_70", "nanosleep.u32 5;",
       "Feature 'nanosleep' requires PTX ISA .version 6.2 or later"},
      {"6.3", "sm_61", "nanosleep.u32 5;",
       "Instruction 'nanosleep' requires .target sm_70 or higher"},
      {"7.8", "sm_90", "fence.proxy.async;",
       "Modifier '.async' requires PTX ISA .version 8.0 or later"},
      {"8.0", "sm_75", "add.rn.bf16 h, h, h;", "Feature '.bf16' requires .target sm_80 or higher"},
      {"8.2", "sm_90", "mov.b128 q, {d, d};",
       "Feature 'Type .b128' requires PTX ISA .version 8.3 or later"},
      {"8.0", "sm_90a", "wgmma.fence.sync.aligned;", ""},
      {"1.4", "sm_10", "mad.f32 f, f, f, f;", ""},
      {"3.1", "sm_30", "mad.f32 f, f, f, f;", ""},
      {"3.2", "sm_30", "mad.f32 f, f, f, f;", "Rounding modifier required for instruction 'mad'"},
      {"8.0", "sm_90", "wgmma.fence.sync.aligned;",
       "Instruction 'wgmma.fence' not supported on .target 'sm_90'"}};
  for (const Line &line : lines) {
    const std::string errors =
        errorsOf(std::string(".version ") + line.version + "\n.target " + line.target +
                 (StringRef(line.version) < "2.3" ? "" : "\n.address_size 64") +
                 "\n.entry k() { .reg .b16 h; .reg .b64 d; .reg .f32 f; " +
                 (StringRef(line.instruction).contains("b128") ? ".reg .b128 q; " : "") +
                 line.instruction + " ret; }\n");
    EXPECT_NE(errors.find(line.message), std::string::npos) << errors;
    EXPECT_EQ(errors.empty(), !*line.message) << errors;
  }
}

TEST(PtxModule, RefusesForms) {
  const std::pair<const char *, const char *> lines[] = {
      {"add.b32 a, a, a;", "Unexpected instruction types specified for 'add'"},
      {"fma.f32 f, f, f, f;", "Rounding modifier required for instruction 'fma'"},
      {"mad.f32 f, f, f, f;", "Rounding modifier required for instruction 'mad'"},
      {"div.f32 f, f, f;",
       "Rounding modifier or '.approx' modifier required for instruction 'div'"},
      {"tanh.approx.ftz.f32 f, f;", "Illegal modifier '.ftz' for instruction 'tanh'"},
      {"shf.l.b32 a, a, a, a;", "Clamp modifier required for instruction 'shf'"},
      {"atom.global.and.u32 a, [d], a;", "Unexpected instruction types specified for 'atom'"},
      {"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.pred [d], [a], a;",
       "'.pred' is no type of an atomic operation"},
      {"cvt.rz.tf32.u64 a, d;", "Unexpected instruction types specified for 'cvt'"},
      {"cvt.tf32.f32 a, f;", "Rounding modifier required for instruction 'cvt'"},
      {"cvt.rm.tf32.f32 a, f;", "Illegal rounding modifier for instruction 'cvt'"},
      {"cvt.rna.ftz.tf32.f32 a, f;", "Illegal modifier '.ftz' for instruction 'cvt'"},
      {"cvt.u32.f32 a, f;", "Rounding modifier required for instruction 'cvt'"},
      {"cvt.rni.f32.u32 f, a;", "Illegal rounding modifier for instruction 'cvt'"},
      {"cvt.rn.f32.f32 f, f;", "Illegal rounding modifier for instruction 'cvt'"},
      {"cvt.ftz.u32.u32 a, a;", "Illegal modifier '.ftz' for instruction 'cvt'"},
      {"cvt.sat.s32.u16 a, h;", "Illegal modifier '.sat' for instruction 'cvt'"},
      {"cvt.relu.f32.f32 f, f;", "Unexpected instruction types specified for 'cvt'"},
      {"cvt.rn.relu.sat.f16.f32 h, f;", "Modifier '.relu' cannot be combined with modifier '.sat'"},
      {"cvt.rn.e4m3x2.f32 h, f, f;", "'.satfinite' modifier required for instruction 'cvt'"},
      {"cvt.rn.bf16.u8 h, a;", "Arguments mismatch for instruction 'cvt'"},
      {"cvt.rzi.s8.bf16 h, h;", "Arguments mismatch for instruction 'cvt'"},
      {"cvt.rn.satfinite.e2m3x2.f32 h, f, f;",
       "Instruction 'cvt with .e2m3x2/.e3m2x2' not supported on .target 'sm_"},
      {"cvt.rn.f16x2.e2m1x2 a, h;", "Instruction 'cvt with .e2m1x2' not supported on .target"},
      {"cvt.rz.satfinite.tf32.f32 a, f;",
       "Modifier '.satfinite' on 'cvt.tf32.f32.rz' requires .target sm_100 or higher"},
      {"ld.relaxed.u32 a, [d];", "Modifier '.relaxed' requires scope with 'ld' instruction"},
      {"ld.release.gpu.u32 a, [d];", "Illegal modifier '.release' for instruction 'ld'"},
      {"ld.gpu.u32 a, [d];", "Modifier '.gpu' requires memory order with 'ld' instruction"},
      {"ld.volatile.cta.u32 a, [d];",
       "Modifier '.volatile' cannot be combined with modifier '.cta'"},
      {"ld.volatile.local.u32 a, [d];", "Modifier '.volatile' cannot be applied to '.local' space"},
      {"ld.mmio.global.u32 a, [d];", "Modifier '.mmio' requires modifier '.relaxed'"},
      {"ld.nc.u32 a, [d];", "Modifier '.nc' requires .global space"},
      {"ld.global.wb.u32 a, [d];", "Illegal modifier '.wb' for instruction 'ld'"},
      {"ld.global.f16 h, [d];", "Unexpected instruction types specified for 'ld'"},
      {"ld.global.v4.u64 {d, d, d, d}, [d];", "requires .target sm_100 or higher"},
      {"ldu.shared.u32 a, [d];", "State space incorrect for instruction 'ldu'"},
      {"st.const.u32 [d], a;", "State space incorrect for instruction 'st'"},
      {"st.global.ca.u32 [d], a;", "Illegal modifier '.ca' for instruction 'st'"},
      {"atom.local.add.u32 a, [d], a;", "State space incorrect for instruction 'atom'"},
      {"red.acquire.gpu.add.u32 [d], a;", "Illegal modifier '.acquire' for instruction 'red'"},
      {"fence.sc;", "Scope modifier required for instruction 'fence'"},
      {"membar.gpu;", "Illegal modifier '.gpu' for instruction 'membar'"},
      {"mov.u64 d, 99999999999999999999;", "Constant overflow"},
      {"cvta.shared.b64 d, d;", "Instruction 'cvta' requires .u32 or .u64 type"},
      {".shared .b8 s[1000000];", "uses too much shared data (0xf4240 bytes, 0x38c00 max)"},
      {"setp.lo.s32 p, a, a;", "Mismatch between instruction type and comparison qualifier"}};
  for (auto [line, message] : lines) {
    const std::string errors = errorsOf(
        ".version 9.0\n.target sm_90a\n.address_size 64\n.entry k() { .reg .b32 a; .reg .b64 d; "
        ".reg .f32 f; .reg .pred p; .reg .b16 h;\n" +
        std::string(line) + " ret; }\n");
    EXPECT_NE(errors.find(message), std::string::npos) << errors;
  }
  EXPECT_EQ(errorsOf(".version 1.3\n.target sm_10\n.entry k() { .reg .f32 f; mad.f32 f, f, f, f; "
                     "sin.f32 f, f; div.f32 f, f, f; rcp.f32 f, f; cvt.f32.s32 f, 3; exit; }\n"),
            "");
  EXPECT_NE(errorsOf(".version 1.3\n.target sm_10\n.entry k() { .reg .f32 f; .reg .b32 a; "
                     "cvt.s32.f32 a, f; exit; }\n"),
            "");
}

/// What ptxas takes beyond what compilers write.
TEST(PtxModule, TakesForms) {
  for (const char *line : {"ld.u32 a, [a];",
                           "st.global.u32 [a+4], a;",
                           "ld.local.u32 a, [h];",
                           "cvta.shared.u32 a, a;",
                           "cvta.to.local.u32 a, a;",
                           "isspacep.shared p, a;",
                           "mov.u64 d, 18446744073709551616;",
                           "ld.global.ca.nc.u32 a, [d];",
                           "ld.weak.param.u32 a, [d];",
                           "ld.acquire.cluster.u32 a, [d];",
                           "st.mmio.relaxed.sys.global.u32 [d], a;",
                           "fence.proxy.async.global;",
                           "membar.gl;",
                           "fence.mbarrier_init.release.cluster;",
                           "cvt.rn.f32.bf16 f, h;",
                           "cvt.rz.bf16.f16 h, h;",
                           "cvt.rm.ftz.sat.f16.f32 h, f;",
                           "cvt.sat.s8.u8 h, h;",
                           "cvt.rpi.bf16.bf16 h, h;",
                           "cvt.rni.u8.bf16 b, h;",
                           "cvt.rna.satfinite.tf32.f32 a, f;"})
    EXPECT_EQ(errorsOf(".version 9.0\n.target sm_90a\n.address_size 64\n.entry k() { .reg .b32 a; "
                       ".reg .b64 d; .reg .f32 f; .reg .pred p; .reg .b16 h; .reg .b8 b;\n" +
                       std::string(line) + " ret; }\n"),
              "")
        << line;
  for (const char *line : {"cvt.rn.satfinite.e3m2x2.f32 h, f, f;", "cvt.rn.relu.f16x2.e2m1x2 a, b;",
                           "cvt.rn.satfinite.tf32.f32 a, f;"})
    EXPECT_EQ(errorsOf(".version 9.0\n.target sm_100a\n.entry k() { .reg .b32 a; .reg .b8 b; "
                       ".reg .f32 f; .reg .b16 h;\n" +
                       std::string(line) + " ret; }\n"),
              "")
        << line;
}

/// A body whose type has as many fields as a result bytes, and a value with as many bytes as its variable.
TEST(PtxModule, LongResultsAndValues) {
  const std::string text = head + R"(
.global .b8 table[500000000] = {1, 2};
.func (.param .align 1 .b8 r[65536], .param .b32 n) f(.param .b32 x) {
  .reg .b32 a; ld.param.u32 a, [x]; st.param.b32 [r+65532], a; st.param.b32 [n], a; ret; }
.visible .entry k(.param .u64 p) { .reg .b64 d; .reg .b32 a, b; ld.param.u64 d, [p];
  { .param .b8 q[65536]; .param .b32 n; .param .b32 y; st.param.b32 [y], 7;
    call (q, n), f, (y); ld.param.b32 a, [q+65532]; ld.param.b32 b, [n]; }
  st.global.u32 [d], a; st.global.u32 [d+4], b; ret; }
)";
  EXPECT_EQ(errorsOf(text), "");
}

} // namespace

} // namespace heddle::frontend::ptx
