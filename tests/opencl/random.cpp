// REQUIRES: opencl
// RUN: %opencl %s -o %t && %t
//
// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random commands from several threads in queues in and out of order, against a model: a command on a buffer waits for the
// buffer's last one, by an event, and for user events that are set later, some to an error, which passes on to all that wait
// for them. Between them wrong calls, each with its code. Longer: base/test_fuzz.h.
#include "opencl_test.h"

#include "../../src/base/test_fuzz.h"

#include <algorithm>
#include <deque>
#include <random>
#include <thread>

constexpr size_t Length = 300;
constexpr size_t Bytes = Length * sizeof(int);

struct Buffer {
  cl_mem memory;
  std::vector<int> model;
  cl_event last = nullptr; ///< retained
  bool isFailed = false;   ///< `last` is, or will be
};
struct Gate {
  cl_event event;
  bool fails;
};

class Player {
public:
  Player(Machine &machine, cl_program program, unsigned seed) : m_(machine), random_(seed) {
    for (int i = 0; i != 3; ++i) {
      cl_int code = 0;
      std::vector<int> model(Length, i);
      cl_mem memory = clCreateBuffer(m_.context, CL_MEM_COPY_HOST_PTR, Bytes, model.data(), &code);
      OK(code);
      buffers_.push_back({memory, model});
      const cl_queue_properties list[] = {CL_QUEUE_PROPERTIES,
                                          static_cast<cl_queue_properties>(i == 0 ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), 0};
      queues_.push_back(clCreateCommandQueueWithProperties(m_.context, m_.device, list, &code));
      OK(code);
    }
    cl_int code = 0;
    add_ = clCreateKernel(program, "add", &code);
    OK(code);
  }

  void play(unsigned count) {
    for (unsigned i = 0; i != count; ++i)
      step();
    openGates();
    for (Buffer &buffer : buffers_) {
      settle(buffer);
      compare(buffer);
      OK(clReleaseMemObject(buffer.memory));
    }
    for (cl_command_queue queue : queues_) {
      OK(clFinish(queue));
      OK(clReleaseCommandQueue(queue));
    }
    OK(clReleaseKernel(add_));
  }

private:
  unsigned below(size_t bound) { return static_cast<unsigned>(random_() % bound); }
  Buffer &someBuffer() { return buffers_[below(buffers_.size())]; }
  cl_command_queue someQueue() { return queues_[below(queues_.size())]; }

  void step() {
    switch (below(12)) {
    case 0: return write();
    case 1: return fill();
    case 2: return copy();
    case 3:
    case 4: return launch();
    case 5: return map();
    case 6: return makeGate();
    case 7: return below(2) ? openGates() : mark();
    case 8: return openAndCompare();
    case 9: return part();
    case 10: return retain();
    default: return mistake();
    }
  }

  /// What a command on these buffers waits for, and whether it will fail.
  struct Waits {
    std::vector<cl_event> list;
    bool isFailed = false;
    cl_uint count() const { return static_cast<cl_uint>(list.size()); }
    const cl_event *events() const { return list.empty() ? nullptr : list.data(); }
  };
  Waits waitsOf(std::initializer_list<Buffer *> buffers, bool mayHaveGate = true) {
    Waits waits;
    for (Buffer *buffer : buffers)
      if (buffer->last) {
        waits.list.push_back(buffer->last);
        waits.isFailed |= buffer->isFailed;
      }
    if (mayHaveGate && !gates_.empty() && below(2)) {
      const Gate &gate = gates_[below(gates_.size())];
      waits.list.push_back(gate.event);
      waits.isFailed |= gate.fails;
    }
    return waits;
  }
  void follow(std::initializer_list<Buffer *> buffers, cl_event event, bool isFailed) {
    for (Buffer *buffer : buffers) {
      OK(clRetainEvent(event));
      if (buffer->last)
        OK(clReleaseEvent(buffer->last));
      buffer->last = event;
      buffer->isFailed = isFailed;
    }
    OK(clReleaseEvent(event));
  }
  template <typename Model>
  void done(cl_int code, std::initializer_list<Buffer *> buffers, const Waits &waits, cl_event event, Model &&model) {
    OK(code);
    if (!waits.isFailed)
      model();
    follow(buffers, event, waits.isFailed);
  }

  void write() {
    Buffer &b = someBuffer();
    const Waits waits = waitsOf({&b});
    const size_t first = below(Length), count = 1 + below(Length - first);
    auto &values = kept_.emplace_back(count, static_cast<int>(below(1000)));
    cl_event event = nullptr;
    done(clEnqueueWriteBuffer(someQueue(), b.memory, CL_FALSE, 4 * first, 4 * count, values.data(), waits.count(),
                              waits.events(), &event),
         {&b}, waits, event, [&] { std::copy(values.begin(), values.end(), b.model.begin() + first); });
  }
  void fill() {
    Buffer &b = someBuffer();
    const Waits waits = waitsOf({&b});
    const int value = static_cast<int>(below(100));
    const size_t first = below(Length), count = 1 + below(Length - first);
    cl_event event = nullptr;
    done(clEnqueueFillBuffer(someQueue(), b.memory, &value, 4, 4 * first, 4 * count, waits.count(), waits.events(), &event),
         {&b}, waits, event, [&] { std::fill_n(b.model.begin() + first, count, value); });
  }
  void copy() {
    Buffer &from = buffers_[0], &to = buffers_[1 + below(2)];
    const Waits waits = waitsOf({&from, &to});
    const size_t count = 1 + below(Length), source = below(Length - count + 1), target = below(Length - count + 1);
    cl_event event = nullptr;
    done(clEnqueueCopyBuffer(someQueue(), from.memory, to.memory, 4 * source, 4 * target, 4 * count, waits.count(),
                             waits.events(), &event),
         {&from, &to}, waits, event, [&] { std::copy_n(from.model.begin() + source, count, to.model.begin() + target); });
  }
  void launch() {
    Buffer &b = someBuffer();
    const Waits waits = waitsOf({&b});
    const int value = static_cast<int>(below(10));
    const size_t first = below(Length), count = 1 + below(Length - first);
    setArguments(add_, b.memory, value);
    cl_event event = nullptr;
    done(clEnqueueNDRangeKernel(someQueue(), add_, 1, &first, &count, nullptr, waits.count(), waits.events(), &event), {&b},
         waits, event, [&] {
           for (size_t i = 0; i != count; ++i)
             b.model[first + i] += value;
         });
  }
  void map() {
    Buffer &b = someBuffer();
    openGates();
    settle(b);
    cl_int code = 0;
    auto *at = static_cast<int *>(clEnqueueMapBuffer(someQueue(), b.memory, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, Bytes, 0,
                                                     nullptr, nullptr, &code));
    OK(code);
    CHECK(std::equal(b.model.begin(), b.model.end(), at));
    b.model[5] = at[5] = static_cast<int>(below(50));
    cl_event event = nullptr;
    OK(clEnqueueUnmapMemObject(someQueue(), b.memory, at, 0, nullptr, &event));
    follow({&b}, event, false);
  }
  void part() {
    Buffer &b = someBuffer();
    const Waits waits = waitsOf({&b});
    const cl_buffer_region region = {128, 256};
    cl_int code = 0;
    cl_mem part = clCreateSubBuffer(b.memory, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    OK(code);
    const int value = 3;
    const size_t count = 64;
    setArguments(add_, part, value);
    cl_event event = nullptr;
    code = clEnqueueNDRangeKernel(someQueue(), add_, 1, nullptr, &count, &count, waits.count(), waits.events(), &event);
    OK(clReleaseMemObject(part)); // the command keeps it
    done(code, {&b}, waits, event, [&] {
      for (size_t i = 0; i != count; ++i)
        b.model[32 + i] += value;
    });
  }
  void mark() {
    Buffer &b = someBuffer();
    const Waits waits = waitsOf({&b});
    cl_event event = nullptr;
    const auto function = below(2) ? clEnqueueMarkerWithWaitList : clEnqueueBarrierWithWaitList;
    if (!waits.count())
      return;
    done(function(queues_[1], waits.count(), waits.events(), &event), {&b}, waits, event, [] {});
  }

  void makeGate() {
    cl_int code = 0;
    gates_.push_back({clCreateUserEvent(m_.context, &code), below(4) == 0});
    OK(code);
  }
  void openGates() {
    std::shuffle(gates_.begin(), gates_.end(), random_);
    for (const Gate &gate : gates_) {
      OK(clSetUserEventStatus(gate.event, gate.fails ? -77 : CL_COMPLETE));
      CHECK_CODE(clSetUserEventStatus(gate.event, CL_COMPLETE), CL_INVALID_OPERATION);
      OK(clReleaseEvent(gate.event));
    }
    gates_.clear();
  }
  /// Waits for what was done with a buffer. A failure, which waits for nothing but its cause, has no more effect.
  void settle(Buffer &b) {
    if (!b.last)
      return;
    CHECK_CODE(clWaitForEvents(1, &b.last), b.isFailed ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS);
    cl_int status = 1;
    OK(clGetEventInfo(b.last, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(status), &status, nullptr));
    CHECK(b.isFailed ? status < 0 : status == CL_COMPLETE);
    OK(clReleaseEvent(b.last));
    b.last = nullptr;
    for (cl_command_queue queue : queues_)
      if (b.isFailed)
        OK(clFinish(queue));
    b.isFailed = false;
  }
  void compare(Buffer &b) {
    std::vector<int> got(Length);
    OK(clEnqueueReadBuffer(someQueue(), b.memory, CL_TRUE, 0, Bytes, got.data(), 0, nullptr, nullptr));
    CHECK(got == b.model);
  }
  void openAndCompare() {
    Buffer &b = someBuffer();
    openGates();
    const Waits waits = waitsOf({&b}, false);
    std::vector<int> got(Length);
    const cl_int code =
        clEnqueueReadBuffer(queues_[1 + below(2)], b.memory, CL_TRUE, 0, Bytes, got.data(), waits.count(), waits.events(), nullptr);
    CHECK_CODE(code, waits.isFailed ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS);
    CHECK(waits.isFailed || got == b.model);
    settle(b);
  }
  void retain() {
    Buffer &b = someBuffer();
    OK(clRetainMemObject(b.memory));
    OK(clRetainKernel(add_));
    OK(clReleaseKernel(add_));
    OK(clReleaseMemObject(b.memory));
  }

  void mistake() {
    Buffer &b = someBuffer();
    cl_command_queue queue = someQueue();
    const size_t one = 1, many = 1 << 20;
    int value = 0;
    cl_event event = nullptr;
    const auto wrong = [](cl_int code, cl_int right) { CHECK_CODE(code, right); };
    switch (below(9)) {
    case 0: return wrong(clEnqueueReadBuffer(queue, b.memory, CL_TRUE, 4, Bytes, &value, 0, nullptr, nullptr), CL_INVALID_VALUE);
    case 1: return wrong(clEnqueueReadBuffer(queue, nullptr, CL_TRUE, 0, 4, &value, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
    case 2: return wrong(clEnqueueNDRangeKernel(queue, add_, 4, nullptr, &one, nullptr, 0, nullptr, nullptr), CL_INVALID_WORK_DIMENSION);
    case 3:
      setArguments(add_, b.memory, value);
      return wrong(clEnqueueNDRangeKernel(queue, add_, 1, nullptr, &many, &many, 0, nullptr, nullptr), CL_INVALID_WORK_GROUP_SIZE);
    case 4: return wrong(clSetKernelArg(add_, 2, 4, &value), CL_INVALID_ARG_INDEX);
    case 5: return wrong(clEnqueueFillBuffer(queue, b.memory, &value, 3, 0, 12, 0, nullptr, nullptr), CL_INVALID_VALUE);
    case 6: return wrong(clEnqueueCopyBuffer(queue, b.memory, b.memory, 0, 8, 16, 0, nullptr, nullptr), CL_MEM_COPY_OVERLAP);
    case 7: return wrong(clEnqueueMarkerWithWaitList(queue, 1, &event, nullptr), CL_INVALID_EVENT_WAIT_LIST);
    default: return wrong(clEnqueueUnmapMemObject(queue, b.memory, &value, 0, nullptr, nullptr), CL_INVALID_VALUE);
    }
  }

  Machine &m_;
  std::mt19937 random_;
  std::vector<Buffer> buffers_;
  std::vector<cl_command_queue> queues_;
  std::vector<Gate> gates_;
  std::deque<std::vector<int>> kept_; ///< what writes read later
  cl_kernel add_ = nullptr;
};

int main() {
  const heddle::test::FuzzRun run;
  Machine m;
  cl_program program = m.build("kernel void add(global int *a, int n) { a[get_global_id(0)] += n; }");
  std::vector<std::thread> threads;
  for (unsigned i = 0; i != 3; ++i)
    threads.emplace_back([&, i] { Player(m, program, static_cast<unsigned>(run.seed) + i).play(600 * run.factor); });
  for (std::thread &thread : threads)
    thread.join();
}
