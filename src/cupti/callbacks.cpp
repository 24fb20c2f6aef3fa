// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A callback may call the API itself: such calls are part of the one that it hears of, and not told.
#include "cupti/listening.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <set>
#include <span>

struct CUpti_Subscriber_st {
  CUpti_CallbackFunc callback = nullptr;
  void *userdata = nullptr;
  std::mutex mutex;
  bool domains[CUPTI_CB_DOMAIN_SIZE] = {};                         ///< all of them
  std::set<std::pair<CUpti_CallbackDomain, CUpti_CallbackId>> ids; ///< these, too
};

namespace heddle::cupti {

namespace {

struct Name {
  const char *function, *name;
  CUpti_CallbackId number;
};
#define HEDDLE_CBID(NAME, VERSION, NUMBER) {#NAME, *#VERSION ? #NAME "_" #VERSION : #NAME, NUMBER},
constexpr Name RuntimeNames[] = {HEDDLE_CUPTI_RUNTIME_CBIDS(HEDDLE_CBID)};
constexpr Name DriverNames[] = {HEDDLE_CUPTI_DRIVER_CBIDS(HEDDLE_CBID)};
#undef HEDDLE_CBID

std::atomic<CUpti_SubscriberHandle> subscriber = nullptr;
CUpti_CallbackDomain domains[] = {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_CB_DOMAIN_RUNTIME_API};

bool isThere(CUpti_CallbackDomain domain) {
  return std::find(std::begin(domains), std::end(domains), domain) != std::end(domains);
}

CUptiResult codeOf(CUpti_CallbackDomain domain) {
  if (domain <= CUPTI_CB_DOMAIN_INVALID || domain >= CUPTI_CB_DOMAIN_SIZE)
    return CUPTI_ERROR_INVALID_PARAMETER;
  return isThere(domain) ? CUPTI_SUCCESS : CUPTI_ERROR_NOT_SUPPORTED;
}

void tell(const profile::ApiCall &call, CUpti_ApiCallbackSite site) {
  static thread_local uint64_t correlationData = 0;
  CUpti_SubscriberHandle to = subscriber.load(std::memory_order_acquire);
  if (!to)
    return;
  const auto domain = call.ofRuntime ? CUPTI_CB_DOMAIN_RUNTIME_API : CUPTI_CB_DOMAIN_DRIVER_API;
  const CUpti_CallbackId number = numberOf(call);
  {
    std::lock_guard lock(to->mutex);
    if (!to->domains[domain] && !to->ids.contains({domain, number}))
      return;
  }
  if (site == CUPTI_API_ENTER)
    correlationData = 0;
  int code = call.code;
  CUpti_CallbackData data = {};
  data.callbackSite = site;
  data.functionName = call.name;
  data.functionReturnValue = site == CUPTI_API_EXIT ? &code : nullptr;
  data.correlationData = &correlationData;
  data.correlationId = static_cast<uint32_t>(call.number);
  to->callback(to->userdata, domain, number, &data);
}

CUptiResult check(CUpti_SubscriberHandle given, CUpti_CallbackDomain domain) {
  if (!given || given != subscriber.load())
    return CUPTI_ERROR_INVALID_PARAMETER;
  return codeOf(domain);
}

} // namespace

CUpti_CallbackId numberOf(const profile::ApiCall &call) {
  const std::span<const Name> names =
      call.ofRuntime ? std::span<const Name>(RuntimeNames) : DriverNames;
  for (const Name &name : names)
    if (!std::strcmp(name.function, call.name))
      return name.number;
  return 0;
}

void callBegins(const profile::ApiCall &call) { tell(call, CUPTI_API_ENTER); }
void callEnds(const profile::ApiCall &call) { tell(call, CUPTI_API_EXIT); }

} // namespace heddle::cupti

using namespace heddle::cupti;

CUptiResult cuptiSupportedDomains(size_t *count, CUpti_DomainTable *table) {
  if (!count || !table)
    return CUPTI_ERROR_INVALID_PARAMETER;
  *count = std::size(domains);
  *table = domains;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *handle, CUpti_CallbackFunc callback,
                           void *userdata) {
  if (!handle || !callback)
    return CUPTI_ERROR_INVALID_PARAMETER;
  auto *made = new CUpti_Subscriber_st;
  made->callback = callback, made->userdata = userdata;
  CUpti_SubscriberHandle none = nullptr;
  if (!subscriber.compare_exchange_strong(none, made)) {
    delete made;
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  }
  *handle = made;
  listen();
  return CUPTI_SUCCESS;
}

/// It stays in memory: another thread may be about to call it.
CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle handle) {
  if (!handle || !subscriber.compare_exchange_strong(handle, nullptr))
    return CUPTI_ERROR_INVALID_PARAMETER;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiFinalize(void) {
  subscriber = nullptr;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetCallbackState(uint32_t *enable, CUpti_SubscriberHandle handle,
                                  CUpti_CallbackDomain domain, CUpti_CallbackId cbid) {
  if (!enable)
    return CUPTI_ERROR_INVALID_PARAMETER;
  if (CUptiResult code = check(handle, domain); code != CUPTI_SUCCESS)
    return code;
  std::lock_guard lock(handle->mutex);
  *enable = handle->domains[domain] || handle->ids.contains({domain, cbid});
  return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle handle,
                                CUpti_CallbackDomain domain, CUpti_CallbackId cbid) {
  if (CUptiResult code = check(handle, domain); code != CUPTI_SUCCESS)
    return code;
  std::lock_guard lock(handle->mutex);
  if (enable)
    handle->ids.insert({domain, cbid});
  else
    handle->ids.erase({domain, cbid});
  return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableDomain(uint32_t enable, CUpti_SubscriberHandle handle,
                              CUpti_CallbackDomain domain) {
  if (CUptiResult code = check(handle, domain); code != CUPTI_SUCCESS)
    return code;
  std::lock_guard lock(handle->mutex);
  handle->domains[domain] = enable;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableAllDomains(uint32_t enable, CUpti_SubscriberHandle handle) {
  CUptiResult code = CUPTI_SUCCESS;
  for (CUpti_CallbackDomain domain : domains)
    code = code == CUPTI_SUCCESS ? cuptiEnableDomain(enable, handle, domain) : code;
  return code;
}

CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t cbid, const char **name) {
  if (!name)
    return CUPTI_ERROR_INVALID_PARAMETER;
  if (CUptiResult code = codeOf(domain); code != CUPTI_SUCCESS)
    return code;
  const std::span<const Name> names =
      domain == CUPTI_CB_DOMAIN_RUNTIME_API ? std::span<const Name>(RuntimeNames) : DriverNames;
  for (const Name &one : names)
    if (one.number == cbid) {
      *name = one.name;
      return CUPTI_SUCCESS;
    }
  return CUPTI_ERROR_INVALID_PARAMETER;
}
