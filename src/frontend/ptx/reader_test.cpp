// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/ptx/inline_asm.h"
#include "frontend/ptx/lexer.h"
#include "frontend/ptx/opcodes.h"
#include "frontend/ptx/parser.h"
#include "frontend/ptx/small_formats.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include "gtest/gtest.h"

namespace heddle::frontend::ptx {

using namespace llvm;

namespace {

/// "kind:text" of each token, joined by blanks.
std::string tokensOf(StringRef text) {
  Expected<SmallVector<Token, 32>> tokens = tokenize(text);
  if (!tokens)
    return toString(tokens.takeError());
  std::string all;
  for (const Token &token : *tokens)
    all += "ENIFSP"[token.kind] + (":" + token.text + " ").str();
  return all;
}

TEST(PtxLexer, TellsNamesWithDotsFromNumbers) {
  EXPECT_EQ(tokensOf("add.u32 %r1, %tid.x, -0x10U;"),
            "N:add.u32 N:%r1 P:, N:%tid.x P:, P:- I:0x10U P:; E: ");
  EXPECT_EQ(tokensOf("cp.async.ca.shared::cta.L2::128B [a+4]"),
            "N:cp.async.ca.shared::cta.L2::128B P:[ N:a P:+ I:4 P:] E: ");
  EXPECT_EQ(tokensOf("$L1: @!p"), "N:$L1 P:: P:@ P:! N:p E: ");
  EXPECT_EQ(tokensOf(".reg .b32 r<4>;"), "N:.reg N:.b32 N:r P:< I:4 P:> P:; E: ");
}

TEST(PtxLexer, ReadsNumbersOfAllForms) {
  Expected<SmallVector<Token, 32>> tokens =
      tokenize("0f3f800000 0d4000000000000000 2.5e-1 0b101 017");
  ASSERT_TRUE(bool(tokens));
  EXPECT_TRUE((*tokens)[0].isSingle);
  EXPECT_EQ((*tokens)[0].bits, bit_cast<uint64_t>(1.0));
  EXPECT_EQ((*tokens)[1].bits, bit_cast<uint64_t>(2.0));
  EXPECT_EQ((*tokens)[2].bits, bit_cast<uint64_t>(0.25));
  EXPECT_EQ((*tokens)[3].bits, 5u);
  EXPECT_EQ((*tokens)[4].bits, 15u);
  EXPECT_EQ(tokensOf("0f3f8"), "'0f3f8' is no number");
  EXPECT_EQ(tokensOf("12ab"), "'12ab' is no number");
}

TEST(PtxParser, SkipsPragmas) {
  auto statements = parse(".pragma \"nounroll\"; mov.u32 a, b;");
  ASSERT_TRUE(bool(statements)) << toString(statements.takeError());
  EXPECT_EQ(statements->size(), 1u);
  EXPECT_EQ(tokensOf("\"open"), "a string without its end");
}

TEST(PtxLexer, SkipsComments) {
  EXPECT_EQ(tokensOf("a // b\n /* c */ d"), "N:a N:d E: ");
  EXPECT_EQ(tokensOf("a /* b"), "a comment without its end");
}

TEST(PtxParser, ReadsGuardsOperandsAndDeclarations) {
  auto statements = parse("{ .reg .pred p, q<2>; @!p setp.lt.and.s32 p|_, %0, -3, !q0;\n"
                          "L: ld.v2.u32 {%1, _}, [%2 + 8]; }");
  ASSERT_TRUE(bool(statements)) << toString(statements.takeError());
  ASSERT_EQ(statements->size(), 6u);
  const Statement &declaration = (*statements)[1], &setp = (*statements)[2], &ld = (*statements)[4];
  EXPECT_EQ(declaration.kind, Statement::Declaration);
  EXPECT_EQ(declaration.variables[1].copies, 2u);
  EXPECT_EQ(setp.guard, "p");
  EXPECT_TRUE(setp.isGuardNegated);
  EXPECT_EQ(setp.operands[0].kind, Operand::Pair);
  EXPECT_EQ(int64_t(setp.operands[2].bits), -3);
  EXPECT_TRUE(setp.operands[3].isNegated);
  EXPECT_EQ((*statements)[3].kind, Statement::Label);
  EXPECT_EQ(ld.operands[0].elements.size(), 2u);
  EXPECT_EQ(ld.operands[1].kind, Operand::Address);
  EXPECT_EQ(ld.operands[1].bits, 8u);
}

TEST(PtxParser, NamesWhatItCannotRead) {
  auto message = [](StringRef text) {
    auto statements = parse(text);
    return statements ? std::string() : toString(statements.takeError());
  };
  EXPECT_EQ(message("add.u32 a b;"), "'add.u32': expected ',', found 'b'");
  EXPECT_EQ(message("add.u32 a, ;"), "'add.u32': expected an operand, found ';'");
  EXPECT_EQ(message("ld.u32 a, [b;"), "'ld.u32': expected ']', found ';'");
  EXPECT_EQ(message("5;"), "expected an instruction, found '5'");
}

TEST(PtxOpcodes, TakesTheLongestName) {
  auto nameOf = [](StringRef text) {
    SmallVector<StringRef, 6> parts;
    text.split(parts, '.');
    const Opcode *found = findOpcode(parts);
    return found ? found->name : "";
  };
  EXPECT_EQ(nameOf("cp.async.ca.shared.global"), "cp.async");
  EXPECT_EQ(nameOf("cp.async.wait_group"), "cp.async.wait_group");
  EXPECT_EQ(nameOf("cp"), "");
}

/// What a statement with the output %0 gives: a constant, or the error.
std::string evaluate(StringRef text, StringRef constraint = "=r", StringRef type = "i32") {
  std::string escaped;
  for (char c : text)
    escaped += c == '%' ? std::string("$") : c == '\n' ? std::string("\\0A") : std::string(1, c);
  std::string source = ("define " + type + " @f() {\n  %r = call " + type + " asm \"" + escaped +
                        "\", \"" + constraint + "\"()\n  ret " + type + " %r\n}\n")
                           .str();
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseAssemblyString(source, diagnostic, context);
  if (!module)
    return diagnostic.getMessage().str();
  if (Error error = lowerInlineAsm(*module))
    return toString(std::move(error));
  if (verifyModule(*module, &errs()))
    return "invalid IR";
  for (Instruction &instruction : instructions(*module->getFunction("f")))
    if (auto *end = dyn_cast<ReturnInst>(&instruction)) {
      std::string result;
      raw_string_ostream stream(result);
      end->getReturnValue()->printAsOperand(stream, /*PrintType=*/false);
      return result;
    }
  return "no end";
}

TEST(PtxReader, FoldsConstants) {
  EXPECT_EQ(evaluate("add.u32 %0, 3, 4;"), "7");
  EXPECT_EQ(evaluate("mul.hi.u32 %0, 0x80000000, 6;"), "3");
  EXPECT_EQ(evaluate("lop3.b32 %0, 12, 10, 9, 0x96;"), "15");
  EXPECT_EQ(evaluate("prmt.b32 %0, 0x44332211, 0, 0x0123;"), "287454020"); // 0x11223344
  EXPECT_EQ(evaluate("bfe.s32 %0, 0xf0, 4, 4;"), "-1");
  EXPECT_EQ(evaluate("bfi.b32 %0, 5, 0, 4, 3;"), "80");
  EXPECT_EQ(evaluate("{ .reg .u32 t; add.cc.u32 t, 0xffffffff, 1; addc.u32 %0, 0, 0; }"), "1");
  EXPECT_EQ(evaluate("{ .reg .pred p; setp.lt.s32 p, -1, 1; selp.u32 %0, 5, 6, p; }"), "5");
  EXPECT_EQ(evaluate("mov.b64 %0, {1, 2};", "=l", "i64"), "8589934593");
}

TEST(PtxReader, KeepsScopesApart) {
  EXPECT_EQ(
      evaluate("{ .reg .u32 t; mov.u32 t, 1; { .reg .u32 t; mov.u32 t, 2; } mov.u32 %0, t; }"),
      "1");
  EXPECT_EQ(evaluate("{ .reg .u32 t; } mov.u32 %0, t;"),
            "function 'f': error: inline PTX: 'mov.u32': 't' is no register that is supported");
  EXPECT_EQ(evaluate("mov.u32 %0, 1; }"), "function 'f': error: inline PTX: '}' without '{'");
}

TEST(PtxReader, FollowsBranches) {
  EXPECT_EQ(evaluate("mov.u32 %0, 1; bra over; mov.u32 %0, 2; over: add.u32 %0, %0, 4;"), "5");
  EXPECT_EQ(evaluate("{ .reg .pred p; setp.eq.u32 p, 1, 2; mov.u32 %0, 1; @p mov.u32 %0, 2; }"),
            "1");
}

TEST(PtxReader, BeginsFunctions) {
  LLVMContext context;
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> module = parseAssemblyString(R"(
define i64 @f(ptr %p) {
  %r = call {i64, i64} asm sideeffect "ld.relaxed.gpu.v2.u64 {$0, $1}, [$2];", "=l,=l,l"(ptr %p)
  %second = extractvalue {i64, i64} %r, 1
  ret i64 %second
})",
                                                       diagnostic, context);
  ASSERT_TRUE(module) << diagnostic.getMessage().str();
  ASSERT_FALSE(errorToBool(lowerInlineAsm(*module)));
  EXPECT_FALSE(verifyModule(*module, &errs()));
  unsigned slots = 0;
  for (Instruction &instruction : instructions(*module->getFunction("f"))) {
    slots += isa<AllocaInst>(instruction);
    EXPECT_FALSE(instruction.getDebugLoc());
  }
  EXPECT_EQ(slots, 1u); // for the pair
}

TEST(PtxReader, RefusesModifiersThatNobodyKnows) {
  EXPECT_EQ(evaluate("add.weird.u32 %0, 1, 2;"),
            "function 'f': error: inline PTX: 'add.weird.u32' is not supported: '.weird'");
}

TEST(PtxReader, RefusesOperandsThatNobodyReads) {
  EXPECT_EQ(evaluate("min.u32 %0, 1, 2, 3;"),
            "function 'f': error: inline PTX: 'min.u32': unexpected operand 4");
  EXPECT_EQ(evaluate("{ .reg .b16 h; cvt.rn.bf16x2.ue8m0x2 %0, h; }"),
            "function 'f': error: inline PTX: 'cvt.rn.bf16x2.ue8m0x2' is not supported: "
            "'.ue8m0x2'");
}

/// A factor from outside of a tensor makes 0, another NaN does not.
TEST(PtxReader, ClearsWhatIsOutside) {
  auto product = [](StringRef factor) {
    return evaluate(("{ .reg .b16 a, b; mov.b16 a, " + factor + "; mov.b16 b, 0x3c00;" +
                     "fma.rn.oob.f16 a, a, b, b; mov.b32 %0, {a, 0}; }")
                        .str());
  };
  EXPECT_EQ(product("0x7fff"), "0");
  EXPECT_EQ(product("0x3c00"), "16384"); // 1 * 1 + 1
  EXPECT_NE(product("0x7e00"), "0");
}

TEST(PtxFormats, KnowsPairsByTheirElements) {
  ASSERT_NE(findFormat("e4m3x2"), nullptr);
  EXPECT_EQ(findFormat("e4m3x2")->bits(), 8u);
  EXPECT_EQ(findFormat("e2m1x2")->bits(), 4u);
  EXPECT_EQ(findFormat("f16x2")->largest, 0x7bffu);
  EXPECT_EQ(findFormat("f32"), nullptr);
}

} // namespace

} // namespace heddle::frontend::ptx
