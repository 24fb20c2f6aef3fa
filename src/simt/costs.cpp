// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simt/costs.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace heddle::simt {

static double *find(Costs &costs, StringRef name) {
#define HEDDLE_COST(NAME, VALUE, DOC)                                                              \
  if (name == #NAME)                                                                               \
    return &costs.NAME;
#define HEDDLE_FACT HEDDLE_COST
#include "simt/costs.def"
#undef HEDDLE_FACT
#undef HEDDLE_COST
  return nullptr;
}

Expected<Costs> parseCosts(StringRef list) {
  Costs costs;
  for (StringRef item : split(list, ',')) {
    if (item.empty())
      continue;
    auto [name, text] = item.split('=');
    double *cost = find(costs, name), value;
    if (!cost)
      return createStringError("HEDDLE_COSTS: no cost is named '" + name + "'");
    if (text.getAsDouble(value))
      return createStringError("HEDDLE_COSTS: '" + item + "' is not NAME=NUMBER");
    *cost = value;
  }
  return costs;
}

} // namespace heddle::simt
