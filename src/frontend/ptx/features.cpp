// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "frontend/ptx/features.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace heddle::frontend::ptx {

namespace {

struct Feature {
  StringRef words, name;
  unsigned sm, version;
  enum { Instruction, Specific, Word } kind;
};

constexpr Feature Features[] = {
#define PTX_FEATURE(WORDS, NAME, SM, VERSION) {WORDS, NAME, SM, VERSION, Feature::Instruction},
#define PTX_SPECIFIC(WORDS, NAME) {WORDS, NAME, 0, 0, Feature::Specific},
#define PTX_WORD(WORD, NAME, SM, VERSION) {WORD, NAME, SM, VERSION, Feature::Word},
#include "frontend/ptx/features.def"
};

/// The longest that whole words of the instruction begin with, or null.
const Feature *find(StringRef instruction) {
  const Feature *found = nullptr;
  for (const Feature &feature : Features) {
    StringRef rest = instruction;
    if (feature.kind != Feature::Word && rest.consume_front(feature.words) &&
        (rest.empty() || rest.front() == '.') &&
        (!found || feature.words.size() > found->words.size()))
      found = &feature;
  }
  return found;
}

std::string problemOf(const Feature &feature, const Dialect &dialect) {
  if (feature.kind == Feature::Specific)
    return dialect.target.ends_with("a") || dialect.target.ends_with("f")
               ? ""
               : (feature.name + " not supported on .target 'sm_" + dialect.target + "'").str();
  if (dialect.version < feature.version) {
    const auto [kind, name] = feature.name.split(' '); // no "Instruction" here
    return ((kind == "Modifier" ? "Modifier " : "Feature ") + name + " requires PTX ISA .version " +
            Twine(feature.version / 10) + "." + Twine(feature.version % 10) + " or later")
        .str();
  }
  if (dialect.sm < feature.sm)
    return (feature.name + " requires .target sm_" + Twine(feature.sm) + " or higher").str();
  return "";
}

} // namespace

std::string problemOfFeature(ArrayRef<StringRef> words, StringRef instruction,
                             const Dialect &dialect) {
  if (!dialect.sm)
    return "";
  if (const Feature *feature = find(instruction))
    if (std::string problem = problemOf(*feature, dialect); !problem.empty())
      return problem;
  for (const Feature &feature : Features)
    if (feature.kind == Feature::Word && is_contained(words, feature.words))
      if (std::string problem = problemOf(feature, dialect); !problem.empty())
        return problem;
  return "";
}

} // namespace heddle::frontend::ptx
