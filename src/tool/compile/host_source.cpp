// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `nvcc -cuda x.cu -o x.cpp; g++ -c x.cpp`: nvcc gives the host half of a CUDA source back as C++,
// with launches as calls and the device code as an array, for the host compiler to compile. clang
// has no such C++ at any time: it makes the calls of launches in its syntax tree. What build
// scripts want of the file is that the host compiler makes an object of it. So the host half is
// compiled here, and the file is C++ whose one statement is the assembly text: registration, static
// initialisers, templates that the linker merges, unwind tables and the device code are in it.
//
// The text is what clang writes for an assembler of others (-fno-integrated-as), and for any
// address (-fPIC), since nobody knows yet what it is linked into; its line table is DWARF 4's, since
// file 0 of DWARF 5's would be that of the compiler after it as well. The options of the host
// compiler change nothing of it: neither -O nor -D; nvcc's were those that counted.
//
// Ordinary string literals, one a line: raw ones are not C++98, which `g++ -std=c++98` may ask for.
#include "tool/compile/host_source.h"

#include <algorithm>

namespace heddle::tool {

namespace {

void appendLiteral(std::string &to, std::string_view line) {
  to += '"';
  for (char c : line) {
    if (c == '\t') {
      to += "\\t";
      continue;
    }
    if (c == '\\' || c == '"' || c == '?') // no trigraphs
      to += '\\';
    to += c;
  }
  to += "\\n\"\n";
}

} // namespace

Command hostSourceFlags(bool isDebugged) {
  Command flags = {"-fPIC", "-fno-integrated-as"};
  if (isDebugged)
    flags.push_back("-gdwarf-4");
  return flags;
}

std::string sourceOfAssembly(std::string_view assembly, std::string_view name) {
  std::string text = "// The host half of " + std::string(name) +
                     ", compiled by nvcc -cuda, with its device code.";
  std::replace(text.begin(), text.end(), '\n', ' ');
  text += "\n__asm__(\n";
  text.reserve(assembly.size() + assembly.size() / 4);
  while (!assembly.empty()) {
    size_t end = assembly.find('\n');
    appendLiteral(text, assembly.substr(0, end));
    assembly.remove_prefix(end == assembly.npos ? assembly.size() : end + 1);
  }
  appendLiteral(text, "\t.text"); // where compilers begin
  return text + ");\n";
}

} // namespace heddle::tool
