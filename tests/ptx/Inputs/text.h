// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forms as the text of kernels.
#pragma once

#include "form.h"

inline std::string moduleHead() { return ".version 8.6\n.target sm_90\n.address_size 64\n"; }

inline char letterOf(Kind kind) {
  switch (bitsOf(kind)) {
  case 1:
    return 'p';
  case 16:
    return 'h';
  case 32:
    return 'r';
  default:
    return 'd';
  }
}

/// The form's text with registers in the places of $0, $1, ...
inline std::string textOf(const Form &form, const std::vector<std::string> &registers) {
  std::string text;
  for (size_t i = 0; i < form.text.size(); ++i)
    if (form.text[i] == '$')
      text += registers[size_t(form.text[++i] - '0')];
    else
      text += form.text[i];
  return text;
}

/// The scratch registers that forms may name.
inline std::string scratch() { return "\t.reg .b16 %h, %g; .reg .b32 %t, %u; .reg .b64 %l; .reg .pred %p, %q;\n"; }

/// From a 64-bit register to one of the kind, and back.
inline std::string narrowed(Kind kind, const std::string &to, const std::string &from) {
  switch (bitsOf(kind)) {
  case 1:
    return "\tsetp.ne.u64 " + to + ", " + from + ", 0;\n";
  case 64:
    return "\tmov.b64 " + to + ", " + from + ";\n";
  default:
    return "\tcvt.u" + std::to_string(bitsOf(kind)) + ".u64 " + to + ", " + from + ";\n";
  }
}
inline std::string widened(Kind kind, const std::string &to, const std::string &from) {
  switch (bitsOf(kind)) {
  case 1:
    return "\tselp.u64 " + to + ", 1, 0, " + from + ";\n";
  case 64:
    return "\tmov.b64 " + to + ", " + from + ";\n";
  default:
    return "\tcvt.u64.u" + std::to_string(bitsOf(kind)) + " " + to + ", " + from + ";\n";
  }
}

/// kernel(in, out, count): a case is a thread, and each form has `count` cases of `operands` values, one form after the other.
inline std::string kernelOf(const std::string &name, const std::vector<Form> &forms, size_t first, size_t end, size_t operands) {
  std::string text = ".visible .entry " + name + "(.param .u64 in, .param .u64 out, .param .u32 count) {\n"
                     "\t.reg .b64 %in, %out, %x; .reg .b32 %i, %n, %s; .reg .pred %done;\n" + scratch() +
                     "\tmov.u32 %i, %ctaid.x; mov.u32 %n, %ntid.x; mov.u32 %s, %tid.x; mad.lo.u32 %i, %i, %n, %s;\n"
                     "\tld.param.u32 %n, [count]; setp.ge.u32 %done, %i, %n; @%done ret;\n"
                     "\tld.param.u64 %in, [in]; ld.param.u64 %out, [out];\n";
  for (size_t at = first; at < end; ++at) {
    const Form &form = forms[at];
    const std::string step = std::to_string(at - first);
    text += "\t{\n\t.reg .b64 %a; .reg .b32 %c;\n\tmad.lo.u32 %c, %n, " + step + ", %i;\n\tmul.wide.u32 %a, %c, " + std::to_string(8 * operands) + ";\n\tadd.u64 %a, %a, %in;\n";
    std::vector<std::string> registers = {std::string("%") + letterOf(form.out) + "0"};
    text += "\t.reg .b" + std::to_string(bitsOf(form.out)) + " " + registers[0] + ";\n";
    for (size_t i = 0; i < form.in.size(); ++i) {
      registers.push_back(std::string("%") + letterOf(form.in[i]) + std::to_string(i + 1));
      text += "\t.reg .b" + std::to_string(bitsOf(form.in[i])) + " " + registers.back() + ";\n";
      text += "\tld.global.u64 %x, [%a+" + std::to_string(8 * i) + "];\n" + narrowed(form.in[i], registers.back(), "%x");
    }
    text += "\t" + textOf(form, registers) + "\n" + widened(form.out, "%x", registers[0]);
    text += "\tmul.wide.u32 %a, %c, 8;\n\tadd.u64 %a, %a, %out;\n\tst.global.u64 [%a], %x;\n\t}\n";
  }
  size_t at;
  while ((at = text.find(".reg .b1 ")) != std::string::npos)
    text.replace(at, 9, ".reg .pred ");
  return text + "\tret;\n}\n";
}
