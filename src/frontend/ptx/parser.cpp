// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recursive descent over the tokens (PTX ISA, "Instruction Statements", "Operands"):
//
//     statement   := [guard] opcode operands ';' | label ':' | '{' | '}' | '.reg' types names ';'
//                  | '.pragma' strings ';'                      which say nothing that matters here
//     guard       := '@' ['!'] name
//     operand     := ['!' | '-'] name ['|' name] | number | '{' operands '}' | '[' address ']'
//     address     := name ['+' offset] [',' operand]      the second of a tensor map or a texture
//
// Braces are statements of their own: an opening one stands where an opcode would.
#include "frontend/ptx/parser.h"

#include "frontend/error.h"
#include "frontend/ptx/lexer.h"
#include "frontend/ptx/opcodes.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

class Parser {
public:
  explicit Parser(ArrayRef<Token> tokens) : tokens_(tokens) {}

  Expected<std::vector<Statement>> run() {
    std::vector<Statement> statements;
    while (now().kind != Token::End) {
      if (consume(';'))
        continue;
      if (now().text == ".pragma") {
        while (now().kind != Token::End && !now().is(';'))
          take();
        continue;
      }
      Expected<Statement> statement = readStatement();
      if (!statement)
        return statement.takeError();
      statements.push_back(std::move(*statement));
    }
    return statements;
  }

private:
  const Token &now() const { return tokens_.front(); }
  Token take() {
    Token token = now();
    if (token.kind != Token::End)
      tokens_ = tokens_.drop_front();
    return token;
  }
  bool consume(char c) {
    if (!now().is(c))
      return false;
    take();
    return true;
  }

  /// "expected ',', found '%4'", in the instruction that is being read.
  Error expected(const Twine &what) const {
    std::string found = now().kind == Token::End ? "the end" : ("'" + now().text + "'").str();
    std::string where = opcode_.empty() ? "" : ("'" + opcode_ + "': ").str();
    return fail(where + "expected " + what + ", found " + found);
  }

  Expected<Statement> readStatement() {
    opcode_ = "";
    Statement statement;
    if (consume('{')) {
      statement.kind = Statement::Open;
      return statement;
    }
    if (consume('}')) {
      statement.kind = Statement::Close;
      return statement;
    }
    if (consume('@')) {
      statement.isGuardNegated = consume('!');
      if (now().kind != Token::Name)
        return expected("a predicate");
      statement.guard = take().text;
    }
    if (now().kind != Token::Name)
      return expected("an instruction");
    statement.name = take().text;
    if (statement.guard.empty() && consume(':')) {
      statement.kind = Statement::Label;
      return statement;
    }
    opcode_ = statement.name;
    if (statement.name.starts_with("."))
      return readDeclaration(std::move(statement));
    statement.name.split(statement.parts, '.');
    if (!findOpcode(statement.parts))
      return fail("'" + statement.name + "' is not supported");
    return readOperands(std::move(statement));
  }

  Error readEnd() {
    if (consume(';') || now().kind == Token::End || now().is('}'))
      return Error::success();
    return expected("';'");
  }

  Expected<Statement> readOperands(Statement statement) {
    while (!now().is(';') && now().kind != Token::End && !now().is('}')) {
      if (!statement.operands.empty() && !consume(','))
        return expected("','");
      Expected<Operand> operand = readOperand();
      if (!operand)
        return operand.takeError();
      statement.operands.push_back(std::move(*operand));
    }
    if (Error error = readEnd())
      return std::move(error);
    return statement;
  }

  /// .reg .b32 a, b<4>;   Names of types come as one token with the directive, or apart.
  Expected<Statement> readDeclaration(Statement statement) {
    statement.kind = Statement::Declaration;
    statement.name.drop_front().split(statement.parts, '.');
    if (statement.parts.front() != "reg")
      return fail("'" + statement.name + "' is not supported");
    while (now().kind == Token::Name && now().text.starts_with("."))
      take().text.drop_front().split(statement.parts, '.');
    do {
      Operand name;
      name.kind = Operand::Name;
      if (now().kind != Token::Name)
        return expected("a name");
      name.name = take().text;
      if (consume('<')) {
        if (now().kind != Token::Integer)
          return expected("a number of registers");
        name.bits = take().bits;
        name.isNegated = true; // a range
        if (!consume('>'))
          return expected("'>'");
      }
      statement.operands.push_back(std::move(name));
    } while (consume(','));
    if (Error error = readEnd())
      return std::move(error);
    return statement;
  }

  Expected<Operand> readOperand() {
    if (now().is('['))
      return readAddress();
    if (consume('{'))
      return readVector();
    Operand operand;
    operand.isNegated = consume('!');
    bool isMinus = consume('-');
    Token token = take();
    switch (token.kind) {
    case Token::Integer:
      operand.kind = Operand::Integer;
      operand.bits = isMinus ? -token.bits : token.bits;
      return operand;
    case Token::Float:
      operand.kind = Operand::Float;
      operand.bits = token.bits ^ (isMinus ? uint64_t(1) << 63 : 0);
      operand.isSingle = token.isSingle;
      return operand;
    case Token::Name:
      operand.isMinus = isMinus;
      operand.kind = token.text == "_" ? Operand::Sink : Operand::Name;
      operand.name = token.text;
      return consume('|') ? readPair(std::move(operand)) : Expected<Operand>(std::move(operand));
    default:
      break;
    }
    return fail("'" + opcode_ + "': expected an operand, found '" + token.text + "'");
  }

  Expected<Operand> readPair(Operand first) {
    Operand pair;
    pair.kind = Operand::Pair;
    Expected<Operand> second = readOperand();
    if (!second)
      return second.takeError();
    pair.elements.push_back(std::move(first));
    pair.elements.push_back(std::move(*second));
    return pair;
  }

  Expected<Operand> readVector() {
    Operand vector;
    vector.kind = Operand::Vector;
    do {
      Expected<Operand> element = readOperand();
      if (!element)
        return element.takeError();
      vector.elements.push_back(std::move(*element));
    } while (consume(','));
    if (!consume('}'))
      return expected("'}'");
    return vector;
  }

  Expected<Operand> readAddress() {
    take(); // [
    Operand address;
    address.kind = Operand::Address;
    Expected<Operand> base = readOperand();
    if (!base)
      return base.takeError();
    address.elements.push_back(std::move(*base));
    bool isMinus = now().is('-');
    if (isMinus || now().is('+')) {
      take();
      Expected<Operand> offset = readOperand();
      if (!offset)
        return offset.takeError();
      if (offset->kind == Operand::Integer)
        address.bits = isMinus ? -offset->bits : offset->bits;
      else
        address.elements.push_back(std::move(*offset)); // %1, which is a constant
      address.isNegated = isMinus;
    }
    if (consume(',')) {
      Expected<Operand> place = readOperand();
      if (!place)
        return place.takeError();
      if (place->kind == Operand::Vector)
        address.coordinates = std::move(place->elements);
      else
        address.coordinates.push_back(std::move(*place));
    }
    if (!consume(']'))
      return expected("']'");
    return address;
  }

  ArrayRef<Token> tokens_;
  StringRef opcode_; ///< of the statement that is being read
};

} // namespace

Expected<std::vector<Statement>> parse(StringRef text) {
  Expected<SmallVector<Token, 32>> tokens = tokenize(text);
  if (!tokens)
    return tokens.takeError();
  return Parser(*tokens).run();
}

} // namespace heddle::frontend::ptx
