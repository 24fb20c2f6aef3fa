// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a listener hears of NVTX's C and C++ interfaces.
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCuda.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <nvtx3/nvToolsExtSync.h>
#include <nvtx3/nvtx3.hpp>

#include <gtest/gtest.h>

namespace {

/// The listener's text since the last call.
std::string heard() {
  static auto *take = [] {
    void *library = dlopen(LISTENER, RTLD_LAZY);
    return reinterpret_cast<const char *(*)()>(dlsym(library, "takeHeard"));
  }();
  return take();
}

/// Before anything looks for a listener.
const int Set = setenv("NVTX_INJECTION64_PATH", LISTENER, 1);

struct library_domain {
  static constexpr const char *name = "library";
};
struct step {
  static constexpr const char *message = "step";
};
struct io {
  static constexpr const char *name = "io";
  static constexpr uint32_t id = 5;
};

nvtxEventAttributes_t attributesOf(const char *text) {
  nvtxEventAttributes_t attributes = {};
  attributes.version = NVTX_VERSION;
  attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  attributes.category = 3;
  attributes.colorType = NVTX_COLOR_ARGB;
  attributes.color = 255;
  attributes.payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
  attributes.payload.dValue = 9;
  attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
  attributes.message.ascii = text;
  return attributes;
}

TEST(Nvtx, Ranges) {
  heard();
  EXPECT_EQ(nvtxRangePush("outer"), 0);
  nvtxEventAttributes_t inner = attributesOf("inner");
  EXPECT_EQ(nvtxRangePushEx(&inner), 1);
  EXPECT_EQ(nvtxRangePushW(L"wide"), 2);
  EXPECT_EQ(nvtxRangePop(), 2);
  EXPECT_EQ(nvtxRangePop(), 1);
  EXPECT_EQ(nvtxRangePop(), 0);
  nvtxRangeId_t id = nvtxRangeStart("process"), other = nvtxRangeStartEx(&inner);
  EXPECT_NE(id, other);
  nvtxRangeEnd(other);
  nvtxRangeEnd(nvtxRangeStartW(L"w"));
  nvtxMark("now");
  nvtxMarkW(L"now");
  nvtxMarkEx(&inner);
  EXPECT_EQ(heard(), "push outer\npush inner category 3 color 255 double 9\npush wide 4\npop\npop\n"
                     "pop\nstart process\nstart inner category 3 color 255 double 9\nend 2\n"
                     "start wide 1\nend 3\nmark now\nmark wide 3\n"
                     "mark inner category 3 color 255 double 9\n");
}

TEST(Nvtx, DomainsAndNames) {
  heard();
  nvtxInitialize(nullptr);
  nvtxDomainHandle_t domain = nvtxDomainCreate("mine");
  nvtxEventAttributes_t attributes = attributesOf("");
  attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  attributes.message.registered = nvtxDomainRegisterString(domain, "text");
  attributes.category = 0, attributes.colorType = NVTX_COLOR_UNKNOWN;
  attributes.payloadType = NVTX_PAYLOAD_UNKNOWN;
  nvtxDomainRangePushEx(domain, &attributes);
  nvtxDomainRangePop(domain);
  nvtxDomainRangeEnd(domain, nvtxDomainRangeStartEx(domain, &attributes));
  nvtxDomainMarkEx(domain, &attributes);
  nvtxDomainNameCategory(domain, 4, "four");
  nvtxNameCategory(6, "six");
  nvtxNameOsThread(77, "worker");
  nvtxNameCuDevice(1, "driver's");
  nvtxNameCudaDevice(2, "runtime's");
  nvtxNameCudaStream(nullptr, "default");
  nvtxResourceAttributes_t resource = {};
  resource.message.ascii = "buffer";
  nvtxDomainResourceDestroy(nvtxDomainResourceCreate(domain, &resource));
  nvtxSyncUserAttributes_t sync = {};
  nvtxSyncUser_t lock = nvtxDomainSyncUserCreate(domain, &sync);
  nvtxDomainSyncUserAcquireStart(lock);
  nvtxDomainSyncUserAcquireFailed(lock);
  nvtxDomainSyncUserAcquireSuccess(lock);
  nvtxDomainSyncUserReleasing(lock);
  nvtxDomainSyncUserDestroy(lock);
  nvtxDomainDestroy(domain);
  EXPECT_EQ(heard(),
            "create domain mine\nregister text\ndomain 1 push registered text\ndomain 1 pop\n"
            "domain 1 start registered text\ndomain 1 end 4\ndomain 1 mark registered text\n"
            "domain 1 category 4 is four\ncategory 6 is six\nobject 0 77 is worker\n"
            "object 1 1 is driver's\nobject 5 2 is runtime's\nobject 6 0 is default\n"
            "resource buffer\nresource destroyed\nsync\nsync 0\nsync 1\nsync 2\nsync 3\n"
            "sync destroyed\ndomain 1 destroyed\n");
}

void named() { NVTX3_FUNC_RANGE(); }
void namedIf(bool condition) { NVTX3_FUNC_RANGE_IF_IN(library_domain, condition); }

TEST(Nvtx, Objects) {
  heard();
  {
    nvtx3::scoped_range plain("plain");
    nvtx3::scoped_range_in<library_domain> full(nvtx3::rgb(0, 0, 1), "full", nvtx3::payload(-3),
                                                nvtx3::category(8));
  }
  nvtx3::scoped_range_in<library_domain> *none = nullptr;
  (void)none;
  for (int i = 0; i < 2; ++i)
    nvtx3::mark_in<library_domain>(nvtx3::registered_string_in<library_domain>::get<step>(),
                                   nvtx3::named_category_in<library_domain>::get<io>());
  EXPECT_EQ(heard(), "push plain\ncreate domain library\n"
                     "domain 2 push full category 8 color 4278190081 int -3\ndomain 2 pop\npop\n"
                     "register step\ndomain 2 category 5 is io\n"
                     "domain 2 mark registered step category 5\n"
                     "domain 2 mark registered step category 5\n");
  named();
  named();
  namedIf(false);
  namedIf(true);
  EXPECT_EQ(heard(), "register named\npush registered named\npop\npush registered named\npop\n"
                     "register namedIf\ndomain 2 push registered namedIf\ndomain 2 pop\n");
}

TEST(Nvtx, OwnedRanges) {
  heard();
  {
    nvtx3::unique_range a("a");
    nvtx3::unique_range b(std::move(a));
  }
  nvtx3::range_handle range = nvtx3::start_range_in<library_domain>("c");
  EXPECT_TRUE(bool(range));
  EXPECT_TRUE(range == range && range != nvtx3::range_handle());
  nvtx3::end_range_in<library_domain>(range);
  nvtx3::end_range(nvtx3::start_range(nvtx3::event_attributes("d")));
  EXPECT_EQ(heard(), "start a\nend 5\ndomain 2 start c\ndomain 2 end 6\nstart d\nend 7\n");
}

} // namespace
