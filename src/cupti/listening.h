// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#define CUPTIAPI __attribute__((visibility("default")))

#include "profile/listener.h"

#include <cupti.h>

namespace heddle::cupti {

/// Begins to hear of calls and work, once.
void listen();

// callbacks.cpp
void callBegins(const profile::ApiCall &);
void callEnds(const profile::ApiCall &);
CUpti_CallbackId numberOf(const profile::ApiCall &);

// activity.cpp
void keepCall(const profile::ApiCall &);
void keepWork(const profile::Activity &);
void keepRange(const profile::Range &);

} // namespace heddle::cupti
