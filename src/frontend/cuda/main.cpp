// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle-clang: clang_main.cpp in libheddle_compiler.so, where NVRTC finds the same clang.
extern "C" __attribute__((visibility("default"))) int heddleClangMain(int argc, char **argv);

int main(int argc, char **argv) { return heddleClangMain(argc, argv); }
