// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/api_errors.h"

#include "check/findings.h"
#include "check/host_stack.h"
#include "check/settings.h"

#include <utility>

namespace heddle::check {

namespace {

struct Explanation {
  std::string kind, text;
  std::vector<Note> notes;
};
/// The calling thread's; null: there is none. A word: the loader keeps little room.
thread_local Explanation *explanation = nullptr;

bool isWanted(uint32_t stack) {
  switch (settings().apiErrors) {
  case ApiErrors::None:
    return false;
  case ApiErrors::Explicit:
    return !isOfLibrary(stack);
  case ApiErrors::All:
    return true;
  }
  return true;
}

Finding findingFor(uint32_t stack, std::string kind, std::string text, std::vector<Note> notes) {
  Finding finding;
  finding.tool = "memcheck";
  finding.kind = std::move(kind);
  finding.text = std::move(text);
  finding.frames = framesOfStack(stack);
  finding.notes = std::move(notes);
  return finding;
}

} // namespace

void forgetExplanation() { delete std::exchange(explanation, nullptr); }

void explainFailure(const char *kind, std::string text, std::vector<Note> notes) {
  forgetExplanation();
  explanation = new Explanation{kind, std::move(text), std::move(notes)};
}

void noteFailedCall(const char *api, const char *code, int number, bool fromRuntime) {
  uint32_t stack = hostStackHere();
  if (!fromRuntime && isThroughRuntime(stack))
    return; // it may have a remedy, and tells if it has none
  Explanation known;
  if (explanation)
    known = std::move(*explanation);
  forgetExplanation();
  if (known.kind.empty() ? !isWanted(stack) : !settings().checksApiMemory)
    return;
  std::string name = apiNameOf(stack);
  std::string text =
      (name.empty() ? api : name) + " returned " + code + " (" + std::to_string(number) + ")";
  if (!known.text.empty())
    text = known.text + ": " + text;
  note(findingFor(stack, known.kind.empty() ? "api-error" : known.kind, text,
                  std::move(known.notes)));
}

void noteWrongCall(const char *kind, const std::string &text, std::vector<Note> notes) {
  uint32_t stack = hostStackHere();
  if (!settings().checksApiMemory)
    return;
  std::string name = apiNameOf(stack);
  note(findingFor(stack, kind, text + (name.empty() ? "" : ", in " + name), std::move(notes)));
}

} // namespace heddle::check
