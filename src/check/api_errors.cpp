// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "check/api_errors.h"

#include "base/messages/runtime_errors.h"
#include "check/findings.h"
#include "check/host_stack.h"
#include "check/settings.h"
#include "device/launch_fault.h"

#include <map>
#include <mutex>
#include <set>
#include <thread>
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

/// What the program does not know.
struct Unread {
  uint32_t stack;
  int code;
  std::string kernel; ///< that has lost the device; empty: a launch that was refused
};
/// Never destroyed.
struct UnreadErrors {
  std::mutex mutex;
  std::map<std::thread::id, Unread> refused; ///< by the thread that has launched
  std::map<std::string, uint32_t> launches;  ///< of noteLaunchOf: the last one's stack
  std::set<int> told;                        ///< codes that calls have returned
};
UnreadErrors &unread() {
  static UnreadErrors &errors = *new UnreadErrors;
  return errors;
}

void tell(const Unread &error) {
  if (!isWanted(error.stack))
    return;
  const char *name = runtimeErrorText(error.code).name;
  std::string code =
      std::string(name ? name : "an error") + " (" + std::to_string(error.code) + ")";
  std::string text =
      error.kernel.empty()
          ? "Launch that failed with " + code + ", which the program has not asked for"
          : "Kernel " + error.kernel + " failed with " + code + ", which no call has returned";
  note(findingFor(error.stack, "unchecked-error", text, {}));
}

} // namespace

void noteRefusedLaunch(int code) {
  uint32_t stack = hostStackHere();
  std::lock_guard lock(unread().mutex);
  unread().refused.try_emplace(std::this_thread::get_id(), Unread{stack, code, ""});
}

void noteErrorRead() {
  std::lock_guard lock(unread().mutex);
  unread().refused.erase(std::this_thread::get_id());
}

void noteLaunchOf(const char *kernel) {
  uint32_t stack = hostStackHere();
  std::lock_guard lock(unread().mutex);
  unread().launches[kernel] = stack;
}

bool hasUncheckedLaunches() {
  std::lock_guard lock(unread().mutex);
  return !unread().launches.empty();
}

void tellUnreadErrors(int (*errorOfFault)(uint32_t)) {
  device::LostLaunch lost = device::lostLaunch();
  int code = errorOfFault(static_cast<uint32_t>(lost.fault));
  UnreadErrors &errors = unread();
  std::lock_guard lock(errors.mutex);
  for (const auto &[thread, error] : errors.refused)
    tell(error);
  if (code && !errors.told.contains(code))
    tell({lost.origin ? lost.origin : errors.launches[lost.kernel], code, lost.kernel});
}

void forgetExplanation() { delete std::exchange(explanation, nullptr); }

void explainFailure(const char *kind, std::string text, std::vector<Note> notes) {
  forgetExplanation();
  explanation = new Explanation{kind, std::move(text), std::move(notes)};
}

void noteFailedCall(const char *api, const char *code, int number, bool fromRuntime) {
  uint32_t stack = hostStackHere();
  {
    std::lock_guard lock(unread().mutex);
    unread().told.insert(number);
  }
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
