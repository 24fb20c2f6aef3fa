// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The listener of profiled programs: NVTX_INJECTION64_PATH names this library (`heddle profile`). Ranges
// of a domain that has a name are "domain:range".
#include "profile/recorder.h"

#include <nvtx3/nvToolsExt.h>

#include <cstdlib>
#include <map>
#include <mutex>

namespace heddle::driver {

namespace {

struct Names {
  std::mutex mutex;
  std::map<const void *, std::string> domains, strings;
  std::map<std::string, std::string *> made; ///< whose addresses are the handles
};
Names &names() {
  static Names &names = *new Names; // ranges end behind main, too
  return names;
}

std::string narrow(const char *name, const wchar_t *wide) {
  if (name)
    return name;
  std::string text;
  for (; wide && *wide; ++wide)
    if (*wide < 0x80)
      text += char(*wide);
    else if (*wide < 0x800)
      text += {char(0xc0 | *wide >> 6), char(0x80 | (*wide & 0x3f))};
    else if (*wide < 0x10000)
      text +=
          {char(0xe0 | *wide >> 12), char(0x80 | (*wide >> 6 & 0x3f)), char(0x80 | (*wide & 0x3f))};
    else
      text += {char(0xf0 | *wide >> 18), char(0x80 | (*wide >> 12 & 0x3f)),
               char(0x80 | (*wide >> 6 & 0x3f)), char(0x80 | (*wide & 0x3f))};
  return text;
}

/// One handle for each name of a kind.
const void *handleOf(std::map<const void *, std::string> Names::*kind, const std::string &name) {
  std::lock_guard lock(names().mutex);
  std::string key = (kind == &Names::domains ? "d" : "s") + name;
  std::string *&made = names().made[key];
  if (!made)
    made = new std::string(key);
  (names().*kind)[made] = name;
  return made;
}

std::string nameOf(nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes) {
  std::lock_guard lock(names().mutex);
  std::string text;
  if (domain)
    text = names().domains[domain] + ":";
  const nvtxMessageValue_t &message = attributes->message;
  switch (attributes->messageType) {
  case NVTX_MESSAGE_TYPE_ASCII:
    return text + narrow(message.ascii, nullptr);
  case NVTX_MESSAGE_TYPE_UNICODE:
    return text + narrow(nullptr, message.unicode);
  case NVTX_MESSAGE_TYPE_REGISTERED:
    return text + names().strings[message.registered];
  default:
    return text + "range";
  }
}

constexpr heddleNvtxListenerTable makeTable() {
  heddleNvtxListenerTable table{};
  table.domainCreate = [](const char *name, const wchar_t *wide) {
    return static_cast<nvtxDomainHandle_t>(
        const_cast<void *>(handleOf(&Names::domains, narrow(name, wide))));
  };
  table.mark = [](nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes) {
    profile::markPlace(nameOf(domain, attributes));
  };
  table.rangeStart = [](nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes) {
    return nvtxRangeId_t(profile::startRange(nameOf(domain, attributes)));
  };
  table.rangeEnd = [](nvtxDomainHandle_t, nvtxRangeId_t id) { profile::endRange(id); };
  table.rangePush = [](nvtxDomainHandle_t domain, const nvtxEventAttributes_t *attributes) {
    return profile::pushRange(domain, nameOf(domain, attributes));
  };
  table.rangePop = [](nvtxDomainHandle_t domain) { return profile::popRange(domain); };
  table.registerString = [](nvtxDomainHandle_t, const char *string, const wchar_t *wide) {
    return static_cast<nvtxStringHandle_t>(
        const_cast<void *>(handleOf(&Names::strings, narrow(string, wide))));
  };
  return table;
}
constexpr heddleNvtxListenerTable Table = makeTable();

} // namespace

} // namespace heddle::driver

extern "C" __attribute__((visibility("default"))) const heddleNvtxListenerTable *
heddleNvtxListener(uint32_t version) {
  const bool isKnown = version == HEDDLE_NVTX_LISTENER_VERSION;
  return isKnown && heddle::profile::hears() ? &heddle::driver::Table : nullptr;
}
