// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A listener as a profiler would write it: it notes what it hears as lines of a text, which the
// test asks for.
#include <nvtx3/nvToolsExt.h>

#include <string>

namespace {

std::string heard;
std::string *strings[16];
int depth = 0, domains = 0, stringCount = 0;
nvtxRangeId_t ranges = 0;

std::string nameOf(nvtxDomainHandle_t domain) {
  return domain ? "domain " + std::to_string(reinterpret_cast<uintptr_t>(domain)) + " " : "";
}

std::string describe(const nvtxEventAttributes_t *a) {
  std::string text;
  if (a->messageType == NVTX_MESSAGE_TYPE_ASCII)
    text = a->message.ascii;
  else if (a->messageType == NVTX_MESSAGE_TYPE_UNICODE)
    text = "wide " + std::to_string(wcslen(a->message.unicode));
  else if (a->messageType == NVTX_MESSAGE_TYPE_REGISTERED)
    text = "registered " + *strings[reinterpret_cast<uintptr_t>(a->message.registered)];
  if (a->category)
    text += " category " + std::to_string(a->category);
  if (a->colorType == NVTX_COLOR_ARGB)
    text += " color " + std::to_string(a->color);
  if (a->payloadType == NVTX_PAYLOAD_TYPE_INT32)
    text += " int " + std::to_string(a->payload.iValue);
  if (a->payloadType == NVTX_PAYLOAD_TYPE_DOUBLE)
    text += " double " + std::to_string(int(a->payload.dValue));
  return text;
}

void note(const std::string &line) { heard += line + "\n"; }

const heddleNvtxListenerTable Table = {
    [](const char *name, const wchar_t *) {
      note(std::string("create domain ") + name);
      return reinterpret_cast<nvtxDomainHandle_t>(uintptr_t(++domains));
    },
    [](nvtxDomainHandle_t domain) { note(nameOf(domain) + "destroyed"); },
    [](nvtxDomainHandle_t domain, const nvtxEventAttributes_t *a) {
      note(nameOf(domain) + "mark " + describe(a));
    },
    [](nvtxDomainHandle_t domain, const nvtxEventAttributes_t *a) {
      note(nameOf(domain) + "start " + describe(a));
      return ++ranges;
    },
    [](nvtxDomainHandle_t domain, nvtxRangeId_t id) {
      note(nameOf(domain) + "end " + std::to_string(id));
    },
    [](nvtxDomainHandle_t domain, const nvtxEventAttributes_t *a) {
      note(nameOf(domain) + "push " + describe(a));
      return depth++;
    },
    [](nvtxDomainHandle_t domain) {
      note(nameOf(domain) + "pop");
      return --depth;
    },
    [](nvtxDomainHandle_t, const char *string, const wchar_t *) {
      note(std::string("register ") + string);
      strings[++stringCount] = new std::string(string);
      return reinterpret_cast<nvtxStringHandle_t>(uintptr_t(stringCount));
    },
    [](nvtxDomainHandle_t, const nvtxResourceAttributes_t *a) {
      note(std::string("resource ") + a->message.ascii);
      return reinterpret_cast<nvtxResourceHandle_t>(uintptr_t(1));
    },
    [](nvtxResourceHandle_t) { note("resource destroyed"); },
    [](nvtxDomainHandle_t domain, uint32_t category, const char *name, const wchar_t *) {
      note(nameOf(domain) + "category " + std::to_string(category) + " is " + name);
    },
    [](heddleNvtxObject kind, uint64_t object, const char *name, const wchar_t *) {
      note("object " + std::to_string(kind) + " " + std::to_string(object) + " is " + name);
    },
    [](nvtxDomainHandle_t, const nvtxSyncUserAttributes_v0 *) {
      note("sync");
      return reinterpret_cast<void *>(uintptr_t(7));
    },
    [](void *) { note("sync destroyed"); },
    [](void *, heddleNvtxSync change) { note("sync " + std::to_string(change)); },
};

} // namespace

extern "C" __attribute__((visibility("default"))) const heddleNvtxListenerTable *
heddleNvtxListener(uint32_t version) {
  return version == HEDDLE_NVTX_LISTENER_VERSION ? &Table : nullptr;
}

/// What was heard since the last call.
extern "C" __attribute__((visibility("default"))) const char *takeHeard() {
  static std::string taken;
  taken = std::move(heard);
  heard.clear();
  return taken.c_str();
}
