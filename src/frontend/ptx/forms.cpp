// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/ptx/forms.h"
#include "frontend/ptx/types.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

using FormWords = SmallVector<StringRef, 8>;

struct KnownForm {
  FormWords types, modifiers, needed;
};

FormWords formWords(StringRef text) {
  FormWords words;
  text.split(words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return words;
}

StringMap<SmallVector<KnownForm, 4>> makeForms() {
  StringMap<SmallVector<KnownForm, 4>> forms;
#define PTX_FORM(OPCODE, TYPES, MODIFIERS, NEEDED)                                                 \
  forms[OPCODE].push_back({formWords(TYPES), formWords(MODIFIERS), formWords(NEEDED)});
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

} // namespace

std::string problemOfForm(StringRef opcode, ArrayRef<StringRef> modifiers, bool isOld) {
  static const auto &all = *new StringMap<SmallVector<KnownForm, 4>>(makeForms());
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
      return ("Illegal modifier '." + word + "' for instruction '" + opcode + "'").str();
  if (!isOld && !form->needed.empty() &&
      none_of(form->needed, [&](StringRef word) { return is_contained(modifiers, word); }))
    return missingOf(opcode, form->needed);
  return "";
}

} // namespace heddle::frontend::ptx
