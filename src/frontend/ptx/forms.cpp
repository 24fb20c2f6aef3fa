// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/ptx/forms.h"
#include "frontend/ptx/types.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

#include <vector>

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

using FormWords = SmallVector<StringRef, 8>;

struct KnownForm {
  FormWords types, modifiers, needed;
};

FormWords formWords(StringRef text, char between = ' ') {
  FormWords words;
  text.split(words, between, /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return words;
}

StringMap<SmallVector<KnownForm, 4>> makeForms() {
  StringMap<SmallVector<KnownForm, 4>> forms;
#define PTX_FORM(OPCODE, TYPES, MODIFIERS, NEEDED)                                                 \
  forms[OPCODE].push_back({formWords(TYPES), formWords(MODIFIERS), formWords(NEEDED)});
#define PTX_CONVERSION(TO, FROM, ROUNDINGS, MODIFIERS)
#define PTX_ACCESS(OPCODE, ORDER, SPACES, MODIFIERS, NEEDED)
#include "frontend/ptx/forms.def"
  return forms;
}

bool isModifierOfAny(ArrayRef<KnownForm> forms, StringRef word) {
  return any_of(forms, [&](const KnownForm &form) { return is_contained(form.modifiers, word); });
}

std::string missingOf(StringRef opcode, ArrayRef<StringRef> needed) {
  const bool mayRound = is_contained(needed, "rz") || needed == ArrayRef<StringRef>{"rn"};
  const bool mayApproximate = is_contained(needed, "approx");
  const std::string what = mayRound && mayApproximate ? "Rounding modifier or '.approx' modifier"
                           : mayRound                 ? "Rounding modifier"
                           : is_contained(needed, "clamp")
                               ? "Clamp modifier"
                               : ("." + needed.front() + " modifier").str();
  return what + " required for instruction '" + opcode.str() + "'";
}

std::string illegal(StringRef word, StringRef opcode) {
  return ("Illegal modifier '." + word + "' for instruction '" + opcode + "'").str();
}

std::string notCombined(StringRef word, StringRef other) {
  return ("Modifier '." + word + "' cannot be combined with modifier '." + other + "'").str();
}

// ---------------------------------------------------------------------------------------------------
// cvt

struct KnownConversion {
  FormWords to, from, roundings, modifiers;
};

ArrayRef<KnownConversion> knownConversions() {
  static const auto &all = *new std::vector<KnownConversion>{
#define PTX_FORM(OPCODE, TYPES, MODIFIERS, NEEDED)
#define PTX_CONVERSION(TO, FROM, ROUNDINGS, MODIFIERS)                                             \
  {formWords(TO), formWords(FROM), formWords(ROUNDINGS), formWords(MODIFIERS)},
#define PTX_ACCESS(OPCODE, ORDER, SPACES, MODIFIERS, NEEDED)
#include "frontend/ptx/forms.def"
  };
  return all;
}

/// Whether all numbers of an integer type are numbers of another.
bool holdsAll(const PtxType &to, const PtxType &from) {
  const unsigned digits = to.bits() - to.isSigned(), sourceDigits = from.bits() - from.isSigned();
  return digits >= sourceDigits && (to.isSigned() || !from.isSigned());
}

/// Formats of six and four bits are of sm_100a and other specific targets; sm_100 has saturated tf32.
std::string problemOfTarget(ArrayRef<StringRef> types, StringRef rounding,
                            ArrayRef<StringRef> modifiers, const Dialect &dialect) {
  if (!dialect.sm)
    return "";
  const bool isSpecific = dialect.target.ends_with("a") || dialect.target.ends_with("f");
  for (StringRef formats : {"e2m3x2 e3m2x2", "e2m1x2"})
    for (StringRef format : formWords(formats))
      if (is_contained(types, format) && (dialect.sm < 100 || !isSpecific))
        return "Instruction 'cvt with ." + join(formWords(formats), "/.") +
               "' not supported on .target 'sm_" + dialect.target.str() + "'";
  if (types[0] == "tf32" && rounding != "rna" && is_contained(modifiers, "satfinite") &&
      dialect.sm < 100)
    return ("Modifier '.satfinite' on 'cvt.tf32.f32." + rounding +
            "' requires .target sm_100 or higher")
        .str();
  return "";
}

std::string problemOfConversion(ArrayRef<StringRef> words, const Dialect &dialect) {
  constexpr StringRef Roundings[] = {"rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "rna"};
  constexpr StringRef Modifiers[] = {"ftz", "sat", "relu", "satfinite"};
  const std::string unexpected = "Unexpected instruction types specified for 'cvt'";
  FormWords types, modifiers;
  StringRef rounding = "-";
  for (StringRef word : words)
    if (findType(word))
      types.push_back(word);
    else if (is_contained(Roundings, word))
      rounding = word;
    else if (is_contained(Modifiers, word))
      modifiers.push_back(word);
    else
      return ""; // the lowering's to refuse
  SmallVector<const KnownConversion *, 2> rows;
  for (const KnownConversion &row : knownConversions())
    if (types.size() == 2 && is_contained(row.to, types[0]) && is_contained(row.from, types[1]))
      rows.push_back(&row);
  if (rows.empty())
    return unexpected;
  for (StringRef word : modifiers)
    if (none_of(rows, [&](auto *row) { return is_contained(row->modifiers, word); }))
      return word == "relu" || word == "satfinite" ? unexpected : illegal(word, "cvt");
  const auto row = find_if(rows, [&](auto *row) { return is_contained(row->roundings, rounding); });
  const PtxType to = *findType(types[0]), from = *findType(types[1]);
  const bool mayLack = dialect.isOld && (!to.isInteger() || from.isInteger());
  if (row == rows.end() && !(mayLack && rounding == "-"))
    return rounding == "-" ? "Rounding modifier required for instruction 'cvt'"
                           : "Illegal rounding modifier for instruction 'cvt'";
  for (StringRef word : modifiers)
    if (row != rows.end() && !is_contained((*row)->modifiers, word))
      return "Illegal rounding modifier for instruction 'cvt'";
  for (StringRef word : {"relu", "satfinite"})
    for (StringRef other : {"ftz", "sat"})
      if (is_contained(modifiers, word) && is_contained(modifiers, other))
        return notCombined(word, other);
  if (is_contained(modifiers, "sat") && to.isInteger() && from.isInteger() && holdsAll(to, from))
    return illegal("sat", "cvt");
  if (to.kind == TypeKind::Small && !is_contained(modifiers, "satfinite"))
    return ("'.satfinite' modifier required for instruction 'cvt' with destination type '." +
            types[0] + "'")
        .str();
  return problemOfTarget(types, rounding, modifiers, dialect);
}

// ---------------------------------------------------------------------------------------------------
// Accesses to memory

struct KnownAccess {
  FormWords orders, spaces, modifiers, needed;
};

ArrayRef<KnownAccess> accessesOf(StringRef opcode) {
  static const auto &all = *[] {
    auto *forms = new StringMap<std::vector<KnownAccess>>;
#define PTX_FORM(OPCODE, TYPES, MODIFIERS, NEEDED)
#define PTX_CONVERSION(TO, FROM, ROUNDINGS, MODIFIERS)
#define PTX_ACCESS(OPCODE, ORDERS, SPACES, MODIFIERS, NEEDED)                                      \
  (*forms)[OPCODE].push_back(                                                                      \
      {formWords(ORDERS), formWords(SPACES), formWords(MODIFIERS), formWords(NEEDED)});
#include "frontend/ptx/forms.def"
    return forms;
  }();
  const auto found = all.find(opcode);
  return found == all.end() ? ArrayRef<KnownAccess>() : ArrayRef(found->second);
}

constexpr StringRef AccessOrders[] = {"weak",    "nc",      "volatile",     "mmio",
                                      "relaxed", "acquire", "release",      "acq_rel",
                                      "sc",      "proxy",   "mbarrier_init"};
constexpr StringRef AccessSpaces[] = {"global", "shared", "shared::cta", "shared::cluster",
                                      "local",  "const",  "param"};
constexpr StringRef AccessScopes[] = {"cta", "cluster", "gpu", "gl", "sys"};
constexpr StringRef AccessCaches[] = {"ca", "cg", "cs", "lu", "cv", "wb", "wt"};

/// The one with the order that the words name.
const KnownAccess *findAccess(ArrayRef<KnownAccess> rows, ArrayRef<StringRef> orders) {
  const std::string order = orders.empty() ? "-" : join(orders, ".");
  const auto row =
      find_if(rows, [&](const KnownAccess &one) { return is_contained(one.orders, order); });
  return row == rows.end() ? nullptr : &*row;
}

/// Whether some row has an order of which the word is a part.
bool isOrderOfAny(ArrayRef<KnownAccess> rows, StringRef word) {
  return any_of(rows, [&](const KnownAccess &row) {
    return any_of(row.orders,
                  [&](StringRef order) { return is_contained(formWords(order, '.'), word); });
  });
}

std::string problemOfOrders(StringRef opcode, ArrayRef<KnownAccess> rows,
                            ArrayRef<StringRef> orders) {
  for (StringRef word : orders)
    if (!isOrderOfAny(rows, word))
      return illegal(word, opcode);
  if (findAccess(rows, orders))
    return "";
  return orders.size() > 1 ? notCombined(orders[0], orders[1])
                           : "Modifier '." + orders[0].str() + "' requires modifier '" +
                                 (orders[0] == "mmio" ? ".relaxed" : ".release") +
                                 "' for instruction '" + opcode.str() + "'";
}

std::string missingScope(StringRef opcode, StringRef order) {
  if (opcode == "membar")
    return "Membar level required for instruction 'membar'";
  if (opcode == "fence")
    return "Scope modifier required for instruction 'fence'";
  return ("Modifier '." + order + "' requires scope with '" + opcode + "' instruction").str();
}

std::string problemOfAccess(StringRef opcode, ArrayRef<StringRef> words) {
  const ArrayRef<KnownAccess> rows = accessesOf(opcode);
  if (rows.empty())
    return "";
  FormWords orders, modifiers;
  StringRef space = "generic";
  for (StringRef word : words)
    if (is_contained(AccessOrders, word))
      orders.push_back(word);
    else if (is_contained(AccessSpaces, word))
      space = word;
    else if (is_contained(AccessScopes, word) || is_contained(AccessCaches, word))
      modifiers.push_back(word);
  if (std::string problem = problemOfOrders(opcode, rows, orders); !problem.empty())
    return problem;
  for (StringRef word : modifiers)
    if (none_of(rows, [&](const KnownAccess &row) { return is_contained(row.modifiers, word); }))
      return illegal(word, opcode);
  if (none_of(rows, [&](const KnownAccess &row) { return is_contained(row.spaces, space); }))
    return ("State space incorrect for instruction '" + opcode + "'").str();
  const KnownAccess &row = *findAccess(rows, orders);
  StringRef order = orders.empty() ? "" : orders[0];
  if (!is_contained(row.spaces, space))
    return order == "nc"
               ? "Modifier '.nc' requires .global space"
               : ("Modifier '." + order + "' cannot be applied to '." + space + "' space").str();
  for (StringRef word : modifiers)
    if (!is_contained(row.modifiers, word))
      return order == "nc"   ? "Illegal cache operation for instruction 'ld.nc'"
             : order.empty() ? ("Modifier '." + word + "' requires memory order with '" + opcode +
                                "' instruction")
                                   .str()
                             : notCombined(order, word);
  if (!row.needed.empty() &&
      none_of(row.needed, [&](StringRef word) { return is_contained(modifiers, word); }))
    return missingScope(opcode, order);
  return "";
}

/// PTX ISA, "Vectors": 256 bits are sm_100's.
std::string problemOfVector(ArrayRef<StringRef> words, unsigned sm) {
  const auto type = find_if(words, [](StringRef word) { return bool(findType(word)); });
  const auto vector =
      find_if(words, [](StringRef word) { return word == "v4" || word == "v8" || word == "v2"; });
  if (type == words.end() || vector == words.end())
    return "";
  const unsigned element = findType(*type)->bits(), bits = element * unsigned((*vector)[1] - '0');
  if (bits > 256 || element > 64 || (bits > 128 && element < 32))
    return "Vector type too large, exceeds 128 bit limit";
  if (bits > 128 && sm && sm < 100)
    return "Feature '256 bit wide load/store' requires .target sm_100 or higher";
  return "";
}

} // namespace

/// Of what the form needs, in modules of before it was needed. ptxas lets mad.f32 go without a
/// rounding for longer than others: up to PTX 3.1, and for targets that have no fma always.
static bool hasDefault(StringRef opcode, StringRef type, const Dialect &dialect) {
  const bool isOldMad =
      opcode == "mad" && type == "f32" && (dialect.sm < 20 || dialect.version < 32);
  return dialect.isOld || isOldMad;
}

std::string problemOfForm(StringRef opcode, ArrayRef<StringRef> modifiers, const Dialect &dialect) {
  static const auto &all = *new StringMap<SmallVector<KnownForm, 4>>(makeForms());
  if (opcode == "cvt")
    return is_contained(modifiers, "pack") ? "" : problemOfConversion(modifiers, dialect);
  if (std::string problem = problemOfAccess(opcode, modifiers); !problem.empty())
    return problem;
  if (opcode == "ld" || opcode == "st")
    if (std::string problem = problemOfVector(modifiers, dialect.sm); !problem.empty())
      return problem;
  auto found = all.find(opcode);
  if (opcode == "atom" || opcode == "red" || opcode == "redux")
    for (StringRef word : modifiers)
      if (found = all.find((opcode + "." + word).str()); found != all.end())
        break;
  if (found == all.end())
    return "";
  const ArrayRef<KnownForm> forms = found->second;
  const auto type = find_if(modifiers, [](StringRef word) { return bool(findType(word)); });
  if (type == modifiers.end())
    return "";
  const auto form =
      find_if(forms, [&](const KnownForm &one) { return is_contained(one.types, *type); });
  if (form == forms.end())
    return ("Unexpected instruction types specified for '" + opcode + "'").str();
  for (StringRef word : modifiers) // one that no form has is the lowering's to refuse
    if (!is_contained(form->modifiers, word) && isModifierOfAny(forms, word))
      return illegal(word, opcode);
  if (!hasDefault(opcode, *type, dialect) && !form->needed.empty() &&
      none_of(form->needed, [&](StringRef word) { return is_contained(modifiers, word); }))
    return missingOf(opcode, form->needed);
  return "";
}

} // namespace heddle::frontend::ptx
