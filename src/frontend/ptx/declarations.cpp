// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations of variables (PTX ISA, "State Spaces, Types, and Variables"):
//
//     variables := '.' space what* name [range | dims] ['=' initial] {',' name ...} ';'
//     what      := '.align' number | '.attribute' '(' ... ')' | '.v2' | '.v4' | type
//                | '.ptr' ['.' space] ['.align' number]
//     initial   := constant | string | address | '{' initial, ... '}'
//     address   := name [offset] | 'generic' '(' address ')' | mask '(' address ')'
//
// Names of types come as one token with the directive, or apart.
#include "frontend/ptx/declarations.h"

#include "frontend/ptx/constant_expression.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace heddle::frontend::ptx {

char PlacedError::ID;

namespace {

constexpr StringRef Spaces[] = {"reg",   "sreg",   "param", "global",
                                "const", "shared", "local", "tex"};
constexpr uint64_t MostBytes = uint64_t(1) << 40;

/// What all names of one statement share.
class Declarator {
public:
  explicit Declarator(Cursor &cursor) : c_(cursor) {}

  Expected<Variable> readType() {
    c_.setSubject(c_.now().text);
    while (c_.now().kind == Token::Name && c_.now().text.starts_with(".")) {
      SmallVector<StringRef, 4> parts;
      c_.take().text.drop_front().split(parts, '.');
      for (StringRef part : parts)
        if (Error error = take(part))
          return std::move(error);
    }
    if (!hasType_)
      return c_.expected("a type");
    return shared_;
  }

private:
  Error take(StringRef part) {
    if (isPointer_ && is_contained(Spaces, part))
      return Error::success();
    if (shared_.space.empty() && is_contained(Spaces, part)) {
      shared_.space = part == "tex" ? "global" : part;
      return part == "tex" ? takeType("texref") : Error::success();
    }
    if (part == "align")
      return readAlignment();
    if (part == "attribute")
      return readAttributes();
    if (part == "ptr") {
      isPointer_ = shared_.isPointer = true;
      return Error::success();
    }
    if (part == "v2" || part == "v4" || part == "v8") {
      shared_.vector = unsigned(part[1] - '0');
      return Error::success();
    }
    return takeType(part);
  }

  Error takeType(StringRef part) {
    std::optional<PtxType> type = findType(part);
    if (part == "texref" || part == "samplerref" || part == "surfref") {
      shared_.opaque = part;
      type = findType("u64");
    }
    if (shared_.opaque == "texref" && hasType_ && type) // .tex .u32, of the first versions
      return Error::success();
    if (!type || hasType_)
      return failAt(part.data(), "'" + c_.subject() + "': '." + part + "' is not supported");
    shared_.type = *type;
    hasType_ = true;
    return Error::success();
  }

  Error readAlignment() {
    Expected<uint64_t> bytes = c_.takeInteger("an alignment");
    if (!bytes)
      return bytes.takeError();
    if (!isPowerOf2_64(*bytes) || *bytes > 1u << 20)
      return c_.expected("an alignment that is a power of two");
    if (!isPointer_)
      shared_.align = *bytes;
    return Error::success();
  }

  /// (.managed, .unified(1, 2))
  Error readAttributes() {
    if (Error error = c_.expect('('))
      return error;
    for (unsigned depth = 1; depth;) {
      if (c_.isAtEnd())
        return c_.expected("')'");
      Token token = c_.take();
      shared_.isManaged |= token.text == ".managed";
      depth += token.is('(') ? 1 : token.is(')') ? -1 : 0;
    }
    return Error::success();
  }

  Cursor &c_;
  Variable shared_;
  bool hasType_ = false, isPointer_ = false;
};

Expected<InitialValue> readInitial(Cursor &, unsigned depth);

Error readList(Cursor &c, InitialValue &list, unsigned depth) {
  list.kind = InitialValue::List;
  while (!c.consume('}')) {
    Expected<InitialValue> element = readInitial(c, depth + 1);
    if (!element)
      return element.takeError();
    list.elements.push_back(std::move(*element));
    if (!c.now().is('}'))
      if (Error error = c.expect(','))
        return error;
  }
  return Error::success();
}

/// name, name+4, generic(name)+4
Error readAddress(Cursor &c, InitialValue &value) {
  value.kind = InitialValue::Address;
  if (c.now().text == "generic" && c.next().is('(')) {
    c.take();
    c.take();
    if (Error error = readAddress(c, value))
      return error;
    if (Error error = c.expect(')'))
      return error;
  } else {
    Expected<StringRef> name = c.takeName("the name of a variable");
    if (!name)
      return name.takeError();
    value.name = *name;
  }
  if (!c.now().is('+') && !c.now().is('-'))
    return Error::success();
  Expected<uint64_t> offset = readOffset(c);
  if (!offset)
    return offset.takeError();
  value.bits += *offset;
  return Error::success();
}

Expected<InitialValue> readInitial(Cursor &c, unsigned depth) {
  constexpr unsigned Deepest = 16;
  InitialValue value;
  value.at = c.now().text.data();
  if (depth > Deepest)
    return c.expected("fewer braces");
  if (c.consume('{')) {
    if (Error error = readList(c, value, depth))
      return std::move(error);
    return value;
  }
  if (beginsConstant(c)) {
    Expected<Token> token = readConstant(c);
    if (!token)
      return token.takeError();
    value.kind = token->kind == Token::Integer ? InitialValue::Integer : InitialValue::Float;
    value.isSingle = token->isSingle;
    value.bits = token->bits;
    if (token->kind == Token::Integer && c.consume('(')) { // 0xff00(name)
      value.mask = token->bits;
      value.bits = 0;
      if (Error error = readAddress(c, value))
        return std::move(error);
      if (Error error = c.expect(')'))
        return std::move(error);
    }
    return value;
  }
  if (c.now().kind == Token::String) {
    value.kind = InitialValue::String;
    value.name = c.take().text;
    return value;
  }
  if (Error error = readAddress(c, value))
    return std::move(error);
  return value;
}

Error readDims(Cursor &c, Variable &variable) {
  while (c.consume('[')) {
    uint64_t count = 0;
    if (!c.now().is(']')) {
      Expected<uint64_t> number = c.takeInteger("a number of elements");
      if (!number)
        return number.takeError();
      count = *number;
    }
    variable.dims.push_back(count);
    if (variable.bytes() > MostBytes)
      return c.expected("a smaller variable");
    if (Error error = c.expect(']'))
      return error;
  }
  return Error::success();
}

/// addr_mode_0 = clamp_to_border, filter_mode = linear, force_unnormalized_coords = 1
Error readSamplerField(Cursor &c, Sampler &sampler) {
  constexpr StringRef Modes[] = {"wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border"};
  const Token field = c.take();
  if (Error error = c.expect('='))
    return error;
  const Token value = c.take();
  const auto mode = find(Modes, value.text);
  StringRef axis = field.text;
  if (axis.consume_front("addr_mode_") && axis.size() == 1 && axis[0] >= '0' && axis[0] <= '2' &&
      mode != std::end(Modes))
    sampler.address[axis[0] - '0'] = unsigned(mode - std::begin(Modes));
  else if (field.text == "filter_mode" && (value.text == "nearest" || value.text == "linear"))
    sampler.isLinear = value.text == "linear";
  else if (field.text == "force_unnormalized_coords" && value.kind == Token::Integer)
    sampler.isUnnormalized = value.bits != 0;
  else
    return failAt(field.text.data(),
                  "'" + field.text + " = " + value.text + "' is not supported in an initializer");
  return Error::success();
}

/// The fields of a sampler between braces. Those of textures and surfaces come from the host.
Error readOpaque(Cursor &c, Variable &variable) {
  if (Error error = c.expect('{'))
    return error;
  while (!c.consume('}')) {
    if (c.isAtEnd())
      return c.expected("'}'");
    if (variable.opaque != "samplerref") {
      c.take();
      continue;
    }
    if (Error error = readSamplerField(c, variable.sampler))
      return error;
    if (!c.now().is('}'))
      if (Error error = c.expect(','))
        return error;
  }
  return Error::success();
}

/// name<4> or name[4][2], with its initial value.
Error readName(Cursor &c, Variable &variable) {
  Expected<StringRef> name = c.takeName("a name");
  if (!name)
    return name.takeError();
  variable.name = *name;
  if (c.consume('<')) {
    Expected<uint64_t> copies = c.takeInteger("a number of registers");
    if (!copies)
      return copies.takeError();
    constexpr uint64_t MostRegisters = 1 << 20;
    if (*copies > MostRegisters)
      return c.expected("fewer registers");
    variable.copies = *copies;
    if (Error error = c.expect('>'))
      return error;
    if (!variable.copies)
      variable.space = "";
  }
  if (Error error = readDims(c, variable))
    return error;
  if (!c.consume('='))
    return Error::success();
  if (!variable.opaque.empty())
    return readOpaque(c, variable);
  Expected<InitialValue> value = readInitial(c, 0);
  if (!value)
    return value.takeError();
  variable.init.push_back(std::move(*value));
  return Error::success();
}

} // namespace

uint64_t Variable::elementBytes() const { return divideCeil(type.bits(), 8) * vector; }

uint64_t Variable::bytes() const {
  uint64_t bytes = elementBytes();
  for (uint64_t count : dims)
    bytes = SaturatingMultiply(bytes, count);
  return bytes;
}

uint64_t Variable::alignment() const { return align ? align : PowerOf2Ceil(elementBytes()); }

bool beginsVariable(const Token &token) {
  return token.kind == Token::Name && token.text.starts_with(".") &&
         is_contained(Spaces, token.text.drop_front().split('.').first);
}

Error readVariables(Cursor &c, std::vector<Variable> &variables) {
  Expected<Variable> shared = Declarator(c).readType();
  if (!shared)
    return shared.takeError();
  do {
    Variable variable = *shared;
    if (Error error = readName(c, variable))
      return error;
    if (!variable.space.empty()) // r<0>
      variables.push_back(std::move(variable));
  } while (c.consume(','));
  if (c.consume(';') || c.isAtEnd() || c.now().is('}'))
    return Error::success();
  return c.expected("';'");
}

Error readParameters(Cursor &c, std::vector<Variable> &params) {
  if (Error error = c.expect('('))
    return error;
  while (!c.consume(')')) {
    Expected<Variable> param = Declarator(c).readType();
    if (!param)
      return param.takeError();
    if (Error error = readName(c, *param))
      return error;
    params.push_back(std::move(*param));
    if (!c.now().is(')'))
      if (Error error = c.expect(','))
        return error;
  }
  return Error::success();
}

uint64_t bytesOf(ArrayRef<Variable> params) {
  uint64_t bytes = 0;
  for (const Variable &param : params)
    bytes = alignTo(bytes, param.alignment()) + param.bytes();
  return bytes;
}

Error checkSize(const Signature &signature) {
  for (const std::vector<Variable> *variables : {&signature.results, &signature.params})
    if (bytesOf(*variables) > MostLocalBytes)
      return failAt(variables->back().name.data(),
                    "variable '" + variables->back().name + "' is too large");
  return Error::success();
}

} // namespace heddle::frontend::ptx
