// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/test_support.h"

#include <string>
#include <string_view>

namespace {

const heddle::driver::Table driver = exportedTable();

struct Ask {
  std::string name;
  int version;
  cuuint64_t flags;
  std::string symbol;
};

const Ask Asks[] = {
#define HEDDLE_ASK(name, version, flags, symbol) {#name, version, flags, #symbol},
#include "driver/entry_points_asks.def"
};

constexpr cuuint64_t PerThread = CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;

/// Another function's address, to see that it is overwritten.
void *other() { return reinterpret_cast<void *>(driver.cuInit); }

TEST(EntryPoints, answersAsTheDriverOfAnH200) {
  ASSERT_GT(std::size(Asks), 400u);
  for (const Ask &ask : Asks) {
    SCOPED_TRACE(ask.name + " " + std::to_string(ask.version));
    void *function = other();
    CUdriverProcAddressQueryResult status;
    CUresult result =
        driver.cuGetProcAddress_v2(ask.name.c_str(), &function, ask.version, ask.flags, &status);
    EXPECT_EQ(result, CUDA_SUCCESS);
    EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SUCCESS);
    EXPECT_NE(function, nullptr);
    EXPECT_EQ(function, dlsym(RTLD_DEFAULT, ask.symbol.c_str()));
  }
}

TEST(EntryPoints, namesThatAreNotFound) {
  struct Row {
    const char *name;
    int version;
    CUdriverProcAddressQueryResult status;
  };
  const Row rows[] = {
      {"cuNothing", 12000, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND},
      {"cuMemAlloc_v2", 12000, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND}, // a symbol, and no name
      {"cuStreamSynchronize_ptsz", 12000, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND},
      {"cuMemcpyBatchAsync", 12070, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT},
      {"cuCtxSetCurrent", 3020, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT},
  };
  for (const Row &row : rows) {
    SCOPED_TRACE(row.name);
    void *function = other();
    CUdriverProcAddressQueryResult status;
    EXPECT_EQ(driver.cuGetProcAddress_v2(row.name, &function, row.version, 0, &status),
              CUDA_SUCCESS);
    EXPECT_EQ(status, row.status);
    EXPECT_EQ(function, nullptr);
    function = other();
    EXPECT_EQ(driver.cuGetProcAddress_v2(row.name, &function, row.version, 0, nullptr),
              CUDA_ERROR_NOT_FOUND);
    EXPECT_EQ(function, nullptr);
    EXPECT_EQ(driver.cuGetProcAddress(row.name, &function, row.version, 0), CUDA_ERROR_NOT_FOUND);
  }
}

TEST(EntryPoints, anEmptyNameIsNull) {
  void *function = other();
  CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  EXPECT_EQ(driver.cuGetProcAddress_v2("", &function, 12000, 0, &status), CUDA_SUCCESS);
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  EXPECT_EQ(function, nullptr);
}

TEST(EntryPoints, wrongArguments) {
  void *function = other();
  EXPECT_EQ(driver.cuGetProcAddress_v2("cuInit", nullptr, 12000, 0, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver.cuGetProcAddress_v2(nullptr, &function, 12000, 0, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  for (cuuint64_t flags : {4ull, ~0ull})
    EXPECT_EQ(driver.cuGetProcAddress_v2("cuInit", &function, 12000, flags, nullptr),
              CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(function, other()); // untouched
  EXPECT_EQ(driver.cuGetProcAddress_v2("cuInit", &function, 13001, 0, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(function, nullptr);
  EXPECT_EQ(driver.cuGetProcAddress("cuInit", nullptr, 12000, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver.cuGetProcAddress("cuInit", &function, CUDA_VERSION, 0), CUDA_SUCCESS);
  EXPECT_EQ(function, dlsym(RTLD_DEFAULT, "cuInit"));
}

TEST(EntryPoints, twinsCameWithCuda7) {
  void *twin = nullptr, *function = nullptr;
  CUdriverProcAddressQueryResult status;
  EXPECT_EQ(driver.cuGetProcAddress_v2("cuStreamQuery", &function, 6050, PerThread, &status),
            CUDA_SUCCESS);
  EXPECT_EQ(function, nullptr);
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  EXPECT_EQ(driver.cuGetProcAddress_v2("cuStreamQuery", &twin, 7000, PerThread, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(twin, dlsym(RTLD_DEFAULT, "cuStreamQuery_ptsz"));
  EXPECT_EQ(driver.cuGetProcAddress_v2("cuInit", &function, 7000, PerThread, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(function, dlsym(RTLD_DEFAULT, "cuInit")); // that has no twin
}

TEST(EntryPoints, version) {
  int version = 0;
  EXPECT_EQ(driver.cuDriverGetVersion(&version), CUDA_SUCCESS);
  EXPECT_EQ(version, 13000);
  EXPECT_EQ(driver.cuDriverGetVersion(nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(EntryPoints, theStaticRuntimeIsToldOnce) {
  const CUuuid id = {};
  const void *table = &id;
  EXPECT_EQ(driver.cuGetExportTable(nullptr, &id), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver.cuGetExportTable(&table, nullptr), CUDA_ERROR_INVALID_VALUE);
  testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(driver.cuGetExportTable(&table, &id), CUDA_ERROR_NOT_SUPPORTED);
    EXPECT_EQ(table, nullptr);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "heddle: cuGetExportTable: this program has NVIDIA's static runtime inside, which runs "
            "on NVIDIA's driver only; link it with -cudart shared\n");
}

} // namespace
