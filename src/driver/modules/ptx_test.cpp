// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What holds wrong PTX, or NVIDIA's machine code, is refused with CUDA's codes by all that load or link.
#include "base/test_fuzz.h"
#include "driver/test_support.h"

#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace {

const heddle::driver::Table driver = exportedTable();

class Ptx : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(driver.cuInit(0), CUDA_SUCCESS);
    ASSERT_EQ(driver.cuDevicePrimaryCtxRetain(&context_, 0), CUDA_SUCCESS);
    ASSERT_EQ(driver.cuCtxSetCurrent(context_), CUDA_SUCCESS);
  }
  void TearDown() override {
    driver.cuCtxSetCurrent(nullptr);
    driver.cuDevicePrimaryCtxRelease_v2(0);
  }

  /// What a module, a library and a link say of it, which must be the same.
  CUresult load(const std::string &image, CUjitInputType type = CU_JIT_INPUT_FATBINARY) {
    CUmodule module = nullptr;
    CUlibrary library = nullptr;
    CUlinkState link = nullptr;
    const CUresult code = driver.cuModuleLoadData(&module, image.data());
    EXPECT_EQ(
        driver.cuLibraryLoadData(&library, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
        code);
    EXPECT_EQ(driver.cuLinkCreate_v2(0, nullptr, nullptr, &link), CUDA_SUCCESS);
    EXPECT_EQ(driver.cuLinkAddData_v2(link, type, const_cast<char *>(image.data()), image.size(),
                                      "image", 0, nullptr, nullptr),
              code);
    EXPECT_EQ(driver.cuLinkDestroy(link), CUDA_SUCCESS);
    return code;
  }

private:
  CUcontext context_ = nullptr;
};

template <typename T> void put(std::string &bytes, size_t offset, T field) {
  std::memcpy(bytes.data() + offset, &field, sizeof field);
}

std::string entry(uint16_t kind, uint32_t capability, const std::string &payload) {
  std::string bytes(64, '\0');
  put<uint16_t>(bytes, 0, kind);
  put<uint32_t>(bytes, 4, 64);
  put<uint64_t>(bytes, 8, payload.size());
  put<uint32_t>(bytes, 28, capability);
  return bytes + payload;
}

std::string fatBinary(const std::string &entries) {
  std::string bytes(16, '\0');
  put<uint32_t>(bytes, 0, 0xBA55ED50);
  put<uint16_t>(bytes, 4, 1);
  put<uint16_t>(bytes, 6, 16);
  put<uint64_t>(bytes, 8, entries.size());
  return bytes + entries;
}

const std::string text = ".version 8.0\n.target sm_75\n.address_size 64\nwrong\n";
enum : uint16_t { PtxKind = 1, ElfKind = 2 };

TEST_F(Ptx, text) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(load(text, CU_JIT_INPUT_PTX), CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(
      testing::internal::GetCapturedStderr().find("line 4; fatal   : Parsing error near 'wrong'"),
      std::string::npos);
  EXPECT_EQ(load("// a comment\n" + text, CU_JIT_INPUT_PTX), CUDA_ERROR_INVALID_PTX);
}

TEST_F(Ptx, ofFatBinary) {
  testing::internal::CaptureStderr();
  const std::string both = entry(PtxKind, 75, text) + entry(PtxKind, 90, text);
  EXPECT_EQ(load(fatBinary(both)), CUDA_ERROR_INVALID_PTX);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("line 4; fatal "), std::string::npos);
  EXPECT_EQ(load(fatBinary(entry(ElfKind, 90, std::string(64, 'x')) + entry(PtxKind, 90, text))),
            CUDA_ERROR_INVALID_PTX);
}

TEST_F(Ptx, isNotInMachineCode) {
  EXPECT_EQ(load(fatBinary("")), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(load(fatBinary(entry(ElfKind, 90, std::string(64, 'x')))),
            CUDA_ERROR_NO_BINARY_FOR_GPU);
}

/// Sizes that lead elsewhere: nothing is read there.
TEST_F(Ptx, ofDamagedFatBinary) {
  for (size_t offset : {6, 8, 16 + 4, 16 + 8})
    for (uint64_t size : {uint64_t(0), uint64_t(1), uint64_t(1) << 40, ~uint64_t(0)}) {
      std::string bytes = fatBinary(entry(PtxKind, 75, text));
      std::memcpy(bytes.data() + offset, &size, offset == 6 ? 2 : offset == 16 + 4 ? 4 : 8);
      const CUresult code = load(bytes);
      EXPECT_TRUE(code == CUDA_ERROR_NO_BINARY_FOR_GPU || code == CUDA_ERROR_INVALID_PTX)
          << offset << " " << size << ": " << code;
    }
}

constexpr uint64_t Lz4 = 0x2000, Zstd = 0x8000;

std::string packedEntry(const std::string &payload, uint64_t flags, size_t size) {
  std::string padded = payload;
  padded.resize((payload.size() + 7) / 8 * 8);
  std::string bytes = entry(PtxKind, 75, padded);
  put<uint32_t>(bytes, 16, static_cast<uint32_t>(payload.size()));
  put<uint64_t>(bytes, 40, flags);
  put<uint64_t>(bytes, 56, size);
  return bytes;
}

/// A block of literals, of 15 to 269.
std::string lz4Of(const std::string &text) {
  return std::string{'\xf0', static_cast<char>(text.size() - 15)} + text;
}

/// A frame of one block that is not compressed, of 256 bytes or more.
std::string zstdOf(const std::string &text) {
  const size_t size = text.size() - 256, block = text.size() << 3 | 1;
  std::string bytes = "\x28\xb5\x2f\xfd\x60";
  for (size_t number : {size, size >> 8, block, block >> 8, block >> 16})
    bytes += static_cast<char>(number);
  return bytes + text;
}

/// A good text of 256 to 269 bytes.
std::string goodText(const std::string &bounds = "") {
  std::string text = ".version 8.0\n.target sm_75\n.address_size 64\n"
                     ".visible .entry k(.param .u64 p) " +
                     bounds +
                     "{ .reg .u64 a; ld.param.u64 a, [p]; "
                     "st.global.u32 [a], 1; ret; }\n";
  return text + std::string(260 - text.size(), ' ');
}

TEST_F(Ptx, inPackedFatBinary) {
  const std::string good = goodText();
  for (const std::string &one :
       {entry(PtxKind, 75, good), packedEntry(lz4Of(good), Lz4, good.size()),
        packedEntry(zstdOf(good), Zstd, good.size())}) {
    const std::string bytes = fatBinary(one);
    CUmodule module = nullptr;
    CUfunction kernel = nullptr;
    EXPECT_EQ(driver.cuModuleLoadData(&module, bytes.data()), CUDA_SUCCESS);
    EXPECT_EQ(driver.cuModuleGetFunction(&kernel, module, "k"), CUDA_SUCCESS);
    EXPECT_EQ(driver.cuModuleUnload(module), CUDA_SUCCESS);
  }
}

/// What options say of kernels: bounds, registers, and the log of what they use.
TEST_F(Ptx, ofOptions) {
  const std::string text = goodText(), bound = goodText(".maxntid 64 ");
  auto limitOf = [&](const std::string &code, std::vector<CUjit_option> options,
                     std::vector<size_t> values, CUfunction_attribute attribute) {
    std::vector<void *> pointers;
    for (size_t value : values)
      pointers.push_back(reinterpret_cast<void *>(value));
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    int result = -1;
    EXPECT_EQ(driver.cuModuleLoadDataEx(&module, code.data(), unsigned(options.size()),
                                        options.data(), pointers.data()),
              CUDA_SUCCESS);
    EXPECT_EQ(driver.cuModuleGetFunction(&function, module, "k"), CUDA_SUCCESS);
    EXPECT_EQ(driver.cuFuncGetAttribute(&result, attribute, function), CUDA_SUCCESS);
    EXPECT_EQ(driver.cuModuleUnload(module), CUDA_SUCCESS);
    return result;
  };
  const auto threads = CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
  EXPECT_EQ(limitOf(text, {}, {}, threads), 1024);
  EXPECT_EQ(limitOf(text, {CU_JIT_MAX_THREADS_PER_BLOCK}, {128}, threads), 128);
  EXPECT_EQ(limitOf(bound, {CU_JIT_MAX_THREADS_PER_BLOCK}, {128}, threads), 64);
  EXPECT_EQ(limitOf(bound, {CU_JIT_MAX_THREADS_PER_BLOCK, CU_JIT_OVERRIDE_DIRECTIVE_VALUES},
                    {128, 1}, threads),
            128);
  char info[1000] = "";
  size_t room = sizeof info;
  limitOf(text,
          {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_LOG_VERBOSE,
           CU_JIT_THREADS_PER_BLOCK, CU_JIT_GENERATE_LINE_INFO, CU_JIT_FAST_COMPILE},
          {reinterpret_cast<size_t>(info), room, 1, 1024, 1, 1}, threads);
  const std::string log = info;
  EXPECT_NE(log.find("ptxas info    : Compiling entry function 'k' for 'sm_90'\n"), log.npos)
      << log;
  EXPECT_NE(log.find("ptxas info    : Used "), log.npos) << log;
  CUjit_option option = CU_JIT_MAX_THREADS_PER_BLOCK;
  void *value = reinterpret_cast<void *>(size_t(5000));
  CUmodule module = nullptr;
  EXPECT_EQ(driver.cuModuleLoadDataEx(&module, text.data(), 1, &option, &value),
            CUDA_ERROR_INVALID_VALUE);
}

/// HEDDLE_FUZZ says how many are tried.
TEST_F(Ptx, ofFatBinariesChangedAtRandom) {
  const heddle::test::FuzzRun run;
  std::mt19937_64 random(run.seed);
  const std::string good = goodText(),
                    whole = fatBinary(entry(PtxKind, 90, good) +
                                      packedEntry(lz4Of(good), Lz4, good.size()) +
                                      packedEntry(zstdOf(good), Zstd, good.size()) +
                                      entry(ElfKind, 75, std::string(64, 'x')));
  unsigned taken = 0;
  testing::internal::CaptureStderr();
  for (unsigned i = 0; i < 300 * run.factor; ++i) {
    std::string bytes = whole;
    const size_t headers = random() % 2 ? 80 : bytes.size();
    for (size_t changes = 1 + random() % 4; changes; --changes) {
      const size_t at = random() % headers;
      switch (random() % 4) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << random() % 8);
        break;
      case 2:
        std::memmove(&bytes[at], &bytes[random() % (bytes.size() - 16)],
                     std::min<size_t>(16, bytes.size() - at));
        break;
      default:
        std::memset(&bytes[at], random() % 2 ? 0 : 255,
                    std::min<size_t>(1 + random() % 8, bytes.size() - at));
      }
    }
    CUmodule module = nullptr;
    if (driver.cuModuleLoadData(&module, bytes.data()) == CUDA_SUCCESS && ++taken)
      EXPECT_EQ(driver.cuModuleUnload(module), CUDA_SUCCESS);
    if (i % 1024 == 1023) { // what it says is not kept for ever
      testing::internal::GetCapturedStderr();
      testing::internal::CaptureStderr();
    }
  }
  testing::internal::GetCapturedStderr();
  EXPECT_GT(taken, 0u);
}

} // namespace
