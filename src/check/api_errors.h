// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the API that fail. What a function knows of the reason it says before it returns its code.
#pragma once

#include "check/finding.h"

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::check {

/// Why the call that the thread is in will fail. `kind`: of a finding.
void explainFailure(const char *kind, std::string text, std::vector<Note> notes = {});
/// A new call begins: what was said of another is forgotten.
void forgetExplanation();

/// The call has failed. `api`: its name; that which the program's stack shows stands above it.
/// `fromRuntime`: it is one of the runtime API, which tells of its own calls of the driver.
void noteFailedCall(const char *api, const char *code, int number, bool fromRuntime);
/// A launch by kernel<<<...>>>(...) has failed, of which the thread learns if it asks for its last
/// error; it has.
void noteRefusedLaunch(int code);
void noteErrorRead();
/// The program launches a kernel of which nothing is checked.
void noteLaunchOf(const char *kernel);
bool hasUncheckedLaunches();
/// The program is about to end: what it has never been told of, or asked for.
void tellUnreadErrors(int (*errorOfFault)(uint32_t));
/// Something wrong that is no failure: the call goes on.
void noteWrongCall(const char *kind, const std::string &text, std::vector<Note> notes = {});

} // namespace heddle::check
