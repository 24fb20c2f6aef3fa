// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constant expressions as in C, on 64-bit integers and doubles: an integer is signed unless its
// literal ends with U or is too large, and an operation is unsigned where one of its operands is.
#include "frontend/ptx/constant_expression.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

struct Evaluated {
  Token token; ///< its kind and bits
  bool isUnsigned = false;

  bool isFloat() const { return token.kind == Token::Float; }
  double real() const { return bit_cast<double>(token.bits); }
  int64_t number() const { return int64_t(token.bits); }
};

struct ConstantOperator {
  StringRef name; ///< "<<" is two tokens
  unsigned rank;
  bool isForFloats;
};

/// Longer names before those that they begin with.
constexpr ConstantOperator ConstantOperators[] = {
    {"||", 1, false}, {"&&", 2, false}, {"==", 6, true}, {"!=", 6, true}, {"<<", 8, false},
    {">>", 8, false}, {"<=", 7, true},  {">=", 7, true}, {"|", 3, false}, {"^", 4, false},
    {"&", 5, false},  {"<", 7, true},   {">", 7, true},  {"+", 9, true},  {"-", 9, true},
    {"*", 10, true},  {"/", 10, true},  {"%", 10, false}};

Evaluated evaluatedInteger(uint64_t bits, bool isUnsigned = false) {
  Evaluated result;
  result.token.kind = Token::Integer;
  result.token.bits = bits;
  result.isUnsigned = isUnsigned;
  return result;
}

Evaluated evaluatedReal(double value) {
  Evaluated result;
  result.token.kind = Token::Float;
  result.token.bits = bit_cast<uint64_t>(value);
  return result;
}

template <class T> std::optional<bool> compared(StringRef name, T a, T b) {
  if (name == "==" || name == "!=")
    return (a == b) == (name == "==");
  if (name == "<" || name == ">")
    return name == "<" ? a < b : a > b;
  if (name == "<=" || name == ">=")
    return name == "<=" ? a <= b : a >= b;
  return {};
}

Evaluated floatResult(StringRef name, double a, double b) {
  if (std::optional<bool> holds = compared(name, a, b))
    return evaluatedInteger(*holds);
  return evaluatedReal(name == "+" ? a + b : name == "-" ? a - b : name == "*" ? a * b : a / b);
}

uint64_t quotient(bool isRemainder, const Evaluated &a, const Evaluated &b, bool isUnsigned) {
  const uint64_t x = a.token.bits, y = b.token.bits;
  if (isUnsigned)
    return isRemainder ? x % y : x / y;
  if (b.number() == -1) // of the least number, too
    return isRemainder ? 0 : 0 - x;
  return uint64_t(isRemainder ? a.number() % b.number() : a.number() / b.number());
}

uint64_t shifted(bool isLeft, const Evaluated &a, uint64_t by) {
  by = std::min<uint64_t>(by, 64);
  if (isLeft)
    return by == 64 ? 0 : a.token.bits << by;
  if (a.isUnsigned)
    return by == 64 ? 0 : a.token.bits >> by;
  return uint64_t(a.number() >> std::min<uint64_t>(by, 63));
}

Evaluated integerResult(StringRef name, const Evaluated &a, const Evaluated &b) {
  const bool isUnsigned = a.isUnsigned || b.isUnsigned;
  const uint64_t x = a.token.bits, y = b.token.bits;
  if (name == "||" || name == "&&")
    return evaluatedInteger(name == "||" ? x || y : x && y);
  if (std::optional<bool> holds =
          isUnsigned ? compared(name, x, y) : compared(name, a.number(), b.number()))
    return evaluatedInteger(*holds);
  if (name == "<<" || name == ">>")
    return evaluatedInteger(shifted(name == "<<", a, y), a.isUnsigned);
  if (name == "/" || name == "%")
    return evaluatedInteger(quotient(name == "%", a, b, isUnsigned), isUnsigned);
  return evaluatedInteger(name == "+"   ? x + y
                          : name == "-" ? x - y
                          : name == "*" ? x * y
                          : name == "&" ? (x & y)
                          : name == "|" ? (x | y)
                                        : (x ^ y),
                          isUnsigned);
}

/// Above those of all operators.
constexpr unsigned OfUnary = 11;

class ConstantReader {
public:
  explicit ConstantReader(Cursor &cursor) : c_(cursor) {}

  /// An operand, and all operators behind it whose rank is `rank` or more.
  Expected<Evaluated> read(unsigned rank) {
    constexpr unsigned Deepest = 256;
    if (++depth_ > Deepest)
      return c_.expected("fewer brackets");
    Expected<Evaluated> value = readOperand();
    if (value)
      value = readOperators(*value, rank);
    --depth_;
    return value;
  }

  Expected<Evaluated> readOperators(Evaluated left, unsigned rank) {
    while (const ConstantOperator *next = nextOperator()) {
      if (next->rank < rank)
        break;
      for (size_t i = 0; i != next->name.size(); ++i)
        c_.take();
      Expected<Evaluated> right = read(next->rank + 1);
      if (!right)
        return right.takeError();
      const bool isFloat = left.isFloat();
      if (isFloat != right->isFloat())
        return problem("Constant expression type mismatch");
      if (isFloat && !next->isForFloats)
        return problem("Integer constant expression expected");
      if ((next->name == "/" || next->name == "%") && !isFloat && !right->token.bits)
        return problem("Constant expression has division by zero");
      left = isFloat ? floatResult(next->name, left.real(), right->real())
                     : integerResult(next->name, left, *right);
    }
    if (rank != 0 || !c_.consume('?'))
      return left;
    if (left.isFloat())
      return problem("Integer constant expression expected");
    return readChoice(left.token.bits != 0);
  }

private:
  Error problem(const Twine &message) const {
    return failAt(c_.isAtEnd() ? nullptr : c_.now().text.data(), message);
  }

  const ConstantOperator *nextOperator() const {
    if (c_.now().is(',') || c_.now().is(';') || c_.now().is(']'))
      return nullptr;
    const auto found = find_if(ConstantOperators, [&](const ConstantOperator &one) {
      return c_.now().is(one.name[0]) && (one.name.size() == 1 || c_.next().is(one.name[1]));
    });
    return found == std::end(ConstantOperators) ? nullptr : found;
  }

  Expected<Evaluated> readChoice(bool isFirst) {
    Expected<Evaluated> first = read(0);
    if (!first)
      return first.takeError();
    if (Error error = c_.expect(':'))
      return std::move(error);
    Expected<Evaluated> second = read(0);
    if (!second)
      return second.takeError();
    return isFirst ? *first : *second;
  }

  Expected<Evaluated> readOperand() {
    for (char sign : {'+', '-', '!', '~'})
      if (c_.consume(sign)) {
        Expected<Evaluated> operand = read(OfUnary);
        return operand && sign != '+' ? signedBy(sign, *operand) : std::move(operand);
      }
    if (c_.consume('('))
      return readBrackets();
    const Token token = c_.now();
    if (token.kind != Token::Integer && token.kind != Token::Float)
      return c_.expected("a number");
    c_.take();
    return Evaluated{token, token.kind == Token::Integer &&
                                (int64_t(token.bits) < 0 || token.text.back() == 'U' ||
                                 token.text.back() == 'u')};
  }

  Expected<Evaluated> signedBy(char sign, Evaluated operand) {
    if (operand.isFloat()) {
      if (sign != '-')
        return problem("Integer constant expression expected");
      operand.token.bits ^= uint64_t(1) << 63;
      return operand;
    }
    const uint64_t bits = operand.token.bits;
    return sign == '!' ? evaluatedInteger(!bits)
                       : evaluatedInteger(sign == '-' ? -bits : ~bits, operand.isUnsigned);
  }

  /// Behind an opening one: an expression, or a type that is that of the operand behind.
  Expected<Evaluated> readBrackets() {
    const bool isUnsigned = c_.now().text == ".u64";
    if (isUnsigned || c_.now().text == ".s64") {
      c_.take();
      if (Error error = c_.expect(')'))
        return std::move(error);
      Expected<Evaluated> operand = read(OfUnary);
      if (operand && operand->isFloat())
        return problem("Unsupported cast operation");
      if (operand)
        operand->isUnsigned = isUnsigned;
      return operand;
    }
    Expected<Evaluated> whole = read(0);
    if (!whole)
      return whole;
    if (Error error = c_.expect(')'))
      return std::move(error);
    return whole;
  }

  Cursor &c_;
  unsigned depth_ = 0;
};

} // namespace

bool beginsConstant(const Cursor &c) {
  const auto isNumber = [](const Token &token) {
    return token.kind == Token::Integer || token.kind == Token::Float;
  };
  const auto isSign = [](const Token &token) {
    return token.is('-') || token.is('+') || token.is('!') || token.is('~');
  };
  const Token &now = c.now(), &next = c.next();
  return isNumber(now) || now.is('(') ||
         (isSign(now) && (isNumber(next) || isSign(next) || next.is('(')));
}

Expected<Token> readConstant(Cursor &c) {
  Expected<Evaluated> value = ConstantReader(c).read(0);
  if (!value)
    return value.takeError();
  return value->token;
}

Expected<uint64_t> readOffset(Cursor &c) {
  constexpr unsigned OfSums = 9;
  Expected<Evaluated> value = ConstantReader(c).readOperators(evaluatedInteger(0), OfSums);
  if (!value)
    return value.takeError();
  return value->token.bits;
}

} // namespace heddle::frontend::ptx
