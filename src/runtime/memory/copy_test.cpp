// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/test_support.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

HEDDLE_TEST_DEVICES("cpu,cpu")

namespace {

/// A stream that stands still until it is let go.
class HeldStream {
public:
  HeldStream() {
    EXPECT_OK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    EXPECT_OK(cudaLaunchHostFunc(
        stream_,
        [](void *go) {
          while (!*static_cast<std::atomic<bool> *>(go))
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        },
        &go_));
  }
  void letGo() {
    go_ = true;
    EXPECT_OK(cudaStreamSynchronize(stream_));
  }
  ~HeldStream() {
    letGo();
    EXPECT_OK(cudaStreamDestroy(stream_));
  }
  operator cudaStream_t() const { return stream_; }

private:
  cudaStream_t stream_ = nullptr;
  std::atomic<bool> go_{false};
};

TEST(Copy, roundTrip) {
  const Bytes data = pattern(100000);
  Buffer a(data.size()), b(data.size());
  EXPECT_OK(cudaMemcpy(a.get(), data.data(), data.size(), cudaMemcpyHostToDevice));
  EXPECT_OK(cudaMemcpy(b.get(), a.get(), data.size(), cudaMemcpyDeviceToDevice));
  EXPECT_EQ(read(b.get(), data.size()), data);
  Bytes host(data.size());
  EXPECT_OK(cudaMemcpy(host.data(), data.data(), data.size(), cudaMemcpyHostToHost));
  EXPECT_EQ(host, data);
  EXPECT_OK(cudaMemcpy(b.get(), host.data() + 5, 10, cudaMemcpyDefault));
  EXPECT_EQ(read(b.get(), 10), pattern(10, 5));
}

TEST(Copy, directionsAreChecked) {
  Bytes host(64);
  Buffer device(64);
  void *d = device.get();
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemcpy(host.data(), d, 64, cudaMemcpyHostToDevice));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemcpy(d, host.data(), 64, cudaMemcpyDeviceToHost));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemcpy(d, host.data(), 64, cudaMemcpyDeviceToDevice));
  EXPECT_CUDA(cudaErrorInvalidMemcpyDirection,
              cudaMemcpy(d, host.data(), 64, static_cast<cudaMemcpyKind>(5)));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemcpy(d, host.data(), 65, cudaMemcpyHostToDevice));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemcpy(nullptr, host.data(), 64, cudaMemcpyHostToDevice));
  EXPECT_OK(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
}

TEST(Copy, freedMemoryIsRefused) {
  Bytes host(64);
  void *p;
  ASSERT_OK(cudaMalloc(&p, 64));
  ASSERT_OK(cudaFree(p));
  for (cudaMemcpyKind kind : {cudaMemcpyHostToDevice, cudaMemcpyHostToHost, cudaMemcpyDefault})
    EXPECT_CUDA(cudaErrorInvalidValue, cudaMemcpy(p, host.data(), 64, kind));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemset(p, 0, 64));
}

TEST(Copy, twoDimensions) {
  const Bytes data = pattern(10 * 100);
  Buffer device(10 * 128);
  EXPECT_OK(cudaMemset(device.get(), 0xee, 10 * 128));
  EXPECT_OK(cudaMemcpy2D(device.get(), 128, data.data(), 100, 90, 10, cudaMemcpyHostToDevice));
  Bytes back(10 * 100, 0);
  EXPECT_OK(cudaMemcpy2D(back.data(), 100, device.get(), 128, 100, 10, cudaMemcpyDeviceToHost));
  for (size_t y = 0; y < 10; ++y)
    for (size_t x = 0; x < 100; ++x)
      ASSERT_EQ(back[y * 100 + x], x < 90 ? data[y * 100 + x] : 0xee) << y << " " << x;
  EXPECT_CUDA(cudaErrorInvalidPitchValue,
              cudaMemcpy2D(device.get(), 64, data.data(), 100, 65, 2, cudaMemcpyHostToDevice));
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaMemcpy2D(device.get(), 128, data.data(), 90, 90, 11, cudaMemcpyHostToDevice));
  EXPECT_OK(cudaMemcpy2DAsync(back.data(), 100, device.get(), 128, 90, 10, cudaMemcpyDeviceToHost,
                              nullptr));
  EXPECT_EQ(back[9 * 100 + 89], data[9 * 100 + 89])
      << "pageable memory is written when the call returns";
}

/// Work of the default stream that takes a while.
struct LateWork {
  LateWork() {
    EXPECT_OK(cudaLaunchHostFunc(
        nullptr,
        [](void *flag) {
          std::this_thread::sleep_for(std::chrono::milliseconds(50));
          *static_cast<std::atomic<bool> *>(flag) = true;
        },
        &ended));
  }
  ~LateWork() { EXPECT_OK(cudaDeviceSynchronize()); }
  std::atomic<bool> ended{false};
};

// A GPU is done with them before the host comes to launch anything in a stream that does not wait
// for the default one.
TEST(Copy, waitsWhereStreamsDoNot) {
  cudaStream_t nonBlocking;
  ASSERT_OK(cudaStreamCreateWithFlags(&nonBlocking, cudaStreamNonBlocking));
  Buffer device(64);
  {
    LateWork work;
    EXPECT_OK(cudaMemset(device.get(), 1, 64));
    EXPECT_TRUE(work.ended);
  }
  {
    LateWork work;
    EXPECT_OK(cudaMemcpy(device.get() + 32, device.get(), 32, cudaMemcpyDeviceToDevice));
    EXPECT_TRUE(work.ended);
  }
  EXPECT_OK(cudaStreamDestroy(nonBlocking));
}

// The host may use managed memory when the call is over, as its own.
TEST(Copy, waitsForManagedMemory) {
  Buffer device(64);
  void *managed;
  ASSERT_OK(cudaMallocManaged(&managed, 64, cudaMemAttachGlobal));
  for (cudaMemcpyKind kind : {cudaMemcpyDeviceToHost, cudaMemcpyDefault}) {
    LateWork work;
    EXPECT_OK(cudaMemcpy(managed, device.get(), 64, kind));
    EXPECT_TRUE(work.ended);
  }
  {
    LateWork work;
    EXPECT_OK(cudaMemcpy2D(device.get(), 32, managed, 32, 32, 2, cudaMemcpyHostToDevice));
    EXPECT_TRUE(work.ended);
  }
  {
    LateWork work;
    EXPECT_OK(cudaMemset(managed, 1, 64));
    EXPECT_TRUE(work.ended);
  }
  EXPECT_OK(cudaFree(managed));
}

// On an H200 with CUDA 13 the same.
TEST(Copy, pitchOfSingleRows) {
  const Bytes data = pattern(100);
  Buffer device(100);
  Bytes back(100);
  EXPECT_OK(cudaMemcpy2D(device.get(), 0, data.data(), 0, 100, 1, cudaMemcpyHostToDevice));
  EXPECT_OK(cudaMemcpy2D(back.data(), 200, device.get(), 0, 100, 1, cudaMemcpyDeviceToHost));
  EXPECT_EQ(back, data);
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaMemcpy2D(device.get(), 100, data.data(), 8, 100, 1, cudaMemcpyHostToDevice));
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaMemcpy2D(back.data(), 8, device.get(), 100, 100, 1, cudaMemcpyDeviceToHost));
  cudaMemcpy3DParms parms = {};
  parms.srcPtr = {back.data(), 8, 8, 1};
  parms.dstPtr = {device.get(), 100, 100, 1};
  parms.extent = {100, 1, 1};
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemcpy3D(&parms));
  for (size_t pitch : {0, 8, 100}) {
    EXPECT_OK(cudaMemset2D(device.get(), pitch, int(pitch), 100, 1));
    EXPECT_OK(cudaMemcpy(back.data(), device.get(), 100, cudaMemcpyDeviceToHost));
    EXPECT_EQ(back, Bytes(100, static_cast<unsigned char>(pitch)));
  }
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemset2D(device.get(), 8, 0, 50, 2));
}

TEST(Copy, threeDimensions) {
  const Bytes data = pattern(8 * 6 * 4);
  cudaPitchedPtr device;
  ASSERT_OK(cudaMalloc3D(&device, {8, 6, 4}));
  cudaMemcpy3DParms up = {};
  up.srcPtr = {const_cast<unsigned char *>(data.data()), 8, 8, 6};
  up.dstPtr = device;
  up.extent = {8, 6, 4};
  up.kind = cudaMemcpyHostToDevice;
  EXPECT_OK(cudaMemcpy3D(&up));
  Bytes back(3 * 2 * 2);
  cudaMemcpy3DParms down = {};
  down.srcPtr = device;
  down.srcPos = {2, 3, 1};
  down.dstPtr = {back.data(), 3, 3, 2};
  down.extent = {3, 2, 2};
  down.kind = cudaMemcpyDeviceToHost;
  EXPECT_OK(cudaMemcpy3DAsync(&down, nullptr));
  for (size_t z = 0; z < 2; ++z)
    for (size_t y = 0; y < 2; ++y)
      for (size_t x = 0; x < 3; ++x)
        ASSERT_EQ(back[(z * 2 + y) * 3 + x], data[((z + 1) * 6 + y + 3) * 8 + x + 2]);
  cudaMemcpy3DPeerParms peer = {};
  peer.srcPtr = peer.dstPtr = device;
  peer.dstPos = {0, 0, 3};
  peer.extent = {8, 6, 1};
  peer.dstDevice = 1;
  EXPECT_OK(cudaMemcpy3DPeer(&peer));
  EXPECT_OK(cudaMemcpy3DPeerAsync(&peer, nullptr));
  Bytes slice(8);
  EXPECT_OK(cudaMemcpy(slice.data(), static_cast<char *>(device.ptr) + 3 * 6 * device.pitch, 8,
                       cudaMemcpyDeviceToHost));
  EXPECT_EQ(slice, pattern(8));
  peer.srcDevice = 9;
  EXPECT_CUDA(cudaErrorInvalidDevice, cudaMemcpy3DPeer(&peer));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemcpy3D(nullptr));
  EXPECT_OK(cudaFree(device.ptr));
}

TEST(Copy, peers) {
  Buffer here(64);
  ASSERT_OK(cudaSetDevice(1));
  Buffer there(64);
  ASSERT_OK(cudaSetDevice(0));
  const Bytes data = pattern(64);
  EXPECT_OK(cudaMemcpy(here.get(), data.data(), 64, cudaMemcpyHostToDevice));
  EXPECT_OK(cudaMemcpyPeer(there.get(), 1, here.get(), 0, 64));
  EXPECT_EQ(read(there.get(), 64), data);
  EXPECT_OK(cudaMemset(here.get(), 0, 64));
  EXPECT_OK(cudaMemcpyPeerAsync(here.get(), 0, there.get(), 1, 64, nullptr));
  EXPECT_EQ(read(here.get(), 64), data);
  EXPECT_CUDA(cudaErrorInvalidDevice, cudaMemcpyPeer(there.get(), 2, here.get(), 0, 64));
}

TEST(Copy, fills) {
  Buffer device(1000);
  EXPECT_OK(cudaMemset(device.get(), 1, 1000));
  EXPECT_OK(cudaMemsetAsync(device.get() + 10, 2, 10, nullptr));
  EXPECT_OK(cudaMemset2D(device.get() + 100, 50, 3, 20, 4));
  EXPECT_OK(cudaMemset2DAsync(device.get() + 120, 50, 4, 10, 4, nullptr));
  EXPECT_OK(cudaMemset3D({device.get() + 400, 10, 10, 5}, 5, {6, 3, 4}));
  EXPECT_OK(cudaMemset3DAsync({device.get() + 700, 10, 10, 5}, 0x106, {6, 3, 4}, nullptr));
  const Bytes back = read(device.get(), 1000);
  for (size_t i = 0; i < back.size(); ++i) {
    int expected = 1;
    if (i >= 10 && i < 20)
      expected = 2;
    if (i >= 100 && i < 300 && (i - 100) % 50 < 30)
      expected = (i - 100) % 50 < 20 ? 3 : 4;
    for (auto [start, value] : {std::pair<size_t, int>{400, 5}, {700, 6}})
      if (i >= start && i < start + 200 && (i - start) % 10 < 6 && (i - start) / 10 % 5 < 3)
        expected = value;
    ASSERT_EQ(back[i], expected) << i;
  }
  Bytes host(10);
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemset(host.data(), 0, 10));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemset(device.get(), 0, 1001));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemset2D(device.get(), 10, 0, 11, 2));
}

/// "The function will return once the pageable buffer has been copied to the staging memory."
TEST(Copy, asyncFromPageableMayReuseItsSource) {
  Buffer device(1000);
  HeldStream stream;
  Bytes host = pattern(1000);
  EXPECT_OK(cudaMemcpyAsync(device.get(), host.data(), 1000, cudaMemcpyHostToDevice, stream));
  std::fill(host.begin(), host.end(), 0); // the stream has not got there yet
  EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
  stream.letGo();
  EXPECT_EQ(read(device.get(), 1000), pattern(1000));
}

TEST(Copy, asyncFromPageLockedReadsLater) {
  Buffer device(1000);
  void *memory;
  ASSERT_OK(cudaMallocHost(&memory, 1000));
  std::memset(memory, 0, 1000);
  {
    HeldStream stream;
    EXPECT_OK(cudaMemcpyAsync(device.get(), memory, 1000, cudaMemcpyHostToDevice, stream));
    std::memcpy(memory, pattern(1000).data(), 1000);
    stream.letGo();
  }
  EXPECT_EQ(read(device.get(), 1000), pattern(1000));
  EXPECT_OK(cudaFreeHost(memory));
}

TEST(Copy, badStreamIsRefused) {
  Buffer device(8);
  cudaStream_t stream;
  ASSERT_OK(cudaStreamCreate(&stream));
  ASSERT_OK(cudaStreamDestroy(stream));
  long value = 0;
  EXPECT_CUDA(cudaErrorInvalidResourceHandle,
              cudaMemcpyAsync(device.get(), &value, 8, cudaMemcpyHostToDevice, stream));
  EXPECT_CUDA(cudaErrorInvalidResourceHandle, cudaMemsetAsync(device.get(), 0, 8, stream));
}

TEST(Copy, batch) {
  Buffer a(100), b(100);
  cudaStream_t stream;
  ASSERT_OK(cudaStreamCreate(&stream));
  Bytes host = pattern(100);
  void *to[] = {a.get(), b.get()};
  void *from[] = {host.data(), host.data() + 50};
  size_t sizes[] = {100, 50}, first[] = {0}, failed = 0;
  cudaMemcpyAttributes attributes = {};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  EXPECT_OK(cudaMemcpyBatchAsync(to, from, sizes, 2, &attributes, first, 1, &failed, stream));
  EXPECT_EQ(failed, SIZE_MAX);
  EXPECT_OK(cudaStreamSynchronize(stream));
  EXPECT_EQ(read(a.get(), 100), host);
  EXPECT_EQ(read(b.get(), 50), pattern(50, 50));
  sizes[1] = 101;
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaMemcpyBatchAsync(to, from, sizes, 2, &attributes, first, 1, &failed, stream));
  EXPECT_EQ(failed, 1u);
  EXPECT_CUDA(cudaErrorInvalidValue,
              cudaMemcpyBatchAsync(to, from, sizes, 2, &attributes, first, 1, &failed, nullptr));

  cudaMemcpy3DBatchOp op = {};
  op.src.type = op.dst.type = cudaMemcpyOperandTypePointer;
  op.src.op.ptr.ptr = a.get();
  op.dst.op.ptr.ptr = b.get();
  op.dst.op.ptr.rowLength = 20;
  op.dst.op.ptr.layerHeight = 3;
  op.extent = {10, 3, 1};
  op.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  EXPECT_OK(cudaMemcpy3DBatchAsync(1, &op, &failed, 0, stream));
  EXPECT_OK(cudaStreamSynchronize(stream));
  EXPECT_EQ(read(b.get() + 20, 10), pattern(10, 10));
  EXPECT_CUDA(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(0, &op, &failed, 0, stream));
  EXPECT_OK(cudaStreamDestroy(stream));
}

/// The first source is read in the order of the stream, the second one at once.
TEST(Copy, batchReadsWhenItIsSaid) {
  HeldStream stream;
  Buffer a(100), b(100);
  Pinned source(100);
  std::fill_n(source.get(), 100, 1);
  void *to[] = {a.get(), b.get()}, *from[] = {source.get(), source.get()};
  size_t sizes[] = {100, 100}, first[] = {0, 1}, failed = 0;
  cudaMemcpyAttributes attributes[2] = {};
  attributes[0].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  attributes[1].srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
  ASSERT_OK(cudaMemcpyBatchAsync(to, from, sizes, 2, attributes, first, 2, &failed, stream));
  std::fill_n(source.get(), 100, 2);
  stream.letGo();
  EXPECT_EQ(read(a.get(), 100), Bytes(100, 2));
  EXPECT_EQ(read(b.get(), 100), Bytes(100, 1));
}

/// Beside an array, extents and lengths of rows count its elements.
TEST(Copy, batchCountsElements) {
  cudaStream_t stream;
  ASSERT_OK(cudaStreamCreate(&stream));
  cudaChannelFormatDesc format = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
  cudaArray_t array;
  ASSERT_OK(cudaMallocArray(&array, &format, 8, 4));
  std::vector<float> host(40), seen(32);
  for (size_t i = 0; i < 40; ++i)
    host[i] = static_cast<float>(i);
  cudaMemcpy3DBatchOp op = {};
  op.src.type = cudaMemcpyOperandTypePointer;
  op.src.op.ptr.ptr = host.data();
  op.src.op.ptr.rowLength = 10;
  op.dst.type = cudaMemcpyOperandTypeArray;
  op.dst.op.array.array = array;
  op.extent = {8, 4, 1};
  op.srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
  size_t failed = 0;
  ASSERT_OK(cudaMemcpy3DBatchAsync(1, &op, &failed, 0, stream));
  ASSERT_OK(cudaMemcpy2DFromArray(seen.data(), 32, array, 0, 0, 32, 4, cudaMemcpyDeviceToHost));
  for (size_t i = 0; i < 32; ++i)
    EXPECT_EQ(seen[i], host[i / 8 * 10 + i % 8]) << i;
  EXPECT_OK(cudaFreeArray(array));
  EXPECT_OK(cudaStreamDestroy(stream));
}

} // namespace
