// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What pools keep, who gets it, and pools of several processes.
#include "runtime/child_process.h"

#include <algorithm>
#include <atomic>
#include <random>
#include <thread>

HEDDLE_TEST_DEVICES("h200")

namespace {

constexpr size_t MiB = 1 << 20;

uint64_t attribute(cudaMemPool_t pool, cudaMemPoolAttr which) {
  uint64_t value = 0;
  EXPECT_OK(cudaMemPoolGetAttribute(pool, which, &value));
  return value;
}
uint64_t used(cudaMemPool_t pool) { return attribute(pool, cudaMemPoolAttrUsedMemCurrent); }
uint64_t reserved(cudaMemPool_t pool) { return attribute(pool, cudaMemPoolAttrReservedMemCurrent); }

size_t freeMemory() {
  size_t free = 0, total = 0;
  EXPECT_OK(cudaMemGetInfo(&free, &total));
  return free;
}

/// A pool of its own, and streams of which the first can be held up.
class PoolTest : public testing::Test {
protected:
  void SetUp() override {
    before_ = freeMemory();
    make({});
    for (cudaStream_t *stream : {&first_, &second_})
      ASSERT_OK(cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking));
  }
  void TearDown() override {
    for (cudaStream_t stream : {first_, second_})
      ASSERT_OK(cudaStreamDestroy(stream));
    ASSERT_OK(cudaMemPoolDestroy(pool_));
    ASSERT_OK(cudaDeviceSynchronize());
    // A destroyed pool gives back what work used until now.
    while (freeMemory() != before_)
      std::this_thread::yield();
  }
  void make(cudaMemPoolProps properties) {
    if (pool_)
      ASSERT_OK(cudaMemPoolDestroy(pool_));
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = {cudaMemLocationTypeDevice, 0};
    ASSERT_OK(cudaMemPoolCreate(&pool_, &properties));
  }
  void keepAll() {
    uint64_t all = UINT64_MAX;
    ASSERT_OK(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &all));
  }
  void set(cudaMemPoolAttr which, int value) {
    ASSERT_OK(cudaMemPoolSetAttribute(pool_, which, &value));
  }
  void *take(size_t bytes, cudaStream_t stream) {
    void *p = nullptr;
    EXPECT_OK(cudaMallocFromPoolAsync(&p, bytes, pool_, stream));
    return p;
  }
  /// Work of the stream waits until `letGo`.
  void holdUp(cudaStream_t stream) {
    held_ = true;
    auto wait = [](void *held) {
      while (*static_cast<std::atomic<bool> *>(held))
        std::this_thread::yield();
    };
    ASSERT_OK(cudaLaunchHostFunc(stream, wait, &held_));
  }
  void letGo() { held_ = false; }

  cudaMemPool_t pool_ = nullptr;
  cudaStream_t first_ = nullptr, second_ = nullptr;

private:
  std::atomic<bool> held_{false};
  size_t before_ = 0;
};

TEST_F(PoolTest, reusesInTheSameStream) {
  holdUp(first_);
  void *p = take(MiB, first_);
  ASSERT_OK(cudaFreeAsync(p, first_));
  EXPECT_EQ(used(pool_), 0u);
  EXPECT_EQ(reserved(pool_), MiB);
  EXPECT_EQ(take(MiB - 1000, first_), p) << "the order of the stream is enough";
  EXPECT_EQ(used(pool_), MiB - 1000);
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemsetAsync(p, 0, MiB, first_)); // as long as asked for
  ASSERT_OK(cudaMemsetAsync(p, 0, MiB - 1000, first_));
  letGo();
  ASSERT_OK(cudaFreeAsync(p, first_));
  ASSERT_OK(cudaStreamSynchronize(first_));
  EXPECT_EQ(reserved(pool_), 0u) << "the threshold is 0";
}

TEST_F(PoolTest, keepsUpToTheThreshold) {
  uint64_t threshold = 3 * MiB;
  ASSERT_OK(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReleaseThreshold, &threshold));
  std::vector<void *> all;
  for (int i = 0; i < 5; ++i)
    all.push_back(take(MiB, first_));
  for (void *p : all)
    ASSERT_OK(cudaFreeAsync(p, first_));
  EXPECT_EQ(reserved(pool_), 5 * MiB);
  ASSERT_OK(cudaStreamSynchronize(first_));
  EXPECT_EQ(reserved(pool_), 3 * MiB);
  EXPECT_EQ(attribute(pool_, cudaMemPoolAttrReservedMemHigh), 5 * MiB);
  EXPECT_EQ(attribute(pool_, cudaMemPoolAttrUsedMemHigh), 5 * MiB);
  ASSERT_OK(cudaMemPoolTrimTo(pool_, 2 * MiB));
  EXPECT_EQ(reserved(pool_), 2 * MiB);
  uint64_t zero = 0, one = 1;
  ASSERT_OK(cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReservedMemHigh, &zero));
  EXPECT_EQ(attribute(pool_, cudaMemPoolAttrReservedMemHigh), 2 * MiB);
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaMemPoolSetAttribute(pool_, cudaMemPoolAttrReservedMemHigh, &one));
  ASSERT_OK(cudaMemPoolTrimTo(pool_, 0));
  EXPECT_EQ(reserved(pool_), 0u);
}

TEST_F(PoolTest, eventsAndTheDeviceReleaseToo) {
  for (int way = 0; way < 2; ++way) {
    ASSERT_OK(cudaFreeAsync(take(MiB, first_), first_));
    EXPECT_EQ(reserved(pool_), MiB);
    if (way == 0) {
      ASSERT_OK(cudaDeviceSynchronize());
    } else {
      cudaEvent_t event;
      ASSERT_OK(cudaEventCreate(&event));
      ASSERT_OK(cudaEventRecord(event, first_));
      ASSERT_OK(cudaEventSynchronize(event));
      ASSERT_OK(cudaEventDestroy(event));
    }
    EXPECT_EQ(reserved(pool_), 0u);
  }
}

TEST_F(PoolTest, trimsOnlyWhatIsIdle) {
  holdUp(first_);
  ASSERT_OK(cudaFreeAsync(take(MiB, first_), first_));
  ASSERT_OK(cudaMemPoolTrimTo(pool_, 0));
  EXPECT_EQ(reserved(pool_), MiB);
  letGo();
  ASSERT_OK(cudaStreamSynchronize(first_));
}

TEST_F(PoolTest, takesIdleMemoryOfOtherStreams) {
  keepAll();
  set(cudaMemPoolReuseAllowInternalDependencies, 0);
  ASSERT_OK(cudaFreeAsync(take(4 * MiB, first_), first_)); // the pool may keep as much
  ASSERT_OK(cudaStreamSynchronize(first_));
  ASSERT_OK(cudaMemPoolTrimTo(pool_, 0));
  void *p = take(MiB, first_);
  ASSERT_OK(cudaFreeAsync(p, first_));
  ASSERT_OK(cudaStreamSynchronize(first_));
  set(cudaMemPoolReuseAllowOpportunistic, 0);
  void *q = take(MiB, second_);
  EXPECT_NE(q, p) << "not allowed";
  set(cudaMemPoolReuseAllowOpportunistic, 1);
  void *r = take(MiB, second_);
  EXPECT_EQ(r, p);
  for (void *one : {q, r})
    ASSERT_OK(cudaFreeAsync(one, second_));
}

/// The second stream must not write before the first one has read.
TEST_F(PoolTest, waitsForOtherStreams) {
  keepAll();
  auto *p = static_cast<unsigned char *>(take(MiB, first_));
  Pinned seen(MiB);
  ASSERT_OK(cudaMemsetAsync(p, 5, MiB, first_));
  ASSERT_OK(cudaStreamSynchronize(first_));
  holdUp(first_);
  ASSERT_OK(cudaMemcpyAsync(seen.get(), p, MiB, cudaMemcpyDeviceToHost, first_));
  ASSERT_OK(cudaFreeAsync(p, first_));
  set(cudaMemPoolReuseAllowInternalDependencies, 0);
  void *q = take(MiB, second_);
  EXPECT_NE(q, p) << "not allowed";
  set(cudaMemPoolReuseAllowInternalDependencies, 1);
  EXPECT_EQ(take(MiB, second_), p);
  ASSERT_OK(cudaMemsetAsync(p, 6, MiB, second_));
  EXPECT_EQ(cudaStreamQuery(second_), cudaErrorNotReady);
  letGo();
  ASSERT_OK(cudaStreamSynchronize(second_));
  EXPECT_EQ(Bytes(seen.get(), seen.get() + MiB), Bytes(MiB, 5));
  EXPECT_EQ(p[0], 6);
  for (void *one : {q, static_cast<void *>(p)})
    ASSERT_OK(cudaFreeAsync(one, second_));
}

TEST_F(PoolTest, keepsNoMoreThanItEverHad) {
  keepAll();
  for (size_t bytes = MiB; bytes < 9 * MiB; bytes += 300'000) {
    ASSERT_OK(cudaFreeAsync(take(bytes, first_), first_));
    ASSERT_OK(cudaStreamSynchronize(first_));
    EXPECT_LE(reserved(pool_), attribute(pool_, cudaMemPoolAttrUsedMemHigh));
  }
}

TEST_F(PoolTest, hasTheSizeThatItWasGiven) {
  cudaMemPoolProps properties = {};
  properties.maxSize = 4 * MiB;
  make(properties);
  void *p = take(3 * MiB, first_), *q = nullptr;
  EXPECT_CUDA(cudaErrorMemoryAllocation, cudaMallocFromPoolAsync(&q, 2 * MiB, pool_, first_));
  ASSERT_OK(cudaFreeAsync(p, first_));
  q = take(2 * MiB, first_); // what is kept makes room
  EXPECT_LE(reserved(pool_), 4 * MiB);
  ASSERT_OK(cudaFreeAsync(q, first_));
}

TEST_F(PoolTest, givesToOtherAllocations) {
  keepAll();
  const size_t most = freeMemory();
  ASSERT_OK(cudaFreeAsync(take(most / 2, first_), first_));
  ASSERT_OK(cudaStreamSynchronize(first_));
  EXPECT_EQ(reserved(pool_), most / 2);
  void *p;
  ASSERT_OK(cudaMalloc(&p, most / 4 * 3));
  EXPECT_EQ(reserved(pool_), 0u);
  EXPECT_OK(cudaFree(p));
}

TEST_F(PoolTest, knowsWhatIsFree) {
  void *p = take(100, first_);
  ASSERT_OK(cudaFreeAsync(p, first_));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaFreeAsync(p, first_));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaFree(p));
  p = take(100, first_);
  EXPECT_OK(cudaFree(p));
  EXPECT_EQ(reserved(pool_), 0u);
  EXPECT_EQ(used(pool_), 0u);
}

TEST_F(PoolTest, outlivedByItsMemory) {
  void *p = take(MiB, first_), *q = take(MiB, first_);
  holdUp(first_);
  ASSERT_OK(cudaFreeAsync(p, first_));
  make({});
  ASSERT_OK(cudaMemsetAsync(q, 1, MiB, first_));
  ASSERT_OK(cudaFreeAsync(q, first_));
  letGo();
  ASSERT_OK(cudaStreamSynchronize(first_));
}

/// Random sizes in two streams: nobody's values change while they are somebody's.
TEST_F(PoolTest, givesNothingTwice) {
  keepAll();
  struct Block {
    unsigned char *p;
    size_t bytes;
    int value;
    cudaStream_t stream;
  };
  std::vector<Block> live;
  std::mt19937 random(7);
  Pinned wrong(4);
  for (int i = 0; i < 3000; ++i) {
    if (live.size() < 20 && random() % 2) {
      Block block = {nullptr, 1 + random() % 5 * 40'000 + random() % 3000,
                     static_cast<int>(random() % 255), random() % 2 ? first_ : second_};
      block.p = static_cast<unsigned char *>(take(block.bytes, block.stream));
      ASSERT_NE(block.p, nullptr);
      ASSERT_OK(cudaMemsetAsync(block.p, block.value, block.bytes, block.stream));
      live.push_back(block);
    } else if (!live.empty()) {
      std::swap(live[random() % live.size()], live.back());
      Block block = live.back();
      live.pop_back();
      static std::atomic<int> bad{0};
      auto *check = new Block(block);
      auto look = [](void *data) {
        auto *b = static_cast<Block *>(data);
        bad += std::any_of(b->p, b->p + b->bytes, [&](int v) { return v != b->value; });
        delete b;
      };
      ASSERT_OK(cudaLaunchHostFunc(block.stream, look, check));
      ASSERT_OK(cudaFreeAsync(block.p, block.stream));
      if (i % 100 == 0) {
        ASSERT_OK(cudaDeviceSynchronize());
        ASSERT_EQ(bad, 0);
      }
    }
  }
  for (const Block &block : live)
    ASSERT_OK(cudaFreeAsync(block.p, block.stream));
}

// ---------------------------------------------------------------------------------------------------
// Several processes.

struct Exported {
  cudaMemPoolPtrExportData pointer;
  cudaIpcEventHandle_t ready;
  size_t bytes;
};

void *asHandle(int file) { return reinterpret_cast<void *>(static_cast<intptr_t>(file)); }

/// Waits until the memory is ready, adds one to each byte and gives it back, now with
/// cudaFreeAsync, now with cudaFree.
TEST(DISABLED_Child, addsOne) {
  Line line = parentLine();
  const int file = line.receiveFile();
  cudaMemPool_t pool;
  ASSERT_OK(cudaMemPoolImportFromShareableHandle(&pool, asHandle(file),
                                                 cudaMemHandleTypePosixFileDescriptor, 0));
  close(file);
  void *p;
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMallocFromPoolAsync(&p, 16, pool, nullptr));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaDeviceSetMemPool(0, pool));
  int handle;
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemPoolExportToShareableHandle(
                                         &handle, pool, cudaMemHandleTypePosixFileDescriptor, 0));
  for (int i = 0; i < 3; ++i) {
    auto data = line.receive<Exported>();
    cudaEvent_t ready;
    ASSERT_OK(cudaIpcOpenEventHandle(&ready, data.ready));
    ASSERT_OK(cudaMemPoolImportPointer(&p, pool, &data.pointer));
    ASSERT_OK(cudaStreamWaitEvent(nullptr, ready, 0));
    Bytes bytes(data.bytes);
    ASSERT_OK(cudaMemcpy(bytes.data(), p, data.bytes, cudaMemcpyDeviceToHost));
    EXPECT_EQ(bytes, pattern(data.bytes, static_cast<unsigned>(i)));
    for (unsigned char &byte : bytes)
      ++byte;
    ASSERT_OK(cudaMemcpy(p, bytes.data(), data.bytes, cudaMemcpyHostToDevice));
    cudaMemPoolPtrExportData again;
    EXPECT_CUDA(cudaErrorInvalidValue, cudaMemPoolExportPointer(&again, p));
    if (i == 1)
      ASSERT_OK(cudaFree(p));
    else
      ASSERT_OK(cudaFreeAsync(p, nullptr));
    ASSERT_OK(cudaDeviceSynchronize());
    EXPECT_CUDA(cudaErrorInvalidValue, cudaFree(p));
    line.send(i);
  }
  EXPECT_OK(cudaMemPoolDestroy(pool));
}

TEST_F(PoolTest, isSharedWithAnotherProcess) {
  cudaMemPoolProps properties = {};
  properties.handleTypes = cudaMemHandleTypePosixFileDescriptor;
  make(properties);
  keepAll();
  int file = -1;
  ASSERT_OK(
      cudaMemPoolExportToShareableHandle(&file, pool_, cudaMemHandleTypePosixFileDescriptor, 0));
  Child child("addsOne");
  child.sendFile(file);
  close(file);
  cudaEvent_t event;
  ASSERT_OK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess));
  void *apart = take(70'000, first_);
  for (int i = 0; i < 3; ++i) {
    Exported data = {{}, {}, 200'000 + static_cast<size_t>(i) * 77};
    auto *p = static_cast<unsigned char *>(take(data.bytes, first_));
    const Bytes bytes = pattern(data.bytes, static_cast<unsigned>(i));
    ASSERT_OK(cudaMemcpyAsync(p, bytes.data(), data.bytes, cudaMemcpyHostToDevice, first_));
    ASSERT_OK(cudaEventRecord(event, first_));
    ASSERT_OK(cudaMemPoolExportPointer(&data.pointer, p));
    ASSERT_OK(cudaIpcGetEventHandle(&data.ready, event));
    child.send(data);
    EXPECT_EQ(child.receive<int>(), i);
    Bytes wanted = bytes;
    for (unsigned char &byte : wanted)
      ++byte;
    EXPECT_EQ(read(p, data.bytes), wanted);
    ASSERT_OK(cudaFreeAsync(p, first_));
  }
  ASSERT_OK(cudaFreeAsync(apart, first_));
  ASSERT_OK(cudaEventDestroy(event));
}

TEST_F(PoolTest, refusesOtherHandles) {
  int file = -1;
  cudaMemPool_t imported;
  const auto posix = cudaMemHandleTypePosixFileDescriptor;
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemPoolExportToShareableHandle(&file, pool_, posix, 0));
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  properties.handleTypes = cudaMemHandleTypeWin32;
  cudaMemPool_t other;
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemPoolCreate(&other, &properties));
  properties.handleTypes = static_cast<cudaMemAllocationHandleType>(64);
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemPoolCreate(&other, &properties));
  properties.handleTypes = posix;
  make(properties);
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemPoolExportToShareableHandle(&file, pool_, posix, 1));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemPoolExportToShareableHandle(nullptr, pool_, posix, 0));
  EXPECT_CUDA(cudaErrorNotSupported,
              cudaMemPoolExportToShareableHandle(&file, pool_, cudaMemHandleTypeFabric, 0));
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaMemPoolImportFromShareableHandle(&imported, asHandle(-1), posix, 0));
  int pipes[2];
  ASSERT_EQ(pipe(pipes), 0);
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaMemPoolImportFromShareableHandle(&imported, asHandle(pipes[0]), posix, 0));
  for (int end : pipes)
    close(end);
  cudaMemPoolPtrExportData data = {};
  void *p;
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemPoolExportPointer(&data, &p));
  Buffer buffer(16);
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemPoolExportPointer(&data, buffer.get()));
  ASSERT_OK(cudaMemPoolExportToShareableHandle(&file, pool_, posix, 0));
  ASSERT_OK(cudaMemPoolImportFromShareableHandle(&imported, asHandle(file), posix, 0));
  close(file);
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemPoolImportPointer(&p, imported, &data)); // no data
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemPoolImportPointer(&p, pool_, &data));
  EXPECT_OK(cudaMemPoolDestroy(imported));
  int types = 0;
  EXPECT_OK(cudaDeviceGetAttribute(&types, cudaDevAttrMemoryPoolSupportedHandleTypes, 0));
  EXPECT_EQ(types, posix);
}

} // namespace
