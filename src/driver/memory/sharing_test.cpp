// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory and semaphores of other processes and APIs.
#include "driver/context_support.h"

#include <cstring>
#include <string>

#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

class Sharing : public WithContext {};

// ---------------------------------------------------------------------------------------------------
// Other processes. The parent hands a child handles in a file.

struct Message {
  CUipcMemHandle memory;
  CUipcEventHandle event;
  int file; ///< of virtual memory; the child has it, too
};

constexpr size_t Size = 5000;
constexpr int MessageFile = 3; ///< the child's descriptor of it

/// The child's part: checks the pattern from 1, writes that from 2.
TEST(DISABLED_Child, opensMemory) {
  Message message;
  CUcontext context = nullptr;
  ASSERT_EQ(pread(MessageFile, &message, sizeof message, 0), ssize_t(sizeof message));
  ASSERT_OK(driver.cuInit(0));
  ASSERT_OK(driver.cuCtxCreate_v2(&context, 0, 0));
  CUdeviceptr p = 0, again = 0;
  CUevent event = nullptr;
  constexpr unsigned Flags = CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS;
  EXPECT_INVALID(driver.cuIpcOpenMemHandle_v2(&p, message.memory, 0));
  EXPECT_INVALID(driver.cuIpcOpenMemHandle_v2(nullptr, message.memory, Flags));
  ASSERT_OK(driver.cuIpcOpenMemHandle_v2(&p, message.memory, Flags));
  ASSERT_OK(driver.cuIpcOpenMemHandle(&again, message.memory, Flags));
  EXPECT_EQ(again, p);
  EXPECT_OK(driver.cuIpcOpenEventHandle(&event, message.event));
  EXPECT_NE(event, nullptr);
  Bytes seen(Size);
  const Bytes mine = pattern(Size, 2);
  EXPECT_OK(driver.cuMemcpyDtoH_v2(seen.data(), p, Size));
  EXPECT_EQ(seen, pattern(Size, 1));
  EXPECT_OK(driver.cuMemcpyHtoD_v2(p, mine.data(), Size));
  EXPECT_INVALID(driver.cuMemFree_v2(p)) << "it must be closed";
  EXPECT_OK(driver.cuIpcCloseMemHandle(p));
  EXPECT_OK(driver.cuIpcCloseMemHandle(p));
  EXPECT_INVALID(driver.cuIpcCloseMemHandle(p));
}

constexpr size_t Unit = 2 << 20;
constexpr auto Descriptor = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

/// Maps memory at addresses of its own, with access.
CUdeviceptr map(CUmemGenericAllocationHandle handle) {
  CUdeviceptr p = 0;
  const CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0},
                                  CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  EXPECT_OK(driver.cuMemAddressReserve(&p, Unit, 0, 0, 0));
  EXPECT_OK(driver.cuMemMap(p, Unit, 0, handle, 0));
  EXPECT_OK(driver.cuMemSetAccess(p, Unit, &access, 1));
  return p;
}

TEST(DISABLED_Child, mapsVirtualMemory) {
  Message message;
  CUcontext context = nullptr;
  CUmemGenericAllocationHandle handle = 0;
  ASSERT_EQ(pread(MessageFile, &message, sizeof message, 0), ssize_t(sizeof message));
  ASSERT_OK(driver.cuInit(0));
  ASSERT_OK(driver.cuCtxCreate_v2(&context, 0, 0));
  void *file = reinterpret_cast<void *>(static_cast<intptr_t>(message.file));
  ASSERT_OK(driver.cuMemImportFromShareableHandle(&handle, file, Descriptor));
  const CUdeviceptr p = map(handle);
  Bytes seen(Size);
  const Bytes mine = pattern(Size, 2);
  EXPECT_OK(driver.cuMemcpyDtoH_v2(seen.data(), p, Size));
  EXPECT_EQ(seen, pattern(Size, 1));
  EXPECT_OK(driver.cuMemcpyHtoD_v2(p, mine.data(), Size));
}

/// Runs a test of this program in a process of its own. True if it passes.
bool passesInChild(const std::string &test, const Message &message) {
  const int file = memfd_create("message", 0);
  EXPECT_EQ(write(file, &message, sizeof message), ssize_t(sizeof message));
  const std::string filter = "--gtest_filter=" + test;
  const pid_t child = vfork();
  if (child == 0) {
    dup2(file, MessageFile);
    execl("/proc/self/exe", "test", filter.c_str(), "--gtest_also_run_disabled_tests", nullptr);
    _exit(127);
  }
  int status = -1;
  waitpid(child, &status, 0);
  close(file);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// An event that other processes may open, made by the runtime API.
extern "C" int cudaEventCreateWithFlags(CUevent *, unsigned);
extern "C" int cudaEventDestroy(CUevent);

TEST_F(Sharing, memoryBetweenProcesses) {
  Buffer buffer(pattern(Size, 1));
  Message message = {};
  CUevent event = nullptr;
  ASSERT_EQ(cudaEventCreateWithFlags(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING), 0);
  ASSERT_OK(driver.cuIpcGetMemHandle(&message.memory, buffer.get() + 100));
  ASSERT_OK(driver.cuIpcGetEventHandle(&message.event, event));
  EXPECT_TRUE(passesInChild("DISABLED_Child.opensMemory", message));
  EXPECT_EQ(buffer.read(), pattern(Size, 2));
  CUdeviceptr p = 0;
  CUevent opened = nullptr;
  int mine = 0;
  EXPECT_EQ(driver.cuIpcOpenMemHandle_v2(&p, message.memory, CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS),
            CUDA_ERROR_INVALID_CONTEXT)
      << "its own process's";
  EXPECT_EQ(driver.cuIpcOpenEventHandle(&opened, message.event), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_INVALID(driver.cuIpcOpenEventHandle(nullptr, message.event));
  EXPECT_INVALID(driver.cuIpcGetMemHandle(nullptr, buffer.get()));
  EXPECT_INVALID(driver.cuIpcGetMemHandle(&message.memory, addressOf(&mine)));
  EXPECT_INVALID(driver.cuIpcGetEventHandle(nullptr, event));
  EXPECT_INVALID(driver.cuIpcCloseMemHandle(buffer.get()));
  EXPECT_EQ(cudaEventDestroy(event), 0);
}

TEST_F(Sharing, virtualMemoryBetweenProcesses) {
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.requestedHandleTypes = Descriptor;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  CUmemGenericAllocationHandle handle = 0;
  Message message = {};
  ASSERT_OK(driver.cuMemCreate(&handle, Unit, &properties, 0));
  const CUdeviceptr p = map(handle);
  ASSERT_OK(driver.cuMemExportToShareableHandle(&message.file, handle, Descriptor, 0));
  const Bytes mine = pattern(Size, 1);
  Bytes seen(Size);
  EXPECT_OK(driver.cuMemcpyHtoD_v2(p, mine.data(), Size));
  EXPECT_TRUE(passesInChild("DISABLED_Child.mapsVirtualMemory", message));
  EXPECT_OK(driver.cuMemcpyDtoH_v2(seen.data(), p, Size));
  EXPECT_EQ(seen, pattern(Size, 2));
  close(message.file);
  EXPECT_OK(driver.cuMemUnmap(p, Unit));
  EXPECT_OK(driver.cuMemAddressFree(p, Unit));
  EXPECT_OK(driver.cuMemRelease(handle));
}

// ---------------------------------------------------------------------------------------------------
// Other APIs.

int makeFile(size_t bytes) {
  int file = memfd_create("test", MFD_CLOEXEC);
  EXPECT_EQ(ftruncate(file, static_cast<off_t>(bytes)), 0);
  return file;
}

template <typename T> T *mapFile(int file, size_t bytes = sizeof(T)) {
  void *p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  EXPECT_NE(p, MAP_FAILED);
  return static_cast<T *>(p);
}

CUDA_EXTERNAL_MEMORY_HANDLE_DESC memoryOf(int file, size_t bytes) {
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC descriptor = {};
  descriptor.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD;
  descriptor.handle.fd = file;
  descriptor.size = bytes;
  return descriptor;
}

TEST_F(Sharing, externalMemory) {
  constexpr size_t Bytes64K = 1 << 16, Offset = 4096;
  const int file = makeFile(Bytes64K);
  auto *bytes = mapFile<unsigned char>(file, Bytes64K);
  auto descriptor = memoryOf(file, Bytes64K);
  CUexternalMemory memory = nullptr;
  ASSERT_OK(driver.cuImportExternalMemory(&memory, &descriptor));
  CUDA_EXTERNAL_MEMORY_BUFFER_DESC buffer = {};
  buffer.offset = Offset;
  buffer.size = 100;
  CUdeviceptr p = 0;
  ASSERT_OK(driver.cuExternalMemoryGetMappedBuffer(&p, memory, &buffer));
  EXPECT_OK(driver.cuMemsetD8_v2(p, 7, 100));
  EXPECT_OK(driver.cuCtxSynchronize());
  EXPECT_EQ(bytes[Offset - 1], 0);
  EXPECT_EQ(bytes[Offset], 7);
  EXPECT_EQ(bytes[Offset + 99], 7);
  CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC shape = {};
  shape.offset = Offset;
  shape.arrayDesc = {20, 5, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0};
  shape.numLevels = 1;
  CUmipmappedArray mipmap = nullptr;
  CUarray level = nullptr;
  unsigned char seen[100] = {};
  ASSERT_OK(driver.cuExternalMemoryGetMappedMipmappedArray(&mipmap, memory, &shape));
  ASSERT_OK(driver.cuMipmappedArrayGetLevel(&level, mipmap, 0));
  EXPECT_OK(driver.cuMemcpyAtoH_v2(seen, level, 0, 20));
  EXPECT_EQ(seen[19], 7);
  EXPECT_INVALID(driver.cuExternalMemoryGetMappedBuffer(nullptr, memory, &buffer));
  EXPECT_INVALID(driver.cuExternalMemoryGetMappedBuffer(&p, memory, nullptr));
  EXPECT_INVALID(driver.cuExternalMemoryGetMappedMipmappedArray(&mipmap, memory, nullptr));
  shape.arrayDesc.NumChannels = 3;
  EXPECT_INVALID(driver.cuExternalMemoryGetMappedMipmappedArray(&mipmap, memory, &shape));
  buffer.size = Bytes64K;
  EXPECT_INVALID(driver.cuExternalMemoryGetMappedBuffer(&p, memory, &buffer));
  EXPECT_OK(driver.cuDestroyExternalMemory(memory));
  EXPECT_EQ(driver.cuDestroyExternalMemory(memory), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver.cuExternalMemoryGetMappedBuffer(&p, memory, &buffer), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_OK(driver.cuMipmappedArrayDestroy(mipmap));
  EXPECT_OK(driver.cuMemFree_v2(p));
  munmap(bytes, Bytes64K);
}

TEST_F(Sharing, whatIsNoExternalMemory) {
  CUexternalMemory memory = nullptr;
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  auto descriptor = memoryOf(pipes[0], 4096);
  EXPECT_INVALID(driver.cuImportExternalMemory(&memory, nullptr));
  EXPECT_INVALID(driver.cuImportExternalMemory(nullptr, &descriptor));
  testing::internal::CaptureStderr();
  EXPECT_EQ(driver.cuImportExternalMemory(&memory, &descriptor), CUDA_ERROR_OPERATING_SYSTEM);
  descriptor.type = CU_EXTERNAL_MEMORY_HANDLE_TYPE_NVSCIBUF;
  EXPECT_EQ(driver.cuImportExternalMemory(&memory, &descriptor), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("NvSciBuf"), std::string::npos);
  descriptor.type = CUexternalMemoryHandleType(77);
  EXPECT_INVALID(driver.cuImportExternalMemory(&memory, &descriptor));
  close(pipes[0]);
  close(pipes[1]);
}

TEST_F(Sharing, externalSemaphores) {
  const int file = makeFile(4096);
  auto *counter = mapFile<uint64_t>(file);
  CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC descriptor = {};
  descriptor.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
  descriptor.handle.fd = file;
  CUexternalSemaphore timeline = nullptr, binary = nullptr;
  ASSERT_OK(driver.cuImportExternalSemaphore(&timeline, &descriptor));
  descriptor.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;
  descriptor.handle.fd = eventfd(0, EFD_CLOEXEC);
  ASSERT_OK(driver.cuImportExternalSemaphore(&binary, &descriptor));
  CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS signal[2] = {};
  CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS wait[2] = {};
  signal[0].params.fence.value = wait[0].params.fence.value = 5;
  const CUexternalSemaphore both[] = {timeline, binary};
  EXPECT_OK(driver.cuSignalExternalSemaphoresAsync(both, signal, 2, OwnStream));
  EXPECT_OK(driver.cuWaitExternalSemaphoresAsync(both, wait, 2, OwnStream));
  EXPECT_OK(driver.cuCtxSynchronize());
  EXPECT_EQ(*counter, 5u);
  EXPECT_INVALID(driver.cuSignalExternalSemaphoresAsync(both, nullptr, 2, OwnStream));
  EXPECT_INVALID(driver.cuWaitExternalSemaphoresAsync(nullptr, wait, 2, OwnStream));
  EXPECT_INVALID(driver.cuImportExternalSemaphore(&binary, nullptr));
  EXPECT_OK(driver.cuDestroyExternalSemaphore(binary));
  EXPECT_EQ(driver.cuSignalExternalSemaphoresAsync(both, signal, 2, OwnStream),
            CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(driver.cuDestroyExternalSemaphore(binary), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_OK(driver.cuDestroyExternalSemaphore(timeline));
  munmap(counter, sizeof *counter);
}

} // namespace
