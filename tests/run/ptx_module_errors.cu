// RUN: %heddle cc %s -o %t -lcuda
// RUN: %t 2>&1 | FileCheck %s
// RUN: %heddle check %t 2>&1 | FileCheck %s --check-prefix=CALLED
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is wrong in PTX modules: the codes, the log in ptxas's words, and the lines that reports name when a kernel fails.
#include "ptx_module.h"

static std::string logOf(const std::string &text, CUresult code) {
  char log[2048] = "";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void *values[] = {log, (void *)sizeof log};
  CUmodule module;
  expectCode(text, cuModuleLoadDataEx(&module, text.c_str(), 2, options, values), code);
  expect("its length", 0, (size_t)values[1], strlen(log));
  return log;
}

/// An error of the module, whose head has three lines.
static void expectError(const std::string &text, const std::string &message) {
  const std::string log = logOf(ptxHead + text, CUDA_ERROR_INVALID_PTX);
  const std::string last = "ptxas fatal   : Ptx assembly aborted due to errors";
  if (log.find("ptxas application ptx input, " + message) == std::string::npos ||
      log.find(last) == std::string::npos)
    report(text, 0, log, message);
}

static void testHeads() {
  expectTrue("the version",
             logOf(".version 9.9\n.target sm_75\n", CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
                     .find("line 1; fatal   : Unsupported .version 9.9; current version "
                           "is '9.1'") != std::string::npos);
  expectTrue("the target",
             logOf(".version 8.0\n.target sm_95\n", CUDA_ERROR_INVALID_PTX)
                     .find("line 2; fatal   : Unsupported .target 'sm_95'") != std::string::npos);
  expectTrue("no version",
             logOf("// nothing\n.target sm_75\n", CUDA_ERROR_INVALID_PTX)
                     .find("line 2; fatal   : Missing .version directive") != std::string::npos);
  logOf(".version 8.0\n", CUDA_ERROR_INVALID_PTX);
  logOf(".version 8.0\n.target sm_75\n.address_size 48\n", CUDA_ERROR_INVALID_PTX);
  for (const char *version : {"1.0", "1.4", "2.3", "3.2", "6.0", "7.8", "9.1"})
    logOf(std::string(".version ") + version + "\n.target sm_20, debug\n", CUDA_SUCCESS);
}

static void testStatements() {
  expectError(".entry k() { foo.u32 %r1, 1; ret; }",
              "line 4; error   : Not a name of any known instruction: 'foo'");
  expectError(".entry k() { tcgen05.fence::before_thread_sync; ret; }",
              "line 4; error   : 'tcgen05.fence::before_thread_sync' is not supported");
  expectError(".entry k() {\n.reg .b32 %r1;\nadd.u32 %r1, %r2, 1;\nbra x;\nret; }",
              "line 6; error   : Unknown symbol '%r2'\n"
              "ptxas application ptx input, line 7; error   : Unknown symbol 'x'");
  expectError(".entry k() { .reg .b32 a;\nadd.u32.foo a, a, 1; ret; }",
              "line 5; error   : 'add.u32.foo' is not supported: '.foo'");
  expectError(".entry k() { .reg .b64 a; add.u32 a, a, 1; ret; }",
              "line 4; error   : 'add.u32': 'a' has 64 bits");
  expectError(".entry k() { .reg .u32 a; bra a; ret; }",
              "line 4; error   : Label expected for argument 0 of instruction 'bra'");
  expectError(".entry k() { .reg .u32 a;\n@a ret; ret; }",
              "line 5; error   : 'ret': 'a' is no predicate");
  expectError(".entry k() { .reg .u32 a;\nmov.u32 a 1; ret; }",
              "line 5; fatal   : 'mov.u32': expected ',', found '1'");
  expectError(".entry k() { .reg .u32 a, a; ret; }",
              "line 4; error   : register 'a' is declared twice");
  expectError(".entry k() { x: x: ret; }", "line 4; error   : label 'x' is there twice");
  expectError(".entry k() { call f; ret; }", "line 4; error   : 'call': Unknown symbol 'f'");
  expectError(".func f(.param .b32 a) { ret; } .entry k() { call f; ret; }",
              "line 4; error   : 'call': function 'f' takes 1 arguments");
  expectError(".entry k() { .reg .u32 i; brx.idx i, none; ret; }",
              "line 4; error   : 'brx.idx': expected");
}

static void testDirectives() {
  expectError("garbage here", "line 4; fatal   : Parsing error near 'garbage': syntax error");
  expectError(".entry k( { ret; }", "line 4; fatal   : expected a type");
  expectError(".entry k() { ret;\n", "line 5; fatal   : Parsing error near '': syntax error");
  expectError(".entry k() { ret; }\n.entry k() { ret; }",
              "line 5; error   : Duplicate definition of function 'k'");
  expectError(".entry k() .foo 3 { ret; }", "line 4; fatal   : '.foo' is not supported");
  expectError("{ }", "line 4; fatal   : Parsing error near '{': syntax error");
  expectError("\n/* no end", "line 5; fatal   : a comment without its end");
  expectError(".alias a, b;", "line 4; error   : Unknown symbol 'b'");
  expectTrue("undefined",
             logOf(ptxHead + ".extern .func f();\n.entry k() { call f; ret; }",
                   CUDA_ERROR_INVALID_PTX) == "ptxas fatal   : Unresolved extern function 'f'");
}

static void testSwitch() {
  CUmodule module = loadPtx(R"(
.visible .entry k(.param .u64 p) {)" +
                            ptxElement + R"(
	list: .branchtargets zero, one, two;
	brx.idx %t, list;
zero:
	mov.u32 %v, 10;
	bra.uni done;
one:
	mov.u32 %v, 20;
	bra.uni done;
two:
	mov.u32 %v, 30;
done:
	st.global.u32 [%a], %v;
	ret;
}
)");
  expectAll("brx.idx", runPtx(module, "k", {0, 0, 0}), {10, 20, 30});
}

/// Reports name the lines of `.loc`, also in functions that were inlined, whose names are text.
static void testFault() {
  CUmodule module = loadPtx(R"(
.file 1 "/somewhere/source.cu"
.visible .entry located(.param .u64 p) {
	.reg .u64 %rd;
	.loc 1 17 3
	ld.param.u64 %rd, [p];
	.loc 1 20 1, function_name $names+5, inlined_at 1 17 3
	.loc 1 23 5, function_name $names, inlined_at 1 20 1
	mov.u64 %rd, 8;
	st.global.u64 [%rd], %rd;
	ret;
}
.section .debug_str {
	.b8 1, 0
$names: .b8 95, 90, 49, 112, 0
	.b8 111, 117, 116, 101, 114, 0
}
)");
  Buffer<int> p(std::vector<int>{0});
  void *args[] = {&p.data};
  DRIVER_OK(
      cuLaunchKernel(functionOf(module, "located"), 1, 1, 1, 1, 1, 1, 0, nullptr, args, nullptr));
  expectCode("a fault", cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

int main() {
  CUDA_OK(cudaFree(nullptr));
  testHeads();
  testStatements();
  testDirectives();
  testSwitch();
  // CHECK-DAG: all right
  const int result = finish();
  // CHECK-DAG: in kernel located
  // CHECK-DAG: source.cu:23
  // CALLED: source.cu:23:5 in _Z1p
  // CALLED-NEXT: source.cu:20:1 in outer
  // CALLED-NEXT: source.cu:17:3 in located
  testFault();
  return result;
}
