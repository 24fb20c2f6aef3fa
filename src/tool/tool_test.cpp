// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tool/compile/dependencies.h"
#include "tool/compile/precompiled_headers.h"
#include "tool/fortran/fortran_dependencies.h"
#include "tool/options/architecture.h"
#include "tool/sources/asm_spelling.h"
#include "tool/sources/diagnostics.h"
#include "tool/sources/variable_arrays.h"
#include "tool/tools/files.h"
#include "tool/tools/process.h"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

namespace heddle::tool {
namespace {

using Words = std::vector<std::string>;

Result<Architectures> architecturesOf(const Words &words) {
  Result<Options> options = parseOptions(words);
  EXPECT_TRUE(options);
  return chooseArchitectures(*options);
}

/// "80a:sm_80,compute_80 90:sm_90": each architecture with its codes.
std::string described(const Words &words) {
  Result<Architectures> found = architecturesOf(words);
  if (!found)
    return found.error();
  std::string text;
  for (const Architecture &arch : found->all) {
    text += (text.empty() ? "" : " ") + std::to_string(arch.number) + arch.suffix;
    for (const CodeName &code : arch.codes)
      text += (&code == &arch.codes.front() ? ":" : ",") +
              std::string(code.isReal ? "sm_" : "compute_") + std::to_string(code.number);
  }
  return text;
}

TEST(Architecture, OneOptionNamesCodeAndArchitecture) {
  EXPECT_EQ(described({}), "90:sm_90,compute_90");
  EXPECT_EQ(described({"-arch=sm_100"}), "100:sm_100,compute_100");
  EXPECT_EQ(described({"-arch=sm_90a"}), "90a:sm_90,compute_90");
  EXPECT_EQ(described({"-arch=sm_10"}), "10:sm_10,compute_10");
  EXPECT_EQ(described({"--gpu-architecture", "compute_80"}), "80:compute_80");
  EXPECT_EQ(described({"-arch=compute_30", "-code=sm_30,sm_35"}), "30:sm_30,sm_35");
  EXPECT_EQ(described({"-code=sm_86,sm_80"}), "-arch option not specified");
}

TEST(Architecture, NewerThanKnownIsTheNewest) {
  EXPECT_EQ(described({"-arch=sm_110"}), "110:sm_110,compute_110");
  EXPECT_EQ(described({"-arch=sm_120"}), "120:sm_120,compute_120");
  EXPECT_EQ(described({"-arch=sm_103a"}), "103a:sm_103,compute_103");
  EXPECT_EQ(described({"-arch=sm_130"}), "121:sm_121,compute_121");
  EXPECT_EQ(described({"-gencode", "arch=compute_200a,code=[sm_200a,compute_200a]"}),
            "121a:sm_121,compute_121");
  EXPECT_EQ(architecturesOf({"-arch=sm_130"})->newer, Words{"sm_130"});
  EXPECT_TRUE(architecturesOf({"-arch=sm_120"})->newer.empty());
  for (const char *name : {"sm_99", "sm_80a", "sm_90f", "sm_1200", "sm_", "sm_130x"})
    EXPECT_EQ(described({std::string("-arch=") + name}),
              std::string("Unsupported gpu architecture '") + name + "'");
}

TEST(Architecture, SeveralAreAllKept) {
  EXPECT_EQ(described({"-gencode", "arch=compute_75,code=[sm_75,compute_75]",
                       "--generate-code=arch=compute_60,code=sm_60", "-gencode",
                       "arch=compute_75,code=\"sm_86,sm_75\""}),
            "60:sm_60 75:sm_75,compute_75,sm_86");
  EXPECT_EQ(described({"-arch=all-major"}),
            "50:sm_50 60:sm_60 70:sm_70 80:sm_80 90:sm_90 100:sm_100 120:sm_120,compute_120");
  EXPECT_EQ(architecturesOf({"-arch=all"})->all.size(), 17u);
}

TEST(Architecture, NativeIsWhatTheDevicesAre) {
  ASSERT_EQ(setenv("HEDDLE_DEVICE", "K20,cpu/c2050", 1), 0);
  EXPECT_EQ(described({"-arch=native"}), "20:sm_20 35:sm_35 90:sm_90");
  unsetenv("HEDDLE_DEVICE");
  EXPECT_EQ(described({"-arch=native"}), "90:sm_90");
}

TEST(Architecture, TheMainOneIsTheDefaultDevices) {
  auto mainOf = [](const Words &words) { return architecturesOf(words)->main().number; };
  EXPECT_EQ(mainOf({"-gencode=arch=compute_80,code=sm_80", "-gencode=arch=compute_90,code=sm_90",
                    "-gencode=arch=compute_120,code=sm_120"}),
            90u);
  EXPECT_EQ(
      mainOf({"-gencode=arch=compute_120,code=sm_120", "-gencode=arch=compute_100,code=sm_100"}),
      100u);
}

TEST(Architecture, ClangGetsARecentGpu) {
  EXPECT_EQ(architecturesOf({"-arch=sm_35"})->main().clangName(), "sm_90");
  EXPECT_EQ(architecturesOf({"-arch=sm_90a"})->main().clangName(), "sm_90a");
  EXPECT_EQ(architecturesOf({"-arch=sm_100"})->main().clangName(), "sm_100");
  EXPECT_EQ(architecturesOf({"-arch=sm_100f"})->main().clangName(), "sm_100");
  EXPECT_EQ(architecturesOf({"-arch=sm_110a"})->main().clangName(), "sm_103a");
}

TEST(Architecture, UnknownNamesAreErrors) {
  for (Words words : {Words{"-arch=sm_99"}, Words{"-arch=gfx906"}, Words{"-code=sm_1"},
                      Words{"-gencode=arch=compute_70,code=sm_7x"}, Words{"-gencode=code=sm_70"}})
    EXPECT_FALSE(architecturesOf(words)) << words[0];
  EXPECT_EQ(described({"-arch=sm_99"}), "Unsupported gpu architecture 'sm_99'");
  EXPECT_EQ(described({"-gencode=arch=compute_80,code=sm_70"}),
            "Incompatible code generation requested: arch='compute_80', code='sm_70'");
}

TEST(AsmSpelling, CommasGoBetweenOperands) {
  EXPECT_EQ(spellAsm(R"x(asm("add %0, %1, %2;" : "=r"(r) : "r"(f(a)) "r"(1));)x"),
            R"x(asm("add %0, %1, %2;" : "=r"(r) : "r"(f(a)),"r"(1));)x");
  EXPECT_EQ(spellAsm("__asm__ volatile(\"x;\" : \"=r\"(r)\n [b]\"=r\"(s):)"),
            "__asm__ volatile(\"x;\" : \"=r\"(r),\n [b]\"=r\"(s):)");
  EXPECT_EQ(spellAsm(R"x(asm(M(1)"add;" : "=r"(r)/* and */"=r"(s)))x"),
            R"x(asm(M(1)"add;" : "=r"(r),/* and */"=r"(s)))x");
}

TEST(AsmSpelling, OtherTextStays) {
  EXPECT_FALSE(spellAsm(R"x(f("asm(", x) + g("%laneid" "a"); // asm("%x" : "=r"(a) "b"(c)))x"));
  EXPECT_FALSE(
      spellAsm(R"x(asm("a" : "=r"(a), "=r"(b) : "r"(c) : "memory"); plasm("x" : (a) "b");)x"));
  EXPECT_FALSE(spellAsm("asm(\"never closed\" : \"r\"(a)"));
}

TEST(VariableArrays, TheSecondDeclaratorFillsTheFirst) {
  auto filled = [](const char *text, const char *place) {
    auto found = initialiseVariableArrays(
        text, "a.cu",
        std::string("a.cu:") + place + ": error: variable-sized object may not be initialized\n");
    return found && !found->empty() ? rewritten(text, *found) : std::nullopt;
  };
  EXPECT_EQ(filled("int v[n] = {1};", "1:7"),
            "int v[n], &__heddle_filled_1 __attribute__((unused)) = __heddle_fill(v, sizeof(v), "
            "__heddle_list<__typeof__(v[0])>{1});");
  EXPECT_EQ(filled("\nT **v[2][n] {};", "2:10"),
            "\nT **v[2][n], **&__heddle_filled_1 __attribute__((unused)) = __heddle_fill(v, "
            "sizeof(v));");
  EXPECT_FALSE(filled("char v[n] = \"text\";", "1:8"));
  EXPECT_FALSE(filled("int v[n] = {1};", "7:7"));
  EXPECT_TRUE(
      initialiseVariableArrays("int v[n] = {1};", "a.cu", "a.cu:1:7: error: other\n")->empty());
}

TEST(Rewriting, PlacesOfErrors) {
  const std::string errors = "In file included from a.cu:1:\n/x/b.h:3:5: error: bad % sign\n"
                             "a.cu:2:3: error: bad % sign\na.cu:2:9: error: other\n";
  EXPECT_EQ(placesOfError("one\ntwo three", "a.cu", errors, "bad % sign"), std::set<size_t>{6});
  EXPECT_EQ(rewritten("abcdef", {{4, 5, "E"}, {1, 3, "-"}}), "a-dEf");
  EXPECT_FALSE(rewritten("abcdef", {{1, 3, ""}, {2, 4, ""}}));
}

TEST(Dependencies, RulesAreReadAndWritten) {
  Words files = parseDependencies("a.o: x.cu \\\n  my\\ file.h a$$b.h\n\nother.h:\n");
  EXPECT_EQ(files, (Words{"x.cu", "my file.h", "a$b.h"}));
  mergeDependencies(files, {"x.cu", "z.h"});
  EXPECT_EQ(formatDependencies("a.o", files, false),
            "a.o : x.cu \\\n    my\\ file.h \\\n    a$$b.h \\\n    z.h\n");
  EXPECT_EQ(parseDependencies(formatDependencies("a.o", files, true)), files);
}

TEST(Diagnostics, WhatBothHalvesSayIsShownOnce) {
  std::string host = "a.cu:1:2: error: one\n  int x = error: y;\n  ^\n1 error generated when "
                     "compiling for host.\n";
  std::string device = "a.cu:1:2: error: one\n  int x = error: y;\n  ^\n"
                       "In file included from <built-in>:1:\n"
                       "a.cu:3:1: warning: two\nb.h:1:1: note: here\n"
                       "1 warning and 1 error generated when compiling for sm_90.\n";
  EXPECT_EQ(mergeDiagnostics("a.cu", {host, device}),
            "a.cu:1:2: error: one\n  int x = error: y;\n  ^\n"
            "a.cu:3:1: warning: two\nb.h:1:1: note: here\n"
            "\n1 error detected in the compilation of \"a.cu\".\n");
}

TEST(Diagnostics, OneHalfMaySayAThingTwice) {
  std::string text = "a.cu:1:2: warning: w\na.cu:1:2: warning: w\n";
  EXPECT_EQ(mergeDiagnostics("a.cu", {text, text}), text);
}

TEST(Diagnostics, ColourDoesNotMatter) {
  std::string coloured = "\x1b[1ma.cu:1:2: \x1b[0m\x1b[0;1;31merror: \x1b[0m\x1b[1mone\x1b[0m\n";
  EXPECT_EQ(withoutColour(coloured), "a.cu:1:2: error: one\n");
  EXPECT_EQ(mergeDiagnostics("a.cu", {coloured, coloured}),
            coloured + "\n1 error detected in the compilation of \"a.cu\".\n");
}

TEST(Files, NamesAreTakenApart) {
  EXPECT_EQ(fileName("a/b.cu"), "b.cu");
  EXPECT_EQ(directoryOf("a/b.cu"), "a");
  EXPECT_EQ(directoryOf("b.cu"), ".");
  EXPECT_EQ(directoryOf("/b"), "/");
  EXPECT_EQ(stem("a.b/c.d.cu"), "c.d");
  EXPECT_EQ(extension("a.b/c"), "");
}

TEST(Files, ATemporaryDirectoryGoesWithItsContents) {
  std::string path;
  {
    TemporaryDirectory temporary;
    path = *temporary.path();
    EXPECT_FALSE(writeFile(path + "/x", "text"));
    EXPECT_EQ(*readFile(path + "/x"), "text");
  }
  EXPECT_FALSE(isDirectory(path));
}

TEST(Files, OnlyRegularFilesAreRemoved) {
  TemporaryDirectory temporary;
  const std::string folder = *temporary.path(), file = folder + "/file", pipe = folder + "/pipe";
  EXPECT_FALSE(writeFile(file, "text"));
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  removeRegularFile(file);
  removeRegularFile(pipe);
  removeRegularFile(folder + "/absent");
  EXPECT_FALSE(isFile(file));
  EXPECT_TRUE(isFile(pipe));
}

TEST(Process, StreamsAreCapturedAndTheStatusIsKept) {
  Result<Pipe> pipe = Pipe::create();
  ASSERT_TRUE(pipe);
  Result<Process> process =
      Process::start({"sh", "-c", "cat; echo err >&2; exit 3"},
                     {.input = pipe->read, .captureOutput = true, .captureErrors = true});
  ASSERT_TRUE(process);
  close(pipe->read);
  writeAndClose(pipe->write, "in");
  EXPECT_EQ(process->wait(), 3);
  EXPECT_EQ(process->output(), "in");
  EXPECT_EQ(process->errors(), "err\n");
}

TEST(Process, ASignalIsAStatusAbove128) {
  Result<Process> process = Process::start({"sh", "-c", "kill -9 $$"});
  ASSERT_TRUE(process);
  EXPECT_EQ(process->wait(), 128 + 9);
}

TEST(Process, AMissingProgramIsAnError) { EXPECT_FALSE(Process::start({"/no/such/program"})); }

TEST(Process, CommandsAreQuoted) {
  EXPECT_EQ(quoteCommand({"a", "b c", "d\"e", "", "$f"}), "a \"b c\" \"d\\\"e\" \"\" \"\\$f\"");
}

TEST(PrecompiledHeaders, AreThoseBeforeAnythingElse) {
  EXPECT_EQ(leadingHeaders("// #include <no>\n#include <a>\n # include\t\"b.h\" // x\n/* y */\n"
                           "#include <c/d>\nint x;\n#include <e>\n"),
            (Words{"<a>", "\"b.h\"", "<c/d>"}));
  EXPECT_EQ(leadingHeaders("#include <a>\n#define B\n#include <c>\n"), Words{"<a>"});
  EXPECT_EQ(leadingHeaders("#include <a>\n#include MACRO\n"), Words{"<a>"});
  EXPECT_EQ(leadingHeaders("#include_next <a>\n"), Words{});
  EXPECT_EQ(leadingHeaders("#include <a\n#include <b>\n"), Words{});
  EXPECT_EQ(leadingHeaders("#include"), Words{});
  EXPECT_EQ(leadingHeaders("#"), Words{});
  EXPECT_EQ(leadingHeaders(""), Words{});
}

TEST(FortranDependencies, StatementsNameModules) {
  EXPECT_EQ(usedModules("program p\n  USE Alpha, only: a => b\nuse,intrinsic::beta,only:x\n"
                        "use :: gamma; use delta\n  useless = 1\n! use epsilon\nuse\n"),
            (Words{"alpha", "beta", "gamma", "delta"}));
  EXPECT_TRUE(usedModules("").empty());
}

TEST(FortranDependencies, ProvenanceNamesFiles) {
  EXPECT_EQ(filesOfProvenance("AllSources:\nSourceFile './a.cuf'\n  origin_[1] -> './a.cuf' 1\n"
                              "SourceFile 'it''s.inc'\n"),
            (Words{"./a.cuf", "it''s.inc"}));
}

TEST(FortranDependencies, ModuleFilesAreFollowedAndOwnOnesLeftOut) {
  TemporaryDirectory temporary;
  std::string folder = *temporary.path();
  auto write = [&](const std::string &name, const std::string &text) {
    EXPECT_FALSE(writeFile(folder + "/" + name, text));
    return folder + "/" + name;
  };
  std::string source = write("a.cuf", "module own\nend module\nuse own\nuse b\nuse cudafor\n");
  std::string own = write("own.mod", "module own\n");
  std::string b = write("b.mod", "module b\nuse c,only:x\nuse b\n");
  std::string c = write("c.mod", "module c\n");
  EXPECT_EQ(addModuleFiles({source}, {"/no/such/folder", folder}), (Words{source, b, c}));
}

} // namespace
} // namespace heddle::tool
