// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A recursive descent over the tokens (PTX ISA, "Instruction Statements", "Operands"):
//
//     statement   := [guard] opcode operands ';' | label ':' [targets ';'] | '{' | '}' | variables
//                  | '.loc' numbers | '.pragma' strings ';'     which say nothing that matters here
//     targets     := ('.branchtargets' | '.calltargets') names | '.callprototype' signature
//     guard       := '@' ['!'] name
//     operand     := ['!' | '-'] name [offset] ['|' name] | constant
//                  | '{' operands '}' | '(' operands ')' | '[' address ']'
//     address     := name [offset] [',' operand]          the second of a tensor map or a texture
//
// Braces are statements of their own: an opening one stands where an opcode would. Variables are
// read in declarations.cpp, constants and offsets in constant_expression.cpp.
#include "frontend/ptx/parser.h"

#include "frontend/ptx/constant_expression.h"
#include "frontend/ptx/lexer.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

class Parser {
public:
  explicit Parser(ArrayRef<Token> tokens) : c_(tokens) {}

  Expected<std::vector<Statement>> run() {
    std::vector<Statement> statements;
    while (!c_.isAtEnd()) {
      if (c_.consume(';'))
        continue;
      if (c_.now().text == ".pragma") {
        while (!c_.isAtEnd() && !c_.now().is(';'))
          c_.take();
        continue;
      }
      const char *at = c_.now().text.data();
      Expected<Statement> statement = readStatement();
      if (!statement)
        return statement.takeError();
      statement->at = at;
      statements.push_back(std::move(*statement));
    }
    return statements;
  }

private:
  Expected<Statement> readStatement() {
    c_.setSubject("");
    Statement statement;
    if (c_.consume('{')) {
      statement.kind = Statement::Open;
      return statement;
    }
    if (c_.consume('}')) {
      statement.kind = Statement::Close;
      return statement;
    }
    if (c_.consume('@')) {
      statement.isGuardNegated = c_.consume('!');
      if (Error error = c_.takeName("a predicate").moveInto(statement.guard))
        return std::move(error);
    } else if (c_.now().text == ".loc") {
      return readLocation();
    } else if (beginsVariable(c_.now())) {
      statement.kind = Statement::Declaration;
      statement.name = c_.now().text;
      if (Error error = readVariables(c_, statement.variables))
        return std::move(error);
      return statement;
    }
    if (Error error = c_.takeName("an instruction").moveInto(statement.name))
      return std::move(error);
    if (statement.guard.empty() && c_.consume(':'))
      return readLabel(std::move(statement));
    if (statement.name.starts_with("."))
      return failAt(statement.name.data(), "'" + statement.name + "' is not supported", true);
    c_.setSubject(statement.name);
    statement.name.split(statement.parts, '.');
    return readOperands(std::move(statement));
  }

  Expected<Statement> readLabel(Statement statement) {
    statement.kind = Statement::Label;
    c_.setSubject(c_.now().text);
    if (c_.consume(".branchtargets") || c_.consume(".calltargets")) {
      statement.kind = Statement::Targets;
      return readOperands(std::move(statement));
    }
    if (!c_.consume(".callprototype"))
      return statement;
    statement.kind = Statement::Prototype;
    statement.signature = std::make_shared<Signature>();
    if (Error error = readPrototype(*statement.signature))
      return std::move(error);
    return statement;
  }

  /// (results) _ (params) .noreturn;
  Error readPrototype(Signature &signature) {
    if (c_.now().is('('))
      if (Error error = readParameters(c_, signature.results))
        return error;
    if (!c_.consume("_"))
      return c_.expected("'_'");
    if (c_.now().is('('))
      if (Error error = readParameters(c_, signature.params))
        return error;
    while (!c_.isAtEnd() && !c_.now().is(';')) // .noreturn, .abi_preserve 4
      signature.isNoReturn |= c_.take().text == ".noreturn";
    if (Error error = checkSize(signature))
      return error;
    return readEnd();
  }

  /// .loc 1 20 5, function_name $L, inlined_at 1 30 7
  Expected<Statement> readLocation() {
    Statement statement;
    statement.kind = Statement::Location;
    c_.setSubject(c_.take().text);
    auto readNumbers = [&] {
      for (; c_.now().kind == Token::Integer; c_.take()) {
        Operand number;
        number.kind = Operand::Integer;
        number.bits = c_.now().bits;
        statement.operands.push_back(number);
      }
    };
    readNumbers();
    while (c_.consume(',')) {
      if (c_.consume("function_name")) {
        if (Error error = c_.takeName("a name").moveInto(statement.name))
          return std::move(error);
        if (c_.consume('+'))
          if (Error error = c_.takeInteger("an offset").moveInto(statement.nameOffset))
            return std::move(error);
      } else if (c_.consume("inlined_at")) {
        readNumbers();
      } else {
        return c_.expected("'function_name' or 'inlined_at'");
      }
    }
    if (statement.operands.size() != 3 && statement.operands.size() != 6)
      return c_.expected("a file, a line and a column");
    return statement;
  }

  Error readEnd() {
    if (c_.consume(';') || c_.isAtEnd() || c_.now().is('}'))
      return Error::success();
    return c_.expected("';'");
  }

  Expected<Statement> readOperands(Statement statement) {
    while (!c_.now().is(';') && !c_.isAtEnd() && !c_.now().is('}')) {
      if (!statement.operands.empty())
        if (Error error = c_.expect(','))
          return std::move(error);
      Expected<Operand> operand = readOperand();
      if (!operand)
        return operand.takeError();
      statement.operands.push_back(std::move(*operand));
    }
    if (Error error = readEnd())
      return std::move(error);
    return statement;
  }

  Expected<Operand> readOperand() {
    if (++depth_ > Deepest)
      return c_.expected("fewer brackets");
    Expected<Operand> operand = readNested();
    --depth_;
    return operand;
  }

  Expected<Operand> readNested() {
    if (c_.now().is('['))
      return readAddress();
    if (c_.consume('{')) {
      Expected<Operand> vector = readElements(Operand::Vector, '}');
      return vector && c_.consume('|') ? readPair(std::move(*vector)) : std::move(vector);
    }
    if (c_.subject().starts_with("call") && c_.consume('('))
      return readElements(Operand::List, ')');
    if (beginsConstant(c_))
      return readNumber();
    Operand operand;
    operand.isNegated = c_.consume('!');
    operand.isMinus = c_.consume('-');
    if (c_.now().kind != Token::Name)
      return c_.expected("an operand");
    operand.name = c_.take().text;
    operand.kind = operand.name == "_" ? Operand::Sink : Operand::Name;
    return c_.consume('|') ? readPair(std::move(operand)) : withOffset(std::move(operand));
  }

  Expected<Operand> readNumber() {
    Expected<Token> token = readConstant(c_);
    if (!token)
      return token.takeError();
    Operand operand;
    operand.kind = token->kind == Token::Float ? Operand::Float : Operand::Integer;
    operand.bits = token->bits;
    operand.isSingle = token->isSingle;
    return operand;
  }

  /// name+4, outside of an address, whose own offset may be a name
  Expected<Operand> withOffset(Operand name) {
    if (isInAddress_ || (!c_.now().is('-') && !c_.now().is('+')))
      return name;
    if (Error error = readOffset(c_).moveInto(name.bits))
      return std::move(error);
    return name;
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

  Expected<Operand> readElements(Operand::Kind kind, char end) {
    Operand whole;
    whole.kind = kind;
    while (!c_.now().is(end)) {
      if (!whole.elements.empty())
        if (Error error = c_.expect(','))
          return std::move(error);
      Expected<Operand> element = readOperand();
      if (!element)
        return element.takeError();
      whole.elements.push_back(std::move(*element));
    }
    c_.take();
    return whole;
  }

  Expected<Operand> readAddress() {
    isInAddress_ = true;
    Expected<Operand> address = readInBrackets();
    isInAddress_ = false;
    return address;
  }

  Expected<Operand> readInBrackets() {
    c_.take(); // [
    Operand address;
    address.kind = Operand::Address;
    Expected<Operand> base = readOperand();
    if (!base)
      return base.takeError();
    address.elements.push_back(std::move(*base));
    bool isMinus = c_.now().is('-');
    if (isMinus || c_.now().is('+')) {
      if (c_.next().kind == Token::Name) { // %1, which is a constant
        c_.take();
        Expected<Operand> offset = readOperand();
        if (!offset)
          return offset.takeError();
        address.elements.push_back(std::move(*offset));
        address.isNegated = isMinus;
      } else if (Error error = readOffset(c_).moveInto(address.bits)) {
        return std::move(error);
      }
    }
    if (c_.consume(',')) {
      Expected<Operand> place = readOperand();
      if (!place)
        return place.takeError();
      if (place->kind == Operand::Name && c_.consume(',')) { // [texture, sampler, {x, y}]
        address.sampler = place->name;
        place = readOperand();
        if (!place)
          return place.takeError();
      }
      if (place->kind == Operand::Vector)
        address.coordinates = std::move(place->elements);
      else
        address.coordinates.push_back(std::move(*place));
    }
    if (Error error = c_.expect(']'))
      return std::move(error);
    return address;
  }

  static constexpr unsigned Deepest = 64;

  Cursor c_;
  unsigned depth_ = 0;
  bool isInAddress_ = false;
};

} // namespace

Expected<std::vector<Statement>> parse(StringRef text) {
  Expected<SmallVector<Token, 32>> tokens = tokenize(text);
  if (!tokens)
    return tokens.takeError();
  return Parser(*tokens).run();
}

} // namespace heddle::frontend::ptx
