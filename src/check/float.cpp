// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that appear where all that they are computed from is in order.
#include "check/float.h"

#include "check/findings.h"
#include "check/sites.h"

#include <cmath>

namespace heddle::check {

namespace {

enum class Wrong : uint8_t { NaN, Infinity, DivisionByZero, Conversion, Cancellation };
constexpr unsigned Wrongs = 5;

struct Words {
  const char *kind, *text;
};
constexpr Words WordsOf[Wrongs] = {
    {"nan", "NaN appears"},
    {"infinity", "Infinity appears"},
    {"division-by-zero", "Division by zero"},
    {"invalid-conversion", "Conversion of a number that the integer type does not have"},
    {"cancellation", "Difference of numbers that are nearly equal: few digits are left"},
};

/// Of one lane.
struct Numbers {
  const double *values;
  uint32_t lane;
  double result() const { return values[lane]; }
  double operand(uint32_t i) const { return values[(1 + i) * MostCheckedLanes + lane]; }
};

Wrong judge(const FloatSite &site, const Numbers &numbers) {
  if (site.operation == FloatOperation::ToInteger ||
      site.operation == FloatOperation::ToSmallInteger)
    return Wrong::Conversion;
  if (site.operation >= FloatOperation::ToHalf)
    return site.operation == FloatOperation::ToE4m3 ? Wrong::NaN : Wrong::Infinity;
  if (site.operation == FloatOperation::IntegerDivide ||
      (site.operation == FloatOperation::Divide && numbers.operand(1) == 0))
    return Wrong::DivisionByZero;
  if (std::isnan(numbers.result()))
    return Wrong::NaN;
  return std::isinf(numbers.result()) ? Wrong::Infinity : Wrong::Cancellation;
}

std::string numberText(double number, unsigned bits) {
  if (std::isnan(number))
    return "nan"; // whatever its sign
  char text[40];
  snprintf(text, sizeof(text), "%.*g", bits == 64 ? 17 : 9, number);
  return text;
}

/// "1 / 0 = inf".
std::string describe(const FloatSite &site, const Numbers &numbers) {
  auto operand = [&](uint32_t i) { return numberText(numbers.operand(i), site.bits); };
  std::string result = " = " + numberText(numbers.result(), site.bits);
  switch (site.operation) {
  case FloatOperation::Add: // LLVM adds the negative of a constant that the program subtracts
    if (numbers.operand(1) < 0)
      return operand(0) + " - " + numberText(-numbers.operand(1), site.bits) + result;
    return operand(0) + " + " + operand(1) + result;
  case FloatOperation::Subtract:
    return operand(0) + " - " + operand(1) + result;
  case FloatOperation::Multiply:
    return operand(0) + " * " + operand(1) + result;
  case FloatOperation::Divide:
    return operand(0) + " / " + operand(1) + result;
  case FloatOperation::Fma:
    return operand(0) + " * " + operand(1) + " + " + operand(2) + result;
  case FloatOperation::IntegerDivide:
    return numberText(numbers.operand(0), 64) + " divided by 0";
  case FloatOperation::Narrow:
    return numberText(numbers.operand(0), 64) + " as a float" + result;
  case FloatOperation::ToInteger:
    return operand(0) + " becomes " + numberText(numbers.result(), 64);
  case FloatOperation::ToHalf:
    return operand(0) + " as a half";
  case FloatOperation::ToBfloat16:
    return operand(0) + " as a bfloat16";
  case FloatOperation::ToE4m3:
    return operand(0) + " as an e4m3";
  case FloatOperation::ToE5m2:
    return operand(0) + " as an e5m2";
  case FloatOperation::ToSmallInteger:
    return operand(0) + " as an integer";
  case FloatOperation::Call:
    break;
  }
  std::string text = site.name ? site.name : "the function";
  text += "(";
  for (uint32_t i = 0; i < site.operands; ++i)
    text += (i ? ", " : "") + operand(i);
  return text + ")" + result;
}

} // namespace

/// The first one of those that a number belongs to.
static uint32_t laneOf(uint32_t lanes, uint32_t number, uint32_t step, uint32_t period) {
  for (uint32_t rest = lanes; rest; rest &= rest - 1)
    if (auto lane = static_cast<uint32_t>(__builtin_ctz(rest)); lane % period / step == number)
      return lane;
  return number * step;
}

void reportNumbers(Block *block, uint32_t warp, uint32_t lanes, uint32_t which, uint32_t step,
                   uint32_t period, const double *values, const FloatSite *site) {
  AccessSite place = {};
  place.frames = site->frames;
  place.frameCount = site->frameCount;
  Finding findings[Wrongs];
  for (uint32_t rest = which; rest; rest &= rest - 1) {
    Numbers numbers = {values, static_cast<uint32_t>(__builtin_ctz(rest))};
    auto wrong = static_cast<unsigned>(judge(*site, numbers));
    Finding &finding = findings[wrong];
    if (finding.threads++)
      continue;
    finding.tool = "floatcheck";
    finding.kind = WordsOf[wrong].kind;
    finding.text = WordsOf[wrong].text;
    placeFinding(finding, block, warp, laneOf(lanes, numbers.lane, step, period), place);
    finding.notes.push_back({describe(*site, numbers), {}});
  }
  for (Finding &finding : findings)
    if (finding.threads)
      note(std::move(finding));
}

} // namespace heddle::check
